"""Arrow streams as blocks of numbers, for estimators with ``partial_fit``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider import _core
from postrider._arrow_batches import checked_batches
from postrider._moved import renamed
from postrider._reading import ArrowStreamable

_BLOCK_ROWS = 65_536
_MISSING_LABEL = 0xFFFFFFFF


class PartiallyFitted(Protocol):
    """An estimator that learns from blocks of rows."""

    def partial_fit(self, X: Any, y: Any, /) -> Any: ...


Estimator = TypeVar("Estimator", bound=PartiallyFitted)


def as_row_batches(
    data: ArrowStreamable,
    target: str | None = None,
    *,
    features: Sequence[str] | None = None,
    rows: int = _BLOCK_ROWS,
) -> Iterator[tuple[NDArray[np.float64], NDArray[Any] | None]]:
    """The rows of an Arrow stream as numpy arrays, block by block.

    Parameters
    ----------
    data : object with ``__arrow_c_stream__``
        Such as a table or a reader of pyarrow, a data frame of polars or a relation of duckdb.
        It is read batch by batch: memory does not grow with the data.
    target : str, optional
        The column to be predicted. Rows in which it is missing are passed over.
    features : sequence of str, optional
        The columns of ``X``, in order; by default all but the target. They are numbers or booleans.
    rows : int
        Rows of a block, wherever the stream's batches end. The last block may have fewer.

    Yields
    ------
    X : float64 array of shape (rows, features)
        Row-major; NaN where a value is missing.
    y : array of shape (rows,) or None
        float64 of floats, int64 of integers and text of everything else; None without a target.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import postrider
    >>> table = pa.table({"a": [1, 2, 3], "b": [0.5, None, 1.5], "y": ["no", "yes", None]})
    >>> for X, y in postrider.as_row_batches(table, "y"):
    ...     print(X.tolist(), y.tolist())
    [[1.0, 0.5], [2.0, nan]] ['no', 'yes']
    """
    reader = _core.ArrowBlockReader(checked_batches(data), list(features or ()), target or "", rows)
    return _blocks(reader, target is not None)


def _blocks(
    reader: _core.ArrowBlockReader, with_target: bool
) -> Iterator[tuple[NDArray[np.float64], NDArray[Any] | None]]:
    while (block := reader.next()) is not None:
        inputs, targets, labels = block
        if not with_target:
            yield inputs, None
            continue
        is_known = labels != _MISSING_LABEL if reader.target_is_text else ~np.isnan(targets)
        if not is_known.all():
            inputs, targets, labels = _kept(is_known, inputs, targets, labels)
        if not len(inputs):
            continue
        if reader.target_is_text:
            yield inputs, np.asarray(reader.classes)[labels]
        else:
            yield inputs, targets.astype(np.int64) if reader.target_is_whole else targets


def _kept(keep: NDArray[np.bool_], *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return tuple(array[keep] if len(array) else array for array in arrays)


def update_stream(
    estimator: Estimator,
    data: ArrowStreamable,
    target: str,
    *,
    features: Sequence[str] | None = None,
    classes: ArrayLike | None = None,
    rows: int = _BLOCK_ROWS,
) -> Estimator:
    """Learn each row of a stream once, with an estimator's ``partial_fit``, in memory that does not grow with it.

    Parameters
    ----------
    estimator : object with ``partial_fit``
        The first block fixes its scales.
    data, target, features, rows
        As of :func:`as_row_batches`.
    classes : array-like, optional
        All classes that will come, for a classifier: the first block may not have them all.

    Returns
    -------
    estimator

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sklearn.linear_model import SGDRegressor
    >>> import postrider
    >>> table = pa.table({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]})
    >>> model = postrider.update_stream(SGDRegressor(random_state=0), table, "y", rows=2)
    >>> model.t_
    5.0
    """
    more: dict[str, Any] = {} if classes is None else {"classes": np.asarray(classes)}
    learn: Any = estimator.partial_fit  # classes are a classifier's only
    seen = False
    for inputs, targets in as_row_batches(data, target, features=features, rows=rows):
        learn(inputs, targets, **more)
        more = {}
        seen = True
    if not seen:
        raise ValueError(f"target = {target!r}: must have a value in at least one row")
    return estimator


def fit_stream(estimator: Estimator, data: ArrowStreamable, target: str, **how: Any) -> Estimator:
    """Deprecated: :func:`update_stream`."""
    renamed("postrider.fit_stream", "postrider.update_stream")
    return update_stream(estimator, data, target, **how)
