"""What estimators and models of tables say of their columns: which matter, how predictions move with them, which act together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._frames import with_target
from postrider._reading import Layout, options_of_new_rows, source_of
from postrider._rows import dense, plain_rows
from postrider._warnings import warn_of_repeated
from postrider.importance import Importance, Interaction, Interactions, PartialDependence

if TYPE_CHECKING:
    from typing_extensions import Unpack

_CURVES = 3  # of another column's values


class Judged:
    """A mixin of estimators and of models of tables."""

    _table: _core.TableModelCore | None
    _importances: NDArray[np.float64] | None = None

    # --- importance ------------------------------------------------------------------------------

    def importance(self, X: Any = None, y: Any = None, *, rows: int = 500, repeats: int = 3, seed: int = 1, **reading: Unpack[Layout]) -> Importance:
        """What predictions lose where the values of one column are those of other rows, so that it tells nothing (permutation importance).

        A column that another one repeats costs little: the model has what it tells from the other.

        Parameters
        ----------
        X : array-like, data frame or path, default=None
            Rows that were not learned, as :meth:`evaluate` takes them. None: up to 512 of the rows that ``fit`` has learned, each
            as networks predicted it that had left it out; a model of a file or of a stream keeps none.
        y : array-like of shape (n_samples,), default=None
            What came, where the data do not say.
        rows : int, default=500
            At most so many of the rows, evenly among them.
        repeats : int, default=3
            Permutations of each column; at least 2.
        seed : int
            Of the permutations.
        **reading
            Of a table, as of :meth:`TableModel.update`.

        Returns
        -------
        Importance
            Columns and the nats per row that are lost, with standard errors.
        """
        if X is None:
            found = self._left_out_importance(repeats, seed)
            if found is None:
                raise ValueError("X = None: this model keeps no rows that networks have left out; give rows with what came")
            return Importance(found, is_out_of_fold=True, classifies=self._is_of_classes())
        core = self._as_table()
        by_rows: Any = _core.importance_by_rows(core, self._rows_of(core, X, y, reading, warns=True), rows, repeats, seed)
        return Importance(by_rows, is_out_of_fold=False, classifies=self._is_of_classes())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What :meth:`importance` tells of each column without rows, in the order of ``feature_names_in_``: nats per row, perhaps a bit below 0.

        Columns that are no inputs have 0. Only after ``fit``: a model of a file or of a stream keeps no rows to tell by.
        """
        if self._importances is None:
            found = self._left_out_importance(repeats=3, seed=1)
            if found is None:
                raise AttributeError("feature_importances_: is there after fit() alone; importance(X, y) tells it of other rows")
            self._importances = self._by_feature(found)
        return self._importances.copy()

    def _left_out_importance(self, repeats: int, seed: int) -> dict[str, Any] | None:
        both: Any = self
        if self._table is not None or not hasattr(self, "_model"):
            of_table: Any = _core.left_out_importance(both._learned_table(), repeats, seed)
            return None if of_table is None else dict(of_table)
        columns, groups = both._columns_and_groups()
        found: Any = _core.left_out_importance(both._ready(), repeats, seed, groups)
        return None if found is None else {**found, "columns": columns}

    def _by_feature(self, found: dict[str, Any]) -> NDArray[np.float64]:
        names = getattr(self, "feature_names_in_", found["columns"])
        known = dict(zip(found["columns"], found["loss"], strict=True))
        return np.array([known.get(str(name), 0.0) for name in names])

    # --- how predictions move --------------------------------------------------------------------

    def partial_dependence(
        self,
        column: Any,
        X: Any = None,
        *,
        by: Any = None,
        class_name: Any = None,
        rows: int = 100,
        points: int = 15,
        **reading: Unpack[Layout],
    ) -> Any:
        """How predictions move with one column, all others as they are in some rows.

        Rows are mixed with values that they may never have, as if columns were independent: where two columns go together,
        some of these rows look like none that was learned.

        Parameters
        ----------
        column : str or int
            A column by its name, or by its number in an array.
        X : array-like, data frame or path, default=None
            Rows without a target, or with it. None: rows that a table's model keeps.
        by : str or int, default=None
            Another column: there is a curve for each of three of its values, low, middle and high, or its most frequent ones.
        class_name : optional
            The class whose probability is meant. None: of two the second, of more the one that is most probable in these rows.
        rows : int, default=100
            At most so many of the rows, evenly among them.
        points : int, default=15
            Values of the column, at most.
        **reading
            Of a table, as of :meth:`TableModel.update`.

        Returns
        -------
        PartialDependence
            Or a list of them, where `by` is given.
        """
        core = self._as_table()
        table = self._rows_of(core, X, None, reading)
        place, of_class = self._column_name(column), "" if class_name is None else str(class_name)
        if by is None:
            return _dependence(core, table, place, of_class, rows, points)
        other = self._column_name(by)
        values = _dependence(core, table, other, of_class, rows, _CURVES).x[:_CURVES]
        return [_dependence(core, table, place, of_class, rows, points, other, value) for value in values]

    def interactions(
        self, X: Any = None, *, class_name: Any = None, rows: int = 128, columns: int = 8, seed: int = 1, **reading: Unpack[Layout]
    ) -> Interactions:
        """Which pairs of columns act together: what one of them does depends on the other.

        Parameters
        ----------
        X, class_name, **reading
            As of :meth:`partial_dependence`.
        rows : int, default=128
            At most so many of the rows, evenly among them.
        columns : int, default=8
            Those that move predictions most; all their pairs are looked at.
        seed : int
            Of which row lends its values to which.

        Returns
        -------
        Interactions
            Pairs, the largest share of what predictions vary by first.
        """
        core = self._as_table()
        of_class = "" if class_name is None else str(class_name)
        found = _core.interactions(core, self._rows_of(core, X, None, reading), of_class, rows, columns, seed)
        return Interactions([Interaction(*pair) for pair in found])

    # --- what both need --------------------------------------------------------------------------

    def _is_of_arrays(self) -> bool:
        both: Any = self
        return self._table is None and hasattr(self, "_model") and both._encoder is None

    def _is_of_classes(self) -> bool:
        return bool(getattr(self, "classifies", hasattr(self, "predict_proba")))

    def _as_table(self) -> _core.TableModelCore:
        """The model of a table, or an estimator of arrays or frames as one."""
        both: Any = self
        if self._table is not None or not hasattr(self, "_model"):
            return both._learned_table()  # type: ignore[no-any-return]
        if not both._has_table():
            raise ValueError("this model has several targets: what is told of columns is of one")
        return _core.TableModelCore.from_bytes(both._ready().to_bytes(both._table_notes()))

    def _rows_of(self, core: _core.TableModelCore, X: Any, y: Any, reading: Any, *, warns: bool = False) -> _core.Table:
        both: Any = self
        if X is None:
            if self._table is None and hasattr(self, "_model"):
                raise ValueError("X = None: a model of arrays keeps no rows; give some")
            return _core.no_rows()
        if self._is_of_arrays():
            if reading:
                raise TypeError(f"{next(iter(reading))}: is for models of tables")
            if y is None:
                return _core.table_of_arrays(core, dense(both._checked_rows(X)), None)
            checked, targets = both._checked_targets(X, y)
            if warns:
                warn_of_repeated(both._learned_warning(X, y))
            return _core.table_of_arrays(core, dense(checked), np.ascontiguousarray(targets, dtype=np.float64).reshape(-1))
        data = plain_rows(X) if y is None else with_target(X, y, core.target)[0]
        reader = core.open(source_of(data), options_of_new_rows(reading))
        watch = _core.watch_rows(core, reader)
        table = _core.whole_table(reader)
        if warns:
            warn_of_repeated(watch.warning)
        return table

    def _column_name(self, column: Any) -> str:
        if isinstance(column, str):
            return column
        both: Any = self
        names = [str(each) for each in getattr(self, "feature_names_in_", both.input_names_ if hasattr(self, "_model") else ())]
        if isinstance(column, bool) or not isinstance(column, (int, np.integer)) or not -len(names) <= column < len(names):
            raise ValueError(f"column = {column!r}: must be a name, or a number below {len(names)}")
        return names[column]


def _dependence(
    core: _core.TableModelCore, table: _core.Table, column: str, of_class: str, rows: int, points: int, by: str | None = None, value: Any = None
) -> PartialDependence:
    found = _core.partial_dependence(core, table, column, of_class, rows, points, by or "", "" if by is None else _cell(value))
    x: NDArray[Any] = np.asarray(found.pop("x"))
    names = found.pop("names")
    kinds = {each.name: each.kind for each in core.columns}
    if names:
        x = np.array(names, dtype=object)
    elif kinds[column] == "date":
        x = (x * 1e6).round().astype("datetime64[us]")
    return PartialDependence(x=x, by=by, value=value, **found)


def _cell(value: Any) -> str:
    """A value as a file has it."""
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[s]")).replace("T", " ")
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
