"""How tables are read: what counts as one, the options, and the schema."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict, get_type_hints

import numpy as np

from postrider import _core
from postrider._arrow_batches import batches_of_file, checked_batches
from postrider._core import ColumnSchema

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ArrowStreamable(Protocol):
    """What pyarrow, polars, pandas and duckdb have in common."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


TableData: TypeAlias = "str | os.PathLike[str] | ArrowStreamable"


class Layout(TypedDict, total=False):
    """How a file is laid out, and rows per chunk of any table."""

    format: str
    delimiter: str
    header: bool
    chunk_rows: int
    skip_bad: bool
    weights: str


class Reading(Layout, total=False):
    """What a schema is inferred with, too."""

    classify: bool
    regress: bool
    categorical: Sequence[str]
    numeric: Sequence[str]
    ignored: Sequence[str]
    na: Sequence[str]
    most_categories: int
    sample_rows: int


class Schema(tuple[ColumnSchema, ...]):
    """The columns of a table, in order. Printed, it is a table itself."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("column", "kind", "missing", "categories", "")]
        for column in self:
            kind = f"{column.kind} target" if column.target else column.kind
            missing = "some" if column.has_missing else ""
            categories = ", ".join(column.categories)
            if len(categories) > 36:
                categories = f"{len(column.categories)}: {categories[:32]}..."
            note = f"{column.note} ({column.place})" if column.place else column.note
            rows.append((column.name, kind, missing, categories, note))
        widths = [max(len(row[place]) for row in rows) for place in range(5)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )
        return "\n".join(line.rstrip() for line in lines)


def read_schema(data: TableData, target: str = "", **reading: Unpack[Reading]) -> Schema:
    """What the columns of a table are, judged by its first rows.

    Parameters
    ----------
    data : path or object with ``__arrow_c_stream__``
        A reader of record batches loses its first batches by this.
    target : str, optional
        The column to be predicted.
    **reading
        As of :meth:`TableModel.fit`: ``classify``, ``categorical``, ``numeric``, ``ignored``,
        ``na``, ...

    Returns
    -------
    Schema

    Examples
    --------
    >>> import pyarrow as pa
    >>> import postrider
    >>> table = pa.table({"size": [1.0, 2.5, None], "colour": ["red", "blue", "red"]})
    >>> postrider.read_schema(table)
    column  kind         missing  categories
    size    numeric      some
    colour  categorical           blue, red
    """
    options = options_of(reading, Reading, target)
    return Schema(_core.open_table(source_of(data), options).columns)


def options_of(
    given: Layout | Reading,
    known: type[Layout] | type[Reading],
    target: str = "",
    others: Sequence[str] = (),
    group: str = "",
    time: str = "",
) -> _core.TableOptions:
    """How a table is read; `others` are options that are not of reading, for the message about one that is not known.

    `group` or `time` is the column by which rows belong together.
    """
    names = get_type_hints(known)
    for name in given:
        if name not in names:
            all_names = [each for each in (*others, *names) if each not in ("balanced", "group")]
            near = "".join(f"; did you mean {each}?" for each in difflib.get_close_matches(name, all_names, 1))
            raise TypeError(f"{name} is not an option here: must be one of {', '.join(all_names)}{near}")
    return _core.TableOptions(target=target, group=group, time=time, **given)


def opened(data: TableData, options: _core.TableOptions, group: str, time: str) -> _core.TableReader:
    """A reader of such a table. A column by which rows belong together is named by what asked for it if something is wrong."""
    try:
        return _core.open_table(source_of(data), options)
    except ValueError as error:
        for seen_as, column, name in (("ignored", group, "groups"), ("key", group, "groups"), ("key", time, "time")):
            if column and getattr(error, "field", "") == seen_as and error.value == f'"{column}"':  # type: ignore[attr-defined]
                raise ValueError(name + str(error).removeprefix(seen_as)) from None
        raise


def options_of_new_rows(given: Layout) -> _core.TableOptions:
    """How rows are read that are to be predicted, which may lack columns."""
    options_of(given, Layout)
    return _core.TableOptions(may_lack_columns=True, **given)


def quantiles_of(given: Any, classes: str | None) -> list[float]:
    """Probabilities of quantiles, none where the target, which is named then, has classes."""
    below = [float(quantile) for quantile in np.atleast_1d(given)]
    if classes is not None and below:
        raise ValueError(f"quantiles = {given!r}: are of numbers; {classes} has classes, see probabilities")
    for quantile in below:
        if not 0 < quantile < 1:
            raise ValueError(f"quantiles = {quantile!r}: must be above 0 and below 1")
    return below


def source_of(data: TableData) -> object:
    """A path as a string, which is how the extension tells it from a stream; a frame of pandas without its index; Arrow batches that were checked."""
    if isinstance(data, (str, os.PathLike)):
        return batches_of_file(os.fspath(data)) or os.fspath(data)
    kind = type(data)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return _arrow_of_pandas(data)
    return checked_batches(data)


def _arrow_of_pandas(frame: Any) -> object:
    """The columns alone: pandas itself would add an index that is not the rows' numbers as one more column."""
    import pyarrow as pa
    from pandas import CategoricalDtype
    from pandas.api.types import is_string_dtype

    for name, dtype in frame.dtypes.items():
        if isinstance(dtype, CategoricalDtype) and not is_string_dtype(dtype.categories.dtype):
            labels = [str(label) for label in dtype.categories]
            frame = frame.copy(deep=False)
            frame[name] = frame[name].cat.rename_categories(labels)
    return pa.Table.from_pandas(frame, preserve_index=False)
