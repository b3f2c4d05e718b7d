"""Data frames with columns that are not numbers: categories, texts, dates."""

from __future__ import annotations

from typing import Any

import numpy as np

from postrider import _core
from postrider._files import target_name
from postrider._reading import Reading, options_of, source_of
from postrider._rows import name_of, plain_rows, plain_targets
from postrider._warnings import IgnoredColumnsWarning, tell

# What pandas calls objects that are numbers after all.
_NUMBERS = {"boolean", "decimal", "empty", "floating", "integer", "mixed-integer-float"}


def _is_number_of_pandas(column: Any) -> bool:
    from pandas.api import types

    if types.is_object_dtype(column.dtype):
        return types.infer_dtype(column, skipna=True) in _NUMBERS
    return bool(types.is_numeric_dtype(column.dtype))


def _is_number_of_arrow(kind: Any) -> bool:
    from pyarrow import types

    checks = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(check(kind) for check in checks)


def other_than_numbers(X: Any) -> list[str]:
    """Columns of a frame of pandas or polars, or of a table of Arrow, that are not numbers; anything else has none."""
    kind, name = type(X).__module__.partition(".")[0], type(X).__name__
    if kind == "pandas" and name == "DataFrame":
        return [str(X.columns[place]) for place in range(X.shape[1]) if not _is_number_of_pandas(X.iloc[:, place])]
    if kind == "polars" and name == "DataFrame":
        pairs = zip(X.columns, X.dtypes, strict=True)
        return [column for column, dtype in pairs if not (dtype.is_numeric() or str(dtype) == "Boolean")]
    if kind == "pyarrow" and name == "Table":
        return [field.name for field in X.schema if not _is_number_of_arrow(field.type)]
    return []


def has_other_than_numbers(X: Any) -> bool:
    """Whether X is a frame or a table with a column that is not of numbers."""
    return bool(other_than_numbers(X))


def encoder_for(X: Any) -> _core.TableEncoder:
    """How the columns of a frame become inputs, judged by its rows as a TableModel judges them."""
    reading: Reading = {"sample_rows": max(1, X.shape[0])}
    return _core.TableEncoder(_core.open_table(source_of(X), options_of(reading, Reading)))


def ignored_columns(encoder: _core.TableEncoder | None) -> dict[str, str]:
    """Columns that become no inputs, and why."""
    return {} if encoder is None else {each.name: each.note for each in encoder.columns if each.kind == "ignored"}


def warn_of_ignored(encoder: _core.TableEncoder) -> None:
    """Say which columns are no inputs; mostly there is none."""
    ignored = ignored_columns(encoder)
    if ignored:
        told = "; ".join(f"{name} ({why})" for name, why in ignored.items())
        tell(f"columns that are no inputs: {told}", IgnoredColumnsWarning)


def expect_frame(encoder: _core.TableEncoder, X: Any) -> None:
    """Raise ValueError if X has no columns of other things than numbers."""
    if not hasattr(X, "__arrow_c_stream__"):
        names = ", ".join(column.name for column in encoder.columns[:5])
        raise ValueError(
            f"X is {type(X).__name__}: must be a data frame with the columns that were learned "
            f"({names}{', ...' if len(encoder.columns) > 5 else ''}), since some of them are not numbers"
        )


def encoded(encoder: _core.TableEncoder, X: Any) -> Any:
    """Rows of a frame as numbers."""
    return np.asarray(encoder.encode(encoder.open(source_of(X))))


def with_target(X: Any, y: Any, target: str = "") -> tuple[Any, str]:
    """Rows and what came of them as one table, and the column that says what came: of this name, or as `y` is called."""
    import pyarrow as pa

    X, y = plain_rows(X), plain_targets(y)
    if hasattr(X, "__arrow_c_stream__"):
        table = pa.table(source_of(X))
    else:
        table = pa.table({f"x{place}": column for place, column in enumerate(np.asarray(X, dtype=np.float64).T)})
    name = target or target_name(name_of(y), table.column_names)
    if name in table.column_names:
        table = table.drop_columns(name)
    values = y.to_arrow() if hasattr(y, "to_arrow") else pa.array(y)
    return table.append_column(name, values), name
