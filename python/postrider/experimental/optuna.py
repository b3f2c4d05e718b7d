"""A sampler for Optuna: trials are suggested by `postrider.experimental.optimize`.

    pip install postrider[optuna]

Experimental: the part becomes stable together with `postrider.experimental.optimize`, which suggests the trials.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial, TrialState

from postrider.experimental.optimize import Category, Integer, Optimizer, Real

__all__ = ["PostriderSampler"]


class PostriderSampler(optuna.samplers.BaseSampler):  # type: ignore[misc]
    """Bayesian optimisation of the parameters that all trials of a study have in common.

    Parameters that only some trials have, and the first trials, are drawn at random. Studies have one objective.

    Parameters
    ----------
    n_initial : int, default=10
        Trials at random before a model suggests.
    noise_std : float, default=None
        Standard deviation of the objective's noise: a number where it is known, 0 for none. None: it is learned.
    seed : int, default=0
        The same number suggests the same trials, where they run one after another.
    **options
        Of `postrider.experimental.optimize.Optimizer`, such as acquisition and model.

    Examples
    --------
    >>> import optuna
    >>> from postrider.experimental.optuna import PostriderSampler
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(sampler=PostriderSampler(n_initial=4, noise_std=0.0))
    >>> study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.3) ** 2, n_trials=8)
    >>> len(study.trials)
    8
    """

    def __init__(self, *, n_initial: int = 10, noise_std: float | None = None, seed: int = 0, **options: Any) -> None:
        if n_initial < 2:
            raise ValueError(f"n_initial = {n_initial!r}: must be at least 2")
        self._n_initial, self._noise_std, self._seed, self._options = n_initial, noise_std, seed, options
        self._space = IntersectionSearchSpace()
        self._random = optuna.samplers.RandomSampler(seed=seed)

    def reseed_rng(self) -> None:
        """For processes that go on beside each other."""
        self._random.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Parameters that all trials so far have, with more than one value."""
        found: dict[str, BaseDistribution] = self._space.calculate(study)
        return {name: each for name, each in found.items() if not each.single()}

    def sample_relative(
        self, study: Any, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next values of these parameters."""
        if len(study.directions) > 1:
            raise ValueError(f"the study has {len(study.directions)} objectives: must be one")
        names = sorted(search_space)
        done = [
            each
            for each in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if all(name in each.params and _holds(search_space[name], each.params[name]) for name in names)
        ]
        if not names or len(done) < self._n_initial:
            return {}
        dimensions = [_dimension(search_space[name]) for name in names]
        options = {**self._options, "noise_std": self._noise_std, "random_state": self._seed + trial.number}
        optimizer = Optimizer(dimensions, n_initial=1, **options)
        optimizer.ask()  # the initial point, which other trials stand for
        sign = 1.0 if study.direction == optuna.study.StudyDirection.MINIMIZE else -1.0
        optimizer.tell(
            [[_told(search_space[name], each.params[name]) for name in names] for each in done],
            [sign * each.value for each in done],
        )
        point = optimizer.ask()
        return {name: _suggested(search_space[name], value) for name, value in zip(names, point, strict=True)}

    def sample_independent(
        self, study: Any, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """At random: what is not in all trials, and the first trials."""
        return self._random.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(
        self, study: Any, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Nothing is kept between trials: they are in the study."""
        self._random.after_trial(study, trial, state, values)


def _holds(distribution: BaseDistribution, value: Any) -> bool:
    return bool(distribution._contains(distribution.to_internal_repr(value)))


def _is_counted(distribution: BaseDistribution) -> bool:
    """Whether values are steps that are counted, rather than on a scale."""
    return getattr(distribution, "step", None) is not None and not getattr(distribution, "log", False)


def _dimension(distribution: BaseDistribution) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return Category(list(range(len(distribution.choices))))
    if isinstance(distribution, (FloatDistribution, IntDistribution)):
        if _is_counted(distribution):
            return Integer(0, round((distribution.high - distribution.low) / distribution.step))
        return Real(float(distribution.low), float(distribution.high), log=distribution.log)
    raise ValueError(f"{distribution!r}: must be a number or a category")


def _told(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return int(distribution.to_internal_repr(value))
    if _is_counted(distribution):
        return round((value - distribution.low) / distribution.step)
    return float(value)


def _suggested(distribution: BaseDistribution, value: Any) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[value]
    if _is_counted(distribution):
        number = distribution.low + value * distribution.step
        return int(number) if isinstance(distribution, IntDistribution) else min(float(number), distribution.high)
    return int(round(value)) if isinstance(distribution, IntDistribution) else float(value)
