"""What stands between the user's arrays and the library's numbers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from postrider import _core
from postrider._core import Gaussian, Record
from postrider.factor import Factor, make_factor
from postrider.gaussian import GaussianArray


@dataclass(frozen=True)
class FactorNode:
    """A factor of a graph, or all rows of a plate.

    Attributes
    ----------
    name : str
        Of the factor.
    first : int
        Number of the factor, or of the first row's.
    rows : int or None
        None for a single factor.
    plates : int
        As many as rows where each row has parameters of its own; else 1.
    """

    name: str
    first: int
    rows: int | None
    _factor: _core.Factor
    plates: int = 1

    def _firsts(self) -> range:
        """One factor of each plate."""
        return range(self.first, self.first + self.plates)

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f" with {self.rows} rows"
        return f"<{self.name}[{self.first}]{rows}>"


def numbers_of(variables: ArrayLike) -> NDArray[np.uint32]:
    """Numbers of variables, flat, as the library wants them."""
    given = np.asarray(variables)
    if given.size == 0:
        return np.empty(0, dtype=np.uint32)
    if given.dtype.kind not in "iu":
        raise TypeError(
            f"variables of type {given.dtype}: must be numbers that add_variable or add_variables "
            "returned"
        )
    outside = (given < 0) | (given > np.iinfo(np.uint32).max)
    if outside.any():
        raise ValueError(f"variable = {given[outside].flat[0]}: is not a variable of this graph")
    return np.ascontiguousarray(given, dtype=np.uint32).reshape(-1)


def native_factor(factor: Factor | str, parameters: dict[str, ArrayLike]) -> _core.Factor:
    if isinstance(factor, str):
        return make_factor(factor, **parameters)._native()
    if not isinstance(factor, Factor):
        raise TypeError(f"factor = {factor!r}: must be a Factor or the name of one")
    if parameters:
        raise TypeError(
            f"parameters {', '.join(parameters)}: only a factor given by name takes parameters"
        )
    return factor._native()


def parameters_by_row(
    factor: Factor | str, parameters: dict[str, ArrayLike], rows: int
) -> dict[str, NDArray[np.float64]] | None:
    """Parameters as arrays of shape (rows, k), if one of them differs from row to row; else None."""
    if not isinstance(factor, str):
        return None
    given = {name: np.asarray(value, dtype=np.float64) for name, value in parameters.items()}
    if all(value.ndim < 2 for value in given.values()):
        try:
            native_factor(factor, parameters)
        except ValueError:
            # As many numbers as rows, for a parameter that is one number?
            if all(value.shape != (rows,) for value in given.values()):
                raise
            given = {name: value[:, None] if value.shape == (rows,) else value for name, value in given.items()}
        else:
            return None
    out = {}
    for name, value in given.items():
        if value.ndim > 2 or (value.ndim == 2 and len(value) != rows):
            raise ValueError(f"{factor}.{name} of shape {value.shape}: must have {rows} rows, as the variables")
        of_rows = value if value.ndim == 2 else np.broadcast_to(value, (rows, *np.atleast_1d(value).shape))
        out[name] = np.ascontiguousarray(of_rows)
    return out


def spread(field: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    given = np.asarray(values, dtype=np.float64)
    try:
        spread = np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(
            f"{field} of shape {given.shape}: must fit the variables' shape {shape}"
        ) from None
    return np.ascontiguousarray(spread).reshape(-1)


def shaped(
    tau: NDArray[np.float64], rho: NDArray[np.float64], shape: tuple[int, ...]
) -> Gaussian | GaussianArray:
    array = GaussianArray(tau, rho)
    if shape == ():
        return array[0]
    return GaussianArray(tau.reshape(shape), rho.reshape(shape))


def warn_unconverged(schedule: str, limit: int, tolerance: float, record: Record) -> None:
    """To the caller of the method that calls this."""
    last = f", and the last change was {record.change[-1]:.2g}" if record.change else ""
    warnings.warn(
        f"{schedule}: not converged within limit={limit}{last}, tolerance={tolerance}; "
        "more passes (limit) or damping may help",
        ConvergenceWarning,
        stacklevel=3,
    )
