"""Ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from postrider._options import whole_number
from postrider._rows import Floats
from postrider.experimental.optimize._acquisition import ACQUISITIONS, Improvement, Objective, tempered
from postrider.experimental.optimize._region import Region
from postrider.experimental.optimize._search import refined, starts, uphill
from postrider.experimental.optimize._space import Space
from postrider.experimental.optimize._surrogates import Belief, Surrogate
from postrider.regressor import BayesianMLPRegressor

# Rows closer than this are the same point.
_SAME = 1e-6
# Larger values count as infinite: what is computed of them would be.
_MOST = 1e300
# Points of a batch are at least so far apart, in shares of the space, unless values have noise.
_APART = 0.01
# Points that were asked and not told, at most: the last ones.
_MOST_PENDING = 64
# Draws among which one that has not failed is looked for.
_MOST_DRAWS = 4096
# The share of suggestions that are looked for near the best point, where values have no noise.
_LOCAL = 0.5


class NoPointLeft(RuntimeError):
    """Every point of the space was tried or has failed, or none is feasible."""


class Optimizer:
    """Bayesian optimisation: the exact belief of a wide network while values are few, trained networks beyond.

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
        Functions drawn for a suggestion where networks learn, fewer where observations are thousands.
    n_constraints : int, default=0
        Numbers that are told with each value and that must be at most 0.
    feasible : callable, default=None
        Which points may be asked at all: takes a point and returns whether it may.
    model : BayesianMLPRegressor, default=None
        What learns the values; a clone of it is fitted. None: a Gaussian process below 500 values, networks from there on.
    random_state : int, default=0
        The same number makes the same suggestions.

    Examples
    --------
    >>> from postrider.experimental.optimize import Optimizer
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
        n_constraints: int = 0,
        feasible: Callable[[list[Any]], bool] | None = None,
        model: BayesianMLPRegressor | None = None,
        random_state: int = 0,
    ) -> None:
        if acquisition not in ACQUISITIONS:
            raise ValueError(f"acquisition = {acquisition!r}: must be one of {', '.join(ACQUISITIONS)}")
        if noise_std is not None:
            _check_at_least_0("noise_std", noise_std, ", or None")
        _check_at_least_0("kappa", kappa)
        if feasible is not None and not callable(feasible):
            raise ValueError(f"feasible = {feasible!r}: must be callable: it takes a point and returns whether it may be asked")
        self.space = space if isinstance(space, Space) else Space(space)
        self.acquisition = acquisition
        self.n_initial = min(2 + len(self.space.dimensions), 12) if n_initial is None else whole_number("n_initial", n_initial, 0)
        self.noise_std = noise_std
        self.kappa = kappa
        self.n_constraints = whole_number("n_constraints", n_constraints, 0)
        self.feasible = feasible
        self.random_state = whole_number("random_state", random_state, 0)
        self.values: list[float] = []
        self.constraints: list[Floats] = []
        self._rows: list[Floats] = []
        self._failed: list[Floats] = []
        self._given: list[Floats] = []  # initial points
        self._pending: list[Floats] = []  # chosen by the model, and not told yet
        self._all = self.space.all_rows(_MOST_DRAWS)
        self._rng = np.random.default_rng(random_state)
        self._initial = list(self.space.spread(max(1, self.n_initial), self._rng))
        self._region = Region(self.space)
        self._surrogate = Surrogate(noise_std, model, n_functions, random_state)
        # Noise of constraints is not known beside that of the values.
        noise = 0.0 if noise_std == 0 else None
        self._rules = [Surrogate(noise, model, n_functions, random_state) for _ in range(self.n_constraints)]

    # --- observations ----------------------------------------------------------------------------

    def tell(self, points: Any, values: Any, constraints: Any = None) -> None:
        """Say what was observed.

        Parameters
        ----------
        points : list
            One point, or several.
        values : float or sequence of float
            Its value, or theirs; NaN or infinite where the experiment failed. A point that failed is never
            suggested again, and one that is nearer to it than to all that succeeded only where no other
            is left.
        constraints : sequence of float, or one such for each point
            ``n_constraints`` numbers, each at most 0 where its constraint holds.
        """
        if np.ndim(values) == 0:
            points, values, constraints = [points], [values], [[] if constraints is None else constraints]
        rows, numbers = self.space.rows(points), np.asarray(values, dtype=float)
        if numbers.shape != (len(rows),):
            raise ValueError(f"values have the shape {numbers.shape}: must be {(len(rows),)}, one for each point")
        rules = np.asarray([[]] * len(rows) if constraints is None else constraints, dtype=float)
        if self.n_constraints == 1:
            rules = rules.reshape(len(rows), -1)
        if rules.shape != (len(rows), self.n_constraints):
            raise ValueError(
                f"constraints have the shape {rules.shape}: must be {(len(rows), self.n_constraints)}, points and n_constraints"
            )
        self._pending = [row for row in self._pending if not _are_among(row[None], list(rows)).any()]
        for row, value, rule in zip(rows, numbers, rules, strict=True):
            if abs(value) < _MOST and (np.abs(rule) < _MOST).all():
                self._rows.append(row)
                self.values.append(float(value))
                self.constraints.append(rule)
            else:
                self._failed.append(row)

    @property
    def points(self) -> list[list[Any]]:
        """The points told of, as `values` has theirs: without those that failed."""
        return self.space.points(np.array(self._rows).reshape(len(self._rows), self.space.width))

    @property
    def best(self) -> tuple[list[Any], float]:
        """The best point told of, and its value; with noise the one whose mean is least.

        Where constraints are, of those that hold them; if none does, the one that misses them least.
        """
        if not self.values:
            count = len(self._failed)
            raise ValueError(f"all {count} points that were told have failed" if count else "nothing was told yet")
        X, values = self._told()
        if self.noise_std != 0 and len(values) > self.n_initial:
            values = self._surrogate.believed(X, values, self.random_state).moments(X)[0]
        missed = self._missed()
        at = int(np.lexsort((values, missed))[0])
        return self.space.points(X[at][None])[0], float(values[at])

    @property
    def is_feasible(self) -> bool:
        """Whether some point told of holds all constraints."""
        return bool(self.values) and bool((self._missed() == 0).any())

    def _missed(self) -> Floats:
        """By how much each point told of misses its constraints together."""
        out: Floats = np.maximum(np.array(self.constraints).reshape(len(self.values), -1), 0.0).sum(axis=1)
        return out

    def _told(self) -> tuple[Floats, Floats]:
        return np.array(self._rows), np.array(self.values)

    # --- suggestions -----------------------------------------------------------------------------

    def ask(self, count: int | None = None) -> Any:
        """Suggest where to look next.

        Points that were asked and not told yet count as observed as expected: several workers may ask in turn.

        Parameters
        ----------
        count : int, default=None
            So many points at once, which do not repeat each other; fewer where a finite space has no more. None: one point.

        Returns
        -------
        point : list, or a list of them with `count`

        Raises
        ------
        NoPointLeft
            Where every point of the space was tried, has failed or is not feasible.
        """
        rows = [self._next([])] if count is None else self._batch(whole_number("count", count, 1))
        points = self.space.points(np.array(rows))
        return points[0] if count is None else points

    def _take_initial(self, taken: list[Floats]) -> Floats | None:
        """One that fills the space, as long as too few values were told; past ones count."""
        if max(len(self._given), len(self.values)) < self.n_initial:
            row: Floats = self._initial[len(self._given)]
            others = [*self._given, *taken]
            if len(self._askable(row[None], others)) == 0:
                row = self._anywhere(others)
            self._given.append(row)
            return row
        return self._anywhere([*self._given, *taken]) if len(self.values) < 2 else None

    # --- which points may be asked ---------------------------------------------------------------

    def _allowed(self, rows: Floats) -> Floats:
        """Those that `feasible` lets through."""
        return rows[self._are_feasible(rows)]

    def _are_feasible(self, rows: Floats) -> NDArray[np.bool_]:
        if self.feasible is None:
            return np.ones(len(rows), dtype=bool)
        return np.array([bool(self.feasible(point)) for point in self.space.points(rows)], dtype=bool)

    def _askable(self, rows: Floats, taken: list[Floats]) -> Floats:
        """Those that are feasible, have not failed and, unless values have noise, were not asked before."""
        rows = self._allowed(rows)
        rows = rows[~_are_among(rows, self._failed)]
        return rows[~_are_among(rows, [*self._rows, *taken])] if self.noise_std == 0 else rows

    def _may_fail(self, rows: Floats) -> NDArray[np.bool_]:
        """Which rows are nearer to a point that failed than to all that succeeded."""
        if not self._failed:
            return np.zeros(len(rows), dtype=bool)
        failed, succeeded = (cdist(rows, np.array(told)).min(axis=1) for told in (self._failed, self._rows))
        return np.asarray(failed <= succeeded)

    def _anywhere(self, taken: list[Floats]) -> Floats:
        """A point at random that may be asked."""
        if self._all is not None:
            rows = self._askable(self._rng.permutation(self._all), taken)
        else:
            rows = self._askable(self.space.random(1, self._rng), taken)
            if len(rows) == 0:
                rows = self._askable(self.space.random(_MOST_DRAWS, self._rng), taken)
        if len(rows) > 0:
            row: Floats = rows[0]
            return row
        if self.feasible is not None:
            among = f"{_MOST_DRAWS} at random" if self._all is None else f"the {len(self._all)} of the space"
            raise NoPointLeft(f"no point is left that is feasible, new and has not failed, among {among}")
        if self._failed and not self.values:
            raise NoPointLeft(f"every point of the space has failed, {len(self._failed)} in all")
        raise NoPointLeft("every point of the space was tried")

    def _next(self, batch: list[Floats]) -> Floats:
        taken = [*self._pending, *(row for row in batch if not _are_among(row[None], self._pending).any())]
        row = self._take_initial(taken)
        if row is None:
            row = self._choose(taken)
            self._pending = [*self._pending, row][-_MOST_PENDING:]
        return row

    def _batch(self, count: int) -> list[Floats]:
        """Each as if those before it had been observed as expected; Thompson draws one function for each."""
        out: list[Floats] = []
        while len(out) < count:
            try:
                out.append(self._next(out))
            except NoPointLeft:
                if not out:
                    raise
                break
        return out

    def ask_among(self, points: Sequence[Sequence[Any]], count: int | None = None) -> Any:
        """Suggest which of these points to try next: of a pool, such as the rows of a table.

        Parameters
        ----------
        points : sequence
            Points of the space, of which those that were tried should be left out.
        count : int, default=None
            So many at once; None: one.

        Returns
        -------
        place : int, or a list of them with `count`
        """
        if len(points) == 0:
            raise ValueError("points are empty: must be at least one")
        rows = self.space.rows(points)
        wanted = 1 if count is None else whole_number("count", count, 1)
        may = self._pool_places(rows)
        if len(may) < wanted:
            raise NoPointLeft(f"{len(may)} of the points are feasible and have not failed: must be at least {wanted}")
        places: list[int] = []
        while len(places) < wanted:
            left = np.setdiff1d(may, places)
            if len(self.values) < 2 or len(self.values) + len(places) < self.n_initial:
                places.append(int(self._rng.choice(left)))
            else:
                merit = self._cautious(self._objective([rows[place] for place in places])[0])
                places.append(int(left[np.argmax(merit(rows[left]))]))
        return places[0] if count is None else places

    def _pool_places(self, rows: Floats) -> NDArray[np.intp]:
        """Which of the rows are feasible and have not failed."""
        return np.flatnonzero(~_are_among(rows, self._failed) & self._are_feasible(rows))

    def _objective(self, taken: list[Floats]) -> tuple[Callable[[Floats], Floats], Floats]:
        """What is to be gained at rows; and what is believed where values were told."""
        X, told_values = self._told()
        # Noise would be another on that scale.
        y = tempered(told_values) if self.noise_std == 0 else told_values
        seed = int(self._rng.integers(2**31))
        expected = np.array(taken) if taken and self.acquisition != "thompson" else None
        belief = self._surrogate.believed(X, y, seed, expected)
        told = np.array(self.constraints)
        rules = [rule.believed(X, told[:, k], seed, expected) for k, rule in enumerate(self._rules)]
        values = y if self.noise_std == 0 else belief.moments(X)[0]
        if self.acquisition == "thompson":
            objective = Objective.thompson(belief, rules, seed)
        else:
            kappa = self.kappa if self.acquisition == "lower_bound" else None
            improvement = self._improvement(belief, X, y, seed) if kappa is None and self.is_feasible else None
            objective = Objective(belief, rules, kappa, improvement)
        return objective, told_values if self.noise_std == 0 else values

    def _improvement(self, belief: Belief, X: Floats, y: Floats, seed: int) -> Improvement:
        """Over the best that holds the constraints; values that have noise only say what it may be."""
        holds = self._missed() == 0
        if self.noise_std == 0:
            return Improvement.over(float(y[holds].min()), belief)
        return Improvement(*belief.least_at(X[holds], seed))

    def _cautious(self, objective: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
        """The same order, but what may fail comes behind all others."""

        def merit(rows: Floats) -> Floats:
            out = objective(rows)
            return np.where(self._may_fail(rows), out - np.ptp(out) - 1.0, out)

        return merit

    def _choose(self, taken: list[Floats]) -> Floats:
        X = np.array(self._rows)
        objective, y = self._objective(taken)
        merit = self._cautious(objective)
        if self._all is not None:
            every = self._askable(self._all, taken)
            return every[np.argmax(merit(every))] if len(every) > 0 else self._anywhere(taken)
        order = np.lexsort((y, self._missed()))
        best = X[order[:3]]
        self._region.follow(float(y[order[0]]), len(y))
        side = self._region.side if self.noise_std == 0 and self._rng.random() < _LOCAL else None

        def candidates(rows: Floats) -> Floats:
            rows = self._allowed(rows if side is None else self._region.inside(best[0], rows))
            return rows if self.noise_std != 0 else rows[~_are_among(rows, taken, _APART)]

        if side is None:
            wide = self.space.random(600, self._rng)
        else:
            wide = self.space.within(best[0], 600, side, self._rng)
        near = [self.space.near(row, 60, step, self._rng) for row in best for step in (0.2, 0.05, 0.01)]
        rows = candidates(np.vstack([wide, *near]))
        if len(rows) == 0:
            return self._anywhere(taken)
        first = starts(rows, merit(rows), self._rng)
        climbed = candidates(uphill(objective, first, self.space.reals, *self._region.bounds(best[0], side)))
        rows = np.vstack([first, climbed])
        if len(self.space.reals) < self.space.width or self.feasible is not None or self._failed:
            rows = refined(merit, rows, candidates, self.space, self._rng)
        new = self._askable(rows[np.argsort(-merit(rows))], taken)
        return new[0] if len(new) > 0 else self._anywhere(taken)


def _check_at_least_0(name: str, number: float, otherwise: str = "") -> None:
    if not isinstance(number, (int, float)) or not number >= 0:
        raise ValueError(f"{name} = {number!r}: must be a number of at least 0{otherwise}")


def _are_among(rows: Floats, told: list[Floats], within: float = _SAME) -> NDArray[np.bool_]:
    """Which rows are one of these points, or as near to one."""
    if not told:
        return np.zeros(len(rows), dtype=bool)
    known = np.array(told)
    parts = np.array_split(rows, len(rows) // _MOST_DRAWS + 1)  # so that memory stays bounded
    return np.concatenate([cdist(part, known, "chebyshev").min(axis=1) <= within for part in parts])
