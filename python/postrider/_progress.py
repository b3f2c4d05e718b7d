"""What training tells people: log lines and a bar."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from postrider._core import EpochReport

logger = logging.getLogger("postrider")

Teller = Callable[[EpochReport], object]


def _log(report: EpochReport) -> None:
    logger.debug(
        "member %d of %d, epoch %d: score %.4f, best in epoch %d, %.3f s",
        report.member + 1,
        report.members,
        report.epoch,
        report.score,
        report.best_epoch,
        report.seconds,
    )


def _new_bar() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            "verbose=True shows a bar by tqdm: pip install postrider[progress], "
            "or set the level of the logger 'postrider' to DEBUG for a line per epoch"
        ) from error
    return tqdm(unit="epoch", desc="training")


class _Bar:
    """Counts the epochs of all members; the total is what they may take. Logs them as well, if that is wanted."""

    def __init__(self, logs: bool) -> None:
        self._bar = _new_bar()
        self._logs = logs
        self._best: dict[int, float] = {}
        self._chooses = False

    def __call__(self, report: EpochReport) -> None:
        if self._chooses:
            self._bar.reset()
            self._bar.set_description("training", refresh=False)
            self._chooses = False
        if self._logs:
            _log(report)
        self._bar.total = report.max_epochs * report.members
        best = self._best.get(report.member, report.score)
        self._best[report.member] = max(best, report.score)
        mean = sum(self._best.values()) / len(self._best)
        self._bar.set_postfix(score=f"{mean:.4f}", refresh=False)
        self._bar.update()

    def choosing(self, ways: int, epochs: int, most_epochs: int) -> None:
        """Show how far the race of encodings is, in a bar that is begun anew when training is told of."""
        self._bar.total = most_epochs
        self._bar.set_description(f"choosing, {ways} ways", refresh=False)
        self._bar.update(epochs - self._bar.n)
        self._chooses = True

    def close(self) -> None:
        """Leave the bar full: patience mostly ends training before the largest number of epochs."""
        self._bar.total = self._bar.n
        self._bar.close()


class EpochLines:
    """Training on several machines, told on standard error: a line for an epoch, and not more often than every few seconds."""

    _SECONDS = 10.0

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, report: EpochReport) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._SECONDS
        print(
            f"postrider: epoch {report.epoch} of at most {report.max_epochs}, score {report.score:.4f}",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def teller(verbose: bool) -> Iterator[Teller | None]:
    """What to tell of every epoch, if anybody listens."""
    logs = logger.isEnabledFor(logging.DEBUG)
    if not verbose:
        yield _log if logs else None
        return
    bar = _Bar(logs)
    try:
        yield bar
    finally:
        bar.close()
