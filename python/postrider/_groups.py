"""Rows that belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d


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
