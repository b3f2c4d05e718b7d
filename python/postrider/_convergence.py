"""Training that ended before its score no longer rose."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

from postrider._core import TrainingStep

# Whoever calls fit again and again: a warning would not end a search.
_SEARCHES = ("sklearn.model_selection", "joblib", "optuna", "skopt", "hyperopt", "dask_ml", "ray.tune")


def warn_if_unfinished(history: Sequence[TrainingStep], stacklevel: int) -> None:
    """Say that more epochs may have learned more: a time budget was over, or most networks had all that were allowed and still improved."""
    fits = history[-1].fits if history else []
    if any(fit.reason == "cancelled" for fit in fits):
        most = max(len(fit.epochs) for fit in fits)
        warnings.warn(
            f"time_budget ended training after {most} epoch{'' if most == 1 else 's'}: the estimator has what was best until then",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )
        return
    unfinished = [fit for fit in fits if fit.may_still_rise]
    if len(unfinished) * 2 <= len(fits):
        return
    epochs = max(len(fit.epochs) for fit in unfinished)
    warnings.warn(
        f"training used all of its {epochs} epochs, and its score may still rise: max_epochs allows more",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


@contextmanager
def known_to_be_unfinished(known: bool = True) -> Iterator[None]:
    """No such warning where whoever fits has chosen the epochs itself, and knows."""
    with warnings.catch_warnings():
        if known:
            warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def is_searched() -> bool:
    """Whether a search or a cross-validation has called: Ctrl-C is meant for it."""
    frame = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith(_SEARCHES):
            return True
        if frame.f_back is None:
            return False
        frame = frame.f_back
    return False
