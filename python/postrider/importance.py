"""What matters to a model as a whole: importance of columns, how predictions move with one, and which act together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider._html import table_of_html

Floats = NDArray[np.float64]

_CLEAR = 2.0  # standard errors


class Importance(Mapping[str, float]):
    """What predictions lose, in nats per row, where the values of one column are those of other rows.

    A mapping from columns to that loss, the largest first.

    Attributes
    ----------
    columns : list of str
        In the order of the data.
    loss, standard_error : ndarray of shape (n_columns,)
        Nats per row, and the standard error over rows: how far the loss would differ on other rows like these.
    growth : ndarray of shape (n_columns,)
        The share by which the typical error (root mean square) is larger then; for classes, by which the log-loss is.
    is_out_of_fold : bool
        Whether the rows are those that were learned, each as networks predicted it that had left it out.
    error_name : str
        What grows: "error" or "log-loss".
    """

    def __init__(self, found: dict[str, Any], *, is_out_of_fold: bool, classifies: bool) -> None:
        self.columns: list[str] = list(found["columns"])
        self.loss: Floats = np.asarray(found["loss"])
        self.standard_error: Floats = np.asarray(found["standard_error"])
        self.growth: Floats = np.asarray(found["growth"])
        self.is_out_of_fold = is_out_of_fold
        self.error_name = "log-loss" if classifies else "error"
        self._order = np.argsort(-self.loss, kind="stable")

    def __getitem__(self, column: str) -> float:
        if column not in self.columns:
            raise KeyError(column)
        return float(self.loss[self.columns.index(column)])

    def __iter__(self) -> Iterator[str]:
        return (self.columns[k] for k in self._order)

    def __len__(self) -> int:
        return len(self.columns)

    def clear_columns(self) -> list[str]:
        """The columns whose loss is more than two standard errors above 0, the largest first."""
        return [self.columns[k] for k in self._order if self.loss[k] > _CLEAR * self.standard_error[k]]

    def to_frame(self) -> Any:
        """A frame of pandas: ``loss``, ``standard_error`` and ``growth`` of each column, the largest loss first."""
        import pandas

        columns = {"loss": self.loss, "standard_error": self.standard_error, "growth": self.growth}
        return pandas.DataFrame(columns, index=pandas.Index(self.columns, name="column")).iloc[self._order]

    def _lines(self) -> list[tuple[str, ...]]:
        return [
            (self.columns[k], f"{self.loss[k]:.3f} ± {self.standard_error[k]:.3f}", f"{self.growth[k]:+.0%}".replace("%", " %")) for k in self._order
        ]

    def _heading(self) -> tuple[str, ...]:
        return ("without", "nats per row lost", self.error_name)

    def __repr__(self) -> str:
        return _as_text(self._heading(), self._lines())

    def _repr_html_(self) -> str:
        rows = "learned rows, by networks that left them out" if self.is_out_of_fold else "rows that were given"
        return table_of_html(f"Importance of columns, by {rows}", self._heading(), self._lines())


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """How predictions move with one column, all others as they are in some rows.

    Attributes
    ----------
    column, output : str
        What is moved, and what the mean is of, such as "predicted rent" or "probability of yes".
    x : ndarray
        The values: numbers, moments (``datetime64``), or the names of categories, the most frequent first.
    mean : ndarray
        The mean over rows at each value.
    low, high : ndarray
        The band that holds the middle 80 % of the rows. Where it is wide, other columns matter as well.
    spread : ndarray
        The standard deviation of the mean over the members of the ensemble: how far they disagree on it.
    by, value : str or None
        Another column that has one value in all rows, and that value; None: there is none.
    """

    column: str
    output: str
    x: NDArray[Any]
    mean: Floats
    low: Floats
    high: Floats
    spread: Floats
    by: str | None = None
    value: Any = None

    @property
    def is_category(self) -> bool:
        """Whether the values are names."""
        return self.x.dtype.kind in "OU"

    def to_frame(self) -> Any:
        """A frame of pandas with a line for each value."""
        import pandas

        parts = {self.column: self.x, "mean": self.mean, "low": self.low, "high": self.high, "spread": self.spread}
        return pandas.DataFrame(parts if self.by is None else {self.by: [self.value] * len(self.x), **parts})

    def _lines(self) -> list[tuple[str, ...]]:
        return [
            (_shown(x), f"{mean:.4g} ± {spread:.2g}", f"{low:.4g} to {high:.4g}")
            for x, mean, spread, low, high in zip(self.x, self.mean, self.spread, self.low, self.high, strict=True)
        ]

    def _heading(self) -> tuple[str, ...]:
        return (self.column, self.output, "of the middle 80 % of rows")

    def __repr__(self) -> str:
        fixed = "" if self.by is None else f"where {self.by} is {_shown(self.value)}:\n"
        return fixed + _as_text(self._heading(), self._lines())

    def _repr_html_(self) -> str:
        fixed = "" if self.by is None else f", where {self.by} is {_shown(self.value)}"
        return table_of_html(f"How predictions move with {self.column}{fixed}", self._heading(), self._lines())


@dataclass(frozen=True)
class Interaction:
    """Two columns whose joint effect is not the sum of the effect of each.

    Attributes
    ----------
    first, second : str
        The columns.
    share : float
        The share of what predictions vary by that both make together, beyond what each makes by itself.
    standard_error : float
        Of the share, over rows.
    """

    first: str
    second: str
    share: float
    standard_error: float

    @property
    def is_clear(self) -> bool:
        """Whether the share is more than two standard errors above 0, and above half a per cent."""
        return self.share > max(0.005, _CLEAR * self.standard_error)


class Interactions(Sequence[Interaction]):
    """Pairs of columns, those that act together most first."""

    def __init__(self, pairs: Sequence[Interaction]) -> None:
        self._pairs = list(pairs)

    def __getitem__(self, place: Any) -> Any:
        return Interactions(self._pairs[place]) if isinstance(place, slice) else self._pairs[place]

    def __len__(self) -> int:
        return len(self._pairs)

    def to_frame(self) -> Any:
        """A frame of pandas with a line for each pair."""
        import pandas

        return pandas.DataFrame([vars(pair) for pair in self._pairs], columns=["first", "second", "share", "standard_error"])

    def _lines(self) -> list[tuple[str, ...]]:
        return [(f"{pair.first} and {pair.second}", f"{100 * pair.share:.1f} % ± {100 * pair.standard_error:.1f} %") for pair in self._pairs]

    def __repr__(self) -> str:
        return _as_text(("together", "share of what predictions vary by"), self._lines())

    def _repr_html_(self) -> str:
        return table_of_html("Columns that act together", ("together", "share of what predictions vary by"), self._lines())


def _shown(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def _as_text(heading: tuple[str, ...], lines: Sequence[tuple[str, ...]]) -> str:
    every = [heading, *lines]
    widths = [max(len(line[place]) for line in every) for place in range(len(heading))]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in every)
