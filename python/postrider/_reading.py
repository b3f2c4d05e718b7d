"""How tables are read: what counts as one, the options, and the schema."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict, get_type_hints

from postrider import _core
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
        As of :meth:`TableModel.train`: ``classify``, ``categorical``, ``numeric``, ``ignored``,
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
    given: Layout | Reading, known: type[Layout] | type[Reading], target: str = ""
) -> _core.TableOptions:
    names = get_type_hints(known)
    for name in given:
        if name not in names:
            raise TypeError(f"{name} is not an option here: must be one of {', '.join(names)}")
    return _core.TableOptions(target=target, **given)


def source_of(data: TableData) -> object:
    """A path as a string, which is how the extension tells it from a stream."""
    return os.fspath(data) if isinstance(data, (str, os.PathLike)) else data
