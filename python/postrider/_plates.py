"""A model's factors as plates of numbers, at one setting of its hyperparameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider._core import PlateModel
from postrider._expressions import Array, Linear, Setting, at, hyperparameters_of


@dataclass(frozen=True)
class Plate:
    """A factor of many rows, in terms of known numbers that may depend on hyperparameters."""

    kind: str  # gaussian, block, or likelihood
    z: tuple[Linear, ...]
    numbers: dict[str, Any]
    label: str

    @property
    def has_messages(self) -> bool:
        return self.kind in ("likelihood", "density")

    def hyperparameters(self) -> set[int]:
        found = set()
        for each in (*(x for z in self.z for x in (z.weights, z.constant)), *self.numbers.values()):
            found |= hyperparameters_of(each)
        return found


@dataclass(frozen=True)
class AskedByNodes:
    """A user's log-density, asked with the constants of its combinations added."""

    log_f: Callable[..., Any]
    offsets: list[Array]  # of each edge, a number for each row

    def __call__(self, rows: NDArray[np.uint32], values: Array) -> Array:
        arguments = [
            values[:, :, e] + offset[rows][:, None] for e, offset in enumerate(self.offsets)
        ]
        out = np.asarray(self.log_f(rows[:, None].astype(np.int64), *arguments), dtype=np.float64)
        return np.ascontiguousarray(np.broadcast_to(out, values.shape[:2]))


def add_plate(core: PlateModel, plate: Plate, setting: Setting) -> int:
    """Adds a plate's rows at these hyperparameters; returns its number."""
    try:
        return _add_plate(core, plate, setting)
    except ValueError as error:
        raise ValueError(f"{plate.label}: {error}") from None


def _add_plate(core: PlateModel, plate: Plate, setting: Setting) -> int:
    if plate.kind == "gaussian":
        z = plate.z[0]
        weights, targets, sd = gaussian_numbers(plate, setting)
        return core.add_gaussian(z.variables.ravel(), weights, z.width, targets, sd)
    if plate.kind == "block":
        z = plate.z[0]
        return core.add_block(z.variables.ravel(), z.width, *block_numbers(plate, setting))
    variables, weights, width = _joined(plate.z)
    if plate.kind == "density":
        return core.add_density(
            plate.numbers["log_f"], len(plate.z), variables, weights, width, plate.numbers["log_concave"]
        )
    numbers = plate.numbers
    offsets = np.stack([np.asarray(z.constant, dtype=np.float64) for z in plate.z], axis=1).ravel()
    return core.add_likelihood(
        numbers["likelihood"], variables, weights, width, numbers["y"], numbers["first"], numbers["second"],
        offsets,
    )


def gaussian_numbers(plate: Plate, setting: Setting) -> tuple[Array, Array, Array]:
    """Weights, targets and deviations of a plate's rows."""
    z, numbers = plate.z[0], plate.numbers
    weights = np.ascontiguousarray(at(z.weights, setting), dtype=np.float64)
    targets = np.ascontiguousarray(numbers["targets"] - at(z.constant, setting))
    sd = np.asarray(at(numbers["sd"], setting), dtype=np.float64)
    sd = sd.reshape(1) if sd.ndim == 0 else np.ascontiguousarray(np.broadcast_to(sd, z.shape).ravel())
    return weights, targets, sd


def block_numbers(plate: Plate, setting: Setting) -> tuple[Array, Array, Array]:
    """Precision, mean and log-scale of a plate's rows."""
    numbers = plate.numbers
    precision = np.ascontiguousarray(at(numbers["precision"], setting)).ravel()
    mean = np.ascontiguousarray(at(numbers["mean"], setting)).ravel()
    return precision, mean, np.array([at(numbers["log_scale"], setting)])


def _joined(z: tuple[Linear, ...]) -> tuple[NDArray[np.uint32], Array, int]:
    """The combinations of several edges over the variables of all of them."""
    if len(z) == 1:
        one = z[0]
        return one.variables.ravel(), np.ascontiguousarray(one.weights), one.width
    variables = np.concatenate([each.of_each_row() for each in z], axis=1)
    rows, width = variables.shape
    weights = np.zeros((rows, len(z), width))
    first = 0
    for e, each in enumerate(z):
        weights[:, e, first : first + each.width] = each.weights
        first += each.width
    return np.ascontiguousarray(variables).ravel(), weights.ravel(), width


# --- blocks ------------------------------------------------------------------------------------------


def _square(matrix: Any, size: int) -> Array:
    out = np.asarray(matrix, dtype=np.float64)
    if out.ndim == 0:
        return out * np.eye(size)
    if out.shape != (size, size):
        raise ValueError(f"a matrix has the shape {out.shape}: must be {size} x {size}")
    return out


def _cholesky(covariance: Any, size: int) -> Array:
    try:
        return np.asarray(np.linalg.cholesky(_square(covariance, size)), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise ValueError("covariance: must be positive definite; add a little to its diagonal") from None


def inverse_of(covariance: Any, size: int) -> Array:
    root = np.linalg.inv(_cholesky(covariance, size))
    return np.asarray(root.T @ root)


def log_scale_of(covariance: Any, size: int) -> float:
    return float(-0.5 * size * math.log(2 * math.pi) - np.log(np.diag(_cholesky(covariance, size))).sum())


def vector_of(mean: Any, size: int) -> Array:
    return np.broadcast_to(np.asarray(mean, dtype=np.float64), (size,))


def step_precision(transition: Any, covariance: Any, size: int) -> Array:
    """The precision of (x[t - 1], x[t]): of the rows (-F, I), each by that of the noise."""
    rows = np.concatenate([-_square(transition, size), np.eye(size)], axis=1)
    half = np.linalg.inv(_cholesky(covariance, size)) @ rows
    return np.asarray(half.T @ half)
