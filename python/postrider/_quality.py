"""What pictures need of data as people have them: a column of a frame or an array, and what came."""

from __future__ import annotations

import os
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider._rows import name_of

Floats = NDArray[np.float64]

_CHANCE_BAND = 0.95


def wilson(share: Floats, count: NDArray[Any]) -> tuple[Floats, Floats]:
    """Wilson's interval of a share: it stays between 0 and 1 where few were counted."""
    z2 = NormalDist().inv_cdf((1 + _CHANCE_BAND) / 2) ** 2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    reach = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return middle - reach, middle + reach


def is_frame(X: Any) -> bool:
    """Whether columns have names and kinds of their own."""
    return hasattr(X, "__arrow_c_stream__")


def column_names(X: Any) -> list[str]:
    """The names of a frame's columns; those of an array are x0, x1, ..."""
    if hasattr(X, "column_names"):  # of Arrow
        return list(X.column_names)
    if is_frame(X) and hasattr(X, "columns"):
        return [str(each) for each in X.columns]
    if is_frame(X):
        raise ValueError(f"X is {type(X).__name__}: must be a frame or a table that can be read more than once")
    return [f"x{k}" for k in range(np.shape(X)[1] if np.ndim(X) > 1 else 1)]


def _place_of(field: str, X: Any, name: Any) -> int:
    known = column_names(X)
    if isinstance(name, str):
        if name not in known:
            raise ValueError(f"{field} = {name!r}: must be one of the columns {', '.join(known[:12])}")
        return known.index(name)
    if not 0 <= name < len(known):
        raise ValueError(f"{field} = {name!r}: must be below the number, {len(known)}")
    return int(name)


def _column(X: Any, place: int) -> NDArray[Any]:
    if hasattr(X, "iloc"):
        return np.asarray(X.iloc[:, place])
    if is_frame(X):
        return np.asarray(X[column_names(X)[place]].to_numpy())
    return np.asarray(X).reshape(len(X), -1)[:, place]


def column_of(X: Any, name: Any, rows: int) -> NDArray[Any]:
    """A column of a frame, a table or an array by its name or number, or values that are given, one for each row."""
    if not isinstance(name, (str, int, np.integer)):
        values = np.asarray(name)
        if values.shape != (rows,):
            raise ValueError(f"group has {values.size} values: must be one for each of the {rows} rows")
        return values
    if isinstance(X, (str, os.PathLike)):
        raise ValueError(f"group = {name!r}: X is the path of a file; give the table itself, or a value for each row")
    return _column(X, _place_of("group", X, name))


def number_column(X: Any, feature: Any) -> Floats:
    """A column as numbers."""
    try:
        return _column(X, _place_of("feature", X, feature)).astype(np.float64)
    except (TypeError, ValueError) as error:
        if "feature" in str(error):
            raise
        raise ValueError(f"feature = {feature!r}: must be a column of numbers") from error


def moved_rows(X: Any, feature: Any, at: Floats) -> Any:
    """As many rows as values, which one column has, the others at their medians, or at their most frequent texts."""
    moved = _place_of("feature", X, feature)
    names = column_names(X)
    columns: dict[str, Any] = {name: at if place == moved else [_middle(_column(X, place))] * len(at) for place, name in enumerate(names)}
    if hasattr(X, "iloc"):
        import pandas

        return pandas.DataFrame({X.columns[place]: columns[name] for place, name in enumerate(names)})
    if is_frame(X):
        import pyarrow as pa

        return pa.table(columns)
    grid = np.column_stack([columns[name] for name in names])
    return grid if np.ndim(X) > 1 else grid.reshape(-1, 1)


def _middle(values: NDArray[Any]) -> Any:
    if values.dtype.kind in "fiub":
        return float(np.nanmedian(values.astype(np.float64)))
    known = [each for each in values.tolist() if each is not None and each == each]
    if not known:
        return None
    return max(dict.fromkeys(known), key=known.count) if values.dtype.kind != "M" else values[~np.isnat(values)][0]


def quantiles_of(model: Any, X: Any, probabilities: list[float]) -> Floats | None:
    """Quantiles of each row; None of a model that knows means and standard deviations alone."""
    if hasattr(model, "predict_quantiles"):
        found = model.predict_quantiles(X, quantiles=probabilities)
    elif hasattr(model, "predict_batches"):  # a model of a table has one method for all that it predicts
        found = model.predict(X, quantiles=probabilities, return_std=False)
    else:
        return None
    return np.asarray(found).reshape(-1, len(probabilities))


def labels_or_numbers(model: Any, X: Any, y: ArrayLike | None) -> NDArray[Any]:
    """What came: as given, or from the column of the table that is the target."""
    if y is not None:
        seen = np.asarray(y).reshape(-1)
    else:
        target = name_of_target(model, None)
        if not hasattr(X, "__arrow_c_stream__") or target == "y" and not hasattr(model, "_table"):
            raise ValueError("y = None: what came must be given, or X be a table that has it")
        seen = column_of(X, target, 0)
    if len(seen) == 0:
        raise ValueError("y = []: needs at least one row")
    return seen


def name_of_target(model: Any, y: Any) -> str:
    """What the target is called."""
    named = getattr(model, "target", None) if getattr(model, "_table", None) is not None and hasattr(type(model), "target") else None
    return str(named or getattr(model, "_target", None) or (name_of(y) if y is not None else "y"))
