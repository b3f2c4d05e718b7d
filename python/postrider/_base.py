"""What the estimators share: options, training, files, fitted attributes."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    check_X_y,
    validate_data,
)

from postrider import _core, _files
from postrider._convergence import is_searched, warn_if_unfinished
from postrider._drift import LearnedRowsWarning
from postrider._frames import encoded, encoder_for, expect_frame, has_other_than_numbers, ignored_columns, warn_of_ignored
from postrider._beliefs import LayerBeliefs
from postrider._groups import group_numbers
from postrider._interrupt import expect_an_epoch, seconds_of, warn_of_interrupt
from postrider._memory import store_budget
from postrider._options import renamed_parameters
from postrider._plain_arrays import plain_rows, plain_targets
from postrider._progress import logger, teller
from postrider._seen import Sample, sample_of, warning_of
from postrider.evaluation import Evaluation
from postrider.network_certificate import NetworkCertificate

if TYPE_CHECKING:
    from typing_extensions import Self

Floats = NDArray[np.float64]
Core = TypeVar("Core", _core.Regressor, _core.Classifier)

_SEEDS = 2**31 - 1


def seed_of(random_state: Any) -> int:
    """A whole number is itself the seed; all else draws one."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(_SEEDS))


def whole_number(name: str, value: Any, least: int) -> int:
    """The value, if it is a whole number that is not too small."""
    if isinstance(value, (int, np.integer)) and value >= least:
        return int(value)
    raise ValueError(f"{name} = {value!r}: must be a whole number of at least {least}")


def name_of(y: Any) -> str:
    """The name of a pandas or polars series; else y."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else "y"


def core_rows(X: Any) -> Any:
    """Checked rows as the library takes them: an array as it is, a sparse matrix without its zeros."""
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return _core.SparseMatrix(
        X.shape[1],
        X.indptr.astype(np.uint64),
        X.indices.astype(np.uint32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def dense(X: Any) -> Floats:
    """All rows as one array: what shards need."""
    rows: Floats = X.toarray() if sparse.issparse(X) else X
    return rows


def layer_sizes(given: Any) -> list[int] | None:
    """Units of the hidden layers, also of one that is given as a number; None leaves them to the library."""
    return None if given is None else np.atleast_1d(given).tolist()


def checked_weights(sample_weight: Any, X: Any) -> Floats | None:
    """Weights of the rows, or None if all count once."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return np.ascontiguousarray(weights)


# Parameters that this package alone knows.
_NOT_OF_THE_LIBRARY = ("class_weight", "memory_limit", "time_budget", "verbose")


class BayesianMLP(BaseEstimator, Generic[Core]):  # type: ignore[misc]
    """The common part of regressor and classifier."""

    _model: Core
    hidden_layer_sizes: Any
    activation: str
    ensemble_size: int | None
    drift: bool
    power: float | None
    copies: str
    encoding: str
    damping: float
    max_epochs: int | None
    patience: int | None
    effort: str
    time_budget: float | None
    weights_per_example: float
    store_budget: int | None
    memory_limit: int | str | None
    horizon: int
    stream_memory: int
    precision: str
    random_state: Any
    n_jobs: int | None
    verbose: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    history_: list[dict[str, Any]]
    stream_changes_: list[dict[str, float]]
    _rates: list[tuple[float, float, float]]
    n_iter_: int
    converged_: bool
    out_of_fold_score_: float
    out_of_fold_score_error_: float
    _target: str
    _sample: Sample | None = None  # of the rows that fit() has learned
    _encoder: _core.TableEncoder | None = None  # of frames with columns that are not numbers

    # --- streams ---------------------------------------------------------------------------------

    def _keep_changes(self, report: _core.StreamReport) -> None:
        if report.changes or "stream_changes_" not in self.__dict__:
            told: list[dict[str, float]] = [{"began": c.began, "found": c.found, "strength": c.strength} for c in report.changes]
            self.stream_changes_ = [*self.__dict__.get("stream_changes_", []), *told]
        self._rates = [(rate.forgetting, rate.walk, rate.weight) for rate in report.rates]

    @property
    def drift_rates_(self) -> list[dict[str, float]]:
        """The rates of drift after the last call of ``partial_fit``, with their weights."""
        if "_rates" not in self.__dict__:
            raise AttributeError("drift_rates_ is there after partial_fit()")
        return [dict(zip(("forgetting", "walk", "weight"), rate, strict=True)) for rate in self._rates]

    # --- options ---------------------------------------------------------------------------------

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _options(self, data_bytes: int = 0) -> dict[str, Any]:
        """All parameters that the library knows, as it takes them, for data of this size."""
        given = self.get_params(deep=False)
        return {
            **{name: value for name, value in given.items() if name not in _NOT_OF_THE_LIBRARY},
            "store_budget": store_budget(self.memory_limit, self.store_budget, data_bytes),
            "hidden_layer_sizes": layer_sizes(self.hidden_layer_sizes),
            "random_state": seed_of(self.random_state),
            "n_jobs": self._threads(),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    # --- rows ------------------------------------------------------------------------------------

    def _checked_rows(self, X: Any) -> Any:
        X = plain_rows(X)
        if self._encoder is None:
            return validate_data(self, X, reset=False, **_ROWS)
        return check_array(self._encoded(X, reset=False), **_ROWS)

    def _validated(self, X: Any, y: Any, reset: bool, **how: Any) -> tuple[Any, Any]:
        """Rows and targets, checked; columns that are not numbers become inputs as those of tables do."""
        X, y = plain_rows(X), plain_targets(y)
        if reset:
            self._encoder = encoder_for(X) if has_other_than_numbers(X) else None
            if self._encoder is not None:
                warn_of_ignored(self._encoder, stacklevel=7)
        if self._encoder is None:
            X, y = validate_data(self, X, y, reset=reset, **how, **_ROWS)
        else:
            X, y = check_X_y(self._encoded(X, reset), y, **how, **_ROWS)
        return X, y

    def _encoded(self, X: Any, reset: bool) -> Any:
        """Rows of a frame as numbers; its names are those of the columns, not of the inputs made of them."""
        assert self._encoder is not None
        expect_frame(self._encoder, X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return encoded(self._encoder, X)

    def _checked_targets(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and targets as they are learned."""
        raise NotImplementedError

    def evaluate(self, X: Any, y: Any) -> Evaluation:
        """How good the predictions are for rows that were not learned, with standard errors.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,)
            What came: targets or labels.

        Returns
        -------
        Evaluation
            Figures by their names; ``to_frame()`` makes a table of them. Where rows were learned, ``warning`` says so, and
            a :class:`LearnedRowsWarning` is given.
        """
        model = self._ready()
        X, targets = self._checked_targets(X, y)
        if targets.size != targets.shape[0]:
            raise ValueError(f"y has {targets.shape[1]} targets: evaluate takes rows of one")
        warning = warning_of(self._sample, X, targets) if self._sample else ""
        if warning:
            warnings.warn(warning, LearnedRowsWarning, stacklevel=2)
        return Evaluation(model.evaluate(core_rows(X), targets.reshape(-1)), warning)

    def _learned_warning(self, X: Any, y: Any) -> str:
        """What figures of these rows are worth, if fit() has learned some of them; else nothing."""
        return warning_of(self._sample, *self._checked_targets(X, y)) if self._sample else ""

    def _fitted(self) -> Core:
        check_is_fitted(self)
        return self._model

    def _ready(self) -> Core:
        """The model, with as many threads as are asked for now."""
        model = self._fitted()
        model.use_threads(self._threads())
        return model

    # --- training --------------------------------------------------------------------------------

    def _begin(self, X: Any, y: Any) -> tuple[Core, Any, Any]:
        """A new model, and the rows and targets that it is to learn."""
        raise NotImplementedError

    def _row_weights(self, sample_weight: Any, X: Any, targets: Any) -> Floats | None:
        """How often each row counts, or None if all count once."""
        return checked_weights(sample_weight, X)

    @contextmanager
    def _whole_or_as_before(self) -> Iterator[None]:
        """What fails leaves no attribute of another fit behind: names and classes would not be the model's."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _train(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        with self._whole_or_as_before():
            model, X, targets = self._begin(X, y)
            rows, weights = core_rows(X), self._row_weights(sample_weight, X, targets)
            alike, seconds = group_numbers(groups, X.shape[0]), seconds_of(self.time_budget)
            with teller(bool(self.verbose)) as tell:
                _, interrupted = model.fit(rows, targets, weights, tell, alike, seconds)
            if interrupted:
                expect_an_epoch(model.history, "the estimator is as it was before")
            self._take_model(model, X.shape[0])
            self._sample = sample_of(X, targets)
        if interrupted:
            if is_searched():
                raise KeyboardInterrupt("training was interrupted inside of a search")
            warn_of_interrupt(stacklevel=4)
        else:
            warn_if_unfinished(self._model.history, stacklevel=4)

    def _take_model(self, model: Core, rows: int) -> None:
        """The model that has learned so many rows is the estimator's."""
        self._model = model
        self._sample = None
        self._take_history()
        logger.info(
            "%s learned %d rows: %d networks, at most %d epochs (%s), score %.4f",
            type(self).__name__,
            rows,
            model.ensemble_size,
            self.n_iter_,
            "converged" if self.converged_ else "all that were allowed; max_epochs allows more",
            self.out_of_fold_score_,
        )

    def _take_history(self) -> None:
        """Fitted attributes that tell of the last fit."""
        fits = [fit for step in self._model.history for fit in step.fits]
        self.history_ = [_epoch_as_dict(epoch) for fit in fits for epoch in fit.epochs]
        self.n_iter_ = max((len(fit.epochs) for fit in fits), default=0)
        # False: training used up its epochs while the score may still have risen.
        self.converged_ = all(fit.reason not in _UNFINISHED for fit in fits)
        score, error, _ = self._model.out_of_fold_score or (float("nan"), float("nan"), 0)
        self.out_of_fold_score_, self.out_of_fold_score_error_ = score, error

    # --- fitted attributes -----------------------------------------------------------------------

    @property
    def leave_batch_out_score_(self) -> float:
        """Deprecated: ``out_of_fold_score_``."""
        warnings.warn("leave_batch_out_score_ is out_of_fold_score_ since 0.3", FutureWarning, stacklevel=2)
        return self.out_of_fold_score_

    @property
    def beliefs_(self) -> list[list[LayerBeliefs]]:
        """The beliefs of each member in the weights of each layer."""
        model = self._fitted()
        return [
            [LayerBeliefs(tau, rho) for tau, rho in model.beliefs(member)]
            for member in range(model.ensemble_size)
        ]

    @property
    def input_names_(self) -> list[str]:
        """What the inputs of the networks are made of: the columns, or parts of dates and categories of them."""
        model = self._fitted()
        if self._encoder is not None:
            return list(self._encoder.features)
        return _files.input_names(getattr(self, "feature_names_in_", None), model.inputs)

    @property
    def ignored_columns_(self) -> dict[str, str]:
        """Columns of a frame that are no inputs, and why: identifiers, constants, columns without a value."""
        self._fitted()
        return ignored_columns(self._encoder)

    @property
    def encodings_(self) -> list[str]:
        """How the numbers of each column became inputs."""
        return list(self._fitted().encodings)

    def _certificate(
        self, X: Any, targets: Any, member: int, rows: int, messages: int, seed: int
    ) -> NetworkCertificate:
        model = self._ready()
        text, details, passed = model.certificate(
            core_rows(X), targets, member, rows, messages, seed
        )
        return NetworkCertificate(passed, json.loads(details), text)

    # --- files -----------------------------------------------------------------------------------

    def _facts(self) -> dict[str, Any]:
        """What the model file is told for Python, as JSON."""
        names = getattr(self, "feature_names_in_", None)
        return {
            "parameters": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in self.get_params(deep=False).items()
                if isinstance(value, (bool, int, float, str, tuple, list, type(None)))
            },
            "has_names": names is not None,
            "has_frame": self._encoder is not None,
            **({} if self._sample is None else {"sample": self._sample}),
        }

    def _classes_as_text(self) -> list[str]:
        return []

    def _has_table(self) -> bool:
        return True

    def _table_notes(self) -> dict[str, str]:
        """What the command line needs to read the file."""
        model = self._fitted()
        if not self._has_table():
            return {}
        if self._encoder is not None:
            taken = [column.name for column in self._encoder.columns]
            target = _files.target_name(getattr(self, "_target", "y"), taken)
            return dict(model.frame_notes(self._encoder, target, self._classes_as_text()))
        names = _files.input_names(getattr(self, "feature_names_in_", None), model.inputs)
        target = _files.target_name(getattr(self, "_target", "y"), names)
        return dict(model.table_notes(names, target, self._classes_as_text()))

    def _plain_notes(self) -> dict[str, str]:
        """The history for a copy in memory, with names that no table could refuse."""
        if not self._has_table():
            return {}
        model = self._fitted()
        classes = [str(place) for place in range(len(self._classes_as_text()))]
        return dict(model.table_notes(_files.input_names(None, model.inputs), "y", classes))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which the command line reads as well.

        It is a safetensors file. A model of several targets is for Python only: the command line
        knows tables of one.

        Parameters
        ----------
        path : str or path-like
            Of the file; a model that exists is replaced at once, or not at all, and another file
            is refused.
        """
        notes = self._table_notes()
        _files.write(path, self._model, notes, self._facts())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` or the command line wrote.

        The inputs of a model that the command line trained are the columns as it encodes them: one
        for each category, such as "colour = red". `feature_names_in_` has their names.

        Parameters
        ----------
        path : str or path-like
            Of the file.

        Returns
        -------
        model : the estimator, fitted
        """
        return cls._from_model(cls._core_class().load(os.fspath(path)))

    @classmethod
    def _from_model(cls, model: Any) -> Self:
        facts, table = _files.facts_of(model), _files.table_of(model)
        out = cls(**renamed_parameters(facts.get("parameters", {})))
        out._model = model
        out._sample = [(row, count) for row, count in facts["sample"]] if "sample" in facts else None
        out.n_features_in_ = model.inputs
        if table is not None:
            out._target = table.target
            if facts.get("has_frame", False):
                out._encoder = _core.TableEncoder.from_notes(model.notes)
                names = [column.name for column in out._encoder.columns]
                out.feature_names_in_, out.n_features_in_ = np.array(names, dtype=object), len(names)
            elif facts.get("has_names", True):
                out.feature_names_in_ = np.array(table.inputs, dtype=object)
        out._take(facts, table)
        out._take_history()
        return out

    def _take(self, facts: dict[str, Any], table: _core.StoredTable | None) -> None:
        """Fitted attributes of the subclass, from a file."""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes(self._plain_notes())
        if state.get("_encoder") is not None:
            state["_encoder"] = state["_encoder"].to_text()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.get("_model")
        if isinstance(model, bytes):
            state = {**state, "_model": self._core_class().from_bytes(model)}
        if isinstance(state.get("_encoder"), str):
            encoder = _core.TableEncoder.from_notes({"table": state["_encoder"]})
            state = {**state, "_encoder": encoder}
        super().__setstate__(state)

    @classmethod
    def _core_class(cls) -> type[Core]:
        raise NotImplementedError


_ROWS: dict[str, Any] = {
    "dtype": np.float64,
    "order": "C",
    "accept_sparse": "csr",
    "ensure_all_finite": "allow-nan",
}


# Why training ended before its score no longer rose, in the words of the core.
_UNFINISHED = ("largest number of epochs", "cancelled")


def _epoch_as_dict(epoch: _core.EpochReport) -> dict[str, Any]:
    names = ("member", "epoch", "score", "noise_variance", "best_epoch", "seconds")
    return {name: getattr(epoch, name) for name in names}
