"""What the estimators share: options, training, files, fitted attributes."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from postrider import _core
from postrider._beliefs import LayerBeliefs
from postrider._progress import logger, teller

Floats = NDArray[np.float64]
Core = TypeVar("Core", _core.Regressor, _core.Classifier)

_SEEDS = 2**31 - 1
# Sparse rows are made dense by no more than so many values at a time.
_DENSE_VALUES = 2**22
_NOTE = "python"


class TrainingInterrupted(UserWarning):
    """Ctrl-C ended training; the estimator has the best beliefs so far."""


def seed_of(random_state: Any) -> int:
    """A whole number is itself the seed; all else draws one."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(_SEEDS))


def dense_blocks(X: Any) -> Iterator[Floats]:
    """All rows of an array, or those of a sparse one in blocks of bounded size."""
    if not sparse.issparse(X):
        yield X
        return
    rows = max(1, _DENSE_VALUES // max(1, X.shape[1]))
    for first in range(0, X.shape[0], rows):
        yield X[first : first + rows].toarray()


class BayesianMLP(BaseEstimator, Generic[Core]):  # type: ignore[misc]
    """The common part of regressor and classifier."""

    _model: Core
    hidden_layer_sizes: Any
    activation: str
    members: int | None
    max_epochs: int
    patience: int
    weights_per_example: float
    precision: str
    random_state: Any
    n_jobs: int | None
    verbose: bool
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    history_: list[dict[str, Any]]
    n_iter_: int
    leave_batch_out_score_: float

    # --- options ---------------------------------------------------------------------------------

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _options(self) -> dict[str, Any]:
        return {
            "hidden": [int(units) for units in np.atleast_1d(self.hidden_layer_sizes)],
            "activation": self.activation,
            "precision": self.precision,
            "weights_per_example": float(self.weights_per_example),
            "members": 0 if self.members is None else _at_least_one("members", self.members),
            "max_epochs": _at_least_one("max_epochs", self.max_epochs),
            "patience": _at_least_one("patience", self.patience),
            "seed": seed_of(self.random_state),
            "threads": self._threads(),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    # --- rows ------------------------------------------------------------------------------------

    def _checked_rows(self, X: Any, reset: bool = False) -> Any:
        return validate_data(self, X, reset=reset, **_ROWS)

    def _fitted(self) -> Core:
        check_is_fitted(self)
        return self._model

    def _ready(self) -> Core:
        """The model, with as many threads as are asked for now."""
        model = self._fitted()
        model.use_threads(self._threads())
        return model

    # --- training --------------------------------------------------------------------------------

    def _train(self, model: Core, X: Any, targets: Any) -> None:
        rows = X.toarray() if sparse.issparse(X) else X
        with teller(bool(self.verbose), self.max_epochs) as tell:
            reports, interrupted = model.fit(rows, targets, tell)
        self._model = model
        self.history_ = [_epoch_as_dict(epoch) for report in reports for epoch in report.epochs]
        self.n_iter_ = max((len(report.epochs) for report in reports), default=0)
        scores = [
            report.epochs[report.best_epoch - 1].score for report in reports if report.best_epoch
        ]
        self.leave_batch_out_score_ = float(np.mean(scores)) if scores else -np.inf
        logger.info(
            "%s learned %d rows: %d networks, at most %d epochs, score %.4f",
            type(self).__name__,
            rows.shape[0],
            len(reports),
            self.n_iter_,
            self.leave_batch_out_score_,
        )
        if interrupted:
            warnings.warn(
                "training was interrupted; the estimator has the best beliefs so far",
                TrainingInterrupted,
                stacklevel=3,
            )

    # --- fitted attributes -----------------------------------------------------------------------

    @property
    def beliefs_(self) -> list[list[LayerBeliefs]]:
        """The beliefs of each member in the weights of each layer."""
        model = self._fitted()
        return [
            [LayerBeliefs(tau, rho) for tau, rho in model.beliefs(member)]
            for member in range(model.members)
        ]

    # --- files -----------------------------------------------------------------------------------

    def _facts(self) -> dict[str, Any]:
        """What the model file is told besides the model, as JSON."""
        names = getattr(self, "feature_names_in_", None)
        return {
            "parameters": {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in self.get_params(deep=False).items()
                if isinstance(value, (bool, int, float, str, tuple, list, type(None)))
            },
            "feature_names": None if names is None else list(names),
            "fitted": {
                name: getattr(self, name)
                for name in ("history_", "n_iter_", "leave_batch_out_score_")
                if hasattr(self, name)
            },
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file in the safetensors format.

        Parameters
        ----------
        path : str or path-like
            Of the file; one that exists is replaced at once, or not at all.
        """
        self._fitted().save(os.fspath(path), {_NOTE: json.dumps(self._facts())})

    @classmethod
    def _from_model(cls, model: Core) -> Any:
        facts = json.loads(model.notes.get(_NOTE, "{}"))
        out = cls(**facts.get("parameters", {}))
        out._model = model
        out.n_features_in_ = model.inputs
        if facts.get("feature_names") is not None:
            out.feature_names_in_ = np.array(facts["feature_names"], dtype=object)
        for name, value in facts.get("fitted", {}).items():
            setattr(out, name, value)
        out._take(facts)
        return out

    def _take(self, facts: dict[str, Any]) -> None:
        """Fitted attributes of the subclass, from the facts of a file."""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes(state["_model"].notes)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.get("_model")
        if isinstance(model, bytes):
            state = {**state, "_model": self._core_class().from_bytes(model)}
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


def _at_least_one(name: str, value: Any) -> int:
    if isinstance(value, (int, np.integer)) and value >= 1:
        return int(value)
    raise ValueError(f"{name} = {value!r}: must be a whole number of at least 1")


def _epoch_as_dict(epoch: _core.EpochReport) -> dict[str, Any]:
    names = ("member", "epoch", "score", "noise_variance", "best_epoch", "seconds")
    return {name: getattr(epoch, name) for name in names}
