"""Choose, learn, and the models behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from postrider._moved import renamed
from postrider._options import whole_number
from postrider._rows import Floats
from postrider._warnings import known_to_be_unfinished
from postrider.experimental.bandit._log import DecisionLog, Places
from postrider.regressor import BayesianMLPRegressor

_POLICIES = ("greedy", "thompson", "uniform")
_LAYOUTS = ("separate", "joint")
_LEARNING = ("refit", "stream")
_DRAWS = ("functions", "predictions")
# Functions whose mean `predict` is, at least.
_TO_LOOK = 64


def default_model(random_state: int = 0) -> BayesianMLPRegressor:
    """What learns rewards unless another model is given: small, since it is fitted often."""
    return BayesianMLPRegressor(
        (50,),
        ensemble_size=4,
        varying_noise=False,
        target_scale="plain",
        encoding="standard",
        max_epochs=40,
        random_state=random_state,
    )


class _Draws(NamedTuple):
    """How many functions, by which seed (None: the next one), and whether models may be fitted for them."""

    functions: int
    seed: int | None
    may_refit: bool


class ContextualBandit:
    """Chooses arms by what networks believe of their rewards, and learns from the rewards that come.

    Parameters
    ----------
    n_arms : int
        Arms, numbered from 0.
    policy : {"greedy", "thompson", "uniform"}, default="greedy"
        The arm with the best mean; the arm that is best by functions drawn from the belief, one draw for each decision; or any.
        Greedy choices had the least regret on all three sets that were measured; where contexts do not differ, or an arm that pays
        little at first may be best elsewhere, they may never find the best one.
    layout : {"separate", "joint"}, default="separate"
        A model for each arm, or one whose inputs are the context and the arm.
    learning : {"refit", "stream"}, default="refit"
        Fit anew whenever the rewards are `growth` times as many, and draw functions given all rewards so far; or learn each
        reward once with `partial_fit`, whose beliefs drift with the world (see `drift` of the model) and forget.
    draws : {"functions", "predictions"}, default="functions"
        Whole functions, given all rewards so far; or of each context a Gaussian with the mean and the epistemic
        standard deviation that `predict` tells, which is cheaper and knows the rewards of the last fit.
    exploration : float, default=0.0
        Share of the decisions taken at random, so that every arm has a propensity above 0.
    n_initial : int, default=3
        Until each arm has so many rewards, decisions are taken at random.
    n_functions : int, default=16
        Functions drawn at each call of `choose`. Decisions of one call use them in random order.
    noise_std : float or "pooled", default=None
        Standard deviation of the rewards' noise, where it is known. None: as each model learns it.
        "pooled": the spread of rewards within arms, which is too large rather than too small, and explores more.
    growth : float, default=1.3
        When to fit anew.
    model : BayesianMLPRegressor, default=None
        What learns; clones of it are fitted. None: `default_model`.
    random_state : int, default=0
        The same number makes the same decisions.

    Attributes
    ----------
    log : DecisionLog
        All decisions.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider.experimental.bandit import ContextualBandit
    >>> rng = np.random.default_rng(0)
    >>> bandit = ContextualBandit(2, random_state=0)
    >>> for _ in range(10):
    ...     contexts = rng.uniform(-1, 1, size=(10, 1))
    ...     arms, ids = bandit.choose(contexts)
    ...     bandit.update(ids, np.where(arms == (contexts[:, 0] > 0), 1.0, 0.0))
    >>> len(bandit.log)
    100
    """

    def __init__(
        self,
        n_arms: int,
        *,
        policy: str = "greedy",
        layout: str = "separate",
        learning: str = "refit",
        draws: str = "functions",
        exploration: float = 0.0,
        n_initial: int = 3,
        n_functions: int = 16,
        noise_std: float | str | None = None,
        growth: float = 1.3,
        model: BayesianMLPRegressor | None = None,
        random_state: int = 0,
    ) -> None:
        for name, value, accepted in (
            ("policy", policy, _POLICIES),
            ("layout", layout, _LAYOUTS),
            ("learning", learning, _LEARNING),
            ("draws", draws, _DRAWS),
        ):
            if value not in accepted:
                raise ValueError(f"{name} = {value!r}: must be one of {', '.join(accepted)}")
        if not 0 <= exploration <= 1:
            raise ValueError(f"exploration = {exploration!r}: must be from 0 to 1")
        if not growth > 1:
            raise ValueError(f"growth = {growth!r}: must be above 1")
        if isinstance(noise_std, str) and noise_std != "pooled":
            raise ValueError(f"noise_std = {noise_std!r}: must be a number, 'pooled' or None")
        self.n_arms = whole_number("n_arms", n_arms, 2)
        self.policy, self.layout, self.learning, self.draws = policy, layout, learning, draws
        self.exploration, self.growth, self.noise_std = exploration, growth, noise_std
        self.n_initial = whole_number("n_initial", n_initial, 1)
        self.n_functions = whole_number("n_functions", n_functions, 2)
        self.random_state = random_state
        self.log = DecisionLog(self.n_arms)
        self._rng = np.random.default_rng(random_state)
        self._look_seed = int(np.random.default_rng(random_state).integers(2**31))
        self._model_is_ours = model is None
        base = default_model(random_state) if model is None else model
        self._models = [clone(base) for _ in range(1 if layout == "joint" else self.n_arms)]
        self._learned = [0] * len(self._models)
        self._waiting: list[int] = []  # ids whose rewards no stream has learned

    # --- decisions -------------------------------------------------------------------------------

    def choose(self, contexts: Any) -> tuple[Places, Places]:
        """Choose an arm for each context.

        Parameters
        ----------
        contexts : array-like of shape (n, n_features)
            Decisions to take at once: none of them knows the others' rewards.

        Returns
        -------
        arms : ndarray of shape (n,)
            Numbers of the arms.
        ids : ndarray of shape (n,)
            By which `update` is told of rewards.
        """
        rows = np.asarray(contexts, dtype=np.float64)
        self.log.expect_contexts(rows)
        likely = self.probabilities(rows)
        steps = np.cumsum(likely, axis=1)
        drawn = self._rng.random((len(rows), 1)) * steps[:, -1:]
        arms = np.minimum((steps <= drawn).sum(axis=1), self.n_arms - 1)
        return arms, self.log.add(rows, arms, likely)

    def probabilities(self, contexts: Any) -> Floats:
        """How likely each arm would be in contexts, given the functions that are drawn now.

        Parameters
        ----------
        contexts : array-like of shape (n, n_features)
            Contexts.

        Returns
        -------
        probabilities : ndarray of shape (n, n_arms)
        """
        rows = np.asarray(contexts, dtype=np.float64)
        uniform = np.full((len(rows), self.n_arms), 1 / self.n_arms)
        if self.policy == "uniform" or not self._is_ready():
            return uniform
        values = self._drawn_values(rows, _Draws(self.n_functions, None, True))
        best = _best_of_means(values) if self.policy == "greedy" else self._best_of_draws(values)
        mixed: Floats = (1 - self.exploration) * best + self.exploration * uniform
        return mixed

    def predict(self, contexts: Any) -> Floats:
        """Mean reward of each arm. Looking changes nothing: neither later decisions nor what is predicted next.

        Parameters
        ----------
        contexts : array-like of shape (n, n_features)
            Contexts.

        Returns
        -------
        rewards : ndarray of shape (n, n_arms)
        """
        if not self._is_ready():
            raise ValueError(f"each arm must have {self.n_initial} rewards first")
        rows = np.asarray(contexts, dtype=np.float64)
        means: Floats = self._drawn_values(rows, _Draws(max(_TO_LOOK, self.n_functions), self._look_seed, False)).mean(axis=1).T
        return means

    def _best_of_draws(self, values: Floats) -> Floats:
        """P(arm is best). Models of their own are independent: any function of one beside any of another."""
        arms, count, rows = values.shape
        if self.layout == "joint":
            best = values.argmax(axis=0)
            return np.stack([(best == arm).mean(axis=0) for arm in range(arms)], axis=1)
        out = np.ones((arms, count, rows))
        for arm in range(arms):
            for other in range(arms):
                if other != arm:
                    # Share of the other's functions that are below; ties go to the arm that comes first.
                    below = values[other][None] < values[arm][:, None]
                    if arm < other:
                        below |= values[other][None] == values[arm][:, None]
                    out[arm] *= below.mean(axis=1)
        likely = out.mean(axis=1).T
        total: Floats = likely / likely.sum(axis=1, keepdims=True)
        return total

    # --- rewards ---------------------------------------------------------------------------------

    def update(self, ids: Any, rewards: Any) -> None:
        """Tell of rewards, whenever they come.

        Parameters
        ----------
        ids : array-like of int
            As `choose` returned them.
        rewards : array-like of float
            One for each.
        """
        places = self.log.expect_ids(ids)
        self.log.reward(places, rewards)
        self._waiting.extend(int(each) for each in places)

    def learn(self, ids: Any, rewards: Any) -> None:
        """Deprecated: `update`."""
        renamed("ContextualBandit.learn", "ContextualBandit.update")
        self.update(ids, rewards)

    def _is_ready(self) -> bool:
        arms, rewards = self.log.arms, self.log.rewards
        counts = np.bincount(arms[np.isfinite(rewards)], minlength=self.n_arms)
        return bool(counts.min() >= self.n_initial)

    def _inputs(self, contexts: Floats, arms: Places) -> Floats:
        return np.hstack([contexts, np.eye(self.n_arms)[arms]]) if self.layout == "joint" else contexts

    def _known(self, which: int, ids: Places | None = None) -> tuple[Floats, Floats]:
        """What a model may learn."""
        arms, rewards = self.log.arms, self.log.rewards
        rows = np.flatnonzero(np.isfinite(rewards)) if ids is None else ids
        if self.layout == "separate":
            rows = rows[arms[rows] == which]
        return self._inputs(self.log.contexts[rows], arms[rows]), rewards[rows]

    def _noise(self) -> float | None:
        if self.noise_std != "pooled":
            return self.noise_std  # type: ignore[return-value]
        arms, rewards = self.log.arms, self.log.rewards
        known = np.isfinite(rewards)
        within = [rewards[known & (arms == arm)] for arm in range(self.n_arms)]
        return float(np.sqrt(np.mean(np.concatenate([each - each.mean() for each in within]) ** 2)))

    def _fitted(self, which: int, known: tuple[Floats, Floats], may_refit: bool) -> BayesianMLPRegressor:
        """A model that has learned most of these rows; it learns them anew if they are many more than before."""
        model: BayesianMLPRegressor = self._models[which]
        count = len(known[1])
        if self._learned[which] > 0 and (not may_refit or count < self.growth * self._learned[which]):
            return model
        if not may_refit:  # nothing was learned yet
            model = clone(model)
        with known_to_be_unfinished(self._model_is_ours):
            model.fit(*known)
        if may_refit:
            self._learned[which] = count
        return model

    def _values_of(self, which: int, rows: Sequence[Floats], draws: _Draws) -> list[Floats]:
        """What draws of one model say of several sets of rows: function by function, row by row."""
        seed = int(self._rng.integers(2**31)) if draws.seed is None else draws.seed + which
        known = self._known(which) if self.learning == "refit" else None
        model = self._models[which] if known is None else self._fitted(which, known, draws.may_refit)
        if self.draws == "predictions":
            random, out = np.random.default_rng(seed), []
            for inputs in rows:
                mean, epistemic, _ = model.predict(inputs, return_std="parts")
                out.append(mean + epistemic * _balanced(random.normal(size=(draws.functions, len(inputs)))))
            return out
        if known is None:
            functions = model.sample_functions(draws.functions, random_state=seed)
        else:
            functions = model.sample_functions(draws.functions, *known, noise_std=self._noise(), random_state=seed)
        return [np.array([f(inputs) for f in functions]) for inputs in rows]

    def _drawn_values(self, contexts: Floats, draws: _Draws) -> Floats:
        """Arm by arm, function by function, of each context."""
        if self.learning == "stream":
            self._learn_waiting()
        if self.layout == "joint":
            rows = [self._inputs(contexts, np.full(len(contexts), arm)) for arm in range(self.n_arms)]
            return np.array(self._values_of(0, rows, draws))
        return np.array([self._values_of(arm, [contexts], draws)[0] for arm in range(self.n_arms)])

    def _learn_waiting(self) -> None:
        ids = np.array(self._waiting, dtype=np.int64)
        for which, model in enumerate(self._models):
            X, y = self._known(which, ids)
            if len(y):
                model.partial_fit(X, y)
        self._waiting = []


def _balanced(normal: Floats) -> Floats:
    """Draws whose mean is 0 in each column, with the variance that they should have."""
    out: Floats = (normal - normal.mean(axis=0)) * np.sqrt(len(normal) / (len(normal) - 1))
    return out


def _best_of_means(values: Floats) -> Floats:
    best: Floats = np.eye(len(values))[values.mean(axis=1).argmax(axis=0)]
    return best
