"""How far a network's messages are from the exact ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class NetworkCertificate:
    """What was found when messages of a trained network were compared with the exact ones.

    Printed, it is a table.

    Attributes
    ----------
    passed : bool
        Whether no bound was violated and no message was improper.
    details : dict
        All figures: rows looked at, and for each layer and kind of message how many were sent and
        compared, their KL divergences and bounds, in nats.
    """

    passed: bool
    details: dict[str, Any] = field(repr=False)
    _text: str = field(repr=False)

    def __str__(self) -> str:
        return self._text
