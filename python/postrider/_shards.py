"""Rows of one shard, as whoever holds them finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass
class Part:
    """Inputs, targets and weights of some rows, or how to get them.

    `source` is a pair or triple (X, y[, weights]) of arrays or frames, the path of a Parquet file, or a
    callable that returns one of these. With a `target`, X is a frame that holds y in this column.
    """

    source: Any
    target: str | None = None

    def load(self) -> tuple[Any, Any, Any]:
        """X, y and weights, which may be None."""
        found = self.source() if callable(self.source) else self.source
        if isinstance(found, str) or hasattr(found, "__fspath__"):
            found = _read_parquet(found)
        if self.target is not None:
            frame = found[0] if isinstance(found, tuple) else found
            return frame.drop(columns=[self.target]), frame[self.target], None
        if not isinstance(found, tuple) or len(found) not in (2, 3):
            raise TypeError(
                f"part = {type(found).__name__}: must be (X, y), (X, y, weights), the path of a Parquet "
                "file with target=..., or a callable that returns one of these"
            )
        return (*found, None) if len(found) == 2 else found


def _read_parquet(path: Any) -> Any:
    import pyarrow.parquet  # noqa: PLC0415  (only where files are read)

    return pyarrow.parquet.read_table(path).to_pandas()


@dataclass
class PartFacts:
    """What must be known of all parts before there is a model."""

    rows: int
    columns: int
    names: list[str] | None
    outputs: int
    is_flat: bool
    labels: NDArray[Any] | None


def inputs_of(X: Any) -> Floats:
    """Doubles in C order, NaN where a value is missing."""
    out = np.ascontiguousarray(np.asarray(X, dtype=np.float64))
    if out.ndim != 2:
        raise ValueError(f"X has {out.ndim} dimensions: a part must have rows and columns")
    return out


def facts_of(X: Any, y: Any, is_classifier: bool) -> PartFacts:
    """Of one part."""
    columns = getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    targets = np.asarray(y)
    return PartFacts(
        rows=len(targets),
        columns=np.asarray(X).shape[1],
        names=names,
        outputs=1 if targets.ndim == 1 else targets.shape[1],
        is_flat=targets.ndim == 1,
        labels=np.unique(targets) if is_classifier else None,
    )


Load = Callable[[], tuple[Any, Any, Any]]
