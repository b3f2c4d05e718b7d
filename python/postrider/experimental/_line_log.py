"""What a process says while it runs, in the lines of ``postrider stream --log``: time, level and message, as text or as JSON."""

from __future__ import annotations

import json
import logging
import sys
import time

LOGS = ("text", "json")

logger = logging.getLogger("postrider")


class _Lines(logging.Formatter):
    """One line for each message, whatever it holds."""

    def __init__(self, form: str, who: str) -> None:
        super().__init__()
        self._form = form
        self._who = who

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        level = record.levelname.lower()
        message = " ".join(record.getMessage().split())
        if self._form == "json":
            return json.dumps({"time": at, "level": level, "process": self._who, "message": message})
        return f"{at} postrider: {self._who}: {'' if level == 'info' else level + ': '}{message}"


def log_lines(form: str, who: str) -> None:
    """From now on, messages of this process go to standard error."""
    if form not in LOGS:
        raise ValueError(f"log = {form!r}: must be one of {', '.join(LOGS)}")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(form, who))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


class Outage:
    """Something that does not answer again and again is told once, and so is that it is back."""

    def __init__(self) -> None:
        self._since: float | None = None

    def begin(self, text: str) -> None:
        if self._since is None:
            self._since = time.monotonic()
            logger.warning("%s", text)

    def end(self, text: str) -> None:
        if self._since is not None:
            logger.info("%s, after %.1f seconds", text, time.monotonic() - self._since)
            self._since = None
