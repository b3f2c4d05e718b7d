"""Whether rows were learned: a few of them are kept, by their hashes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from postrider import _core

Sample: TypeAlias = "list[tuple[int, int]]"

_MOST_COLUMNS = 500  # those behind them are not looked at; nor are they in models of tables


def _numbers(X: Any) -> NDArray[np.float64]:
    """The first columns; of a sparse matrix, which is never made dense, sums of each row that tell rows apart."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X[:, :_MOST_COLUMNS], dtype=np.float64)
    weights = np.sin(np.outer(np.arange(1, X.shape[1] + 1), [1.0, 2**0.5, 3**0.5]))
    return np.ascontiguousarray(X @ weights)


def _columns(targets: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(np.asarray(targets, dtype=np.float64).reshape(len(targets), -1))


def sample_of(X: Any, targets: Any) -> Sample:
    """A few of the rows that are learned: hashes, and how often each came."""
    return _core.sample_rows(_numbers(X), _columns(targets))


def warning_of(sample: Sample, X: Any, targets: Any) -> str:
    """What figures of these rows are worth, if rows of the sample are among them; else nothing."""
    return _core.repeated_warning(sample, _numbers(X), _columns(targets))


def learned_warning(model: Any, X: Any, y: Any) -> str:
    """The same of whatever predicts; nothing where it keeps no rows."""
    look = getattr(model, "_learned_warning", None)
    return "" if look is None or X is None else str(look(X, y))
