"""What is believed of a function that is dear to evaluate, given the values told so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from sklearn.base import clone

from postrider._rows import Floats
from postrider._warnings import known_to_be_unfinished
from postrider._functions import DrawnFunction
from postrider.experimental.optimize._process import GaussianProcess, Smoothness
from postrider.regressor import BayesianMLPRegressor

# Below so many observations all is learned anew after each; above, when they are a tenth more.
_FEW = 60
_GROWTH = 1.1
# From so many on networks learn them: below, the exact belief of an infinitely wide one costs little and knows more.
ROWS_FOR_NETWORKS = 500
# Functions times observations, at most, for one suggestion; but at least 16 functions.
_MOST_WORK = 100_000


class Belief(Protocol):
    """In a function, on rows of the space."""

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the function, without noise."""

    def draw(self, seed: int) -> Callable[[Floats], Floats]:
        """One function that may be the one."""

    def least_at(self, rows: Floats, seed: int) -> tuple[Floats, Callable[[Floats], tuple[Floats, Floats]]]:
        """The least that the function may be at rows that were told, of each draw, and the moments that go with it.

        Means have a column for each draw; standard deviations are those of all of them.
        """


class _Drawn:
    """Functions drawn from networks stand for their belief."""

    def __init__(self, sample: Callable[[int, int], list[DrawnFunction]], count: int, seed: int) -> None:
        self._sample, self._count, self._seed = sample, count, seed
        self._functions: list[DrawnFunction] | None = None

    def moments(self, rows: Floats) -> tuple[Floats, Floats]:
        if self._functions is None:
            self._functions = self._sample(self._count, self._seed)
        values = np.array([f(rows) for f in self._functions])
        return values.mean(axis=0), values.std(axis=0) + 1e-12

    def draw(self, seed: int) -> Callable[[Floats], Floats]:
        return self._sample(1, seed)[0]

    def least_at(self, rows: Floats, seed: int) -> tuple[Floats, Callable[[Floats], tuple[Floats, Floats]]]:
        """That of the mean alone: with hundreds of values little else is possible."""

        def moments(at: Floats) -> tuple[Floats, Floats]:
            mean, std = self.moments(at)
            return mean[:, None], std

        return self.moments(rows)[0].min(keepdims=True), moments


class Surrogate:
    """Learns values again and again as they become more.

    Parameters
    ----------
    noise_std : float or None
        Of the values; None: learned.
    model : BayesianMLPRegressor or None
        What learns them. None: the exact belief of a wide network below 500 values, and trained networks from there on.
    n_functions : int
        Functions that are drawn where networks learn.
    random_state : int
        Of the networks.
    """

    def __init__(
        self, noise_std: float | None, model: BayesianMLPRegressor | None, n_functions: int, random_state: int
    ) -> None:
        self.noise_std, self.model = noise_std, model
        self.n_functions, self.random_state = n_functions, random_state
        self._learned = 0
        self._smoothness: Smoothness | None = None
        self._networks: BayesianMLPRegressor | None = None

    def believed(self, X: Floats, y: Floats, seed: int, expected: Floats | None = None) -> Belief:
        """The belief given these values; and as if the rows ``expected`` had the values that are believed of them."""
        if self.model is None and len(y) < ROWS_FOR_NETWORKS:
            return self._exact(X, y, expected)
        return self._drawn(X, y, seed, expected)

    def _is_due(self, count: int) -> bool:
        return count != self._learned and (count <= _FEW or count >= _GROWTH * self._learned)

    def _exact(self, X: Floats, y: Floats, expected: Floats | None) -> Belief:
        if self._smoothness is None or self._is_due(len(y)):
            found = GaussianProcess(X, y, self.noise_std, start=self._smoothness)
            self._smoothness, self._learned = found.smoothness, len(y)
        else:
            found = GaussianProcess(X, y, self.noise_std, self._smoothness)
        if expected is None:
            return found
        more = found.moments(expected)[0]
        return GaussianProcess(np.vstack([X, expected]), np.append(y, more), self.noise_std, found.smoothness)

    def _drawn(self, X: Floats, y: Floats, seed: int, expected: Floats | None) -> Belief:
        if self._networks is None or self._is_due(len(y)):
            model = default_model(self.random_state) if self.model is None else clone(self.model)
            with known_to_be_unfinished(self.model is None):
                self._networks = model.fit(X, y)
            self._learned = len(y)
        if expected is not None:
            more = self._drawn(X, y, self.random_state, None).moments(expected)[0]
            X, y = np.vstack([X, expected]), np.append(y, more)

        def sample(count: int, which: int) -> list[DrawnFunction]:
            assert self._networks is not None
            drawn: list[DrawnFunction] = self._networks.sample_functions(
                count, X, y, noise_std=self.noise_std, random_state=which
            )
            return drawn

        return _Drawn(sample, min(self.n_functions, max(16, _MOST_WORK // len(y))), seed)


def default_model(random_state: int = 0) -> BayesianMLPRegressor:
    """What learns many values unless another model is given."""
    return BayesianMLPRegressor(
        (50, 50),
        ensemble_size=8,
        varying_noise=False,
        target_scale="plain",
        encoding="standard",
        max_epochs=40,
        random_state=random_state,
    )
