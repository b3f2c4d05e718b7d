"""What the user should know of rows and of training: warnings, told where the package was called from."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

from postrider import _core

_LEAST_COPIES = 0.01  # share of the rows
# Whoever calls fit again and again: a warning would not end a search.
_SEARCHES = ("sklearn.model_selection", "joblib", "optuna", "skopt", "hyperopt", "dask_ml", "ray.tune")


class DriftWarning(UserWarning):
    """A column that does not look as in the rows that the model has learned; the message names it."""


class LearnedRowsWarning(DriftWarning):
    """Figures are made of rows that the model has learned: they say how well it remembers."""


class DataWarning(UserWarning):
    """What is odd about a table that was learned or evaluated, and what mends it; ``warnings_`` of the model has them all."""


class CopiedRowsWarning(DataWarning):
    """At least one in a hundred rows is an exact copy of another: the same inputs and the same target."""


class SkippedRowsWarning(UserWarning):
    """Rows that cannot be read and were passed over, since ``skip_bad`` asked for it."""


class MissingColumnsWarning(UserWarning):
    """Columns that a model has learned are not in the table: they are missing in all rows, and predictions are less certain."""


class IgnoredColumnsWarning(UserWarning):
    """Columns of a frame that are no inputs, since they tell nothing; the message names each and why."""


class StreamWarning(UserWarning):
    """Rows of a stream that were not learned as they came; the message says what and why."""


class TrainingInterrupted(UserWarning):
    """Ctrl-C ended training; the estimator has the best beliefs so far.

    Before the first epoch was over nothing counts as learned: KeyboardInterrupt is raised instead.
    """


def _callers() -> Iterator[str]:
    """Names of the modules that have called, the nearest first, without Python's own that import, which warnings do not count either."""
    frame = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if not name.startswith(("importlib._bootstrap", "_frozen_importlib")):
            yield name
        if frame.f_back is None:
            return
        frame = frame.f_back


def _is_inside(module: str) -> bool:
    """Whether a module is of the package."""
    return module == "postrider" or module.startswith("postrider.")


def tell(text: str, category: type[Warning]) -> None:
    """Warn at the line that called the package, however deep in it something was found."""
    level = next((place for place, name in enumerate(_callers()) if not _is_inside(name)), 1)
    warnings.warn(text, category, stacklevel=level)


def is_searched() -> bool:
    """Whether a search or a cross-validation has called: Ctrl-C is meant for it."""
    return any(name.startswith(_SEARCHES) for name in _callers())


# --- rows --------------------------------------------------------------------------------------------


def warn_of_drift(watch: _core.RowWatch) -> None:
    """Warn of each column; mostly there is none."""
    for each in watch.drift:
        tell(f"{each.column}: {each.text}", DriftWarning)


def warn_of_repeated(warning: str) -> None:
    """Warn of figures that are made of rows which the model has learned, if a text says so."""
    if warning:
        tell(warning, LearnedRowsWarning)


def warn_of_data(found: Sequence[_core.TableWarning]) -> None:
    """Warn of each; copies and rows that were learned have warnings of their own."""
    for each in found:
        if each.kind != "learned_rows" and (each.kind != "copies" or "exact copies" not in each.text):
            tell(f"{each.text} {each.remedy}", DataWarning)


def warn_of_copies(step: _core.TrainingStep) -> None:
    """Warn where copies are more than a few."""
    if step.copies > 0 and step.copies >= _LEAST_COPIES * step.rows:
        what = "is an exact copy of another" if step.copies == 1 else "are exact copies of others"
        tell(f"{step.copies} of {step.rows} rows {what}: they are kept in one fold", CopiedRowsWarning)


def warn_of_skipped(reader: _core.TableReader) -> None:
    """Warn once, with the first reason."""
    if reader.skipped:
        text = f"{reader.skipped} rows were passed over, which cannot be read; the first: {reader.skip_reasons[0]}"
        tell(text, SkippedRowsWarning)


def warn_of_new_rows(watch: _core.RowWatch, reader: _core.TableReader) -> None:
    """Warn of all that is odd about rows that were predicted."""
    if reader.absent:
        names = ", ".join(repr(name) for name in reader.absent)
        text = f"the table has no column {names}: missing in all rows, and predictions are less certain"
        tell(text, MissingColumnsWarning)
    warn_of_skipped(reader)
    warn_of_drift(watch)


def warn_of_stream(report: _core.StreamReport, too_narrow: bool) -> None:
    """Warn if there is something to say of rows that were learned one by one; mostly there is nothing."""
    if not report.sound:
        tell(
            "some rows were not learned, since beliefs would have been no numbers: are there values "
            "in another unit?",
            StreamWarning,
        )
    if report.far_targets:
        tell(
            f"{report.far_targets} targets lie more than ten standard deviations from those that set "
            "the scales, and were learned as if they were that far",
            StreamWarning,
        )
    if too_narrow:
        tell(
            "the network was narrowed for the few rows it was first trained on, and the rows learned "
            "since would fill a wider one: fit anew with all rows, or with weights_per_example=0",
            StreamWarning,
        )


# --- training ----------------------------------------------------------------------------------------


def warn_if_unfinished(history: Sequence[_core.TrainingStep]) -> None:
    """Say that more epochs may have learned more: a time budget was over, or most networks had all that were allowed and still improved."""
    fits = history[-1].fits if history else []
    if any(fit.reason == "cancelled" for fit in fits):
        most = max(len(fit.epochs) for fit in fits)
        tell(
            f"time_budget ended training after {most} epoch{'' if most == 1 else 's'}: the estimator has what was best until then",
            ConvergenceWarning,
        )
        return
    unfinished = [fit for fit in fits if fit.may_still_rise]
    if len(unfinished) * 2 <= len(fits):
        return
    epochs = max(len(fit.epochs) for fit in unfinished)
    tell(f"training used all of its {epochs} epochs, and its score may still rise: max_epochs allows more", ConvergenceWarning)


@contextmanager
def known_to_be_unfinished(known: bool = True) -> Iterator[None]:
    """No such warning where whoever fits has chosen the epochs itself, and knows."""
    with warnings.catch_warnings():
        if known:
            warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def warn_of_interrupt(what: str = "the estimator has the best beliefs so far") -> None:
    """Say that Ctrl-C was heard; inside of a search it is meant for that."""
    if is_searched():
        raise KeyboardInterrupt("training was interrupted inside of a search")
    tell(f"training was interrupted; {what}", TrainingInterrupted)


def has_an_epoch(history: Sequence[_core.TrainingStep]) -> bool:
    """Whether a network has learned a whole epoch."""
    return bool(history) and any(len(fit.epochs) > 0 for fit in history[-1].fits)


def expect_an_epoch(history: Sequence[_core.TrainingStep], what: str) -> None:
    """Raise KeyboardInterrupt if no network has learned a whole epoch: a part of one would pass for a model."""
    if not has_an_epoch(history):
        raise KeyboardInterrupt(f"training was interrupted before its first epoch was over: {what}")
