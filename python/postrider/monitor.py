"""Rows that come without end, beside those that a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postrider import _core
from postrider._core import ColumnDrift
from postrider._estimator import Estimator
from postrider._reading import Layout, TableData, options_of_new_rows, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Monitor"]


class Monitor:
    """Whether rows that come without end look as those that a model has learned.

    Rows are judged by windows, so that a change is not lost among all rows before it.

    Parameters
    ----------
    model : TableModel, BayesianMLPRegressor or BayesianMLPClassifier
        That has learned a table. Rows that it learns later do not count.
    window : int
        Rows that are judged together.
    """

    def __init__(self, model: Estimator, window: int = 20_000) -> None:
        self._table = model._learned_table()
        self._window = _core.DriftWindow(self._table, window)

    def add(self, X: TableData, **reading: Unpack[Layout]) -> None:
        """Look at some rows.

        Parameters
        ----------
        X : path or object with ``__arrow_c_stream__``
            Columns are found by their names.
        **reading
            As of :meth:`TableModel.update`.
        """
        reader = self._table.open(source_of(X), options_of_new_rows(reading))
        while (chunk := reader.next()) is not None:
            self._window.add(chunk)

    @property
    def drift(self) -> list[ColumnDrift]:
        """Columns that do not look as in the rows learned, in this window, or in the last one while there are few rows."""
        return self._window.drift
