"""Hidden states of a model: which of several each step was in, and what was seen in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, log_expit, xlogy

from postrider._core import state_beliefs
from postrider._expressions import Array, Linear, Setting, at, gathered, shape_of_known


@dataclass
class States:
    """Unknown states of a number of steps; made by `Model.states`."""

    count: int
    length: int
    initial: Any
    transition: Any
    name: str

    def pick(self, values: Any) -> Picked:
        """At each step, the value that belongs to its state: the mean, the deviation or the rate of what was seen.

        The values are known, or, as means of normal numbers, linear combinations of unknown numbers.
        """
        if isinstance(values, (list, tuple)) and any(isinstance(each, Linear) for each in values):
            shape: tuple[int, ...] = (len(values),)
        else:
            values = gathered(values)
            shape = shape_of_known(values)
        if shape[:1] != (self.count,):
            raise ValueError(f"{self.name}: pick() needs a value for each of {self.count} states; the shape is {shape}")
        return Picked(self, values)

    def numbers(self, seen: list[Emission], setting: Setting) -> tuple[Array, Array, Array]:
        """Log-densities of what was seen (steps, states), initial probabilities and the transition matrix."""
        log_likelihoods = np.zeros((self.length, self.count))
        for emission in seen:
            log_likelihoods = log_likelihoods + emission.at(setting)
        initial = np.ascontiguousarray(at(self.initial, setting), dtype=np.float64)
        transition = np.ascontiguousarray(at(self.transition, setting), dtype=np.float64)
        return np.ascontiguousarray(log_likelihoods), initial, transition

    def at(self, seen: list[Emission], setting: Setting) -> tuple[float, Array, NDArray[np.int64]]:
        """Log-evidence, probabilities (steps, states) and the most probable path at these hyperparameters."""
        log_likelihoods, initial, transition = self.numbers(seen, setting)
        log_evidence, probabilities, path = state_beliefs(log_likelihoods, initial, transition.ravel())
        if not math.isfinite(log_evidence):
            return log_evidence, np.zeros((self.length, self.count)), np.zeros(self.length, dtype=np.int64)
        return log_evidence, probabilities.reshape(self.length, self.count), path


@dataclass(frozen=True)
class Picked:
    """Values by the state that each step is in."""

    states: States
    values: Any  # of each state


@dataclass(frozen=True)
class Emission:
    """What was seen at each step, and its log-density for each state."""

    label: str
    states: States
    log_density: Callable[..., Array]
    observed: Array
    arguments: tuple[Any, ...]  # known numbers: of each state, or of all

    def at(self, setting: Setting) -> Array:
        return self.log_density(self.observed[:, None], *(np.asarray(at(a, setting)) for a in self.arguments))


@dataclass(frozen=True)
class SeenAlone:
    """What was seen and depends on hyperparameters alone."""

    label: str
    log_density: Callable[..., Array]
    observed: Array
    arguments: tuple[Any, ...]

    def at(self, setting: Setting) -> float:
        found = self.log_density(self.observed, *(np.asarray(at(a, setting)) for a in self.arguments))
        return float(np.sum(np.broadcast_to(found, np.broadcast_shapes(found.shape, self.observed.shape))))


@dataclass(frozen=True)
class StateBelief:
    """What is known of hidden states: the probability of each at each step, and the most probable path."""

    probabilities: Array  # (steps, states)
    most_probable_path: NDArray[np.int64]


def normal_log_density(y: Array, mean: Any, sd: Any) -> Array:
    return np.asarray(-0.5 * (math.log(2 * math.pi) + ((y - mean) / sd) ** 2) - np.log(sd))


def poisson_log_density(y: Array, log_rate: Any) -> Array:
    return np.asarray(y * log_rate - np.exp(log_rate) - gammaln(y + 1))


def bernoulli_log_density(y: Array, score: Any) -> Array:
    return np.asarray(log_expit(np.where(y > 0, score, -score)))


def binomial_log_density(y: Array, score: Any, trials: Any) -> Array:
    ways = gammaln(trials + 1) - gammaln(y + 1) - gammaln(trials - y + 1)
    p = expit(score)
    return np.asarray(ways + xlogy(y, p) + (trials - y) * log_expit(-score))


def categorical_log_density(y: Array, probabilities: Any) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities)[:, y[:, 0].astype(np.int64)].T)
