"""Spaces of numbers and categories, and their points as rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from postrider._rows import Floats


@dataclass(frozen=True)
class Real:
    """A number between two bounds; with ``log=True`` its logarithm is what matters."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"Real({self.low}, {self.high}): must have a low end below the high one")
        if self.log and self.low <= 0:
            raise ValueError(f"Real({self.low}, {self.high}, log=True): must lie above 0")

    @property
    def width(self) -> int:
        """Columns that it takes."""
        return 1

    def encode(self, value: Any) -> list[float]:
        """From 0 to 1."""
        number = float(value)
        if not self.low <= number <= self.high:
            raise ValueError(f"{value!r}: must lie between {self.low} and {self.high}")
        if self.log:
            return [math.log(number / self.low) / math.log(self.high / self.low)]
        return [(number - self.low) / (self.high - self.low)]

    def decode(self, columns: Floats) -> float:
        """The number at a share of the way."""
        share = min(max(float(columns[0]), 0.0), 1.0)
        if self.log:
            number = self.low * float((self.high / self.low) ** share)
        else:
            number = self.low + share * (self.high - self.low)
        return min(max(number, self.low), self.high)


@dataclass(frozen=True)
class Integer:
    """A whole number from low to high, both included."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not (self.low < self.high and int(self.low) == self.low and int(self.high) == self.high):
            raise ValueError(f"Integer({self.low}, {self.high}): must have whole ends, the low one below the high one")

    @property
    def width(self) -> int:
        """Columns that it takes."""
        return 1

    def encode(self, value: Any) -> list[float]:
        """From 0 to 1."""
        if int(value) != value or not self.low <= value <= self.high:
            raise ValueError(f"{value!r}: must be a whole number from {self.low} to {self.high}")
        return [(int(value) - self.low) / (self.high - self.low)]

    def decode(self, columns: Floats) -> int:
        """The nearest whole number."""
        share = min(max(float(columns[0]), 0.0), 1.0)
        return int(round(self.low + share * (self.high - self.low)))


class Category:
    """One of several values that have no order."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = list(values)
        if len(self.values) < 2 or any(v in self.values[:i] for i, v in enumerate(self.values)):
            raise ValueError(f"Category({self.values!r}): must have at least two values, each once")

    def __repr__(self) -> str:
        return f"Category({self.values!r})"

    @property
    def width(self) -> int:
        """Columns that it takes: one for each value."""
        return len(self.values)

    def encode(self, value: Any) -> list[float]:
        """1 in the column of the value."""
        if value not in self.values:
            raise ValueError(f"{value!r}: must be one of {self.values!r}")
        return [float(value == each) for each in self.values]

    def decode(self, columns: Floats) -> Any:
        """The value of the largest column."""
        return self.values[int(np.argmax(columns))]


Dimension = Union[Real, Integer, Category]


def _dimension(given: Any) -> Dimension:
    if isinstance(given, (Real, Integer, Category)):
        return given
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(v, (int, float)) for v in given):
        return Real(float(given[0]), float(given[1]))
    if isinstance(given, (list, set, frozenset)):
        return Category(list(given))
    raise ValueError(f"{given!r}: must be Real, Integer, Category, a pair (low, high) or a list of values")


class Space:
    """Dimensions side by side. Points are lists of values, rows their numbers.

    Parameters
    ----------
    dimensions : sequence
        Each `Real`, `Integer` or `Category`; a pair (low, high) is a `Real`, also where both are whole numbers, a
        list of values a `Category`.
    """

    def __init__(self, dimensions: Sequence[Any]) -> None:
        self.dimensions = [_dimension(each) for each in dimensions]
        if not self.dimensions:
            raise ValueError("a space must have at least one dimension")
        ends = np.cumsum([each.width for each in self.dimensions])
        self._slices = [slice(int(e) - d.width, int(e)) for e, d in zip(ends, self.dimensions, strict=True)]
        self.width = int(ends[-1])
        self.reals = np.array([p.start for p, d in zip(self._slices, self.dimensions, strict=True) if isinstance(d, Real)], dtype=np.intp)

    def all_rows(self, most: int) -> Floats | None:
        """Every point there is, if there are at most so many."""
        counts = [
            d.high - d.low + 1 if isinstance(d, Integer) else len(d.values) if isinstance(d, Category) else math.inf
            for d in self.dimensions
        ]
        if math.prod(counts) > most:
            return None
        places = np.indices([int(count) for count in counts]).reshape(len(counts), -1).T
        return self._fill((places + 0.5) / np.array(counts), wholes=places.astype(float))

    def rows(self, points: Any) -> Floats:
        """Points, a sequence of them or a frame, as rows of numbers."""
        if hasattr(points, "itertuples"):  # a frame, by the order of its columns
            points = points.to_numpy()
        if isinstance(points, np.ndarray) and all(isinstance(d, Real) and not d.log for d in self.dimensions):
            return self._scaled(points.astype(np.float64))
        out = np.empty((len(points), self.width))
        for row, point in zip(out, points, strict=True):
            if isinstance(point, str) or not hasattr(point, "__len__"):
                raise ValueError(f"a point is {point!r}: must be a list of {len(self.dimensions)}, a value for each dimension")
            if len(point) != len(self.dimensions):
                raise ValueError(f"a point has {len(point)} values: must have {len(self.dimensions)}")
            for part, dimension, value in zip(self._slices, self.dimensions, point, strict=True):
                row[part] = dimension.encode(value)
        return out

    def _scaled(self, points: Floats) -> Floats:
        """Points of an array, all at once."""
        low, high = (np.array([getattr(d, end) for d in self.dimensions]) for end in ("low", "high"))
        if points.ndim != 2 or points.shape[1] != len(low):
            raise ValueError(f"points have the shape {points.shape}: must have {len(low)} columns")
        outside = ~((points >= low) & (points <= high))
        if outside.any():
            row, column = np.argwhere(outside)[0]
            raise ValueError(f"{points[row, column]!r}: must lie between {low[column]} and {high[column]}")
        out: Floats = (points - low) / (high - low)
        return out

    def points(self, rows: Floats) -> list[list[Any]]:
        """Rows of numbers as points."""
        return [
            [d.decode(row[part]) for part, d in zip(self._slices, self.dimensions, strict=True)]
            for row in rows
        ]

    def snapped(self, rows: Floats) -> Floats:
        """Rows of points that exist: whole numbers, and one value of each category."""
        out: Floats = np.clip(rows, 0.0, 1.0)
        for part, dimension in zip(self._slices, self.dimensions, strict=True):
            if isinstance(dimension, Integer):
                steps = dimension.high - dimension.low
                out[:, part] = np.round(out[:, part] * steps) / steps
            elif isinstance(dimension, Category):
                best = np.argmax(out[:, part], axis=1)
                out[:, part] = np.eye(dimension.width)[best]
        return out

    def _fill(self, numbers: Floats, wholes: Floats | None = None) -> Floats:
        """One number in [0, 1) for each dimension as a row; ``wholes``: how many steps from the low end whole numbers are."""
        out = np.empty((len(numbers), self.width))
        for k, (part, dimension) in enumerate(zip(self._slices, self.dimensions, strict=True)):
            if isinstance(dimension, Category):
                which = np.minimum((numbers[:, k] * dimension.width).astype(int), dimension.width - 1)
                out[:, part] = np.eye(dimension.width)[which]
            elif isinstance(dimension, Integer) and wholes is not None:
                out[:, part] = wholes[:, k : k + 1] / (dimension.high - dimension.low)
            else:
                out[:, part] = numbers[:, k : k + 1]
        return self.snapped(out)

    def random(self, count: int, rng: np.random.Generator) -> Floats:
        """Rows drawn evenly."""
        return self._fill(rng.random((count, len(self.dimensions))))

    def spread(self, count: int, rng: np.random.Generator) -> Floats:
        """Rows that fill the space: one in each of `count` slices of every dimension."""
        wide = len(self.dimensions)
        slices = np.stack([rng.permutation(count) for _ in range(wide)], axis=1)
        return self._fill((slices + rng.random((count, wide))) / count)

    def near(self, row: Floats, count: int, step: float, rng: np.random.Generator) -> Floats:
        """Rows beside one: some of its dimensions moved by about the step, some categories changed."""
        wide = len(self.dimensions)
        moved = rng.random((count, wide)) < max(1.0 / wide, min(1.0, 3.0 / wide))
        moved[np.arange(count), rng.integers(wide, size=count)] = True
        out = np.tile(row, (count, 1))
        for k, (part, dimension) in enumerate(zip(self._slices, self.dimensions, strict=True)):
            which = np.flatnonzero(moved[:, k])
            if isinstance(dimension, Category):
                change = which[rng.random(len(which)) < 0.5]
                out[change, part] = np.eye(dimension.width)[rng.integers(dimension.width, size=len(change))]
            else:
                out[which, part] += step * rng.normal(size=(len(which), 1))
        # Beyond an end it comes back from it.
        out = np.where(out < 0, -out, out)
        return self.snapped(np.where(out > 1, 2 - out, out))

    def within(self, row: Floats, count: int, side: float, rng: np.random.Generator) -> Floats:
        """Rows in a box around one: numbers evenly, each category changed with the box's share of the space."""
        numbers = rng.random((count, len(self.dimensions)))
        out = self._fill(numbers)
        for k, (part, dimension) in enumerate(zip(self._slices, self.dimensions, strict=True)):
            if isinstance(dimension, Category):
                stays = rng.random(count) >= side
                out[stays, part] = row[part]
            else:
                out[:, part] = row[part] + side * (numbers[:, k : k + 1] - 0.5)
        return self.snapped(out)

    def are_within(self, row: Floats, rows: Floats, side: float) -> NDArray[np.bool_]:
        """Which rows have all numbers in such a box; one of whole numbers reaches at least the next."""
        out = np.ones(len(rows), dtype=bool)
        for part, dimension in zip(self._slices, self.dimensions, strict=True):
            if isinstance(dimension, Category):
                continue
            reach = side / 2
            if isinstance(dimension, Integer):
                reach = max(reach, 1 / (dimension.high - dimension.low))
            out &= np.abs(rows[:, part][:, 0] - row[part][0]) <= reach + 1e-12
        return out
