"""Where half of the suggestions are looked for: a box around the best point that follows its luck."""

from __future__ import annotations

import numpy as np

from postrider._rows import Floats
from postrider.experimental.optimize._space import Space

_FIRST, _LEAST, _MOST = 0.4, 0.01, 1.0
# Two improvements in a row double the box; as many failures as there are dimensions, and at least four, halve it.
_GOOD, _BAD = 2, 4
_IMPROVEMENT = 1e-3


class Region:
    """A box whose sides are a share of the space's.

    In many dimensions what is uncertain lies far from all that is known, nearly everywhere: without a box every suggestion
    explores. A box that has become tiny begins anew.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.side = _FIRST
        self._best: float | None = None
        self._seen = self._good = self._bad = 0

    def follow(self, best: float, count: int) -> None:
        """The least value among so many that were told."""
        if self._best is None or count <= self._seen:
            self._best, self._seen = best, count
            return
        self._seen = count
        if best < self._best - _IMPROVEMENT * abs(self._best):
            self._good, self._bad = self._good + 1, 0
        else:
            self._good, self._bad = 0, self._bad + 1
        self._best = min(self._best, best)
        if self._good == _GOOD:
            self.side, self._good = min(_MOST, 2 * self.side), 0
        if self._bad == max(_BAD, len(self.space.dimensions)):
            self.side, self._bad = self.side / 2, 0
        if self.side < _LEAST:
            self.side = _FIRST

    def inside(self, centre: Floats, rows: Floats) -> Floats:
        """Those of the rows that lie in the box around a point."""
        return rows[self.space.are_within(centre, rows, self.side)]

    def bounds(self, centre: Floats, side: float | None) -> tuple[Floats, Floats]:
        """Ends of the columns of real numbers: of the box, or without one of the space."""
        at = centre[self.space.reals]
        if side is None:
            return np.zeros(len(at)), np.ones(len(at))
        return np.maximum(at - side / 2, 0.0), np.minimum(at + side / 2, 1.0)
