"""What a model is given: checked, with the field and the value in each complaint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from postrider._expressions import Array, Known, Linear, shape_of_known


def check_above_zero(name: str, value: float) -> None:
    if not (isinstance(value, (int, float, np.number)) and value > 0 and math.isfinite(value)):
        raise ValueError(f"{name} = {value}: must be a finite number above 0")


def check_choice(label: str, name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{label}: {name} = {value!r}: must be one of {', '.join(map(repr, choices))}")


def either(label: str, first: str, score: Any, second: str, other: Any) -> bool:
    """Whether it is the second that was given: exactly one of both must be."""
    if (score is None) == (other is None):
        raise ValueError(f"{label}: needs either {first} or {second}")
    if hasattr(score, "plate"):  # conjugate unknowns
        raise ValueError(f"{label}: {score!r} is not a {first}: write {second}=")
    return other is not None


def finite_numbers(name: str, values: ArrayLike) -> Array:
    out = np.asarray(values)
    if out.dtype.kind not in "biuf":
        raise ValueError(f"{name}: must be numbers, not {out.dtype}")
    out = out.astype(np.float64)
    if not np.isfinite(out).all():
        raise ValueError(f"{name}: must be finite; leave out rows without an observation")
    return out


def fitting(label: str, y: Array, shape: tuple[int, ...]) -> Array:
    if y.shape != shape and not (y.ndim == 0 and shape == ()):
        raise ValueError(f"{label}: observed has the shape {y.shape}, what it is about {shape}")
    return y


def shape_of(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    out = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(n < 1 for n in out):
        raise ValueError(f"shape = {shape}: must be of at least 1")
    return out


def common_shape(mean: Any, sd: Any) -> tuple[int, ...]:
    shapes = [mean.shape if isinstance(mean, Linear) else () if isinstance(mean, Known) else np.shape(mean)]
    shapes.append(() if isinstance(sd, Known) else np.shape(sd))
    return np.broadcast_shapes(*shapes)


def parameter_of(value: Any, shape: tuple[int, ...], likelihood: str) -> Array:
    out = np.asarray(value, dtype=np.float64)
    if out.ndim == 0:
        return out.reshape(1)
    if out.size and not likelihood.startswith("ordinal"):
        out = np.broadcast_to(out, shape)
    return np.ascontiguousarray(out).ravel()


def matrix_size(name: str, matrix: Any) -> int:
    shape = shape_of_known(matrix)
    if shape == ():
        return 1
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"{name} has the shape {shape}: must be a square matrix")
    return int(shape[0])
