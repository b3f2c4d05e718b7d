"""What was decided, how likely it was, what came of it, and what another policy would have earned."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from postrider._rows import Floats

Places = npt.NDArray[np.int64]
# Beyond this share, an estimate says so.
_MOST_UNSUPPORTED = 0.01
_METHODS = ("inverse_propensity", "self_normalised", "doubly_robust")


@dataclass(frozen=True)
class PolicyValue:
    """Mean reward that a policy would have earned."""

    value: float
    std_error: float
    """The standard error of the value, by chance alone."""
    effective_rows: float
    """As many equally weighted decisions tell as much: (sum w)^2 / sum w^2. Below some hundreds, do not trust the value."""
    unsupported: float = 0.0
    """The policy's share of decisions for arms that could not be taken, by their propensity: the log tells nothing of them."""


class DecisionLog:
    """Decisions in the order in which they were taken; rewards may come later, and in any order.

    Parameters
    ----------
    n_arms : int
        Arms that there are.

    Examples
    --------
    >>> from postrider.experimental.bandit import DecisionLog
    >>> log = DecisionLog(2)
    >>> ids = log.add([[0.1], [0.2]], [0, 1], [[0.5, 0.5], [0.5, 0.5]])
    >>> log.reward(ids, [1.0, 0.0])
    >>> log.estimate([[1.0, 0.0], [1.0, 0.0]]).value  # had arm 0 been taken always
    1.0
    """

    def __init__(self, n_arms: int) -> None:
        self.n_arms = n_arms
        self._contexts: list[Floats] = []
        self._arms: list[int] = []
        self._probabilities: list[Floats] = []
        self._rewards: list[float] = []

    def __len__(self) -> int:
        return len(self._arms)

    def expect_contexts(self, rows: Floats) -> None:
        """Raise ValueError unless these are rows of finite numbers, as many as the contexts before have."""
        if rows.ndim != 2:
            raise ValueError(f"contexts: shape {rows.shape}, must be rows of numbers")
        if self._contexts and rows.shape[1] != len(self._contexts[0]):
            raise ValueError(f"contexts: {rows.shape[1]} columns, must be {len(self._contexts[0])} as before")
        if not np.isfinite(rows).all():
            raise ValueError("contexts: must be finite numbers")

    def add(self, contexts: Any, arms: Any, probabilities: Any) -> Places:
        """Note decisions.

        Parameters
        ----------
        contexts : array-like of shape (n, n_features)
            Where they were taken.
        arms : array-like of shape (n,)
            Numbers of the arms taken, from 0.
        probabilities : array-like of shape (n, n_arms)
            How likely each arm was.

        Returns
        -------
        ids : ndarray of shape (n,)
            By which rewards are told.
        """
        rows = np.asarray(contexts, dtype=np.float64)
        likely = np.asarray(probabilities, dtype=np.float64)
        taken = np.asarray(arms)
        if likely.shape != (len(rows), self.n_arms) or taken.shape != (len(rows),):
            raise ValueError(f"probabilities: shape {likely.shape}, must be ({len(rows)}, {self.n_arms}), with an arm each")
        if len(taken) and not (0 <= taken.min() and taken.max() < self.n_arms):
            raise ValueError(f"arms: must be whole numbers from 0 to {self.n_arms - 1}")
        if np.any(likely[np.arange(len(rows)), taken] <= 0) or not np.allclose(likely.sum(axis=1), 1):
            raise ValueError("probabilities: must sum to 1 in each row, and be above 0 for the arm taken")
        first = len(self)
        self.expect_contexts(rows)
        self._contexts.extend(rows)
        self._arms.extend(int(arm) for arm in taken)
        self._probabilities.extend(likely)
        self._rewards.extend([np.nan] * len(rows))
        return np.arange(first, len(self))

    def reward(self, ids: Any, rewards: Any) -> None:
        """Note what came of decisions.

        Parameters
        ----------
        ids : array-like of int
            As `add` returned them.
        rewards : array-like of float
            One for each. A decision is rewarded once.
        """
        places, values = self.expect_ids(ids), np.atleast_1d(np.asarray(rewards, dtype=np.float64))
        if places.shape != values.shape or not np.all(np.isfinite(values)):
            raise ValueError("rewards: must be a finite number for each id")
        for place, value in zip(places, values, strict=True):
            self._rewards[place] = float(value)

    def expect_ids(self, ids: Any) -> Places:
        """These ids, of decisions that have no reward yet; raise ValueError if one of them is not."""
        given = np.atleast_1d(np.asarray(ids))
        places: Places = given.astype(np.int64) if given.dtype.kind in "iufb" else np.full(given.shape, -1)
        for place, as_given in zip(places, given, strict=True):
            if place != as_given or not 0 <= place < len(self):
                raise ValueError(f"id {as_given}: must be of a decision, from 0 to {len(self) - 1}")
            if np.isfinite(self._rewards[place]):
                raise ValueError(f"id {place}: has its reward already")
        if len(np.unique(places)) < len(places):
            raise ValueError("ids: must not repeat each other: a decision is rewarded once")
        return places

    @property
    def contexts(self) -> Floats:
        """Contexts of all decisions."""
        return np.array(self._contexts)

    @property
    def arms(self) -> Places:
        """Those taken."""
        return np.array(self._arms, dtype=np.int64)

    @property
    def probabilities(self) -> Floats:
        """Probabilities of all arms in each decision."""
        return np.array(self._probabilities).reshape(len(self), self.n_arms)

    @property
    def propensities(self) -> Floats:
        """How likely the arms taken were."""
        chosen: Floats = self.probabilities[np.arange(len(self)), self.arms]
        return chosen

    @property
    def rewards(self) -> Floats:
        """NaN where they have not come yet."""
        return np.array(self._rewards)

    def estimate(
        self, probabilities: Any, *, method: str = "inverse_propensity", predicted: Any = None
    ) -> PolicyValue:
        """What another policy would have earned, by the decisions whose rewards are known.

        With weights w = new probability / propensity of the arm taken, reward r, and predicted reward q of arms:
        inverse_propensity is the mean of w r; self_normalised is sum w r / sum w, less noisy and slightly
        biased; doubly_robust is the mean of sum_a new_a q_a + w (r - q), right if either q or the propensities are.

        Parameters
        ----------
        probabilities : array-like of shape (n_decisions, n_arms)
            With which the other policy would take each arm, one row for each decision of the log.
        method : {"inverse_propensity", "self_normalised", "doubly_robust"}, default="inverse_propensity"
            How.
        predicted : array-like of shape (n_decisions, n_arms), default=None
            Rewards as a model predicts them that has not learned these; only with doubly_robust.

        Returns
        -------
        value : PolicyValue
        """
        if method not in _METHODS:
            raise ValueError(f"method = {method!r}: must be one of {', '.join(_METHODS)}")
        if (predicted is None) != (method != "doubly_robust"):
            raise ValueError("predicted: must be given with doubly_robust, and with no other method")
        new = np.asarray(probabilities, dtype=np.float64)
        if new.shape != (len(self), self.n_arms):
            raise ValueError(f"probabilities: shape {new.shape}, must be ({len(self)}, {self.n_arms})")
        if not (new >= 0).all() or not np.allclose(new.sum(axis=1), 1):
            raise ValueError("probabilities: must be at least 0, and sum to 1 in each row")
        known = np.flatnonzero(np.isfinite(self.rewards))
        if len(known) < 2:
            raise ValueError(f"{len(known)} rewards are known: must be at least two")
        arms, rewards = self.arms[known], self.rewards[known]
        unsupported = float((new[known] * (self.probabilities[known] == 0)).sum(axis=1).mean())
        if unsupported > _MOST_UNSUPPORTED:
            warnings.warn(
                f"{unsupported:.0%} of the policy's decisions are for arms that the log could not have taken, and of which it tells nothing; "
                "exploration above 0 gives every arm a chance",
                stacklevel=2,
            )
        w = new[known, arms] / self.propensities[known]
        effective = float(w.sum() ** 2 / max(float((w * w).sum()), 1e-300))
        if method == "self_normalised":
            if not w.sum() > 0:
                raise ValueError("probabilities: the policy takes none of the arms that were taken")
            value = float((w * rewards).sum() / w.sum())
            error = float(np.sqrt(((w * (rewards - value)) ** 2).sum()) / w.sum())
            return PolicyValue(value, error, effective, unsupported)
        if method == "doubly_robust":
            q = np.asarray(predicted, dtype=np.float64)[known]
            terms = (new[known] * q).sum(axis=1) + w * (rewards - q[np.arange(len(known)), arms])
        else:
            terms = w * rewards
        return PolicyValue(float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(known))), effective, unsupported)
