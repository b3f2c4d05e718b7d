"""What estimators and models of tables say of their predictions: contributions of columns, and what would be predicted otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._reading import Layout, TableData, options_of_new_rows, source_of
from postrider._rows import plain_rows
from postrider._warnings import warn_of_new_rows
from postrider.explaining import Explanation, explanation_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Explained:
    """A mixin of estimators and of models of tables."""

    _table: _core.TableModelCore | None

    def explain(
        self, X: Any, baseline: Any = None, *, orders: int | None = None, seed: int = 1, **reading: Unpack[Layout]
    ) -> Explanation:
        """How far each column moves the predictions of these rows from a baseline.

        Contributions are Shapley values: the mean, over all orders in which the columns could be changed from the
        baseline's values to the row's, of what each change adds. They add up to the prediction less the baseline.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows as :meth:`predict` takes them; of a table also a path.
        baseline : array-like, data frame or path, default=None
            A row, or several, that predictions are compared with. None: up to 32 of the rows that a table's model keeps, or
            the means of the columns.
        orders : int, default=None
            Pairs of opposite orders that are drawn for each row of the baseline, where there are more orders than these. None: four
            together, or one for each row of the baseline if these are more. More orders tell
            interactions of three and more columns more exactly.
        seed : int
            Of the orders.
        **reading
            Where a table was learned, as of :meth:`TableModel.update`.

        Returns
        -------
        Explanation
        """
        count = _orders_of(orders)
        if self._table is not None or not hasattr(self, "_model"):
            return self._explain_table(X, baseline, count, seed, reading)
        if reading:
            raise TypeError(f"{next(iter(reading))}: is for models of tables")
        return self._explain_rows(X, baseline, count, seed)

    def what_if(self, X: Any, changes: Mapping[Any, Any] | None = None, /, **columns: Any) -> dict[str, NDArray[Any]]:
        """What would be predicted of these rows, had some columns other values.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Rows as :meth:`explain` takes them.
        changes : mapping, optional
            New values by the names of columns, or by their numbers in an array; for names that are no words of Python.
        **columns
            New values by the names of columns.

        Returns
        -------
        dict of numpy arrays
            ``mean`` and ``std``, or ``class`` and ``probabilities``.
        """
        changed = {**(changes or {}), **columns}
        if not changed:
            raise ValueError("changes: must name a column and its new value, such as what_if(X, age=41)")
        if self._table is not None or not hasattr(self, "_model"):
            return self._what_if_of_table(X, changed)
        both: Any = self
        X = _with_values(plain_rows(X), changed, getattr(self, "feature_names_in_", None))
        if hasattr(both, "predict_proba"):
            return {"class": both.predict(X), "probabilities": both.predict_proba(X)}
        mean, std = both.predict(X, return_std=True)
        return {"mean": mean, "std": std}

    # --- tables ----------------------------------------------------------------------------------

    def _explain_table(self, X: TableData, baseline: Any, orders: int, seed: int, reading: Layout) -> Explanation:
        both: Any = self
        table: _core.TableModelCore = both._learned_table()
        compared = None if baseline is None else _one_chunk(table, baseline)
        reader, watch = both._watched(X, options_of_new_rows(reading))
        far_rows = _core.FarRowWatch(table)
        parts, far = [], []
        while (chunk := reader.next()) is not None:
            parts.append(_core.explain_table(table, chunk, compared, orders, seed))
            if far_rows.is_able:
                far.append(far_rows.are_far(chunk).astype(bool))
        if not parts:
            raise ValueError("X has no rows: there is nothing to explain")
        warn_of_new_rows(watch, reader)
        return explanation_of(parts, far=np.concatenate(far) if far else None)

    def _what_if_of_table(self, X: TableData, changes: Mapping[Any, Any]) -> dict[str, NDArray[Any]]:
        both: Any = self
        table: _core.TableModelCore = both._learned_table()
        reader, watch = both._watched(X, options_of_new_rows({}))
        parts = []
        while (chunk := reader.next()) is not None:
            for name, value in changes.items():
                chunk = _core.with_value(chunk, str(name), _cell(value))
            parts.append(table.predict(chunk, [], 0, 1, 0))
        if not parts:
            raise ValueError("X has no rows: there is nothing to predict")
        warn_of_new_rows(watch, reader)
        out = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
        if "class" in out:
            out["class"] = np.asarray(table.classes)[out["class"].astype(np.intp)]
        return out

    # --- arrays and frames -----------------------------------------------------------------------

    def _explain_rows(self, X: Any, baseline: Any, orders: int, seed: int) -> Explanation:
        both: Any = self
        model = both._ready()
        rows = _dense(both._checked_rows(X))
        compared = None if baseline is None else _dense(both._checked_rows(_as_rows(baseline)))
        columns, groups = self._columns_and_groups()
        values = rows.tolist() if both._encoder is None else _values_of_frame(X, columns)
        found = _core.explain(model, rows, compared, orders, seed, groups)
        classes = getattr(self, "classes_", None)
        quantities = None if classes is None else [str(each) for each in classes]
        return explanation_of([found], quantities, columns=columns, values=values)


    def _columns_and_groups(self) -> tuple[list[str], list[list[int]]]:
        """The columns, and the inputs that the networks have of each; of arrays no groups, since each is an input by itself."""
        both: Any = self
        encoder: _core.TableEncoder | None = both._encoder
        if encoder is None:
            return list(both.input_names_), []
        places = list(encoder.places)
        used = list(dict.fromkeys(places))
        return [encoder.columns[place].name for place in used], [[k for k, at in enumerate(places) if at == place] for place in used]


def _orders_of(orders: int | None) -> int:
    if orders is None:
        return 0
    if isinstance(orders, bool) or not isinstance(orders, (int, np.integer)) or orders < 1:
        raise ValueError(f"orders = {orders!r}: must be a whole number of at least 1, or None")
    return int(orders)


def _cell(value: Any) -> str:
    """A value as a file has it; empty if it is missing."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _one_chunk(table: _core.TableModelCore, data: Any) -> _core.Table:
    """Rows to compare with."""
    reader = table.open(source_of(data), options_of_new_rows({}))
    rows = reader.next()
    if rows is None:
        raise ValueError("baseline has no rows: there is nothing to compare with")
    if reader.next() is not None:
        raise ValueError(f"baseline has more than {rows.rows} rows: must be a row, or some that stand for all")
    return rows


def _as_rows(baseline: Any) -> Any:
    """A row by itself as a matrix of one row."""
    if hasattr(baseline, "columns") or np.ndim(baseline) != 1:
        return baseline
    return baseline.to_frame().T if hasattr(baseline, "to_frame") else np.reshape(baseline, (1, -1))


def _dense(rows: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def _values_of_frame(X: Any, columns: list[str]) -> list[list[Any]]:
    """The values of a frame's columns, row by row."""
    import pyarrow as pa

    table = pa.table(source_of(plain_rows(X)))
    lists = [table.column(name).to_pylist() for name in columns]
    return [list(row) for row in zip(*lists, strict=True)]


def _with_values(X: Any, changes: Mapping[Any, Any], names: Any) -> Any:
    """A copy of rows with other values in some columns."""
    if hasattr(X, "assign") and hasattr(X, "columns"):  # pandas
        _expect_columns(changes, list(X.columns))
        return X.assign(**changes)
    if hasattr(X, "__arrow_c_stream__"):
        import pyarrow as pa

        table = pa.table(source_of(X))
        _expect_columns(changes, table.column_names)
        for name, value in changes.items():
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array([value] * table.num_rows))
        return table
    X = np.array(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    for name, value in changes.items():
        place = name
        if isinstance(name, str):
            known = [] if names is None else [str(each) for each in names]
            _expect_columns([name], known or [f"x{k}" for k in range(X.shape[1])])
            place = (known or [f"x{k}" for k in range(X.shape[1])]).index(name)
        if not 0 <= place < X.shape[1]:
            raise ValueError(f"changes = {name!r}: must be a column, from 0 to {X.shape[1] - 1}")
        X[:, place] = np.nan if value is None else value
    return X


def _expect_columns(changes: Any, known: list[Any]) -> None:
    for name in changes:
        if name not in known:
            raise ValueError(f"changes = {name!r}: must be one of the columns {', '.join(str(each) for each in known[:12])}")
