"""Hyperparameters of a model: numbers with a prior that are held at nodes while the rest is inferred."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from postrider._expressions import Hyperparameter
from postrider._model_inputs import check_above_zero


@dataclass(frozen=True)
class Prior:
    """A hyperparameter's prior, and the free real number g that stands for it."""

    name: str
    value: Callable[[float], float]
    log_density: Callable[[float], float]  # of g
    start: float
    scale: float


# Functions of the module, so that models can be pickled: densities of g, the free number, with the slope of x(g) in them.


def logistic(g: float) -> float:
    return 1 / (1 + math.exp(-g)) if g >= 0 else math.exp(g) / (1 + math.exp(g))


def _between(low: float, high: float, g: float) -> float:
    return low + (high - low) * logistic(g)


def _log_normal_density(mean: float, sd: float, g: float) -> float:
    return -0.5 * math.log(2 * math.pi) - math.log(sd) - 0.5 * ((g - mean) / sd) ** 2


def _log_half_normal_density(scale: float, g: float) -> float:
    if g > 350:  # the square of x is no number
        return -math.inf
    return 0.5 * math.log(2 / math.pi) - math.log(scale) - 0.5 * (math.exp(g) / scale) ** 2 + g


def _log_gamma_density(shape: float, rate: float, g: float) -> float:
    if g > 700:
        return -math.inf
    return shape * math.log(rate) - math.lgamma(shape) + shape * g - rate * math.exp(g)


def _log_beta_density(a: float, b: float, g: float) -> float:
    low = -math.log1p(math.exp(-abs(g)))
    log_x, log_rest = (low, low - g) if g >= 0 else (low + g, low)
    return math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * log_x + b * log_rest


class Hyperparameters:
    """The part of a model that holds them."""

    def __init__(self) -> None:
        self._hyperparameters: list[Prior] = []

    def half_normal(self, scale: float, name: str | None = None) -> Hyperparameter:
        """A number above 0, of density proportional to exp(-x²/(2 scale²)): a deviation of which little is known."""
        check_above_zero("scale", scale)
        log_density = partial(_log_half_normal_density, scale)
        return self._add(name or "half_normal", math.exp, log_density, math.log(0.5 * scale))

    def gamma(self, shape: float, rate: float, name: str | None = None) -> Hyperparameter:
        """A number above 0, of density proportional to x^(shape - 1) exp(-rate x)."""
        check_above_zero("shape", shape)
        check_above_zero("rate", rate)
        log_density = partial(_log_gamma_density, shape, rate)
        return self._add(name or "gamma", math.exp, log_density, math.log(shape / rate))

    def log_normal(self, mean: float, sd: float, name: str | None = None) -> Hyperparameter:
        """A number above 0 whose logarithm is normal."""
        check_above_zero("sd", sd)
        log_density = partial(_log_normal_density, mean, sd)
        return self._add(name or "log_normal", math.exp, log_density, mean, sd)

    def beta(self, a: float, b: float, name: str | None = None) -> Hyperparameter:
        """A probability, of density proportional to x^(a - 1) (1 - x)^(b - 1)."""
        check_above_zero("a", a)
        check_above_zero("b", b)
        log_density = partial(_log_beta_density, a, b)
        return self._add(name or "beta", logistic, log_density, math.log(a / b))

    def uniform(self, low: float, high: float, name: str | None = None) -> Hyperparameter:
        """A number between two others."""
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"low = {low}, high = {high}: must be finite, and low below high")
        log_density = partial(_log_beta_density, 1.0, 1.0)
        return self._add(name or "uniform", partial(_between, low, high), log_density, 0.0)

    def free(self, mean: float, sd: float, name: str | None = None) -> Hyperparameter:
        """A number that is normal beforehand and held at nodes: a coefficient that multiplies unknown numbers."""
        check_above_zero("sd", sd)
        return self._add(name or "free", float, partial(_log_normal_density, mean, sd), mean, sd)

    def _add(
        self,
        name: str,
        value: Callable[[float], float],
        log_density: Callable[[float], float],
        start: float,
        scale: float = 1.0,
    ) -> Hyperparameter:
        if len(self._hyperparameters) == 3:
            raise ValueError(
                f"{name}: a model holds at most three hyperparameters at nodes; "
                "what is more can be variables, such as the logarithm of a variance"
            )
        self._hyperparameters.append(Prior(name, value, log_density, start, scale))
        return Hyperparameter(len(self._hyperparameters) - 1, name)
