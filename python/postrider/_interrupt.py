"""Ctrl-C while something learns."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from postrider._convergence import is_searched
from postrider._core import TrainingStep


class TrainingInterrupted(UserWarning):
    """Ctrl-C ended training; the estimator has the best beliefs so far.

    Before the first epoch was over nothing counts as learned: KeyboardInterrupt is raised instead.
    """


def warn_of_interrupt(stacklevel: int) -> None:
    """Say that Ctrl-C was heard."""
    _warn("the estimator has the best beliefs so far", stacklevel)


def warn_if_interrupted(interrupted: bool) -> None:
    """The same of a model of a table; inside of a search Ctrl-C is meant for that."""
    if interrupted and is_searched():
        raise KeyboardInterrupt("training was interrupted inside of a search")
    if interrupted:
        _warn("the model has what was learned until then", stacklevel=4)


def _warn(what: str, stacklevel: int) -> None:
    warnings.warn(f"training was interrupted; {what}", TrainingInterrupted, stacklevel=stacklevel + 1)


def has_an_epoch(history: Sequence[TrainingStep]) -> bool:
    """Whether a network has learned a whole epoch."""
    return bool(history) and any(len(fit.epochs) > 0 for fit in history[-1].fits)


def expect_an_epoch(history: Sequence[TrainingStep], what: str) -> None:
    """Raise KeyboardInterrupt if no network has learned a whole epoch: a part of one would pass for a model."""
    if not has_an_epoch(history):
        raise KeyboardInterrupt(f"training was interrupted before its first epoch was over: {what}")


def seconds_of(time_budget: float | None) -> float:
    """Seconds that training may take; 0 for any number."""
    if time_budget is None:
        return 0.0
    if isinstance(time_budget, bool) or not isinstance(time_budget, (int, float)) or not time_budget > 0:
        raise ValueError(f"time_budget = {time_budget!r}: must be a number of seconds above 0, or None")
    return float(time_budget)
