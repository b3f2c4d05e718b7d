"""What the user of a table should know of its rows: drift, copies, and rows that were learned or cannot be read."""

from __future__ import annotations

import warnings

from postrider import _core

_LEAST_COPIES = 0.01  # share of the rows


class DriftWarning(UserWarning):
    """A column that does not look as in the rows that the model has learned; the message names it."""


class LearnedRowsWarning(DriftWarning):
    """Figures are made of rows that the model has learned: they say how well it remembers."""


class CopiedRowsWarning(UserWarning):
    """At least one in a hundred rows is an exact copy of another: the same inputs and the same target."""


class SkippedRowsWarning(UserWarning):
    """Rows that cannot be read and were passed over, since ``skip_bad`` asked for it."""


def warn_of_drift(watch: _core.RowWatch, stacklevel: int = 3) -> None:
    """Warn of each column; mostly there is none."""
    for each in watch.drift:
        warnings.warn(f"{each.column}: {each.text}", DriftWarning, stacklevel=stacklevel)


def warn_of_repeated(watch: _core.RowWatch, stacklevel: int = 3) -> None:
    """Warn of figures that are made of rows which the model has learned."""
    if watch.warning:
        warnings.warn(watch.warning, LearnedRowsWarning, stacklevel=stacklevel)


def warn_of_copies(step: _core.TrainingStep, stacklevel: int = 3) -> None:
    """Warn where copies are more than a few."""
    if step.copies > 0 and step.copies >= _LEAST_COPIES * step.rows:
        what = "is an exact copy of another" if step.copies == 1 else "are exact copies of others"
        warnings.warn(
            f"{step.copies} of {step.rows} rows {what}: they are kept in one fold",
            CopiedRowsWarning,
            stacklevel=stacklevel,
        )


class MissingColumnsWarning(UserWarning):
    """Columns that a model has learned are not in the table: they are missing in all rows, and predictions are less certain."""


def warn_of_absent(reader: _core.TableReader, stacklevel: int = 3) -> None:
    """Warn once of columns that rows to be predicted lack."""
    if reader.absent:
        names = ", ".join(repr(name) for name in reader.absent)
        warnings.warn(
            f"the table has no column {names}: missing in all rows, and predictions are less certain",
            MissingColumnsWarning,
            stacklevel=stacklevel,
        )


def warn_of_skipped(reader: _core.TableReader, stacklevel: int = 3) -> None:
    """Warn once, with the first reason."""
    if reader.skipped:
        warnings.warn(
            f"{reader.skipped} rows were passed over, which cannot be read; the first: {reader.skip_reasons[0]}",
            SkippedRowsWarning,
            stacklevel=stacklevel,
        )


def warn_of_new_rows(watch: _core.RowWatch, reader: _core.TableReader, stacklevel: int = 3) -> None:
    """Warn of all that is odd about rows that were predicted."""
    warn_of_absent(reader, stacklevel + 1)
    warn_of_skipped(reader, stacklevel + 1)
    warn_of_drift(watch, stacklevel + 1)
