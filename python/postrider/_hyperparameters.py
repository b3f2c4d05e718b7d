"""Hyperparameters of a model: numbers with a prior that are held at nodes while the rest is inferred."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

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


def logistic(g: float) -> float:
    return 1 / (1 + math.exp(-g)) if g >= 0 else math.exp(g) / (1 + math.exp(g))


class Hyperparameters:
    """The part of a model that holds them."""

    def __init__(self) -> None:
        self._hyperparameters: list[Prior] = []

    def half_normal(self, scale: float, name: str | None = None) -> Hyperparameter:
        """A number above 0, of density proportional to exp(-x²/(2 scale²)): a deviation of which little is known."""
        check_above_zero("scale", scale)
        log_constant = 0.5 * math.log(2 / math.pi) - math.log(scale)
        return self._positive(
            name or "half_normal", lambda x: log_constant - 0.5 * (x / scale) ** 2, 0.5 * scale
        )

    def gamma(self, shape: float, rate: float, name: str | None = None) -> Hyperparameter:
        """A number above 0, of density proportional to x^(shape - 1) exp(-rate x)."""
        check_above_zero("shape", shape)
        check_above_zero("rate", rate)
        log_constant = shape * math.log(rate) - math.lgamma(shape)
        return self._positive(
            name or "gamma",
            lambda x: log_constant + (shape - 1) * math.log(x) - rate * x,
            shape / rate,
        )

    def log_normal(self, mean: float, sd: float, name: str | None = None) -> Hyperparameter:
        """A number above 0 whose logarithm is normal."""
        check_above_zero("sd", sd)
        log_constant = -0.5 * math.log(2 * math.pi) - math.log(sd)
        return self._add_hyperparameter(
            Prior(
                name or "log_normal",
                math.exp,
                lambda g: log_constant - 0.5 * ((g - mean) / sd) ** 2,
                mean,
                sd,
            )
        )

    def beta(self, a: float, b: float, name: str | None = None) -> Hyperparameter:
        """A probability, of density proportional to x^(a - 1) (1 - x)^(b - 1)."""
        check_above_zero("a", a)
        check_above_zero("b", b)
        log_constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)

        def log_density(g: float) -> float:  # of the logit: x (1 - x) more
            low = -math.log1p(math.exp(-abs(g)))
            log_x, log_rest = (low, low - g) if g >= 0 else (low + g, low)
            return log_constant + a * log_x + b * log_rest

        return self._add_hyperparameter(Prior(name or "beta", logistic, log_density, math.log(a / b), 1.0))

    def uniform(self, low: float, high: float, name: str | None = None) -> Hyperparameter:
        """A number between two others."""
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError(f"low = {low}, high = {high}: must be finite, and low below high")

        def log_density(g: float) -> float:
            return -abs(g) - 2 * math.log1p(math.exp(-abs(g)))

        def value(g: float) -> float:
            return low + (high - low) * logistic(g)

        return self._add_hyperparameter(Prior(name or "uniform", value, log_density, 0.0, 1.0))

    def free(self, mean: float, sd: float, name: str | None = None) -> Hyperparameter:
        """A number that is normal beforehand and held at nodes: a coefficient that multiplies unknown numbers."""
        check_above_zero("sd", sd)
        log_constant = -0.5 * math.log(2 * math.pi) - math.log(sd)
        return self._add_hyperparameter(
            Prior(
                name or "free",
                float,
                lambda g: log_constant - 0.5 * ((g - mean) / sd) ** 2,
                mean,
                sd,
            )
        )

    def _positive(
        self, name: str, log_density: Callable[[float], float], start: float
    ) -> Hyperparameter:
        # log x is free; dx = x d(log x).
        return self._add_hyperparameter(
            Prior(
                name,
                math.exp,
                lambda g: log_density(math.exp(g)) + g if g < 700 else -math.inf,
                math.log(start),
                1.0,
            )
        )

    def _add_hyperparameter(self, prior: Prior) -> Hyperparameter:
        if len(self._hyperparameters) == 3:
            raise ValueError(
                f"{prior.name}: a model holds at most three hyperparameters at nodes; "
                "what is more can be variables, such as the logarithm of a variance"
            )
        self._hyperparameters.append(prior)
        return Hyperparameter(len(self._hyperparameters) - 1, prior.name)
