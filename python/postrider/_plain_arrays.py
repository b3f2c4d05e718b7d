"""Arrays of numpy as what they are: masked cells are missing, and moments are dates."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np


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
