"""What the estimators of arrays share: rows, training, files, fitted attributes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from postrider import _core, _files
from postrider._beliefs import LayerBeliefs
from postrider._estimator import Estimator, TableFit
from postrider._frames import encoded, encoder_for, expect_frame, has_other_than_numbers, ignored_columns, warn_of_ignored, with_target
from postrider._reading import Layout, options_of, source_of
from postrider._options import renamed_parameters, seconds_of, store_budget
from postrider._progress import logger, teller
from postrider._rows import Floats, Sample, checked_weights, core_rows, group_numbers, plain_rows, plain_targets, sample_of, warning_of
from postrider._warnings import expect_an_epoch, tell, warn_if_unfinished, warn_of_interrupt, warn_of_repeated, warn_of_stream
from postrider.evaluation import Evaluation
from postrider.network_certificate import NetworkCertificate

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Core = TypeVar("Core", _core.Regressor, _core.Classifier)


class BayesianMLP(Estimator, Generic[Core]):
    """The common part of regressor and classifier."""

    _model: Core
    _reads_target: str  # the option by which a table's target is read as what this estimator predicts
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

    def _set(self, parameters: dict[str, Any]) -> None:
        for name, value in parameters.items():
            setattr(self, name, value)

    def _options(self, data_bytes: int = 0) -> dict[str, Any]:
        """All parameters that the library knows, as it takes them for data of this size."""
        return {**self._library_options(), "store_budget": store_budget(self.memory_limit, self.store_budget, data_bytes)}

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
            self._table = None
            self._encoder = encoder_for(X) if has_other_than_numbers(X) else None
            if self._encoder is not None:
                warn_of_ignored(self._encoder)
        if self._encoder is None:
            X, y = validate_data(self, X, y, reset=reset, **how, **_ROWS)
        else:
            X, y = check_X_y(self._encoded(X, reset), y, **how, **_ROWS)
        return X, y

    def _encoded(self, X: Any, reset: bool) -> Any:
        """Rows of a frame as numbers; its names are those of the columns, not of the inputs made of them."""
        assert self._encoder is not None
        expect_frame(self._encoder, X)
        if self._table is None:  # those of a table may come in any order
            validate_data(self, X, reset=reset, skip_check_array=True)
        return encoded(self._encoder, X)

    def _checked_targets(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Rows and targets as they are learned."""
        raise NotImplementedError

    def evaluate(self, X: Any, y: Any = None, **reading: Unpack[Layout]) -> Evaluation:
        """How good the predictions are for rows that were not learned, with standard errors.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing. Where a table was learned: a table, also as a path.
        y : array-like of shape (n_samples,), default=None
            What came: targets or labels. None: they are in the column of the table that is the target.
        **reading
            Where a table was learned, as of :meth:`TableModel.update`.

        Returns
        -------
        Evaluation
            Figures by their names; ``to_frame()`` makes a table of them. Where rows were learned, ``warning`` says so, and
            a :class:`LearnedRowsWarning` is given. Where a table was learned, ``baselines`` are beside them.
        """
        model = self._ready()
        if self._table is not None:
            return self._evaluate_table(X if y is None else with_target(X, y, self._target)[0], reading)
        if y is None or reading:
            self._learned_table()
        X, targets = self._checked_targets(X, y)
        if targets.size != targets.shape[0]:
            raise ValueError(f"y has {targets.shape[1]} targets: evaluate takes rows of one")
        warning = warning_of(self._sample, X, targets)
        warn_of_repeated(warning)
        return Evaluation(model.evaluate(core_rows(X), targets.reshape(-1)), warning)

    def _learned_warning(self, X: Any, y: Any) -> str:
        """What figures of these rows are worth, if fit() has learned some of them; else nothing."""
        if self._table is not None:
            return self._warning_of_table(X if y is None else with_target(X, y, self._target)[0])
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **table: Unpack[TableFit]) -> Self:
        """Learn rows, forgetting what was learned before.

        What is learned does not depend on the order of the rows. Ctrl-C ends training; the
        estimator then has the best beliefs so far, and a `TrainingInterrupted` warning is given.
        Before the first epoch is over nothing was learned: `KeyboardInterrupt` is raised, and the
        estimator is as it was.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing. Where `y` is a name: a table, also as the path of a file.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), or str
            Targets; labels of any kind for a classifier, of one target. Or the name of the column of `X` that is the target:
            the estimator then learns the table as :class:`TableModel` does, and knows its columns (``schema_``),
            whether others look the same (:meth:`column_drift`, :meth:`is_far`), and simple models to compare with (:meth:`evaluate`).
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts: 2 is the same as two equal rows, 0 as none. Of a table ``weights`` names a column.
        groups : array-like of shape (n_samples,), default=None
            Which rows are alike, such as the customer or the week of each. No network is judged by rows of
            a group of which it has learned others. None: only exact copies stay together. Of a table also the name of a column.
        **table
            How a table is learned, where `y` is a name: as of :meth:`TableModel.fit`.

        Returns
        -------
        self : the estimator
        """
        if isinstance(y, str):
            if sample_weight is not None:
                raise ValueError("sample_weight: is for arrays; weights names a column of a table")
            how: Any = {self._reads_target: True, **table}
            with self._whole_or_as_before():
                self._learn_table(X, y, groups=groups, **how)
                self._take_table()
        elif table:
            raise TypeError(f"{next(iter(table))}: is for a table, where y is the name of a column")
        else:
            self._train(X, y, sample_weight, groups)
        return self

    def update(self, X: Any, y: Any, **more: Any) -> Self:
        """Learn rows that come, each once: what scikit-learn calls ``partial_fit``, with the parameters of that.

        Parameters
        ----------
        X, y, **more
            As of :meth:`partial_fit`.

        Returns
        -------
        self : the estimator
        """
        both: Any = self
        both.partial_fit(X, y, **more)
        return self

    def _take_table(self) -> None:
        """The estimator in the model of a table, for all that needs no names of columns."""
        core = self._learned_table()
        self._take_file(self._core_class().from_bytes(core.to_bytes()), {"has_frame": True})

    def _learn_more_of_table(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Rows of a table, each once: those of the first call begin a stream."""
        if sample_weight is not None:
            raise ValueError("sample_weight: is for arrays; a column of weights counts in a table")
        how: Any = {self._reads_target: True}
        with self._whole_or_as_before():
            if self._table is None:
                self._learn_table(X, y, stream=True, **how)
            else:
                data = X if isinstance(y, str) else with_target(X, y, self._target)[0]
                self._table.update(self._table.open(source_of(data), options_of({}, Layout)), None, None)
                self._tell_stream()
            self._take_table()
            self._keep_changes(self._learned_table().history[-1].stream)

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
            warn_of_interrupt()
        else:
            warn_if_unfinished(self._model.history)

    def _take_model(self, model: Core, rows: int) -> None:
        """The model that has learned so many rows is the estimator's."""
        self._model, self._table, self._sample = model, None, None
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
        self._importances = None
        steps = self._model.history if self._table is None else self._table.history  # in a file steps have no seconds
        fits = [fit for step in steps for fit in step.fits]
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
        tell("leave_batch_out_score_ is out_of_fold_score_ since 0.3; the former name goes away in 0.4", DeprecationWarning)
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
            **({} if self._table is None else {"has_table": True}),
            **({} if self._sample is None else {"sample": self._sample}),
        }

    def _classes_as_text(self) -> list[str]:
        return []

    def _has_table(self) -> bool:
        return True

    def _table_notes(self) -> dict[str, str]:
        """What the command line needs to read the file."""
        model = self._fitted()
        if self._table is not None:
            return dict(model.notes)
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
        if self._table is not None:
            return dict(self._model.notes)
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
        model = cls._core_class().load(os.fspath(path))
        facts = _files.facts_of(model)
        out = cls(**renamed_parameters(facts.get("parameters", {})))
        out._table = _core.TableModelCore.load(os.fspath(path)) if facts.get("has_table", False) else None
        out._take_file(model, facts)
        return out

    def _take_file(self, model: Any, facts: dict[str, Any]) -> None:
        """The model of a file, of which Python has noted this."""
        table = _files.table_of(model)
        self._model = model
        self._sample = [(row, count) for row, count in facts["sample"]] if "sample" in facts else None
        self._encoder = None
        self.n_features_in_ = model.inputs
        if table is not None:
            self._target = table.target
            if facts.get("has_frame", False):
                self._encoder = _core.TableEncoder.from_notes(model.notes)
                names = [column.name for column in self._encoder.columns]
                self.feature_names_in_ = np.array(names, dtype=object) if self._table is None else self._feature_names()
                self.n_features_in_ = len(self.feature_names_in_)
            elif facts.get("has_names", True):
                self.feature_names_in_ = np.array(table.inputs, dtype=object)
        self._take(facts, table)
        self._take_history()

    def _take(self, facts: dict[str, Any], table: _core.StoredTable | None) -> None:
        """Fitted attributes of the subclass, from a file."""

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
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
