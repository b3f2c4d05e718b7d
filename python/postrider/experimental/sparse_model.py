"""Linear models of sparse inputs, with beliefs: rows of names with values, learned as they come.

Experimental: the part becomes stable once one pass over rows that are sorted by class costs no more than Vowpal Wabbit's, and sets
with millions of rows are compared. On w8a such a pass costs more.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from postrider import _core
from postrider._files import expect_replaceable
from postrider._moved import renamed

__all__ = ["SparseModel", "hashed_columns"]

Rows: TypeAlias = Any
Floats: TypeAlias = npt.NDArray[np.float64]

_BLOCK = 4096
_ALL = 2**62


class SparseModel:
    """A linear model of sparse inputs whose weights are Gaussian beliefs.

    Rows are given as a list of dictionaries, a SciPy sparse matrix, a pandas or Arrow table, or the path of a file in
    LIBSVM's or Vowpal Wabbit's text form. In a dictionary, a text is a name in its field, a number is the value of the
    field, a list has several names and a dictionary names with values; None is nothing. Names are hashed: there is no
    vocabulary to build, and new names may come at any time.

    Parameters
    ----------
    target : {"logistic", "probit", "number"}
        What is predicted: two classes, by a logistic or a probit link, or a number.
    passes : int
        Passes over the rows of `fit`; more than one keeps them in memory.
    latent : int
        Numbers of each input's latent vector, whose products between fields are added to the score; 0: none.
    drift : bool
        Whether beliefs drift from row to row of `update`, at a rate that is found out; for streams whose rules change.
    seed : int
        Seed of the latent vectors' first means.

    Examples
    --------
    >>> from postrider.experimental.sparse_model import SparseModel
    >>> model = SparseModel()
    >>> rows = [{"user": "ann", "item": "tea"}, {"user": "bob", "item": "tea"}]
    >>> for _ in range(20):
    ...     model = model.update(rows, [1, 0])
    >>> bool(model.predict_proba(rows)[0, 1] > 0.8)
    True
    """

    def __init__(
        self,
        *,
        target: Literal["logistic", "probit", "number"] = "logistic",
        passes: int = 1,
        latent: int = 0,
        drift: bool = False,
        seed: int = 1,
    ) -> None:
        self._settings: dict[str, bool | int | str] = {
            "target": target,
            "passes": passes,
            "latent": latent,
            "drift": drift,
            "seed": seed,
        }
        self._model = _core.SparseModel(self._settings)
        self.update_log_loss_ = math.nan

    # --- learning --------------------------------------------------------------------------------

    def update(self, X: Rows, y: Any = None, *, sample_weight: Any = None, format: str = "auto") -> SparseModel:
        """Learns each row once, in order; a file is streamed. Returns the model itself.

        `y` has 1 for one class and 0 or -1 for the other, or numbers; a file has its own. `update_log_loss_` is the mean log-loss of
        these rows, each predicted just before it was learned.
        """
        loss = weight = 0.0
        for rows in _blocks(X, y, sample_weight, format, _BLOCK):
            _, more_loss, more_weight, _ = self._model.learn(rows)
            loss += more_loss
            weight += more_weight
        self.update_log_loss_ = loss / weight if weight > 0 else 0.0
        return self

    def fit(self, X: Rows, y: Any = None, *, sample_weight: Any = None, format: str = "auto") -> SparseModel:
        """Begins anew and learns the rows in `passes` passes."""
        self._model = _core.SparseModel(self._settings)
        for rows in _blocks(X, y, sample_weight, format, _ALL):
            self._model.fit(rows)
        return self

    def learn(self, X: Rows, y: Any = None, *, sample_weight: Any = None, format: str = "auto") -> float:
        """Deprecated: `update`, and `update_log_loss_` for what this returns."""
        renamed("SparseModel.learn", "SparseModel.update")
        return self.update(X, y, sample_weight=sample_weight, format=format).update_log_loss_

    def partial_fit(self, X: Rows, y: Any = None, *, sample_weight: Any = None) -> SparseModel:
        """Deprecated: `update`."""
        renamed("SparseModel.partial_fit", "SparseModel.update")
        return self.update(X, y, sample_weight=sample_weight)

    def drop_idle(self, most_nats: float = 1e-4) -> int:
        """Drops weights that say nothing beyond the prior, and returns how many."""
        return int(self._model.drop_idle(most_nats))

    # --- predictions -----------------------------------------------------------------------------

    def predict_proba(self, X: Rows, *, format: str = "auto") -> Floats:
        """The probabilities of both classes, a row for each."""
        if self._settings["target"] == "number":
            raise ValueError("target = \"number\": has no classes; ask predict")
        one = self._predicted(X, format)[:, 3]
        return np.column_stack([1 - one, one])

    def predict(self, X: Rows, *, return_std: bool = False, format: str = "auto") -> Any:
        """The likelier class, 0 or 1, or the mean of a number; with `return_std` also the number's standard deviation."""
        found = self._predicted(X, format)
        if self._settings["target"] != "number":
            return (found[:, 3] > 0.5).astype(int)
        return (found[:, 0], np.hypot(found[:, 1], found[:, 2])) if return_std else found[:, 0]

    def score_beliefs(self, X: Rows, *, format: str = "auto") -> tuple[Floats, Floats]:
        """Mean and standard deviation of each row's score, as far as the weights are uncertain."""
        found = self._predicted(X, format)
        return found[:, 0], found[:, 1]

    def sample(self, X: Rows, seed: int, *, format: str = "auto") -> Floats:
        """One draw of each row's score, for Thompson sampling; a function of the seed and the row's place."""
        drawn = [self._model.sample(rows, seed) for rows in _blocks(X, None, None, format, _ALL)]
        return np.concatenate(drawn) if drawn else np.empty(0)

    def _predicted(self, X: Rows, format: str) -> Floats:
        parts = [self._model.predict(rows) for rows in _blocks(X, None, None, format, _BLOCK)]
        return np.concatenate(parts) if parts else np.empty((0, 4))

    # --- what is believed ------------------------------------------------------------------------

    def weight(self, field: str, name: str = "") -> tuple[float, float]:
        """Mean and standard deviation of the weight of a name in a field; the prior's if it was never seen."""
        mean, std, _ = self._model.weight(field, name)
        return mean, std

    @property
    def n_weights_(self) -> int:
        """Weights that exist: of all inputs that were seen."""
        return int(self._model.summary()["weights"])

    @property
    def log_loss_(self) -> float:
        """Mean log-loss of all rows so far, each predicted just before it was learned."""
        return float(self._model.summary()["log_loss"])

    @property
    def prior_variances_(self) -> dict[float, float]:
        """The prior variances that run side by side, and how much each counts."""
        summary = self._model.summary()
        return dict(zip(summary["prior_variances"], summary["shares"], strict=True))

    @property
    def drift_rates_(self) -> dict[float, float]:
        """The rates of drift that run side by side, and how much each counts."""
        summary = self._model.summary()
        out: dict[float, float] = {}
        for rate, share in zip(summary["drift_rates"], summary["shares"], strict=True):
            out[rate] = out.get(rate, 0.0) + share
        return out

    # --- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a safetensors file; what is learned after `load` is the same to the bit."""
        expect_replaceable(path)
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SparseModel:
        """Reads what `save` wrote."""
        model = cls.__new__(cls)
        model._model = _core.SparseModel.load(os.fspath(path))
        settings: dict[str, bool | int | str] = {"target": model._model.setting("target")}
        settings.update({name: int(model._model.setting(name)) for name in ("passes", "latent", "seed")})
        settings["drift"] = model._model.setting("drift") == "yes"
        model._settings = settings
        model.update_log_loss_ = math.nan
        return model


def hashed_columns(X: Rows, columns: int = 2**16, *, format: str = "auto") -> tuple[Any, Floats | None]:
    """Rows of names as a SciPy sparse matrix, for an estimator: a network on top of names.

    Each name has the column that its hash gives it, among `columns`; names that share one are added up. No vocabulary
    is built, so that rows that come later have the same columns.

    Parameters
    ----------
    X : rows as of :class:`SparseModel`
    columns : int
        Several times as many as there are names that matter.

    Returns
    -------
    matrix : scipy.sparse.csr_matrix of shape (rows, columns)
    targets : array, or None where the rows have none of their own: those of a file

    Examples
    --------
    >>> from postrider import BayesianMLPClassifier
    >>> from postrider.experimental.sparse_model import hashed_columns
    >>> rows = [{"user": user, "item": item} for user in "ab" for item in "xy"] * 50
    >>> likes = [int(row["user"] + row["item"] in ("ax", "by")) for row in rows]  # no sum of weights says that
    >>> matrix, _ = hashed_columns(rows, 64)
    >>> model = BayesianMLPClassifier((8,), ensemble_size=1, random_state=0).fit(matrix, likes)
    >>> [round(p) for p in model.predict_proba(hashed_columns(rows[:4], 64)[0])[:, 1]]
    [1, 0, 0, 1]
    """
    from scipy.sparse import csr_matrix, vstack  # noqa: PLC0415

    parts, targets = [], []
    for rows in _blocks(X, None, None, format, _BLOCK):
        ends, places, values = rows.hashed(columns)
        parts.append(csr_matrix((values, places, ends.astype(np.int64)), shape=(len(rows), columns)))
        targets.append(rows.targets())
    matrix = vstack(parts, format="csr") if parts else csr_matrix((0, columns))
    found = np.concatenate(targets) if targets else np.empty(0)
    return matrix, found if len(found) == matrix.shape[0] > 0 else None


def _blocks(X: Rows, y: Any, weights: Any, format: str, most: int) -> Iterator[_core.FeatureRows]:
    if isinstance(X, str | os.PathLike):
        if y is not None or weights is not None:
            raise ValueError("y: a file has its own targets and weights")
        file = _core.FeatureFile(os.fspath(X), format)
        while (rows := file.read(most)) is not None:
            yield rows
        return
    targets = None if y is None else np.ascontiguousarray(y, dtype=np.float64)
    of_rows = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr()
        yield _core.FeatureRows.of_csr(
            np.ascontiguousarray(matrix.indptr, dtype=np.int64),
            np.ascontiguousarray(matrix.indices, dtype=np.int64),
            np.ascontiguousarray(matrix.data, dtype=np.float32),
            targets,
            of_rows,
        )
    else:
        yield _core.FeatureRows.of_records(_records(X), targets, of_rows)


def _records(X: Any) -> list[Mapping[str, Any]]:
    if hasattr(X, "to_pylist"):  # Arrow
        return list(X.to_pylist())
    if hasattr(X, "to_dict"):  # pandas
        return list(X.to_dict("records"))
    if not isinstance(X, Sequence):
        raise TypeError("X: must be a list of dictionaries, a sparse matrix, a table or the path of a file")
    return list(X)
