"""Predictions and training inside of DuckDB: a model becomes a function of SQL, and a query's rows are learned.

    pip install postrider[duckdb]

Experimental: the part becomes stable once it predicts in databases that are not ours, and a function of SQL costs no more than twice the time of
the same predictions in Python.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from postrider._estimator import TableFit
from postrider._options import TableModelOptions
from postrider._reading import Layout, options_of, source_of
from postrider.tables import TableModel

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["register", "train"]

_NUMERIC = {"mean": "DOUBLE", "std": "DOUBLE", "low": "DOUBLE", "high": "DOUBLE"}
_CLASSES = {"class": "VARCHAR", "probability": "DOUBLE"}


def register(connection: Any, model: TableModel | str | os.PathLike[str], name: str = "postrider_predict", *, level: float = 0.9) -> None:
    """Make a model a function of SQL, of one row.

    The function finds the model's columns in the row by their names and passes over others. For a numeric target it returns a struct of ``mean``,
    ``std``, ``low`` and ``high``; for classes one of ``class`` and ``probability``. It shows what the model knows when a statement runs: after
    :meth:`TableModel.update` it predicts with what was learned.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    model : TableModel or path of a model file
    name : str, default="postrider_predict"
        Of the function; one of this name that is there is replaced.
    level : float, default=0.9
        The probability with which ``low`` and ``high`` hold a new observation.

    Examples
    --------
    >>> import duckdb
    >>> from postrider.experimental.duckdb import register, train
    >>> connection = duckdb.connect()
    >>> _ = connection.sql("CREATE TABLE houses AS SELECT i AS area, 3.0 * i + i % 5 AS price FROM range(200) t(i)")
    >>> model = train(connection, "SELECT * FROM houses", "price", ensemble_size=1, max_epochs=20)
    >>> register(connection, model, "price_of")
    >>> rows = connection.sql("SELECT area, unnest(price_of(h)) FROM houses h WHERE area = 100").df()
    >>> [str(column) for column in rows.columns]
    ['area', 'mean', 'std', 'low', 'high']
    """
    if not isinstance(model, TableModel):
        model = TableModel.load(model)
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"name = {name!r}: must be a name of letters, digits and underscores")
    if not 0 < level < 1:
        raise ValueError(f"level = {level!r}: must be above 0 and below 1")
    function = _Predictor(model, level)
    kind = connection.struct_type(_CLASSES if model.classifies else _NUMERIC)
    # DuckDB has no way to ask whether there is one.
    if connection.execute("SELECT count(*) FROM duckdb_functions() WHERE function_name = ?", [name.lower()]).fetchall()[0][0] > 0:
        connection.remove_function(name)
    # Without types of parameters, and with any number of arguments, a row comes as the struct that it is.
    connection.create_function(name, lambda *rows: function(*rows), None, kind, type="arrow")


def train(connection: Any, query: str, target: str, *, reading: TableFit | None = None, **options: Unpack[TableModelOptions]) -> TableModel:
    """Learn the rows of a query.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    query : str
        One that returns the target and the columns to learn from.
    target : str
        The name of the column to predict.
    reading : dict, optional
        How the rows are read, by the names that :meth:`TableModel.fit` has for it, such as ``{"weights": "count"}``.
    **options
        Those of :class:`TableModel`.

    Returns
    -------
    TableModel
    """
    return TableModel(**options).fit(_plain(connection.sql(query).to_arrow_table()), target, **(reading or {}))


class _Predictor:
    """Predicts the rows of one call of the function."""

    def __init__(self, model: TableModel, level: float) -> None:
        self._model, self._level = model, level
        self._layout = options_of(Layout(), Layout)

    def __call__(self, *rows: Any) -> Any:
        if len(rows) != 1 or not pa.types.is_struct(rows[0].type):
            raise ValueError("the function takes one row: pass the name of the table, as in f(h) FROM houses h, or a struct")
        struct = rows[0].combine_chunks() if isinstance(rows[0], pa.ChunkedArray) else rows[0]
        if isinstance(struct, pa.ChunkedArray):  # of no chunks
            struct = pa.array([], struct.type)
        names = [field.name for field in struct.type]
        table = _plain(pa.Table.from_arrays(struct.flatten(), names=names))
        core = self._model._learned_table()
        reader = core.open(source_of(table), self._layout)
        parts: dict[str, list[Any]] = {}
        while (chunk := reader.next()) is not None:
            found = core.predict(chunk, [], 0, 0, 0)
            if self._model.classifies:
                best = found["class"].astype(int)
                probabilities = found["probabilities"][range(len(best)), best]
                columns: dict[str, Any] = {"class": [self._model.classes[each] for each in best], "probability": probabilities}
            else:
                bounds = core.intervals(chunk, self._level)
                columns = {"mean": found["mean"], "std": found["std"], "low": bounds[:, 0], "high": bounds[:, 1]}
            for key, values in columns.items():
                parts.setdefault(key, []).append(pa.array(values))
        kinds = {"class": pa.string()}
        wanted = _CLASSES if self._model.classifies else _NUMERIC
        whole = [pa.concat_arrays(parts[key]) if parts else pa.array([], kinds.get(key, pa.float64())) for key in wanted]
        return pa.StructArray.from_arrays(whole, names=list(wanted))


def _plain(table: Any) -> Any:
    """The same table with its decimals as floats: SQL makes decimals of what is written as 3.5."""
    fields = [pa.field(each.name, pa.float64()) if pa.types.is_decimal(each.type) else each for each in table.schema]
    return table.cast(pa.schema(fields))
