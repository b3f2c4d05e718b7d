"""Topics of documents, latent Dirichlet allocation: shares of topics in documents, probabilities of words in topics."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from postrider import _core
from postrider._conjugate import Conjugates
from postrider._expressions import Array
from postrider._model_inputs import finite_numbers

_Rows = tuple[NDArray[np.uint64], NDArray[np.uint32], Array, int]


@dataclass(frozen=True, eq=False)
class Topics:
    """Unknown topics of documents; made by `Model.topics`."""

    counts: Any  # documents x words, sparse
    topics: int
    share_prior: Array
    word_prior: Array
    starts: int
    limit: int
    tolerance: float
    seed: int
    name: str
    number: int  # among those of its model

    def beliefs(self) -> Any:
        try:
            found = _core.topic_beliefs(
                *rows_of(self.counts), self.topics, self.share_prior, self.word_prior, self.limit, self.tolerance, self.starts, self.seed
            )
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None
        if not found.converged:
            warnings.warn(
                f"{self.name}: topics are not settled: the last of {found.passes} passes moved {found.change:.1g} of all words; raise limit",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found


@dataclass(frozen=True)
class DirichletRows:
    """Vectors of probabilities with Dirichlet beliefs, row by row."""

    parameters: Array

    @property
    def mean(self) -> Array:
        return np.asarray(self.parameters / self.parameters.sum(axis=-1, keepdims=True))

    @property
    def sd(self) -> Array:
        mean, total = self.mean, self.parameters.sum(axis=-1, keepdims=True)
        return np.asarray(np.sqrt(mean * (1 - mean) / (total + 1)))

    def __repr__(self) -> str:
        return f"<belief of shape {self.parameters.shape}>"


class TopicBelief:
    """What is known of topics: `words` of each topic, `shares` of each document, and how well they predict other documents."""

    def __init__(self, found: Any, name: str) -> None:
        self._found, self._name = found, name
        self.words, self.shares = DirichletRows(found.words), DirichletRows(found.shares)
        self.log_evidence_bound, self.converged = float(found.log_evidence_bound), bool(found.converged)

    def top_words(self, count: int = 10) -> NDArray[np.int64]:
        """The numbers of the likeliest words of each topic, from the likeliest on."""
        return np.asarray(np.argsort(-self.words.mean, axis=1, kind="stable")[:, :count])

    def shares_of(self, counts: Any) -> DirichletRows:
        """The shares of topics in other documents."""
        rows = rows_of(checked_counts(self._name, counts))
        return DirichletRows(self._found.shares_of(*rows))

    def perplexity(self, counts: Any, *, seed: int = 0) -> float:
        """How many words, all equally likely, would be as hard to predict: document completion.

        Half of the words of each document, drawn without replacement, are given; the other half is judged by the shares that the first
        half says. Lower is better.
        """
        given, rest = halves(checked_counts(self._name, counts), seed)
        if rest.sum() == 0:
            raise ValueError(f"{self._name}: counts: no document has two words, so that none can be judged")
        shares = self._found.shares_of(*rows_of(given))
        return float(np.exp(-self._found.log_likelihood(np.ascontiguousarray(shares).ravel(), *rows_of(rest)) / rest.sum()))

    def __repr__(self) -> str:
        return f"<{self.words.parameters.shape[0]} topics of {self.shares.parameters.shape[0]} documents>"


def halves(counts: Any, seed: int) -> tuple[Any, Any]:
    """The words of each document dealt to two halves at random; of an odd number the second half has one more."""
    random = np.random.default_rng(seed)
    first = counts.copy()
    for d in range(counts.shape[0]):
        here = slice(counts.indptr[d], counts.indptr[d + 1])
        numbers = counts.data[here].astype(np.int64)
        if (numbers != counts.data[here]).any():
            raise ValueError("counts: must be whole numbers where words are dealt to halves")
        if len(numbers):
            first.data[here] = random.multivariate_hypergeometric(numbers, numbers.sum() // 2, method="marginals")
    return first, (counts - first).tocsr()


def checked_counts(label: str, counts: Any) -> Any:
    """Counts of words in documents as a sparse matrix of rows."""
    out = sparse.csr_matrix(counts if sparse.issparse(counts) else np.atleast_2d(finite_numbers(f"{label}: counts", counts)))
    out = out.astype(np.float64)
    out.sum_duplicates()
    if not np.isfinite(out.data).all() or (out.data < 0).any():
        raise ValueError(f"{label}: counts: must be finite and at least 0")
    return out


def rows_of(counts: Any) -> _Rows:
    return (
        np.ascontiguousarray(counts.indptr, dtype=np.uint64),
        np.ascontiguousarray(counts.indices, dtype=np.uint32),
        np.ascontiguousarray(counts.data, dtype=np.float64),
        int(counts.shape[1]),
    )


class TopicModels(Conjugates):
    """The part of a model that holds topics."""

    def __init__(self) -> None:
        super().__init__()
        self._topics: list[Topics] = []

    def topics(
        self,
        counts: Any,
        topics: int,
        *,
        share_prior: ArrayLike | None = None,
        word_prior: ArrayLike | None = None,
        starts: int = 4,
        limit: int = 500,
        tolerance: float = 1e-4,
        seed: int = 0,
        name: str | None = None,
    ) -> Topics:
        """Topics of documents from how often each word stands in each, `counts` of shape (documents, words), dense or sparse.

        Each document has shares of topics, Dirichlet beforehand with parameters `share_prior`, a number or one for each topic; each topic has
        probabilities of words, with `word_prior`, a number, one for each word, or of shape (topics, words). Both are 1/topics if left out.
        Of several `starts` at random the best goes on, until a pass over the documents moves less than `tolerance` of all words.
        """
        label = name or "topics"
        shares, words = (
            np.ascontiguousarray([] if prior is None else finite_numbers(f"{label}: {field}", prior), dtype=np.float64)
            for field, prior in (("share_prior", share_prior), ("word_prior", word_prior))
        )
        if words.ndim == 2 and words.shape[0] != topics:
            raise ValueError(f"{label}: word_prior has the shape {words.shape}: must have a row for each of {topics} topics")
        made = Topics(
            checked_counts(label, counts),
            int(topics),
            shares.ravel(),
            words.ravel(),
            int(starts),
            int(limit),
            float(tolerance),
            seed,
            label,
            len(self._topics),
        )
        self._topics.append(made)
        return made
