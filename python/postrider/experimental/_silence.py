"""Workers that do not answer: who they are, said in time."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable

logger = logging.getLogger("postrider")

SILENCE = 30.0  # seconds without an answer after which somebody is told


def named(workers: Iterable[Hashable]) -> str:
    """Their names, the first ones of many."""
    names = [str(worker) for worker in workers]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def unanswered(workers: Iterable[Hashable], asked: int, deadline: float) -> TimeoutError:
    """What to raise once the deadline is over."""
    silent = list(workers)
    return TimeoutError(
        f"{len(silent)} of {asked} workers have not answered within {deadline} s (deadline): {named(silent)}"
    )


def tell_of_silence(workers: Iterable[Hashable], seconds: float, deadline: float) -> None:
    """Before the deadline is over."""
    logger.warning(
        "no answer for %.0f s from %s; training waits for %.0f s (deadline)", seconds, named(workers), deadline
    )
