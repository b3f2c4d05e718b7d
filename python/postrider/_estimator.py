"""What all estimators share, of arrays and of tables: parameters, and what they learned of a table with a schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from postrider import _core
from postrider._core import ColumnDrift, EpochReport, StreamProgress, TableWarning
from postrider._explained import Explained
from postrider._files import expect_replaceable
from postrider._frames import with_target
from postrider._importance import Judged
from postrider._notebook import Shown
from postrider._options import TableModelOptions, class_weights_of, library_options, limit_text, seconds_of, seed_of
from postrider._progress import teller
from postrider._reading import Layout, Reading, Schema, TableData, opened, options_of, options_of_new_rows, source_of
from postrider._rows import groups_of_table
from postrider._warnings import (
    expect_an_epoch,
    warn_if_unfinished,
    warn_of_copies,
    warn_of_data,
    warn_of_interrupt,
    warn_of_new_rows,
    warn_of_repeated,
    warn_of_skipped,
    warn_of_stream,
)
from postrider.evaluation import Evaluation

if TYPE_CHECKING:
    from typing_extensions import Unpack

EpochProgress: TypeAlias = "Callable[[EpochReport], object]"
ChunkProgress: TypeAlias = "Callable[[StreamProgress], object]"


class TableFit(Reading, total=False):
    """How rows of a table are learned, besides which column is the target."""

    time: str | None
    progress: Callable[[Any], object] | None


class Training(TableModelOptions, TableFit, total=False):
    """What a table and its model are learned with, by name."""


class Streaming(Reading, total=False):
    """What counts where rows of a table are learned once."""

    drift: bool
    horizon: int
    stream_memory: int
    varying_noise: bool
    random_state: int
    n_jobs: int | None
    missing: str
    indicators: bool
    class_weight: Any
    progress: ChunkProgress | None


class Estimator(Explained, Judged, Shown, BaseEstimator):  # type: ignore[misc]
    """Parameters, and a model of a table, if one was learned."""

    _table: _core.TableModelCore | None = None

    def _threads(self) -> int:
        return int(effective_n_jobs(self.get_params(deep=False)["n_jobs"]))

    def _library_options(self) -> dict[str, Any]:
        """All parameters that the library knows, as it takes them."""
        given = self.get_params(deep=False)
        return {**library_options(given), "random_state": seed_of(given["random_state"]), "n_jobs": self._threads()}

    # --- tables ----------------------------------------------------------------------------------

    def _learn_table(self, data: TableData, target: str, *, stream: bool = False, groups: Any = None, **how: Unpack[TableFit]) -> None:
        """A model of this table; it becomes the estimator's once it is whole."""
        reading: Any = dict(how)
        time, progress = reading.pop("time", None), reading.pop("progress", None)
        given, options = self.get_params(deep=False), self._library_options()
        asked = {
            "missing": given.get("missing", "vague"),
            "indicators": given.get("indicators", False),
            **class_weights_of(given.get("class_weight")),
            "memory_limit": limit_text(given["memory_limit"], given["store_budget"]),
            **groups_of_table(groups, time),
            "time_budget": seconds_of(given["time_budget"]),
        }
        together = asked["group"], asked["time"]
        reader = opened(data, options_of(reading, Reading, target, [*options, *asked], *together), *together)
        with teller(bool(given["verbose"]) and not stream) as tell:
            core, interrupted = _core.train_table(reader, stream, options, **asked, progress=progress or (None if stream else tell))
        if interrupted and not stream:
            expect_an_epoch(core.history, "the estimator is as it was before")
        self._table, self._importances = core, None
        if interrupted:
            warn_of_interrupt()
        else:
            warn_if_unfinished(core.history)
        warn_of_skipped(reader)
        warn_of_copies(core.history[-1])
        warn_of_data(core.warnings)
        self._tell_stream()

    def _tell_stream(self) -> None:
        table = self._learned_table()
        warn_of_stream(table.history[-1].stream, table.is_too_narrow)

    def _learned_table(self) -> _core.TableModelCore:
        if self._table is None:
            check_is_fitted(self)
            raise AttributeError(
                f"this {type(self).__name__} has learned arrays, and does not know how columns looked: fit(frame, 'target') keeps that"
            )
        return self._table

    def _watched(self, data: TableData, options: _core.TableOptions) -> tuple[_core.TableReader, _core.RowWatch]:
        """A reader of rows of the table's columns, and what it notes of them while they are read."""
        table = self._learned_table()
        reader = table.open(source_of(data), options)
        return reader, _core.watch_rows(table, reader)

    def _evaluate_table(self, data: TableData, reading: Layout) -> Evaluation:
        reader, watch = self._watched(data, options_of_new_rows(reading))
        found = self._learned_table().evaluate(reader)
        warn_of_repeated(watch.warning)
        warn_of_data(found.warnings)
        warn_of_new_rows(watch, reader)
        return Evaluation(found)

    def _warning_of_table(self, data: TableData) -> str:
        """What figures of these rows are worth, if some were learned; nothing where the data have no targets."""
        reader, watch = self._watched(data, options_of({}, Layout))
        while reader.next() is not None:
            pass
        return watch.warning

    def _feature_names(self) -> NDArray[np.object_]:
        """The columns of the table that predictions look at."""
        columns = (each.name for each in self._learned_table().columns if not each.target and each.kind != "ignored")
        return np.array(list(columns), dtype=object)

    @property
    def schema_(self) -> Schema:
        """The columns of the table that was learned."""
        return Schema(self._learned_table().columns)

    @property
    def warnings_(self) -> list[TableWarning]:
        """What was odd about the table that was learned: each has a ``kind``, a ``column``, a ``text`` and a ``remedy``."""
        return self._learned_table().warnings

    def column_drift(self, X: TableData, **reading: Unpack[Layout]) -> list[ColumnDrift]:
        """Which columns do not look as in the rows of the table that was learned.

        Parameters
        ----------
        X : path or object with ``__arrow_c_stream__``
            Columns are found by their names.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        list of ColumnDrift
            Of each such column its name (``column``), what differs (``kind``: "unit", "range", "levels",
            "missing" or "shape"), figures (``learned`` and ``found``) and a sentence (``text``).
        """
        reader, watch = self._watched(X, options_of_new_rows(reading))
        while reader.next() is not None:
            pass
        return watch.drift

    def is_far(self, X: TableData, **reading: Unpack[Layout]) -> NDArray[np.bool_]:
        """Which rows are far from all rows of the table that was learned.

        Parameters
        ----------
        X : path or object with ``__arrow_c_stream__``
            Columns are found by their names.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        ndarray of shape (rows,)
        """
        reader, _ = self._watched(X, options_of_new_rows(reading))
        far, parts = self._far_rows(), []
        while (chunk := reader.next()) is not None:
            parts.append(far.are_far(chunk).astype(bool))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=bool)

    def report(
        self,
        path: str | os.PathLike[str],
        X: Any,
        y: Any = None,
        *,
        title: str = "",
        level: float = 0.9,
        keys: Sequence[str] = (),
        time: str = "",
        group: str = "",
        **reading: Unpack[Layout],
    ) -> None:
        """Write one HTML page that says how far to trust what was learned, as ``postrider report`` does.

        Parameters
        ----------
        path : path
            A page that is there is replaced, and what is no page of this package is refused.
        X : path or object with ``__arrow_c_stream__``
            Rows with the target that should not have been learned. Of an estimator of arrays an array.
        y : array-like of shape (n_samples,), default=None
            What came, where the data do not say.
        title : str
            Empty: "Predicting" and the target.
        level : float, default=0.9
            Of intervals; above 0 and below 1.
        keys : sequence of str
            Columns that name rows on the page.
        time, group : str
            A column over whose times, and one by whose values, errors are told.
        **reading
            As of :meth:`TableModel.update`.
        """
        expect_replaceable(path, "a report", b'<!DOCTYPE html>\n<html lang="en">')
        core = self._as_table()
        asked = [*keys, *(each for each in (time, group) if each)]
        if self._is_of_arrays():
            if asked or reading:
                raise ValueError(f"{(asked or list(reading))[0]}: is for tables; arrays have no columns besides the inputs")
            rows, name = self._rows_of(core, X, y, {}, warns=True), ""
        else:
            options_of(reading, Layout)
            data = X if y is None else with_target(X, y, core.target)[0]
            reader = core.open(source_of(data), _core.TableOptions(may_lack_columns=True, keys=asked, **reading))
            watch = _core.watch_rows(core, reader)
            rows, name = _core.whole_table(reader), reader.path
            warn_of_repeated(watch.warning)
            warn_of_new_rows(watch, reader)
        core.report(rows, os.fspath(path), title, float(level), list(keys), time, group, name)

    def _far_rows(self) -> _core.FarRowWatch:
        far = _core.FarRowWatch(self._learned_table())
        if not far.is_able:
            raise ValueError("far: the model keeps too few of the rows that it has learned")
        return far

    # --- copies ----------------------------------------------------------------------------------

    def __sklearn_is_fitted__(self) -> bool:
        return self._table is not None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if state.get("_table") is not None:
            state["_table"] = state["_table"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        table = state.get("_table")
        if isinstance(table, bytes):
            state = {**state, "_table": _core.TableModelCore.from_bytes(table)}
        super().__setstate__(state)
