"""What the user of a stream should know of rows that were learned."""

from __future__ import annotations

import warnings

from postrider import _core


class StreamWarning(UserWarning):
    """Rows of a stream that were not learned as they came; the message says what and why."""


def warn_of(report: _core.StreamReport, too_narrow: bool, stacklevel: int = 3) -> None:
    """Warn if there is something to say; mostly there is nothing."""
    told = []
    if not report.sound:
        told.append(
            "some rows were not learned, since beliefs would have been no numbers: are there values "
            "in another unit?"
        )
    if report.far_targets:
        told.append(
            f"{report.far_targets} targets lie more than ten standard deviations from those that set "
            "the scales, and were learned as if they were that far"
        )
    if too_narrow:
        told.append(
            "the network was narrowed for the few rows it was first trained on, and the rows learned "
            "since would fill a wider one: fit anew with all rows, or with weights_per_example=0"
        )
    for text in told:
        warnings.warn(text, StreamWarning, stacklevel=stacklevel)
