"""Models of tables: data frames, Arrow streams and files, with categories and missing values."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._core import ColumnDrift, TrainingStep
from postrider._estimator import ChunkProgress, Estimator, Streaming, TableFit, Training
from postrider._files import expect_replaceable, labels_of
from postrider._frames import with_target
from postrider._moved import renamed
from postrider._options import TableModelOptions, parameters_of, parametrised
from postrider._reading import Layout, Reading, Schema, TableData, options_of, options_of_new_rows, quantiles_of, source_of
from postrider._warnings import warn_of_drift, warn_of_interrupt, warn_of_new_rows, warn_of_skipped
from postrider.evaluation import Evaluation

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


@parametrised(TableModelOptions, random_state=1)
class TableModel(Estimator):
    """A network that predicts one column of a table from the others.

    The target decides: an amount is predicted as by :class:`BayesianMLPRegressor`, a class as by
    :class:`BayesianMLPClassifier`, whose parameters it shares. Columns of text are categories,
    missing cells stay missing: an input that is not known enters the network as a message as wide
    as its column. The file that :meth:`save` writes is the one of the command line.

    Data is a path (CSV or LIBSVM text, also compressed by gzip or Zstandard) or any object with
    ``__arrow_c_stream__``: tables, record batches and readers of pyarrow, data frames of polars and
    pandas, relations of duckdb. Streams are read batch by batch.

    Parameters are documented by the page of options; `help` shows all of them here.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import postrider
    >>> x = [i / 50 for i in range(200)]
    >>> side = ["left" if i % 2 else "right" for i in range(200)]
    >>> y = [v if s == "left" else -v for v, s in zip(x, side)]
    >>> model = postrider.TableModel(ensemble_size=1).fit(pa.table({"x": x, "side": side, "y": y}), "y")
    >>> model.features
    ['x', 'side = right']
    >>> new = pa.table({"side": ["left", "right"], "x": [3.0, 3.0]})
    >>> [round(float(v)) for v in model.predict(new)["mean"]]
    [3, -3]
    """

    def __init__(self, hidden_layer_sizes: Sequence[int] | None = None, **options: Unpack[TableModelOptions]) -> None:
        # No attributes: `drift` is a method as well.
        self._given = parameters_of(TableModel, {"hidden_layer_sizes": hidden_layer_sizes, **options})

    # --- parameters ------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by their names; `deep` is for scikit-learn's sake: nothing is nested."""
        return dict(self._given)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by their names; the next :meth:`fit` heeds them. Returns the model itself."""
        self._given = parameters_of(TableModel, {**self._given, **parameters})
        return self

    @property
    def parameters_(self) -> dict[str, Any]:
        """What the model was trained with; None where the library chose. What only a run needs, such as ``n_jobs``, is that of this process."""
        return dict(self._learned_table().parameters)

    # --- training --------------------------------------------------------------------------------

    def fit(self, data: Any, y: Any = "", *, groups: Any = None, **how: Unpack[TableFit]) -> Self:
        """Learn all rows, epoch after epoch, forgetting what was learned before; they are kept in memory meanwhile.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            Or an array, where `y` is one.
        y : str or array-like of shape (rows,)
            The column to predict: an amount if it is numeric, a class if it is text. Not needed for LIBSVM text. Or its values,
            where the data do not have them (needs pyarrow).
        groups : str, array-like of shape (rows,) or None
            Rows of one group, such as those of one patient, are left out together: as of :meth:`BayesianMLPRegressor.fit`. A text
            names the column that says the group, which is no input, unless ``categorical`` or ``numeric`` name it.
        **how
            ``time`` (a column of dates or numbers, in whose order rows are cut into 32 stretches: each of them is a group);
            ``progress`` (called with the report of each epoch: ``epoch``, ``member``, ``score``, ...; training ends if it
            returns False). How the table is read: ``classify`` (take a numeric target as classes), ``regress``
            (take one of 0 and 1 as amounts), ``categorical``, ``numeric`` and ``ignored`` (names of
            columns), ``na`` (cells that stand for a missing value, besides ``NA``, ``null`` and
            others), ``most_categories``, ``sample_rows`` (from which the schema is inferred),
            ``chunk_rows``, ``weights`` (a column that says how often each row counts, which is no
            input), and of files ``format`` ("csv", "libsvm"), ``delimiter`` and ``header``.

        Returns
        -------
        TableModel
            Itself. Ctrl-C ends training early, with a warning: the model then has the best beliefs so far. Before the
            first epoch is over nothing was learned, and ``KeyboardInterrupt`` is raised. A :class:`CopiedRowsWarning` counts copies of rows.
        """
        table, target = (data, y) if isinstance(y, str) else with_target(data, y)
        self._learn_table(table, target, groups=groups, **how)
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A model that :meth:`save` or the command line wrote."""
        core = _core.TableModelCore.load(os.fspath(path))
        out = cls(**{**core.parameters, "missing": core.missing})
        out._table = core
        return out

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one safetensors file, which the command line reads, too.

        A file that is there is replaced if it is a model, and else refused.
        """
        expect_replaceable(path)
        self._learned_table().save(os.fspath(path))

    def update(
        self,
        data: TableData,
        y: str = "",
        *,
        anyway: bool = False,
        progress: ChunkProgress | None = None,
        **reading: Unpack[Reading],
    ) -> Self:
        """Learn rows that come, each once, chunk by chunk, in memory that does not grow with the data.

        A model that has learned nothing yet begins: the first ``sample_rows`` rows fix the schema and the scales. Of the
        parameters ``drift``, ``horizon``, ``stream_memory``, ``varying_noise``, ``random_state``, ``n_jobs``, ``missing``, ``indicators``
        and ``class_weight`` count.

        Rows that were learned before must not come again: what they say would count twice. A table of
        which rows were learned, and one with a column that seems to be in another unit, is refused with a
        ``ValueError``, and the model is as it was. A :class:`DriftWarning` tells of other columns that do not
        look as in the rows learned.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            Columns of a model that has learned are found by their names, in any order; others are passed over.
        y : str
            The column to predict, as of :meth:`fit`. A model that has learned knows it.
        anyway : bool
            Learn also what would be refused, but for targets of which over one in twenty is ten standard deviations off.
        progress : callable, optional
            Called after each chunk with an object that has ``rows``, ``bytes_read`` and ``seconds``; learning ends if it returns False.
        **reading
            How the table is read: as of :meth:`fit` for a model that begins. Else ``chunk_rows``, and of files ``format``, ``delimiter``,
            ``header`` and ``skip_bad`` (pass over rows that cannot be read, with a warning that counts them).

        Returns
        -------
        TableModel
            Itself.
        """
        if self._table is None:
            self._learn_table(data, y, stream=True, progress=progress, **reading)
            return self
        if y not in ("", self.target):
            raise ValueError(f"y = {y!r}: must be the target of the model, {self.target!r}, or left out")
        how: Any = reading
        reader, watch = self._watched(data, options_of(how, Layout))
        if self._learned_table().update(reader, progress, None if anyway else watch):
            warn_of_interrupt("the model has what was learned until then")
        warn_of_skipped(reader)
        warn_of_drift(watch)
        self._tell_stream()
        return self

    # --- predictions -----------------------------------------------------------------------------

    def predict_batches(
        self,
        data: TableData,
        *,
        quantiles: Sequence[float] = (),
        samples: int = 0,
        seed: int = 1,
        far: bool = False,
        **reading: Unpack[Layout],
    ) -> Iterator[dict[str, NDArray[Any]]]:
        """The predictions of :meth:`predict` chunk by chunk, for tables larger than memory."""
        reader, watch = self._watched(data, options_of_new_rows(reading))
        far_rows = self._far_rows() if far else None
        names, done = np.asarray(self.classes), 0
        below = quantiles_of(quantiles, self.target if self.classifies else None)
        while (chunk := reader.next()) is not None:
            out = self._learned_table().predict(chunk, below, samples, seed, done)
            for key in {"class", "samples"} & out.keys() if self.classifies else ():
                out[key] = names[out[key].astype(np.intp)]
            if far_rows is not None:
                out["far"] = far_rows.are_far(chunk).astype(bool)
            done += chunk.rows
            yield out
        warn_of_new_rows(watch, reader)

    @overload
    def predict(
        self,
        data: TableData,
        *,
        quantiles: Sequence[float] = (),
        return_std: None = None,
        samples: int = 0,
        seed: int = 1,
        far: bool = False,
        **reading: Unpack[Layout],
    ) -> dict[str, NDArray[Any]]: ...
    @overload
    def predict(
        self, data: TableData, *, quantiles: Sequence[float] = (), return_std: Literal[False], **reading: Unpack[Layout]
    ) -> NDArray[Any]: ...
    @overload
    def predict(
        self, data: TableData, *, quantiles: Sequence[float] = (), return_std: Literal[True], **reading: Unpack[Layout]
    ) -> tuple[NDArray[Any], ...]: ...
    def predict(
        self,
        data: TableData,
        *,
        quantiles: Sequence[float] = (),
        return_std: bool | None = None,
        samples: int = 0,
        seed: int = 1,
        far: bool = False,
        **reading: Unpack[Layout],
    ) -> dict[str, NDArray[Any]] | NDArray[Any] | tuple[NDArray[Any], ...]:
        """What the target may be in each row.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            The target may be absent.
        quantiles : sequence of float
            Probabilities, if quantiles of a numeric target are wanted.
        return_std : bool or None
            None: a dictionary of all that is asked for. Else arrays as :class:`BayesianMLPRegressor` and
            :class:`BayesianMLPClassifier` return them.
        samples : int
            Draws for each row, if any are wanted; a function of ``seed`` and the row's number.
        seed : int
        far : bool
            Whether to tell which rows are far from all rows that were learned.
        **reading
            As of :meth:`update`.

        Returns
        -------
        dict of numpy arrays
            Of a numeric target ``mean``, ``std`` (of a new observation) and
            ``noise_std`` (the aleatoric part of it: noise); of classes ``class`` and
            ``probabilities``, a column for each of :attr:`classes`. ``quantiles`` and ``samples``
            have a row for each row, and ``far`` a truth value. A :class:`DriftWarning` names each column that
            does not look as in the rows learned.
        ndarray of shape (rows,), or (rows, n_quantiles) with ``quantiles``
            With ``return_std=False``: means, quantiles, or labels as of :attr:`classes_`.
        tuple of ndarrays
            With ``return_std=True``, of a numeric target: means and standard deviations, of shape (rows,), and
            quantiles behind them, if there are any.
        """
        parts = list(self.predict_batches(data, quantiles=quantiles, samples=samples, seed=seed, far=far, **reading))
        if not parts:
            raise ValueError("data has no rows: there is nothing to predict")
        found = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return found if return_std is None else self._arrays(found, return_std)

    def _arrays(self, found: dict[str, NDArray[Any]], return_std: bool) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Predictions as estimators return them."""
        if self.classifies:
            if return_std:
                raise ValueError("return_std = True: is for numeric targets, and would not be used here")
            labels: NDArray[Any] = self.classes_[np.argmax(found["probabilities"], axis=1)]
            return labels
        if return_std:
            more = (found["quantiles"],) if "quantiles" in found else ()
            return (found["mean"], found["std"], *more)
        return found["quantiles"] if "quantiles" in found else found["mean"]

    def predict_proba(self, data: TableData, **reading: Unpack[Layout]) -> NDArray[np.float64]:
        """The probability of each class.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            As of :meth:`predict`.
        **reading
            As of :meth:`update`.

        Returns
        -------
        ndarray of shape (rows, n_classes)
            In the order of :attr:`classes_`.
        """
        if not self.classifies:
            raise AttributeError("predict_proba: the target of this model is numeric")
        return self.predict(data, **reading)["probabilities"]

    def predict_interval(self, data: TableData, coverage: float = 0.9, **reading: Unpack[Layout]) -> NDArray[np.float64]:
        """Intervals that hold new observations of a numeric target with this probability.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            As of :meth:`predict`.
        coverage : float, default=0.9
            Above 0 and below 1.
        **reading
            As of :meth:`update`.

        Returns
        -------
        ndarray of shape (rows, 2)
            Lower and upper ends, as of :meth:`BayesianMLPRegressor.predict_interval`.
        """
        if self.classifies:
            raise AttributeError("predict_interval: the target of this model is a class")
        if not 0 < coverage < 1:
            raise ValueError(f"coverage = {coverage!r}: must be above 0 and below 1")
        reader, watch = self._watched(data, options_of_new_rows(reading))
        parts = []
        while (chunk := reader.next()) is not None:
            parts.append(self._learned_table().intervals(chunk, float(coverage)))
        if not parts:
            raise ValueError("data has no rows: there is nothing to predict")
        warn_of_new_rows(watch, reader)
        return np.concatenate(parts)

    # --- figures ---------------------------------------------------------------------------------

    def evaluate(self, data: Any, y: Any = None, **reading: Unpack[Layout]) -> Evaluation:
        """How good the predictions are for rows whose target is known, with standard errors.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            With the target, unless `y` has it.
        y : array-like of shape (rows,), default=None
            What came, where the data do not say.
        **reading
            As of :meth:`update`.

        Returns
        -------
        Evaluation
            Figures by their names. ``baselines`` has the same of the mean or the base rate and of a linear model, on
            the same rows, and ``gain``: the nats per row by which this model is better. ``warning`` says that rows were
            learned, as a :class:`LearnedRowsWarning` does.
        """
        return self._evaluate_table(data if y is None else with_target(data, y, self.target)[0], reading)

    def score(self, data: Any, y: Any = None, **reading: Unpack[Layout]) -> float:
        """The share of rows whose class was right, or R^2 of a numeric target.

        Parameters
        ----------
        data, y, **reading
            As of :meth:`evaluate`.

        Returns
        -------
        float
        """
        found = self.evaluate(data, y, **reading)
        return float((found.accuracy if self.classifies else found.explained_variance).value)

    def log_likelihood(self, data: Any, y: Any = None, **reading: Unpack[Layout]) -> float:
        """The mean logarithm of the density, or of the probability of the class, at what came; in nats per row.

        Parameters
        ----------
        data, y, **reading
            As of :meth:`evaluate`.

        Returns
        -------
        float
        """
        found = self.evaluate(data, y, **reading)
        return float(-found["log_loss"].value if self.classifies else found["log_likelihood"].value)

    def drift(self, data: TableData, **reading: Unpack[Layout]) -> list[ColumnDrift]:
        """The same as :meth:`column_drift`."""
        return self.column_drift(data, **reading)

    def _learned_warning(self, data: TableData, y: Any) -> str:
        return self._warning_of_table(data)

    # --- what is known ---------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """The columns that the model knows."""
        return self.schema_

    @property
    def target(self) -> str:
        """The column that is predicted."""
        return self._learned_table().target

    @property
    def classifies(self) -> bool:
        """Whether the target is a class."""
        return self._learned_table().classifies

    @property
    def classes(self) -> list[str]:
        """The classes of the target; none if it is numeric."""
        return self._learned_table().classes

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes as labels: whole numbers where all of them are, as of a target of 0 and 1, else texts."""
        if not self.classifies:
            raise AttributeError("classes_: the target of this model is numeric")
        return labels_of(self.classes)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The columns that predictions look at."""
        return self._feature_names()

    @property
    def n_features_in_(self) -> int:
        """How many columns predictions look at."""
        return len(self.feature_names_in_)

    @property
    def features(self) -> list[str]:
        """The inputs of the network, in order."""
        return self._learned_table().features

    @property
    def missing(self) -> str:
        """What the network sees where an input is missing: "vague" or "mean"."""
        return self._learned_table().missing

    @property
    def history(self) -> list[TrainingStep]:
        """Each training and update: its ``kind``, ``rows``, and a report of each member's fit."""
        return self._learned_table().history

    # --- former names ------------------------------------------------------------------------------

    @classmethod
    def train(
        cls,
        data: TableData,
        target: str = "",
        *,
        hidden_layer_sizes: Sequence[int] | None = None,
        groups: Any = None,
        **how: Unpack[Training],
    ) -> Self:
        """Deprecated: ``TableModel(...).fit(data, target, ...)``."""
        renamed("TableModel.train(data, target, ...)", "TableModel(...).fit(data, target, ...)")
        return cls._trained(data, target, False, {"hidden_layer_sizes": hidden_layer_sizes, "groups": groups, **how})

    @classmethod
    def train_stream(
        cls, data: TableData, target: str = "", *, hidden_layer_sizes: Sequence[int] | None = None, **how: Unpack[Streaming]
    ) -> Self:
        """Deprecated: ``TableModel(...).update(data, target, ...)``."""
        renamed("TableModel.train_stream(data, target, ...)", "TableModel(...).update(data, target, ...)")
        return cls._trained(data, target, True, {"hidden_layer_sizes": hidden_layer_sizes, **how})

    @classmethod
    def _trained(cls, data: TableData, target: str, stream: bool, how: dict[str, Any]) -> Self:
        names = Streaming.__annotations__ if stream else TableModelOptions.__annotations__
        options = {name: how.pop(name) for name in list(how) if name in names and name in TableModelOptions.__annotations__}
        out = cls(how.pop("hidden_layer_sizes"), **options)
        out._learn_table(data, target, stream=stream, **how)
        return out

    def _facts_of_html(self) -> list[tuple[str, str]]:
        what = f"one of {len(self.classes)} classes" if self.classifies else "a number"
        return [
            ("predicts", f"{self.target}, {what}"),
            ("columns", ", ".join(self.feature_names_in_[:12]) + (", ..." if self.n_features_in_ > 12 else "")),
            ("rows learned", f"{sum(step.rows for step in self.history):,}"),
        ]

    def __repr__(self) -> str:
        if self._table is None:
            return str(super().__repr__())
        rows = sum(step.rows for step in self.history)
        what = f"{len(self.classes)} classes" if self.classifies else "numeric"
        return f"<TableModel of {self.target!r} ({what}) from {len(self.features)} inputs, {rows} rows learned>"
