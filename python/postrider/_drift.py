"""What the user of a table should know of its rows: drift, and rows that cannot be read."""

from __future__ import annotations

import warnings

from postrider import _core


class DriftWarning(UserWarning):
    """A column that does not look as in the rows that the model has learned; the message names it."""


class SkippedRowsWarning(UserWarning):
    """Rows that cannot be read and were passed over, since ``skip_bad`` asked for it."""


def warn_of_drift(watch: _core.RowWatch, stacklevel: int = 3) -> None:
    """Warn of each column; mostly there is none."""
    for each in watch.drift:
        warnings.warn(f"{each.column}: {each.text}", DriftWarning, stacklevel=stacklevel)


def warn_of_repeated(watch: _core.RowWatch, stacklevel: int = 3) -> None:
    """Warn of figures that are made of rows which the model has learned."""
    if watch.repeated:
        warnings.warn(
            f"{watch.repeated}: figures of these say how well they are remembered, and not how well new rows are predicted",
            DriftWarning,
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
