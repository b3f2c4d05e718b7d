"""Uphill from the best of many candidates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as least

from postrider._rows import Floats
from postrider.experimental.optimize._space import Space

# Rows that are improved side by side: so many, of which the first ones are the best, and the others differ.
STARTS, _BEST = 5, 2
_MOST_STEPS = 50
# By which slopes are measured: what is to be gained is known to ten digits and more.
_SHIFT = 1e-6
# Candidates come nearer and nearer to the best of them, so often.
_REFINEMENTS = 8


def starts(rows: Floats, values: Floats, rng: np.random.Generator) -> Floats:
    """The best rows, and others by chance, the better the more likely."""
    order = np.argsort(-values)
    first, others = order[:_BEST], order[_BEST:]
    count = min(STARTS - _BEST, len(others))
    # The largest of values + Gumbel noise are draws without replacement by the exponential of the values.
    away = (values[others] - values.max()) / (float(values.std()) or 1.0)
    drawn = np.argsort(-(away + rng.gumbel(size=len(others))))[:count]
    out: Floats = rows[np.concatenate([first, others[drawn]])]
    return out


def uphill(merit: Callable[[Floats], Floats], rows: Floats, columns: NDArray[np.intp], low: Floats, high: Floats) -> Floats:
    """Rows whose columns follow the slope of the merit between bounds, all of them in one search.

    Slopes are differences, so that it serves whatever can be evaluated.
    """
    count, wide = len(rows), len(columns)
    if wide == 0:
        return rows

    def downhill(flat: Floats) -> tuple[float, Floats]:
        at = rows.copy()
        at[:, columns] = flat.reshape(count, wide)
        shifts = np.where(at[:, columns] + _SHIFT <= high, _SHIFT, -_SHIFT)
        moved = np.repeat(at[:, None], wide + 1, axis=1)
        moved[:, np.arange(wide) + 1, columns] += shifts
        values = merit(moved.reshape(-1, rows.shape[1])).reshape(count, wide + 1)
        slopes = (values[:, 1:] - values[:, :1]) / shifts
        return -float(values[:, 0].sum()), -slopes.ravel()

    begin = np.clip(rows[:, columns], low, high)
    bounds = list(zip(np.tile(low, count), np.tile(high, count), strict=True))
    found = least(downhill, begin.ravel(), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _MOST_STEPS})
    out = rows.copy()
    out[:, columns] = found.x.reshape(count, wide)
    return out


def refined(
    merit: Callable[[Floats], Floats],
    rows: Floats,
    candidates: Callable[[Floats], Floats],
    space: Space,
    rng: np.random.Generator,
) -> Floats:
    """Candidates closer and closer around the best of them: where steps, categories or edges leave no slope to follow."""
    step = 0.1
    for _ in range(_REFINEMENTS):
        top = rows[np.argsort(-merit(rows))[:4]]
        rows = np.vstack([top, candidates(np.vstack([space.near(row, 50, step, rng) for row in top]))])
        step *= 0.5
    return rows
