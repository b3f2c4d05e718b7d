"""Rows of one shard, as whoever holds them finds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _get_feature_names

from postrider._arrow_batches import checked_batches
from postrider._frames import other_than_numbers
from postrider._rows import dense, plain_rows, plain_targets

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
        """X, y and weights, which may be None; masked cells are missing, as where rows are in one place."""
        X, y, weights = self._found()
        return _numbers(X), plain_targets(y), weights

    def _found(self) -> tuple[Any, Any, Any]:
        found = self.source() if callable(self.source) else self.source
        if isinstance(found, str) or hasattr(found, "__fspath__"):
            found = _read_parquet(found)
        if self.target is not None:
            frame = found[0] if isinstance(found, tuple) else found
            if isinstance(found, tuple) and len(found) > 1:
                raise TypeError(
                    f"target = {self.target!r}: is for parts that are frames; (X, y) and (X, y, weights) "
                    "have their targets already"
                )
            return frame.drop(columns=[self.target]), frame[self.target], None
        if not isinstance(found, tuple) or len(found) not in (2, 3):
            raise TypeError(
                f"part = {type(found).__name__}: must be (X, y), (X, y, weights), the path of a Parquet "
                "file with target=..., or a callable that returns one of these"
            )
        return (*found, None) if len(found) == 2 else _counted(*found)


def _numbers(X: Any) -> Any:
    """What a date, a text or a category becomes depends on all rows, which no part has: as numbers they would be something else."""
    X = plain_rows(X)
    others = other_than_numbers(X)
    if not others:
        return X
    names = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
    raise ValueError(
        f"X has columns that are not numbers: {names}; parts must be of numbers. Dates may come as days since one of them, "
        "categories as columns of 0 and 1; or fit where all rows are in one place"
    )


def expect_target_alone(y: Any, weights: Any) -> None:
    """Nothing that was given is left out silently."""
    if y is not None:
        raise TypeError("y: must be None where target names a column of X")
    if weights is not None:
        raise TypeError(
            "sample_weight: cannot go with target; give X, y and sample_weight, or parts (X, y, weights)"
        )


def _counted(X: Any, y: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Without rows of weight 0, which count as none."""
    if weights is None:
        return X, y, None
    own = np.asarray(weights, dtype=np.float64)
    if own.shape != np.shape(y)[:1] or not np.all(own >= 0):
        raise ValueError(
            f"weights have shape {own.shape}: must be one number of at least 0 for each row"
        )
    if np.all(own > 0):
        return X, y, own
    kept = np.flatnonzero(own)
    return _safe_indexing(X, kept), _safe_indexing(y, kept), own[kept]


def _read_parquet(path: Any) -> Any:
    import pyarrow.parquet  # noqa: PLC0415  (only where files are read)

    return checked_batches(pyarrow.parquet.read_table(path)).to_pandas()


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
    out = np.ascontiguousarray(np.asarray(dense(X), dtype=np.float64))
    if out.ndim != 2:
        raise ValueError(f"X has {out.ndim} dimensions: a part must have rows and columns")
    if np.isinf(out).any():
        raise ValueError("X has infinite values: must be finite, or NaN where a value is missing")
    return out


def facts_of(X: Any, y: Any, is_classifier: bool) -> PartFacts:
    """The facts of one part."""
    shape = np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"X has {len(shape)} dimensions: a part must have rows and columns")
    targets = np.asarray(y)
    if targets.ndim == 0 or len(targets) != shape[0]:
        raise ValueError(
            f"X has {shape[0]} rows: y has shape {targets.shape}, and must have as many"
        )
    if is_classifier:
        check_classification_targets(targets)
        targets = column_or_1d(targets)
    elif not np.isfinite(targets.astype(np.float64)).all():
        raise ValueError("y has values that are not finite: all must be")
    names = _get_feature_names(X)
    return PartFacts(
        rows=shape[0],
        columns=shape[1],
        names=None if names is None else list(names),
        outputs=1 if targets.ndim == 1 else targets.shape[1],
        is_flat=targets.ndim == 1,
        labels=np.unique(targets) if is_classifier else None,
    )
