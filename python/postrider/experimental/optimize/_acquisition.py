"""What makes a point worth trying."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from postrider._rows import Floats
from postrider.experimental.optimize._surrogates import Belief

ACQUISITIONS = ("expected_improvement", "lower_bound", "thompson")
# Rows that are judged at once.
_MOST_ROWS = 4096


def tempered(values: Floats) -> Floats:
    """The same order, with values above the median as logarithms: how bad the bad ones are should not bend the belief."""
    middle = float(np.median(values))
    scale = max(middle - float(np.quantile(values, 0.1)), 1e-12 * max(1.0, abs(middle)))
    away = (values - middle) / scale
    return np.where(away > 0, np.log1p(np.maximum(away, 0.0)), away)


def log_expected_improvement(best: float | Floats, mean: Floats, std: Floats) -> Floats:
    """log E[max(best - f, 0)] of Gaussian f, also where that is far below what has a logarithm otherwise."""
    z = (best - mean) / std
    density = -0.5 * z * z - 0.5 * np.log(2 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.log(np.maximum(np.exp(density) + z * ndtr(z), 1e-300))
        # For z far below 0: density (1 - |z| Mills(|z|)), and |z| Mills(|z|) is 1 - 1/z^2 + 3/z^4.
        far = density - 2 * np.log(np.maximum(-z, 1.0)) + np.log1p(-3 / np.maximum(z * z, 4.0))
    out: Floats = np.log(std) + np.where(z > -5, near, far)
    return out


def log_probability_below_zero(mean: Floats, std: Floats) -> Floats:
    """log P(c <= 0) of Gaussian c: that a constraint holds."""
    out: Floats = log_ndtr(-mean / std)
    return out


class Improvement:
    """log E[max(best - f, 0)] at rows, ``best`` being the least the function is at points that were told.

    The average over draws of ``best``: ``moments`` has a column of means for each, and standard deviations that all share.
    """

    def __init__(self, best: Floats, moments: Callable[[Floats], tuple[Floats, Floats]]) -> None:
        self._best, self._moments = best, moments

    @staticmethod
    def over(best: float, belief: Belief) -> Improvement:
        """Over a value that is known."""

        def moments(rows: Floats) -> tuple[Floats, Floats]:
            mean, std = belief.moments(rows)
            return mean[:, None], std

        return Improvement(np.array([best]), moments)

    def __call__(self, rows: Floats) -> Floats:
        parts = np.array_split(rows, len(rows) // _MOST_ROWS + 1)  # so that memory stays bounded
        return np.concatenate([self._of(part) for part in parts])

    def _of(self, rows: Floats) -> Floats:
        means, std = self._moments(rows)
        gains = log_expected_improvement(self._best, means, std[:, None])
        out: Floats = logsumexp(gains, axis=1) - np.log(len(self._best))
        return out


class Objective:
    """What is to be gained at rows, given beliefs in the values and in each constraint.

    With ``kappa`` the bound of mean and so many standard deviations, else the improvement. None for it: no point holds the
    constraints yet, and one is looked for.
    """

    def __init__(self, belief: Belief, rules: list[Belief], kappa: float | None, improvement: Improvement | None) -> None:
        self._belief, self._rules, self._kappa, self._improvement = belief, rules, kappa, improvement

    @staticmethod
    def thompson(belief: Belief, rules: list[Belief], seed: int) -> Callable[[Floats], Floats]:
        """One drawn function is taken for the truth, and so is one of each constraint."""
        drawn, drawn_rules = belief.draw(seed), [rule.draw(seed + 1 + k) for k, rule in enumerate(rules)]
        return lambda rows: _behind(-drawn(rows), [rule(rows) for rule in drawn_rules])

    def __call__(self, rows: Floats) -> Floats:
        if self._kappa is None:
            return self._gain(rows)
        mean, std = self._belief.moments(rows)
        bounds = [rule.moments(rows) for rule in self._rules]
        return _behind(self._kappa * std - mean, [centre - self._kappa * spread for centre, spread in bounds])

    def _gain(self, rows: Floats) -> Floats:
        out = np.zeros(len(rows))
        for rule in self._rules:
            out = out + log_probability_below_zero(*rule.moments(rows))
        return out if self._improvement is None else out + self._improvement(rows)


def _behind(value: Floats, constraints: list[Floats]) -> Floats:
    """What breaks a constraint comes behind all that breaks none."""
    broken = sum((np.maximum(each, 0.0) for each in constraints), np.zeros(len(value)))
    out: Floats = np.where(broken > 0, value.min() - 1.0 - broken, value)
    return out
