"""The exact belief of a network of infinitely many units: a Gaussian process, for few observations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize as least
from scipy.spatial.distance import cdist

from postrider._rows import Floats

_ROOT5 = float(np.sqrt(5.0))
# Added to the covariance's diagonal, so that rows that nearly repeat can be told apart.
_JITTER = 1e-7
# Draws of what the best of noisy values is.
_DRAWS = 32
# Units of a drawn function's prior.
_UNITS = 4096
# Lengths, in a unit cube of d columns, are log-normal: their logarithms have the mean sqrt 2 + log(d) / 2 and the variance 3. The most
# probable lengths are those of the largest density by length; by its logarithm that is a Gaussian whose mean is lower by the variance.
_LENGTH_VARIANCE = 3.0
_LENGTH_MEAN = float(np.sqrt(2.0)) - _LENGTH_VARIANCE
_MOST_LENGTH, _LEAST_LENGTH = 1000.0, 0.01
# Values are standardised, and so the function has the variance 1. What a process of few lengths cannot follow is noise to it: some is
# learned beside a known one, too. The logarithm of its variance is Gaussian; beside a known one it may nearly vanish.
_NOISE_MEAN = -5.0
_FULL, _FINE = (1.0, 1e-4), (4.0, 1e-8)  # variance of that logarithm, and the least noise
_MOST_NOISE = 10.0
# From so many values on, lengths are looked for where they were before.
_ONE_START = 200


@dataclass(frozen=True)
class Smoothness:
    """What the process believes before it sees a row: lengths of the columns, and the variance of noise, standardised."""

    lengths: Floats
    noise: float


def _kernel(apart: Floats) -> Floats:
    """Matern 5/2: (1 + sqrt 5 r + 5/3 r^2) exp(-sqrt 5 r)."""
    out: Floats = (1 + _ROOT5 * apart + (5 / 3) * apart**2) * np.exp(-_ROOT5 * apart)
    return out


def _covariance(a: Floats, b: Floats, smoothness: Smoothness) -> Floats:
    return _kernel(cdist(a / smoothness.lengths, b / smoothness.lengths))


def _lower(covariance: Floats, noise: Floats, jitter: float) -> Floats:
    """The Cholesky factor, with as much added to the diagonal as it needs."""
    while True:
        try:
            lower: Floats = cholesky(covariance + np.diag(noise + jitter), lower=True)
            return lower
        except np.linalg.LinAlgError:
            jitter *= 10


def _constant(lower: Floats, y: Floats) -> float:
    """The most probable mean of a process, given the factor of the values' covariance."""
    ones = cho_solve((lower, True), np.ones(len(y)))
    return float(ones @ y / ones.sum())


class _Posterior:
    """Minus the logarithm of evidence times prior, by the logarithms of lengths and of the noise that is learned.

    ``known``: variance of the noise that is known, or None.
    """

    def __init__(self, X: Floats, y: Floats, known: float | None) -> None:
        self.X, self.y, self.known = X, y, known or 0.0
        variance, least_noise = _FULL if known is None else _FINE
        columns = X.shape[1]
        self.mean = np.append(np.full(columns, _LENGTH_MEAN + 0.5 * np.log(columns)), _NOISE_MEAN)
        self.variance = np.append(np.full(columns, _LENGTH_VARIANCE), variance)
        ends = [(_LEAST_LENGTH, _MOST_LENGTH)] * columns + [(least_noise, _MOST_NOISE)]
        self.bounds = [(float(np.log(low)), float(np.log(high))) for low, high in ends]

    def smoothness(self, logs: Floats) -> Smoothness:
        return Smoothness(np.exp(logs[:-1]), self.known + float(np.exp(logs[-1])))

    def logs(self, smoothness: Smoothness) -> Floats:
        """Where such a one is, within the bounds."""
        learned = max(smoothness.noise - self.known, 1e-300)
        low, high = np.array(self.bounds).T
        out: Floats = np.clip(np.log([*smoothness.lengths, learned]), low, high)
        return out

    def __call__(self, logs: Floats) -> tuple[float, Floats]:
        at, count = self.smoothness(logs), len(self.y)
        scaled = self.X / at.lengths
        apart = cdist(scaled, scaled)
        smooth = _kernel(apart)
        try:
            lower = cholesky(smooth + (at.noise + _JITTER) * np.eye(count), lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(logs)
        y = self.y - _constant(lower, self.y)
        weights = cho_solve((lower, True), y)
        away = logs - self.mean
        value = 0.5 * y @ weights + np.log(np.diag(lower)).sum() + 0.5 * away @ (away / self.variance)
        # d(-log p)/dK = -1/2 (w w^T - K^-1), and dK/d log l_c = 5/3 (1 + sqrt 5 r) exp(-sqrt 5 r) (x_c - x'_c)^2 / l_c^2.
        # The mean is the best one, so that its change changes nothing.
        by = -0.5 * (np.outer(weights, weights) - cho_solve((lower, True), np.eye(count)))
        slopes = by * ((5 / 3) * (1 + _ROOT5 * apart) * np.exp(-_ROOT5 * apart))
        # sum_ij s_ij (x_i - x_j)^2 = 2 sum_i x_i^2 sum_j s_ij - 2 x^T s x
        by_lengths = 2 * ((slopes.sum(axis=1) @ scaled**2) - (scaled * (slopes @ scaled)).sum(axis=0))
        by_noise = float(np.exp(logs[-1])) * np.trace(by)
        return float(value), np.append(by_lengths, by_noise) + away / self.variance


class GaussianProcess:
    """Given rows in the unit cube and their values; lengths and noise are the most probable ones.

    A network of one hidden layer of cosines, infinitely wide, has this belief exactly. Its price grows with the cube of
    the rows, which trained networks do not have to pay. ``noise_std``: what is known of the noise; ``smoothness``: known,
    else found; ``start``: where it is looked for, too.
    """

    def __init__(
        self,
        X: Floats,
        y: Floats,
        noise_std: float | None,
        smoothness: Smoothness | None = None,
        start: Smoothness | None = None,
    ) -> None:
        self.X = X
        self.centre, self.scale = float(y.mean()), float(y.std()) or 1.0
        self.y = (y - self.centre) / self.scale
        self.smoothness = smoothness or self._most_probable(None if noise_std is None else (noise_std / self.scale) ** 2, start)
        self._noise = np.full(len(y), self.smoothness.noise)
        self.lower = _lower(_covariance(X, X, self.smoothness), self._noise, _JITTER)
        self.mean = _constant(self.lower, self.y)
        self.weights = cho_solve((self.lower, True), self.y - self.mean)

    def _most_probable(self, known: float | None, start: Smoothness | None) -> Smoothness:
        objective = _Posterior(self.X, self.y, known)
        # What was found with nearly as many values is a good start; another costs as much again.
        starts = [objective.mean] if start is None or len(self.y) < _ONE_START else []
        if start is not None:
            starts.append(objective.logs(start))
        found = [least(objective, at, jac=True, method="L-BFGS-B", bounds=objective.bounds, options={"maxiter": 60})
                 for at in starts]
        return objective.smoothness(min(found, key=lambda each: float(each.fun)).x)

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the function, without noise."""
        across = _covariance(rows, self.X, self.smoothness)
        mean = self.mean + across @ self.weights
        return self.centre + self.scale * mean, self.scale * _std_left(self.lower, across)

    def values_at(self, rows: Floats, count: int, seed: int) -> Floats:
        """The function at rows, drawn so many times: one row for each draw."""
        across = _covariance(rows, self.X, self.smoothness)
        left = solve_triangular(self.lower, across.T, lower=True)
        spread = _lower(_covariance(rows, rows, self.smoothness) - left.T @ left, np.zeros(len(rows)), _JITTER)
        drawn = self.mean + across @ self.weights + np.random.default_rng(seed).normal(size=(count, len(rows))) @ spread.T
        out: Floats = self.centre + self.scale * drawn
        return out

    def least_at(self, rows: Floats, seed: int) -> tuple[Floats, Callable[[Floats], tuple[Floats, Floats]]]:
        """The least that the function may be at rows that were told, of each draw, and the moments that go with it."""
        drawn = self.values_at(rows, _DRAWS, seed)
        ever = np.unique(drawn.argmin(axis=1))  # others say next to nothing about where the least is
        return drawn.min(axis=1), self.given(rows[ever], drawn[:, ever])

    def given(self, rows: Floats, values: Floats) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Moments if the function, without noise, were known at some rows, too.

        Means have a column for each draw, a row of ``values``; standard deviations are those of all of them.
        """
        X = np.vstack([self.X, rows])
        lower = _lower(_covariance(X, X, self.smoothness), np.append(self._noise, np.zeros(len(rows))), _JITTER)
        known = (values.T - self.centre) / self.scale
        told = np.vstack([np.tile(self.y[:, None], len(values)), known]) - self.mean
        weights = cho_solve((lower, True), told)

        def moments(at: Floats) -> tuple[Floats, Floats]:
            across = _covariance(at, X, self.smoothness)
            return self.centre + self.scale * (self.mean + across @ weights), self.scale * _std_left(lower, across)

        return moments

    def draw(self, seed: int) -> Callable[[Floats], Floats]:
        """One function: a draw from the prior, moved by what the rows say of it.

        The prior's is a sum of cosines with frequencies of Student's t, which are those of the kernel.
        """
        rng, s = np.random.default_rng(seed), self.smoothness
        tails = np.sqrt(5 / rng.chisquare(5, size=_UNITS))
        frequencies = rng.normal(size=(_UNITS, len(s.lengths))) * tails[:, None] / s.lengths
        phases, heights = rng.uniform(0, 2 * np.pi, _UNITS), rng.normal(size=_UNITS)

        def prior(rows: Floats) -> Floats:
            out: Floats = self.mean + np.sqrt(2 / _UNITS) * (np.cos(rows @ frequencies.T + phases) @ heights)
            return out

        noise = np.sqrt(self._noise + _JITTER) * rng.normal(size=len(self.y))
        moved = cho_solve((self.lower, True), self.y - prior(self.X) - noise)

        def function(rows: Floats) -> Floats:
            out: Floats = self.centre + self.scale * (prior(rows) + _covariance(rows, self.X, s) @ moved)
            return out

        return function


def _std_left(lower: Floats, across: Floats) -> Floats:
    """What is left of the standard deviation 1 at rows, given their covariances with what was told."""
    left = solve_triangular(lower, across.T, lower=True)
    out: Floats = np.sqrt(np.maximum(1.0 - (left**2).sum(axis=0), 1e-14))
    return out
