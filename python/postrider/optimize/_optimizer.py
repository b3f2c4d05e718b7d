"""Ask, tell, and the loop around them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from postrider._base import Floats, whole_number
from postrider.functions import DrawnFunction
from postrider.optimize._space import Space
from postrider.regressor import BayesianMLPRegressor

_ACQUISITIONS = ("expected_improvement", "lower_bound", "thompson")
# Below so many observations all are learned anew after each; above, when they are a tenth more.
_FEW = 60
# From so many on, hidden layers are trained.
_ROWS_TO_TRAIN = 200
# Functions times observations, at most, for one suggestion; but at least 16 functions.
_MOST_WORK = 100_000
_GROWTH = 1.1
# Rows closer than this are the same point.
_SAME = 1e-6
# Draws among which one that has not failed is looked for.
_MOST_DRAWS = 4096


class NoPointLeft(RuntimeError):
    """Every point of the space has failed."""


@dataclass(frozen=True)
class OptimizeResult:
    """What a minimisation found."""

    x: list[Any]
    """The best point that was tried; of noisy values, the one that the model holds best."""
    fun: float
    """Its value; of noisy values, its mean."""
    x_iters: list[list[Any]]
    """All points that were tried, in order."""
    func_vals: Floats
    """Their values; NaN or infinite where `f` failed."""
    optimizer: Optimizer
    """To go on with."""


def _log_expected_improvement(best: float, mean: Floats, std: Floats) -> Floats:
    """log E[max(best - f, 0)] of Gaussian f, also where that is far below what has a logarithm otherwise."""
    z = (best - mean) / std
    density = -0.5 * z * z - 0.5 * np.log(2 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.log(np.maximum(np.exp(density) + z * ndtr(z), 1e-300))
        # For z far below 0: density (1 - |z| Mills(|z|)), and |z| Mills(|z|) is 1 - 1/z^2 + 3/z^4.
        far = density - 2 * np.log(np.maximum(-z, 1.0)) + np.log1p(-3 / np.maximum(z * z, 4.0))
    out: Floats = np.log(std) + np.where(z > -5, near, far)
    return out


class Optimizer:
    """Bayesian optimisation by functions that are drawn from a regressor's belief.

    Parameters
    ----------
    space : Space or sequence
        Its dimensions: pairs (low, high), lists of values, or `Real`, `Integer`, `Category`.
    acquisition : {"expected_improvement", "lower_bound", "thompson"}, default="expected_improvement"
        What chooses the next point: where most is to be gained on average; the least mean less
        `kappa` standard deviations; or the least value of one drawn function.
    n_initial : int, default=None
        Points that fill the space before a model chooses. None: 2 and one for each dimension, at most 12.
    noise_std : float, default=0.0
        Standard deviation of the values' noise in their unit; None if it is to be learned.
    kappa : float, default=2.0
        Of the lower bound.
    n_functions : int, default=64
        Functions drawn for a suggestion, fewer where observations are thousands.
    model : BayesianMLPRegressor, default=None
        What learns the values; a clone of it is fitted.
    random_state : int, default=0
        The same number makes the same suggestions.

    Examples
    --------
    >>> from postrider.optimize import Optimizer
    >>> optimizer = Optimizer([(-1.0, 1.0), ["a", "b"]], random_state=1)
    >>> for _ in range(3):
    ...     point = optimizer.ask()
    ...     optimizer.tell(point, point[0] ** 2 + (point[1] == "b"))
    >>> len(optimizer.values)
    3
    """

    def __init__(
        self,
        space: Any,
        *,
        acquisition: str = "expected_improvement",
        n_initial: int | None = None,
        noise_std: float | None = 0.0,
        kappa: float = 2.0,
        n_functions: int = 64,
        model: BayesianMLPRegressor | None = None,
        random_state: int = 0,
    ) -> None:
        if acquisition not in _ACQUISITIONS:
            raise ValueError(f"acquisition = {acquisition!r}: must be one of {', '.join(_ACQUISITIONS)}")
        if noise_std is not None and not noise_std >= 0:
            raise ValueError(f"noise_std = {noise_std!r}: must be at least 0, or None")
        self.space = space if isinstance(space, Space) else Space(space)
        self.acquisition = acquisition
        self.n_initial = min(2 + len(self.space.dimensions), 12) if n_initial is None else n_initial
        self.noise_std = noise_std
        self.kappa = kappa
        self.n_functions = n_functions
        self.random_state = random_state
        self.values: list[float] = []
        self._rows: list[Floats] = []
        self._failed: list[Floats] = []
        self._rng = np.random.default_rng(random_state)
        self._initial = list(self.space.spread(max(1, self.n_initial), self._rng))
        self._asked = 0
        self._model = model
        self._fitted: Any = None
        self._learned = 0

    # --- observations ----------------------------------------------------------------------------

    def tell(self, points: Any, values: Any) -> None:
        """Say what was observed.

        Parameters
        ----------
        points : list
            One point, or several.
        values : float or sequence of float
            Its value, or theirs; NaN or infinite where the experiment failed. A point that failed is never
            suggested again, and one that is nearer to it than to all that succeeded only where no other
            is left.
        """
        if np.ndim(values) == 0:
            points, values = [points], [values]
        rows = self.space.rows(points)
        for row, value in zip(rows, np.asarray(values, dtype=float), strict=True):
            if np.isfinite(value):
                self._rows.append(row)
                self.values.append(float(value))
            else:
                self._failed.append(row)

    @property
    def best(self) -> tuple[list[Any], float]:
        """The best point told of, and its value; with noise the one whose mean is least."""
        if not self.values:
            count = len(self._failed)
            raise ValueError(f"all {count} points that were told have failed" if count else "nothing was told yet")
        values = np.array(self.values)
        if self.noise_std != 0 and len(values) > self.n_initial:
            values = self._moments(np.array(self._rows))[0]
        at = int(np.argmin(values))
        return self.space.points(self._rows[at][None])[0], float(values[at])

    # --- the model -------------------------------------------------------------------------------

    def _told(self) -> tuple[Floats, Floats]:
        return np.array(self._rows), np.array(self.values)

    def _refit(self) -> None:
        X, y = self._told()
        if self._fitted is not None and len(y) > _FEW and len(y) < _GROWTH * self._learned:
            return
        if self._fitted is not None and len(y) == self._learned:
            return
        model = default_model(len(y), self.random_state) if self._model is None else clone(self._model)
        with warnings.catch_warnings():
            if self._model is None:  # it has the epochs that it needs
                warnings.simplefilter("ignore", ConvergenceWarning)
            self._fitted = model.fit(X, y)
        self._learned = len(y)

    def functions(self, count: int, seed: int, extra: tuple[Floats, Floats] | None = None) -> list[DrawnFunction]:
        """Functions drawn given all that was told, on rows of the space."""
        self._refit()
        X, y = self._told()
        if extra is not None:
            X, y = np.vstack([X, extra[0]]), np.concatenate([y, extra[1]])
        drawn: list[DrawnFunction] = self._fitted.sample_functions(
            count, X, y, noise_std=self.noise_std, random_state=seed
        )
        return drawn

    def _count(self) -> int:
        if self.acquisition == "thompson":
            return 1
        return min(self.n_functions, max(16, _MOST_WORK // max(1, len(self.values))))

    def _moments(self, rows: Floats) -> tuple[Floats, Floats]:
        drawn = np.array([f(rows) for f in self.functions(self._count(), self.random_state)])
        return drawn.mean(axis=0), drawn.std(axis=0)

    # --- suggestions -----------------------------------------------------------------------------

    def ask(self, count: int | None = None) -> Any:
        """Suggest where to look next.

        Parameters
        ----------
        count : int, default=None
            So many points at once, which do not repeat each other; None: one point.

        Returns
        -------
        point : list, or a list of them with `count`

        Raises
        ------
        NoPointLeft
            Where every point of the space has failed.
        """
        rows = [self._next()] if count is None else self._batch(count)
        points = self.space.points(np.array(rows))
        return points[0] if count is None else points

    def _take_initial(self) -> Floats | None:
        while self._asked < len(self._initial):
            self._asked += 1
            row: Floats = self._initial[self._asked - 1]
            if not self._has_failed(row[None])[0]:
                return row
        return self._anywhere() if len(self.values) < 2 else None

    # --- points that failed ----------------------------------------------------------------------

    def _has_failed(self, rows: Floats) -> NDArray[np.bool_]:
        """Which rows are points that failed."""
        if not self._failed:
            return np.zeros(len(rows), dtype=bool)
        apart = np.abs(rows[:, None] - np.array(self._failed)[None]).max(axis=2).min(axis=1)
        return np.asarray(apart <= _SAME)

    def _may_fail(self, rows: Floats) -> NDArray[np.bool_]:
        """Which rows are nearer to a point that failed than to all that succeeded."""
        if not self._failed:
            return np.zeros(len(rows), dtype=bool)
        failed, succeeded = (
            np.linalg.norm(rows[:, None] - np.array(told)[None], axis=2).min(axis=1)
            for told in (self._failed, self._rows)
        )
        return np.asarray(failed <= succeeded)

    def _anywhere(self) -> Floats:
        """A point at random that has not failed."""
        rows = self.space.random(1, self._rng)
        if self._has_failed(rows)[0]:
            rows = self.space.random(_MOST_DRAWS, self._rng)
            rows = rows[~self._has_failed(rows)]
        if len(rows) == 0:
            raise NoPointLeft(f"every point of the space has failed, {len(self._failed)} in all")
        row: Floats = rows[0]
        return row

    def _next(self) -> Floats:
        row = self._take_initial()
        if row is not None:
            return row
        return self._choose(self.functions(self._count(), int(self._rng.integers(2**31))))

    def _batch(self, count: int) -> list[Floats]:
        """Each as if those before it had been observed as expected; Thompson draws one function for each."""
        out: list[Floats] = []
        while len(out) < count:
            row = self._take_initial()
            if row is None:
                extra = None
                if out and self.acquisition != "thompson":
                    chosen = np.array(out)
                    extra = (chosen, self._moments(chosen)[0])
                functions = self.functions(self._count(), int(self._rng.integers(2**31)), extra)
                row = self._choose(functions, np.array(out) if out else None)
            out.append(row)
        return out

    def _merit(self, functions: Sequence[DrawnFunction], rows: Floats, best: float) -> Floats:
        """What is to be gained at rows."""
        if self.acquisition == "thompson":
            return -functions[0](rows)
        values = np.array([f(rows) for f in functions])
        mean, std = values.mean(axis=0), values.std(axis=0) + 1e-12
        if self.acquisition == "lower_bound":
            bound: Floats = self.kappa * std - mean
            return bound
        return _log_expected_improvement(best, mean, std)

    def _safe_merit(self, functions: Sequence[DrawnFunction], rows: Floats, best: float) -> Floats:
        """The same, with those that may fail behind all others."""
        merit = self._merit(functions, rows, best)
        behind = np.ptp(merit) + 1.0
        return np.where(self._may_fail(rows), merit - behind, merit)

    def _choose(self, functions: Sequence[DrawnFunction], taken: Floats | None = None) -> Floats:
        X, y = self._told()
        if self.noise_std == 0:
            order = np.argsort(y)
            best = float(y[order[0]])
        else:
            means = np.mean([f(X) for f in functions], axis=0)
            order = np.argsort(means)
            best = float(means[order[0]])
        rows = self._candidates(X[order[:3]])
        merit = self._safe_merit(functions, rows, best)
        # Around the best of them, closer and closer.
        step = 0.1
        for _ in range(5):
            top = rows[np.argsort(-merit)[:4]]
            more = np.vstack([self.space.near(row, 50, step, self._rng) for row in top])
            rows = np.vstack([top, more])
            merit = self._safe_merit(functions, rows, best)
            step *= 0.5
        known = X if taken is None else np.vstack([X, taken])
        failed = self._has_failed(rows)
        for at in np.argsort(-merit):
            is_new = self.noise_std != 0 or np.min(np.max(np.abs(known - rows[at]), axis=1)) > _SAME
            if is_new and not failed[at]:
                chosen: Floats = rows[at]
                return chosen
        return self._anywhere()

    def _candidates(self, best: Floats) -> Floats:
        wide = self.space.random(600, self._rng)
        near = [self.space.near(row, 60, step, self._rng) for row in best for step in (0.2, 0.05, 0.01)]
        return np.vstack([wide, *near])


def default_model(rows: int, random_state: int = 0) -> BayesianMLPRegressor:
    """What learns the values unless another model is given.

    Few rows cannot teach hidden layers: a wide one as its prior has it, with the columns scaled by their
    relevance, leaves the work to the last layer, whose belief is exact. More rows train two layers.
    """
    if rows < _ROWS_TO_TRAIN:
        return BayesianMLPRegressor(
            (100,),
            weights_per_example=0.0,
            ensemble_size=8,
            varying_noise=False,
            target_scale="plain",
            encoding="relevance",
            max_epochs=1,
            random_state=random_state,
        )
    return BayesianMLPRegressor(
        (50, 50),
        ensemble_size=8,
        varying_noise=False,
        target_scale="plain",
        encoding="standard",
        max_epochs=40,
        random_state=random_state,
    )


def minimize(
    f: Callable[[list[Any]], float],
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
        failed.
    space : Space or sequence
        As of `Optimizer`.
    n_calls : int, default=50
        Calls of `f`, at least one; fewer where every point of the space has failed.
    callback : callable, default=None
        Called with the optimizer after each call of `f`; True ends it.
    **options
        Of `Optimizer`.

    Returns
    -------
    found : OptimizeResult

    Examples
    --------
    >>> from postrider.optimize import minimize
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
            break
        values.append(float(f(points[-1])))
        optimizer.tell(points[-1], values[-1])
        if callback is not None and callback(optimizer) is True:
            break
    x, value = optimizer.best
    return OptimizeResult(x, value, points, np.array(values), optimizer)
