"""What owners of weights and workers have to agree on: the plan, the rounds, and messages as bytes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from postrider import _core
from postrider.experimental.events import open_events, sparse_rows

# Rows that are learned side by side do not see each other: one at most for so many that were learned before.
_SEEN_PER_ROW = 32


@dataclass(frozen=True)
class Plan:
    """What all processes of a model with owners know; made by :meth:`make`, and a JSON file for the others.

    The result depends on the source, its partitions, `batch` and the settings; not on the number of owners and
    workers, nor on which of them were lost on the way.
    """

    owners: list[str]  # host:port of each
    source: str
    partitions: list[str]
    folder: str  # of the owners' files
    settings: dict[str, bool | int | str]  # of the model
    units: tuple[float, float, float]  # mean square of the inputs; location and unit of the targets
    target: str = "target"  # the column, where events have columns
    batch: int = 256  # events of a partition in a round, at most
    save_every: int = 100  # rounds between two snapshots
    until_end: bool = False  # end when the source has nothing more
    broker_config: str | None = None  # file of settings for the connection to the source, which each worker has

    @classmethod
    def make(
        cls,
        source: str,
        owners: list[str],
        folder: str | os.PathLike[str],
        *,
        target_kind: str = "logistic",
        target: str = "target",
        batch: int = 256,
        save_every: int = 100,
        until_end: bool = False,
        first: int = 1000,
        broker_config: str | None = None,
    ) -> Plan:
        """Looks at the first events of each partition for the units of inputs and targets."""
        for name, count in (("batch", batch), ("save_every", save_every), ("owners", len(owners))):
            if count < 1:
                raise ValueError(f"{name} = {count}: must be at least 1")
        for owner in owners:
            if not re.fullmatch(r".+:\d{1,5}", owner):
                raise ValueError(f"owners = {owner!r}: must be HOST:PORT each")
        if len(set(owners)) < len(owners):
            raise ValueError(f"owners = {owners!r}: must have an address of its own for each")
        settings: dict[str, bool | int | str] = {"target": target_kind}
        with open_events(source, broker_config) as events:
            some = [event for name in events.partitions for event in events.read(name, None, first)]
            rows, _ = sparse_rows(some, target, target_kind != "number")
            if rows is None:
                raise ValueError(f'source = "{source}": must have events already')
            units = _core.sparse_units(rows, settings)
            return cls(
                owners, source, events.partitions, os.fspath(folder), settings, units, target, batch, save_every, until_end, broker_config
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        Path(path).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls(**{**found, "units": tuple(found["units"])})
        except (KeyError, TypeError, ValueError) as trouble:
            raise ValueError(f"{os.fspath(path)}: holds no plan that Plan.save wrote") from trouble

    def sizes(self) -> Iterator[int]:
        """Events of a partition in each round: few while little is known."""
        seen = 0
        while True:
            size = max(1, min(self.batch, seen // (_SEEN_PER_ROW * len(self.partitions))))
            yield size
            seen += size * len(self.partitions)

    def file_of(self, owner: int, round: int) -> Path:
        return Path(self.folder) / f"owner-{owner}-round-{round:09d}.safetensors"

    def rounds_of(self, owner: int) -> list[int]:
        """Rounds of which there is a file."""
        found = Path(self.folder).glob(f"owner-{owner}-round-*.safetensors")
        return sorted(int(path.stem.rpartition("-")[2]) for path in found)

    def last_files(self) -> list[Path]:
        """The newest snapshot that all owners have."""
        common = set.intersection(*(set(self.rounds_of(owner)) for owner in range(len(self.owners))))
        if not common:
            raise FileNotFoundError(f"{self.folder}: there is no snapshot of all owners yet")
        return [self.file_of(owner, max(common)) for owner in range(len(self.owners))]


@dataclass(eq=False)
class Message:
    """Some words, and arrays of numbers, as one piece of bytes."""

    words: dict[str, Any]
    arrays: list[np.ndarray[Any, Any]] = field(default_factory=list)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message) or self.words != other.words:
            return False
        return len(self.arrays) == len(other.arrays) and all(map(np.array_equal, self.arrays, other.arrays))

    def pack(self) -> bytes:
        layout = [[array.dtype.str, array.size] for array in self.arrays]
        head = json.dumps([self.words, layout], sort_keys=True).encode()
        head += b" " * (-len(head) % 8)  # numbers begin at multiples of eight bytes
        return b"".join([len(head).to_bytes(8, "little"), head, *(_padded(array) for array in self.arrays)])

    @classmethod
    def unpack(cls, packed: Any) -> Message:
        view = memoryview(packed)
        at = 8 + int.from_bytes(view[:8], "little")
        words, layout = json.loads(bytes(view[8:at]))
        arrays = []
        for kind, size in layout:
            array = np.frombuffer(view, dtype=kind, count=size, offset=at)
            arrays.append(array)
            at += array.nbytes + -array.nbytes % 8
        return cls(words, arrays)


def _padded(array: np.ndarray[Any, Any]) -> bytes:
    return array.tobytes() + b"\0" * (-array.nbytes % 8)


def bits_of(models: int) -> list[int]:
    """Numbers of the models side by side that these bits stand for."""
    return [k for k in range(models.bit_length()) if models >> k & 1]
