"""Rows and targets as the library takes them: checked arrays, sparse matrices, weights, groups, and how learned rows are known again."""

from __future__ import annotations

import importlib.util
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_sample_weight

from postrider import _core

Floats = NDArray[np.float64]
Sample: TypeAlias = "list[tuple[int, int]]"

_MOST_COLUMNS = 500  # those behind them are not looked at where rows are known again; nor are they in models of tables

# --- arrays of numpy as what they are ----------------------------------------------------------------


def plain_rows(X: Any) -> Any:
    """Rows whose masked cells are NaN; moments (``datetime64``) become a table with a column of dates each. Other data as they are."""
    if isinstance(X, np.ma.MaskedArray):
        if X.dtype.kind not in "biufM":
            raise ValueError(f"X is a masked array of {X.dtype}: must be of numbers or moments; a data frame may hold texts")
        is_moments = X.dtype.kind == "M"
        X = np.ma.filled(X if is_moments else X.astype(np.float64), np.datetime64("NaT") if is_moments else np.nan)
    if isinstance(X, np.ndarray) and X.dtype.kind == "M":
        return _table_of_moments(X)
    return X


def plain_targets(y: Any, name: str = "y") -> Any:
    """Targets without a mask. Raises ValueError if one is masked: there is nothing to learn in its row."""
    if not isinstance(y, np.ma.MaskedArray):
        return y
    masked = int(np.count_nonzero(np.ma.getmaskarray(y)))
    if masked:
        raise ValueError(f"{name} is masked in {masked} of {y.size} places: leave these rows out")
    return y.data


def _table_of_moments(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions: must have 2, rows and columns")
    if importlib.util.find_spec("pyarrow") is None:
        raise ValueError(f"X is {X.dtype}: install pyarrow, or pass a data frame, so that its columns are read as dates")
    import pyarrow as pa

    moments = X.astype("datetime64[us]")
    return pa.table({f"x{place}": pa.array(moments[:, place]) for place in range(X.shape[1])})


def name_of(y: Any) -> str:
    """The name of a pandas or polars series; else y."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else "y"


# --- checked rows ------------------------------------------------------------------------------------


def core_rows(X: Any) -> Any:
    """Checked rows as the library takes them: an array as it is, a sparse matrix without its zeros."""
    if not sparse.issparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return _core.SparseMatrix(
        X.shape[1],
        X.indptr.astype(np.uint64),
        X.indices.astype(np.uint32),
        np.ascontiguousarray(X.data, dtype=np.float64),
    )


def dense(X: Any) -> Floats:
    """All rows as one array: what shards need."""
    rows: Floats = X.toarray() if sparse.issparse(X) else X
    return rows


def bytes_of_rows(X: Any) -> int:
    """Bytes that checked rows take."""
    return int(X.data.nbytes + X.indices.nbytes) if sparse.issparse(X) else int(X.nbytes)


def checked_weights(sample_weight: Any, X: Any) -> Floats | None:
    """Weights of the rows, or None if all count once."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    return np.ascontiguousarray(weights)


# --- groups ------------------------------------------------------------------------------------------


def group_numbers(groups: Any, rows: int | None = None) -> NDArray[np.uint32] | None:
    """A number for each row, the same for rows of one group; None if none are named. How many rows there are may be unknown."""
    if groups is None:
        return None
    names = column_or_1d(groups)
    if rows is not None and len(names) != rows:
        raise ValueError(f"groups has {len(names)} values: must be one for each of the {rows} rows")
    return np.unique(names, return_inverse=True)[1].astype(np.uint32)


def groups_of_table(groups: Any, time: str | None) -> dict[str, Any]:
    """The same as the library takes it of a table, which a text names a column of; or a column of times."""
    if groups is not None and time is not None:
        raise ValueError(f"time = {time!r}: does not go with groups; ask for one of both")
    named = isinstance(groups, str)
    return {"groups": None if named else group_numbers(groups), "group": groups if named else "", "time": time or ""}


# --- whether rows were learned: a few of them are kept, by their hashes --------------------------------


def _numbers(X: Any) -> Floats:
    """The first columns; of a sparse matrix, which is never made dense, sums of each row that tell rows apart."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X[:, :_MOST_COLUMNS], dtype=np.float64)
    weights = np.sin(np.outer(np.arange(1, X.shape[1] + 1), [1.0, 2**0.5, 3**0.5]))
    return np.ascontiguousarray(X @ weights)


def _columns(targets: Any) -> Floats:
    return np.ascontiguousarray(np.asarray(targets, dtype=np.float64).reshape(len(targets), -1))


def sample_of(X: Any, targets: Any) -> Sample:
    """A few of the rows that are learned: hashes, and how often each came."""
    return _core.sample_rows(_numbers(X), _columns(targets))


def warning_of(sample: Sample | None, X: Any, targets: Any) -> str:
    """What figures of these rows are worth, if rows of the sample are among them; else nothing."""
    return _core.repeated_warning(sample, _numbers(X), _columns(targets)) if sample else ""


def learned_warning(model: Any, X: Any, y: Any) -> str:
    """The same of whatever predicts; nothing where it keeps no rows."""
    look = getattr(model, "_learned_warning", None)
    return "" if look is None or X is None else str(look(X, y))
