"""Why predictions are what they are: contributions of columns, and which columns are unusual."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider._html import table_of_html

Floats = NDArray[np.float64]

_UNUSUAL = 3.0  # standard deviations; of a normal number three of a thousand lie farther


@dataclass(frozen=True, eq=False)
class Explanation:
    """How far each column moves predictions from a baseline.

    ``explanation[3]`` is that of row 3 alone, ``explanation[2:5]`` that of some. Printed, it is a table of the first row.

    Attributes
    ----------
    columns : list of str
        As the data have them.
    quantities : list of str
        "mean" and "std" of a numeric target; else the classes, whose probabilities are explained.
    baseline : ndarray of shape (n_quantities,)
        The mean of what is predicted of the rows that predictions are compared with.
    prediction : ndarray of shape (rows, n_quantities)
        What is predicted.
    contributions : ndarray of shape (rows, n_columns, n_quantities)
        Those of a row add up to its prediction less the baseline.
    spread : ndarray of shape (rows, n_columns, n_quantities)
        Standard deviation of a contribution over the members of the ensemble: how far they disagree on it.
    unusual : ndarray of shape (rows, n_columns)
        How many standard deviations a value lies from the mean of those that were learned, for a category as many as a number has that
        is as rare; 0 where it is missing, infinite for a category that was not learned.
    values : list of list
        The values of each row, column by column.
    far : ndarray of shape (rows,) or None
        Whether the row is far from all rows that were learned; None where the model keeps too few of them to tell.
    """

    columns: list[str]
    quantities: list[str]
    baseline: Floats
    prediction: Floats
    contributions: Floats
    spread: Floats
    unusual: Floats
    values: list[list[Any]]
    far: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.prediction)

    def __getitem__(self, rows: int | slice) -> Explanation:
        if isinstance(rows, (int, np.integer)):
            place = range(len(self))[int(rows)]
            rows = slice(place, place + 1)
        parts: dict[str, Any] = {name: getattr(self, name)[rows] for name in ("prediction", "contributions", "spread", "unusual", "values")}
        return replace(self, far=None if self.far is None else self.far[rows], **parts)

    def _place(self, quantity: str | None) -> int:
        if quantity is None:
            return 0 if self.quantities[0] == "mean" else int(np.argmax(self.prediction[0]))
        if quantity not in self.quantities:
            raise ValueError(f"quantity = {quantity!r}: must be one of {', '.join(self.quantities)}")
        return self.quantities.index(quantity)

    def quantity_of(self, quantity: str | None = None) -> str:
        """The quantity that is meant: without a name the mean, or the most probable class of the first row."""
        return self.quantities[self._place(quantity)]

    def label_of(self, column: int, row: int = 0) -> str:
        """A column and its value in a row, such as "town = Dale"."""
        return f"{self.columns[column]} = {_shown(self.values[row][column])}"

    def importance(self, quantity: str | None = None) -> dict[str, float]:
        """The mean size of each column's contributions over the rows, the largest first.

        Parameters
        ----------
        quantity : str, optional
            One of `quantities`; None: the mean, or of classes the sum over all of them.

        Returns
        -------
        dict of str to float
        """
        sizes = np.abs(self.contributions).mean(axis=0)
        of_all = quantity is None and self.quantities[0] != "mean"
        sizes = sizes.sum(axis=1) if of_all else sizes[:, self._place(quantity)]
        return {self.columns[k]: float(sizes[k]) for k in np.argsort(-sizes, kind="stable")}

    def unusual_columns(self, row: int = 0, above: float = _UNUSUAL) -> dict[str, float]:
        """The columns of a row whose values lie farther from those that were learned than so many standard deviations, the farthest first."""
        found = self.unusual[row]
        return {self.columns[k]: float(found[k]) for k in np.argsort(-found, kind="stable") if found[k] > above}

    def to_frame(self, quantity: str | None = None) -> Any:
        """A frame of pandas with a line for each row and column.

        Parameters
        ----------
        quantity : str, optional
            One of `quantities`; None: all, each with a line.

        Returns
        -------
        pandas.DataFrame
            ``row``, ``column``, ``value``, ``quantity``, ``contribution``, ``spread`` and ``unusual``.
        """
        import pandas

        places = range(len(self.quantities)) if quantity is None else [self._place(quantity)]
        lines = [
            (row, column, self.values[row][c], self.quantities[q], self.contributions[row, c, q], self.spread[row, c, q], self.unusual[row, c])
            for row in range(len(self))
            for q in places
            for c, column in enumerate(self.columns)
        ]
        return pandas.DataFrame(lines, columns=["row", "column", "value", "quantity", "contribution", "spread", "unusual"])

    def to_text(self, row: int = 0, quantity: str | None = None, most: int = 12) -> str:
        """One row's explanation as a table for people, the largest contributions first."""
        lines = self._lines(row, quantity, most)
        widths = [max(len(line[place]) for line in lines) for place in range(3)]
        return "\n".join(
            f"{line[0]:<{widths[0]}}  {line[1]:>{widths[1]}}  {line[2]:<{widths[2]}}  {line[3]}".rstrip() for line in lines
        )

    def _lines(self, row: int, quantity: str | None, most: int = 12) -> list[tuple[str, str, str, str]]:
        """The baseline, contributions and the prediction: what, how much, spread, remark."""
        q = self[row]._place(quantity)
        moves = self.contributions[row, :, q]
        order = np.argsort(-np.abs(moves), kind="stable")
        name = self.quantities[q] if self.quantities[0] == "mean" else f"probability of {self.quantities[q]}"
        lines = [("baseline", f"{self.baseline[q]:.4g}", "", "")]
        for k in order[:most]:
            notes = f"unusual: {self.unusual[row, k]:.1f} standard deviations out" if self.unusual[row, k] > _UNUSUAL else ""
            if np.isinf(self.unusual[row, k]):
                notes = "unusual: not among the categories learned"
            lines.append((self.label_of(k, row), f"{moves[k]:+.4g}", f"± {self.spread[row, k, q]:.2g}", notes))
        if len(order) > most:
            lines.append((f"{len(order) - most} other columns", f"{moves[order[most:]].sum():+.4g}", "", ""))
        lines.append((name, f"{self.prediction[row, q]:.4g}", "", "far from all rows learned" if self.far is not None and self.far[row] else ""))
        return lines

    def _repr_html_(self) -> str:
        if len(self) == 0:
            return table_of_html("Explanation of no rows", (), ())
        rest = f" (the first of {len(self)} rows)" if len(self) > 1 else ""
        return table_of_html(f"What moves the prediction{rest}", ("column", "contribution", "over members", ""), self._lines(0, None))

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Explanation of no rows"
        rest = f"\n(the first of {len(self)} rows; explanation[k] is that of row k)" if len(self) > 1 else ""
        return self.to_text() + rest


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def explanation_of(parts: list[dict[str, Any]], quantities: list[str] | None = None, far: NDArray[np.bool_] | None = None, **known: Any) -> Explanation:
    """What the core found of the rows, part by part."""
    whole: dict[str, Any] = {
        name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in ("prediction", "contributions", "spread", "unusual")
    }
    columns = known.pop("columns", None) or parts[0]["columns"]
    values = known.pop("values", None)
    if values is None:
        cells = [cell for part in parts for cell in part["cells"]]
        values = [cells[first : first + len(columns)] for first in range(0, len(cells), len(columns))]
    return Explanation(
        columns=list(columns),
        quantities=quantities or list(parts[0]["quantities"]),
        baseline=np.asarray(parts[0]["baseline"]),
        values=values,
        far=far,
        **whole,
    )
