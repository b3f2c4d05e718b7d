"""Models of tables: data frames, Arrow streams and files, with categories and missing values."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from postrider import _core
from postrider._base import layer_sizes
from postrider._convergence import warn_if_unfinished
from postrider._core import ColumnDrift, EpochReport, StreamProgress, TrainingStep
from postrider._drift import warn_of_copies, warn_of_drift, warn_of_new_rows, warn_of_repeated, warn_of_skipped
from postrider._files import expect_replaceable
from postrider._groups import groups_of_table
from postrider._interrupt import expect_an_epoch, seconds_of, warn_if_interrupted
from postrider._memory import limit_text
from postrider._reading import Layout, Reading, Schema, TableData, class_weights_of, opened, options_of, options_of_new_rows, quantiles_of, source_of
from postrider._stream_report import warn_of
from postrider._table_names import ScikitLearnNames
from postrider.evaluation import Evaluation

if TYPE_CHECKING:
    from typing_extensions import Unpack


EpochProgress: TypeAlias = "Callable[[EpochReport], object]"
ChunkProgress: TypeAlias = "Callable[[StreamProgress], object]"


class TableModel(ScikitLearnNames):
    """A network that predicts one column of a table from the others.

    Made by :meth:`train`, :meth:`train_stream` or :meth:`load`. Columns of text are categories,
    missing cells stay missing: an input that is not known enters the network as a message as wide
    as its column. The file that :meth:`save` writes is the one of the command line.

    Data is a path (CSV or LIBSVM text, also compressed by gzip or Zstandard) or any object with
    ``__arrow_c_stream__``: tables, record batches and readers of pyarrow, data frames of polars and
    pandas, relations of duckdb. Streams are read batch by batch.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import postrider
    >>> x = [i / 50 for i in range(200)]
    >>> side = ["left" if i % 2 else "right" for i in range(200)]
    >>> y = [v if s == "left" else -v for v, s in zip(x, side)]
    >>> model = postrider.TableModel.train(pa.table({"x": x, "side": side, "y": y}), "y", ensemble_size=1)
    >>> model.features
    ['x', 'side = right']
    >>> new = pa.table({"side": ["left", "right"], "x": [3.0, 3.0]})
    >>> [round(float(v)) for v in model.predict(new)["mean"]]
    [3, -3]
    """

    @classmethod
    def train(
        cls,
        data: TableData,
        target: str = "",
        *,
        hidden_layer_sizes: Sequence[int] | None = None,
        activation: str = "leaky_relu",
        ensemble_size: int | None = None,
        drift: bool = True,
        power: float | None = None,
        copies: str = "chosen",
        encoding: str = "chosen",
        max_epochs: int | None = None,
        patience: int | None = None,
        effort: str = "standard",
        damping: float = 0.0,
        varying_noise: bool = True,
        noise_std: float | None = None,
        target_scale: str = "chosen",
        intervals: str = "conformal",
        calibration_share: float = 0.05,
        weights_per_example: float = 1.0,
        store_budget: int | None = None,
        memory_limit: int | str | None = None,
        horizon: int = 1,
        stream_memory: int = 0,
        precision: str = "float32",
        random_state: int = 1,
        n_jobs: int | None = None,
        missing: str = "vague",
        indicators: bool = False,
        class_weight: Mapping[str, float] | str | None = None,
        groups: Any = None,
        time: str | None = None,
        time_budget: float | None = None,
        progress: EpochProgress | None = None,
        **reading: Unpack[Reading],
    ) -> TableModel:
        """Learn all rows, epoch after epoch; they are kept in memory meanwhile.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
        target : str
            The column to predict: an amount if it is numeric, a class if it is text. Not needed for LIBSVM text.
        hidden_layer_sizes, activation, ensemble_size, drift, power, copies, encoding, max_epochs, \
        patience, effort, damping, weights_per_example, store_budget, horizon, stream_memory, precision, random_state, n_jobs
            As of :class:`BayesianMLPRegressor` and :class:`BayesianMLPClassifier`.
        varying_noise, noise_std, target_scale, intervals
            For numeric targets only, as of :class:`BayesianMLPRegressor`.
        calibration_share
            For classes only, as of :class:`BayesianMLPClassifier`.
        memory_limit : int, str or None
            As of :class:`BayesianMLPRegressor`, in the place of ``store_budget``.
        missing : {"vague", "mean"}
            What the network sees where an input is missing.
        indicators : bool
            One more input for each column with missing values: whether this one is. Scores are mostly better without.
        class_weight : dict of class to weight, "balanced" or None
            For classes only: how often rows of a class count. Probabilities follow: classes are as frequent as their weights say.
        groups : str, array-like of shape (rows,) or None
            Rows of one group, such as those of one patient, are left out together: as of :meth:`BayesianMLPRegressor.fit`. A text
            names the column that says the group, which is no input, unless ``categorical`` or ``numeric`` name it.
        time : str or None
            A column of dates or numbers, in whose order rows are cut into 32 stretches: each of them is a group.
        time_budget : float or None
            Seconds until training ends, at least after a whole epoch. The race of encodings takes half of them at most.
        progress : callable, optional
            Called with the report of each epoch (``epoch``, ``member``, ``score``, ...); training ends if it returns False.
        **reading
            How the table is read: ``classify`` (take a numeric target as classes), ``regress``
            (take one of 0 and 1 as amounts), ``categorical``, ``numeric`` and ``ignored`` (names of
            columns), ``na`` (cells that stand for a missing value, besides ``NA``, ``null`` and
            others), ``most_categories``, ``sample_rows`` (from which the schema is inferred),
            ``chunk_rows``, ``weights`` (a column that says how often each row counts, which is no
            input), and of files ``format`` ("csv", "libsvm"), ``delimiter`` and ``header``.

        Returns
        -------
        TableModel
            Ctrl-C ends training early, with a warning: the model then has the best beliefs so far. Before the
            first epoch is over nothing was learned, and ``KeyboardInterrupt`` is raised. A :class:`CopiedRowsWarning` counts copies of rows.
        """
        return cls._train(
            False,
            data,
            target,
            reading,
            {
                "hidden_layer_sizes": layer_sizes(hidden_layer_sizes),
                "activation": activation,
                "ensemble_size": ensemble_size,
                "drift": drift,
                "power": power,
                "copies": copies,
                "encoding": encoding,
                "max_epochs": max_epochs,
                "patience": patience,
                "effort": effort,
                "damping": damping,
                "varying_noise": varying_noise,
                "noise_std": noise_std,
                "target_scale": target_scale,
                "intervals": intervals,
                "calibration_share": calibration_share,
                "weights_per_example": weights_per_example,
                "store_budget": store_budget,
                "horizon": horizon,
                "stream_memory": stream_memory,
                "precision": precision,
                "random_state": random_state,
                "n_jobs": effective_n_jobs(n_jobs),
            },
            missing=missing,
            indicators=indicators,
            **class_weights_of(class_weight),
            memory_limit=limit_text(memory_limit, store_budget),
            **groups_of_table(groups, time),
            time_budget=seconds_of(time_budget),
            progress=progress,
        )

    @classmethod
    def train_stream(
        cls,
        data: TableData,
        target: str = "",
        *,
        hidden_layer_sizes: Sequence[int] | None = None,
        drift: bool = True,
        horizon: int = 1,
        stream_memory: int = 0,
        varying_noise: bool = True,
        random_state: int = 1,
        n_jobs: int | None = None,
        missing: str = "vague",
        indicators: bool = False,
        class_weight: Mapping[str, float] | None = None,
        progress: ChunkProgress | None = None,
        **reading: Unpack[Reading],
    ) -> TableModel:
        """Learn each row once, chunk by chunk, in memory that does not grow with the data.

        The first ``sample_rows`` rows fix the schema and the scales. Parameters are those of
        :meth:`train`; ``progress`` is called after each chunk with an object that has ``rows``,
        ``bytes_read`` and ``seconds``.

        Returns
        -------
        TableModel
        """
        return cls._train(
            True,
            data,
            target,
            reading,
            {
                "hidden_layer_sizes": layer_sizes(hidden_layer_sizes),
                "drift": drift,
                "horizon": horizon,
                "stream_memory": stream_memory,
                "varying_noise": varying_noise,
                "random_state": random_state,
                "n_jobs": effective_n_jobs(n_jobs),
            },
            missing=missing,
            indicators=indicators,
            **class_weights_of(class_weight),
            memory_limit="",
            **groups_of_table(None, None),
            time_budget=0.0,
            progress=progress,
        )

    @classmethod
    def _train(
        cls,
        stream: bool,
        data: TableData,
        target: str,
        reading: Reading,
        options: dict[str, Any],
        **how: Any,
    ) -> TableModel:
        together = how["group"], how["time"]
        reader = opened(data, options_of(reading, Reading, target, [*options, *how], *together), *together)
        core, interrupted = _core.train_table(reader, stream, options, **how)
        if interrupted and not stream:
            expect_an_epoch(core.history, "there is no model")
        if not interrupted:
            warn_if_unfinished(core.history, stacklevel=4)
        warn_if_interrupted(interrupted)
        warn_of_skipped(reader, stacklevel=4)
        warn_of_copies(core.history[-1], stacklevel=4)
        out = cls(core)
        out._tell_stream()
        return out

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TableModel:
        """A model that :meth:`save` or the command line wrote."""
        return cls(_core.TableModelCore.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one safetensors file, which the command line reads, too.

        A file that is there is replaced if it is a model, and else refused.
        """
        expect_replaceable(path)
        self._core.save(os.fspath(path))

    def update(
        self,
        data: TableData,
        *,
        anyway: bool = False,
        progress: ChunkProgress | None = None,
        **reading: Unpack[Layout],
    ) -> None:
        """Go on learning from new rows, each once.

        Rows that were learned before must not come again: what they say would count twice. A table of
        which rows were learned, and one with a column that seems to be in another unit, is refused with a
        ``ValueError``, and the model is as it was. A :class:`DriftWarning` tells of other columns that do not
        look as in the rows learned.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            Columns are found by their names, in any order; others are passed over.
        anyway : bool
            Learn also what would be refused, but for targets of which over one in twenty is ten deviations off.
        progress : callable, optional
            As of :meth:`train_stream`.
        **reading
            ``chunk_rows``, and of files ``format``, ``delimiter``, ``header`` and ``skip_bad`` (pass
            over rows that cannot be read, with a warning that counts them).
        """
        reader = self._core.open(source_of(data), options_of(reading, Layout))
        watch = _core.watch_rows(self._core, reader)
        warn_if_interrupted(self._core.update(reader, progress, None if anyway else watch))
        warn_of_skipped(reader)
        warn_of_drift(watch)
        self._tell_stream()

    def _tell_stream(self) -> None:
        warn_of(self._core.history[-1].stream, self._core.is_too_narrow, stacklevel=4)

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
        yield from self._batches(data, quantiles, samples, seed, far, reading, stacklevel=4)

    def _batches(
        self,
        data: TableData,
        quantiles: Sequence[float],
        samples: int,
        seed: int,
        far: bool,
        reading: Layout,
        stacklevel: int,
    ) -> Iterator[dict[str, NDArray[Any]]]:
        reader = self._core.open(source_of(data), options_of_new_rows(reading))
        watch = _core.watch_rows(self._core, reader)
        far_rows = _core.FarRows(self._core) if far else None
        if far_rows is not None and not far_rows.is_able:
            raise ValueError("far: the model keeps too few of the rows that it has learned")
        names, done = np.asarray(self.classes), 0
        below = quantiles_of(quantiles, self.target if self.classifies else None)
        while (chunk := reader.next()) is not None:
            out = self._core.predict(chunk, below, samples, seed, done)
            for key in {"class", "samples"} & out.keys() if self.classifies else ():
                out[key] = names[out[key].astype(np.intp)]
            if far_rows is not None:
                out["far"] = far_rows.are_far(chunk).astype(bool)
            done += chunk.rows
            yield out
        warn_of_new_rows(watch, reader, stacklevel)

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
        self,
        data: TableData,
        *,
        quantiles: Sequence[float] = (),
        return_std: Literal[False],
        **reading: Unpack[Layout],
    ) -> NDArray[Any]: ...
    @overload
    def predict(
        self,
        data: TableData,
        *,
        quantiles: Sequence[float] = (),
        return_std: Literal[True],
        **reading: Unpack[Layout],
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
        parts = list(self._batches(data, quantiles, samples, seed, far, reading, stacklevel=4))
        if not parts:
            raise ValueError("data has no rows: there is nothing to predict")
        found = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        return found if return_std is None else self._arrays(found, return_std)

    def evaluate(self, data: TableData, **reading: Unpack[Layout]) -> Evaluation:
        """How good the predictions are for rows whose target is known, with standard errors.

        Returns
        -------
        Evaluation
            Figures by their names. ``baselines`` has the same of the mean or the base rate and of a linear model, on
            the same rows, and ``gain``: the nats per row by which this model is better. ``warning`` says that rows were
            learned, as a :class:`LearnedRowsWarning` does.
        """
        reader = self._core.open(source_of(data), options_of_new_rows(reading))
        watch = _core.watch_rows(self._core, reader)
        out = self._core.evaluate(reader)
        warn_of_repeated(watch)
        warn_of_new_rows(watch, reader)
        return Evaluation(out)

    def drift(self, data: TableData, **reading: Unpack[Layout]) -> list[ColumnDrift]:
        """Which columns do not look as in the rows that were learned.

        Returns
        -------
        list of ColumnDrift
            Of each such column its name (``column``), what differs (``kind``: "unit", "range", "levels",
            "missing" or "shape"), figures (``learned`` and ``found``) and a sentence (``text``).
        """
        reader = self._core.open(source_of(data), options_of_new_rows(reading))
        watch = _core.watch_rows(self._core, reader)
        while reader.next() is not None:
            pass
        return watch.drift

    @property
    def schema(self) -> Schema:
        """The columns that the model knows."""
        return Schema(self._core.columns)

    @property
    def target(self) -> str:
        """The column that is predicted."""
        return self._core.target

    @property
    def classifies(self) -> bool:
        """Whether the target is a class."""
        return self._core.classifies

    @property
    def classes(self) -> list[str]:
        """The classes of the target; none if it is numeric."""
        return self._core.classes

    @property
    def features(self) -> list[str]:
        """The inputs of the network, in order."""
        return self._core.features

    @property
    def missing(self) -> str:
        """What the network sees where an input is missing: "vague" or "mean"."""
        return self._core.missing

    @property
    def history(self) -> list[TrainingStep]:
        """Each training and update: its ``kind``, ``rows``, and a report of each member's fit."""
        return self._core.history

    def __repr__(self) -> str:
        rows = sum(step.rows for step in self.history)
        what = f"{len(self.classes)} classes" if self.classifies else "numeric"
        return f"<TableModel of {self.target!r} ({what}) from {len(self.features)} inputs, {rows} rows learned>"
