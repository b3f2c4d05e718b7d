"""How far a network's messages are from the exact ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class NetworkCertificate:
    """What was found when messages of a trained network were compared with the exact ones.

    Printed, it is a table. It is about the arithmetic of learning: whether the predictions are any
    good, only held-out rows can tell.

    Attributes
    ----------
    passed : bool
        Whether no inconsistency was found: no belief further from the exact one, because of one
        message, than the limit of 0.1 nats; no bound violated; no message improper.
    compared : int
        Messages that were compared with the exact ones.
    inconsistent : int
        Inconsistencies found.
    details : dict
        All figures: rows looked at, and for each layer and kind of message how many were sent and
        compared, their KL divergences and bounds, in nats.
    """

    passed: bool
    details: dict[str, Any] = field(repr=False)
    _text: str = field(repr=False)

    @property
    def compared(self) -> int:
        return int(self.details["compared"])

    @property
    def inconsistent(self) -> int:
        return int(self.details["inconsistent"])

    def __str__(self) -> str:
        return self._text
