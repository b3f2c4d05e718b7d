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
# Added to the covariance's diagonal where there is no noise, so that rows that nearly repeat can be told apart.
_JITTER = 1e-7
# Units of a drawn function's prior.
_UNITS = 4096
# Logarithms of lengths are Gaussian with this mean, to which half of the logarithm of the columns comes: in many columns a length that is
# short for all of them leaves every row alone.
_LENGTH_MEAN, _LENGTH_STD = -0.7, 1.0
_AMPLITUDE_STD = 1.0
_NOISE_MEAN, _NOISE_STD = float(np.log(1e-2)), 2.0
_LEAST_NOISE, _MOST_NOISE = 1e-6, 10.0
# From so many values on, lengths are looked for where they were before.
_ONE_START = 200


@dataclass(frozen=True)
class Smoothness:
    """What the process believes before it sees a row: lengths of the columns, variances of function and noise."""

    lengths: Floats
    amplitude: float
    noise: float


def _kernel(apart: Floats) -> Floats:
    """Matern 5/2: (1 + sqrt 5 r + 5/3 r^2) exp(-sqrt 5 r)."""
    out: Floats = (1 + _ROOT5 * apart + (5 / 3) * apart**2) * np.exp(-_ROOT5 * apart)
    return out


def _covariance(a: Floats, b: Floats, smoothness: Smoothness) -> Floats:
    return smoothness.amplitude * _kernel(cdist(a / smoothness.lengths, b / smoothness.lengths))


class _Posterior:
    """Minus the logarithm of evidence times prior, by the logarithms of lengths, amplitude and noise."""

    def __init__(self, X: Floats, y: Floats, noise: float | None) -> None:
        self.X, self.y, self.noise = X, y, noise
        self.mean = np.full(X.shape[1], _LENGTH_MEAN + 0.5 * np.log(X.shape[1]))
        self.std = np.full(X.shape[1], _LENGTH_STD)
        self.mean, self.std = np.append(self.mean, 0.0), np.append(self.std, _AMPLITUDE_STD)
        if noise is None:
            self.mean, self.std = np.append(self.mean, _NOISE_MEAN), np.append(self.std, _NOISE_STD)

    def smoothness(self, logs: Floats) -> Smoothness:
        columns = self.X.shape[1]
        noise = float(np.exp(logs[-1])) if self.noise is None else self.noise
        return Smoothness(np.exp(logs[:columns]), float(np.exp(logs[columns])), noise)

    def bounds(self) -> list[tuple[float, float]]:
        out = [(-4.6, 7.0)] * self.X.shape[1] + [(-7.0, 7.0)]
        return out + [(float(np.log(_LEAST_NOISE)), float(np.log(_MOST_NOISE)))] if self.noise is None else out

    def __call__(self, logs: Floats) -> tuple[float, Floats]:
        at, count = self.smoothness(logs), len(self.y)
        scaled = self.X / at.lengths
        apart = cdist(scaled, scaled)
        smooth = at.amplitude * _kernel(apart)
        try:
            lower = cholesky(smooth + (at.noise + _JITTER) * np.eye(count), lower=True)
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(logs)
        weights = cho_solve((lower, True), self.y)
        away = (logs - self.mean) / self.std
        value = 0.5 * self.y @ weights + np.log(np.diag(lower)).sum() + 0.5 * away @ away
        # d(-log p)/dK = -1/2 (w w^T - K^-1), and dK/d log l_c = 5/3 a (1 + sqrt 5 r) exp(-sqrt 5 r) (x_c - x'_c)^2 / l_c^2.
        by = -0.5 * (np.outer(weights, weights) - cho_solve((lower, True), np.eye(count)))
        slopes = by * (at.amplitude * (5 / 3) * (1 + _ROOT5 * apart) * np.exp(-_ROOT5 * apart))
        # sum_ij s_ij (x_i - x_j)^2 = 2 sum_i x_i^2 sum_j s_ij - 2 x^T s x
        by_lengths = 2 * ((slopes.sum(axis=1) @ scaled**2) - (scaled * (slopes @ scaled)).sum(axis=0))
        parts = [by_lengths, [(by * smooth).sum()]]
        if self.noise is None:
            parts.append([at.noise * np.trace(by)])
        return float(value), np.concatenate(parts) + away / self.std


class GaussianProcess:
    """Given rows in the unit cube and their values; lengths, amplitude and noise are the most probable ones.

    A network of one hidden layer of cosines, infinitely wide, has this belief exactly. Its price grows with the cube of
    the rows, which trained networks do not have to pay. ``smoothness``: known, else found; ``start``: where it is looked
    for, too.
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
        self.noise = None if noise_std is None else (noise_std / self.scale) ** 2
        self.smoothness = smoothness or self._most_probable(start)
        self._condition()

    def _most_probable(self, start: Smoothness | None) -> Smoothness:
        objective = _Posterior(self.X, self.y, self.noise)
        columns = self.X.shape[1]
        short = objective.mean.copy()
        short[:columns] -= _LENGTH_MEAN + 1.0
        # What was found with nearly as many values is a good start; another costs as much again.
        starts = [short] if start is None or len(self.y) < _ONE_START else []
        if start is not None:
            at = [*np.log(start.lengths), np.log(start.amplitude)]
            starts.append(np.array(at if self.noise is not None else [*at, np.log(max(start.noise, _LEAST_NOISE))]))
        found = [least(objective, at, jac=True, method="L-BFGS-B", bounds=objective.bounds(), options={"maxiter": 60})
                 for at in starts]
        return objective.smoothness(min(found, key=lambda each: float(each.fun)).x)

    def _condition(self) -> None:
        covariance = _covariance(self.X, self.X, self.smoothness)
        noise = self.smoothness.noise + _JITTER
        while True:
            try:
                self.lower = cholesky(covariance + noise * np.eye(len(self.y)), lower=True)
                break
            except np.linalg.LinAlgError:
                noise *= 10
        self.noise_used = noise
        self.weights = cho_solve((self.lower, True), self.y)

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the function, without noise."""
        across = _covariance(rows, self.X, self.smoothness)
        left = solve_triangular(self.lower, across.T, lower=True)
        variance = np.maximum(self.smoothness.amplitude - (left**2).sum(axis=0), 1e-14)
        return self.centre + self.scale * (across @ self.weights), self.scale * np.sqrt(variance)

    def draw(self, seed: int) -> Callable[[Floats], Floats]:
        """One function: a draw from the prior, moved by what the rows say of it.

        The prior's is a sum of cosines with frequencies of Student's t, which are those of the kernel.
        """
        rng, s = np.random.default_rng(seed), self.smoothness
        tails = np.sqrt(5 / rng.chisquare(5, size=_UNITS))
        frequencies = rng.normal(size=(_UNITS, len(s.lengths))) * tails[:, None] / s.lengths
        phases, heights = rng.uniform(0, 2 * np.pi, _UNITS), rng.normal(size=_UNITS)

        def prior(rows: Floats) -> Floats:
            out: Floats = np.sqrt(2 * s.amplitude / _UNITS) * (np.cos(rows @ frequencies.T + phases) @ heights)
            return out

        noise = np.sqrt(self.noise_used) * rng.normal(size=len(self.y))
        moved = cho_solve((self.lower, True), self.y - prior(self.X) - noise)

        def function(rows: Floats) -> Floats:
            out: Floats = self.centre + self.scale * (prior(rows) + _covariance(rows, self.X, s) @ moved)
            return out

        return function
