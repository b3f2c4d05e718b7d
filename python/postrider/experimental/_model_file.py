"""What a model file says, as arrays and numbers: for exports, which need all that a prediction is made of."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Kinds of encodings are numbers in the file; they do not change.
_ENCODINGS = ("standard", "quantile", "piecewise", "bins", "relevance")
_TYPES: dict[str, Any] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}


@dataclass(frozen=True)
class ColumnEncoding:
    """How one column becomes inputs of the networks."""

    kind: str
    mean: float
    unit: float
    knots: Floats
    ranks: Floats


@dataclass(frozen=True)
class Layer:
    """One layer of all members: moments of weights, of the shape (members, inputs, units), and of biases, (members, 1, units)."""

    mean: Floats
    variance: Floats
    bias_mean: Floats
    bias_variance: Floats
    activation: str
    slope: float


class ModelFile:
    """A file that the library wrote, and has read again without complaint."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes()
        (size,) = struct.unpack("<Q", content[:8])
        header: dict[str, Any] = json.loads(content[8 : 8 + size])
        self.metadata: dict[str, str] = header.pop("__metadata__")
        self._header, self._data = header, memoryview(content)[8 + size :]

    def has(self, name: str) -> bool:
        """Whether the file has an array of this name."""
        return name in self._header

    def array(self, name: str) -> Floats:
        """An array, in double precision."""
        about = self._header[name]
        begin, end = about["data_offsets"]
        values = np.frombuffer(self._data[begin:end], _TYPES[about["dtype"]]).reshape(about["shape"])
        out: Floats = values.astype(np.float64)
        return out

    @property
    def members(self) -> int:
        """How many networks there are."""
        count = 0
        while self.has(f"members.{count}.noise_variance"):
            count += 1
        return count

    @property
    def noise_variance(self) -> Floats:
        """One row for each member."""
        return np.stack([self.array(f"members.{m}.noise_variance") for m in range(self.members)])

    @property
    def layers(self) -> list[Layer]:
        """From the inputs to the outputs."""
        return [self._layer(place) for place in range(int(self.metadata["layers"]))]

    def _layer(self, place: int) -> Layer:
        def moments(member: int) -> tuple[Floats, Floats]:
            tau, rho = (self.array(f"members.{member}.layers.{place}.{name}") for name in ("tau", "rho"))
            return (tau / rho).T, (1 / rho).T

        both = [moments(member) for member in range(self.members)]
        mean, variance = (np.stack([each[which] for each in both]) for which in (0, 1))
        about = {name: self.metadata[f"layers.{place}.{name}"] for name in ("bias", "activation", "slope")}
        last = -1 if about["bias"] == "yes" else mean.shape[1]
        zeros = np.zeros((len(mean), 1, mean.shape[2]))
        biases = (mean[:, last:], variance[:, last:]) if about["bias"] == "yes" else (zeros, zeros)
        return Layer(mean[:, :last], variance[:, :last], *biases, about["activation"], float(about["slope"]))

    @property
    def encodings(self) -> list[ColumnEncoding]:
        """Those of the columns, in order."""
        none = np.array([])
        if not self.has("encoding.kinds"):
            scales = zip(self.array("inputs.mean"), self.array("inputs.deviation"), strict=True)
            return [ColumnEncoding("standard", mean, unit, none, none) for mean, unit in scales]
        each = {name: self.array(f"encoding.{name}") for name in ("kinds", "means", "units", "knot_counts", "knots", "rank_counts", "ranks")}
        knot_ends = np.cumsum(each["knot_counts"]).astype(int)
        rank_ends = np.cumsum(each["rank_counts"]).astype(int)
        knots, ranks = np.split(each["knots"], knot_ends[:-1]), np.split(each["ranks"], rank_ends[:-1])
        return [
            ColumnEncoding(_ENCODINGS[int(kind)], mean, unit, knots[c], ranks[c])
            for c, (kind, mean, unit) in enumerate(zip(each["kinds"], each["means"], each["units"], strict=True))
        ]

    @property
    def encoding_unit(self) -> float:
        """All inputs are multiplied by it."""
        return float(self.array("encoding.unit")[0]) if self.has("encoding.unit") else 1.0
