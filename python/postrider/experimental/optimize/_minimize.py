"""The loop around ask and tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from postrider._options import whole_number
from postrider._rows import Floats
from postrider.experimental.optimize._optimizer import NoPointLeft, Optimizer


@dataclass(frozen=True)
class OptimizeResult:
    """What a minimisation found."""

    x: list[Any]
    """The best point that was tried; of noisy values, the one that the model holds best. Of constraints that no point
    holds, the one that misses them least."""
    fun: float
    """Its value; of noisy values, its mean; NaN where `f` failed everywhere."""
    x_iters: list[list[Any]]
    """All points that were tried, in order."""
    func_vals: Floats
    """Their values; NaN or infinite where `f` failed."""
    is_feasible: bool
    """Whether `x` holds all constraints; True where there are none."""
    optimizer: Optimizer
    """To go on with."""


def minimize(
    f: Callable[[list[Any]], Any],
    space: Any,
    *,
    n_calls: int = 50,
    callback: Callable[[Optimizer], Any] | None = None,
    **options: Any,
) -> OptimizeResult:
    """Find where a function that is dear to evaluate is least.

    Parameters
    ----------
    f : callable
        Takes a point, a list with a value for each dimension, and returns a number; NaN or infinite where it
        failed. With `n_constraints` it returns the number and a sequence of so many, each at most 0 where its
        constraint holds.
    space : Space or sequence
        As of `Optimizer`.
    n_calls : int, default=50
        Calls of `f`, at least one; fewer where every point of the space was tried or has failed.
    callback : callable, default=None
        Called with the optimizer after each call of `f`; True ends it.
    **options
        Of `Optimizer`.

    Returns
    -------
    found : OptimizeResult

    Examples
    --------
    >>> from postrider.experimental.optimize import minimize
    >>> found = minimize(lambda point: (point[0] - 0.3) ** 2, [(-1.0, 1.0)], n_calls=12)
    >>> abs(found.x[0] - 0.3) < 0.2
    True
    """
    optimizer = Optimizer(space, **options)
    points: list[list[Any]] = []
    values: list[float] = []
    for _ in range(whole_number("n_calls", n_calls, 1)):
        try:
            points.append(optimizer.ask())
        except NoPointLeft:
            if not points:
                raise
            break
        value, rules = _answer(f(points[-1]), optimizer.n_constraints)
        values.append(value)
        optimizer.tell(points[-1], values[-1], rules)
        if callback is not None and callback(optimizer) is True:
            break
    x, value = optimizer.best if optimizer.values else (points[0], float("nan"))
    return OptimizeResult(x, value, points, np.array(values), optimizer.is_feasible, optimizer)


def _answer(told: Any, n_constraints: int) -> tuple[float, Any]:
    """What `f` returned, taken apart."""
    expected = "a number" if n_constraints == 0 else f"a number and a sequence of {n_constraints}"
    try:
        value, rules = told if n_constraints else (told, None)
        return float(value), rules
    except (TypeError, ValueError) as error:
        raise ValueError(f"f returned {told!r}: must be {expected}") from error
