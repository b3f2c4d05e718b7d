"""What models are written with: linear combinations of unknown numbers, and numbers that depend on hyperparameters."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# The value of each hyperparameter, by its number.
Setting = Mapping[int, float]


class Known:
    """A number, or an array of numbers, that is known once the hyperparameters are.

    Arithmetic with numbers and arrays, `exp()` and `log()` give the same.
    """

    __array_ufunc__ = None  # numpy leaves arithmetic to us

    def __init__(self, function: Callable[..., Any], *operands: Any) -> None:
        self._function, self._operands = function, operands

    def at(self, setting: Setting) -> Any:
        """The value for these hyperparameters."""
        return self._function(*(at(operand, setting) for operand in self._operands))

    def hyperparameters(self) -> set[int]:
        return set().union(*(hyperparameters_of(operand) for operand in self._operands))

    def exp(self) -> Known:
        return Known(np.exp, self)

    def log(self) -> Known:
        return Known(np.log, self)

    def sqrt(self) -> Known:
        return Known(np.sqrt, self)

    def logit(self) -> Known:
        """log(x/(1 - x)) of a probability x: the score that has it."""
        return Known(_logit, self)

    def __add__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Linear) else Known(operator.add, self, other)

    def __radd__(self, other: Any) -> Known:
        return Known(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Linear) else Known(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Known:
        return Known(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Linear) else Known(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Known:
        return Known(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Known:
        return Known(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Known:
        return Known(operator.truediv, other, self)

    def __pow__(self, other: Any) -> Known:
        return Known(operator.pow, self, other)

    def __neg__(self) -> Known:
        return Known(operator.neg, self)

    def __getitem__(self, key: Any) -> Known:
        return Known(operator.getitem, self, key)


class Hyperparameter(Known):
    """A number that is held at nodes while the rest of the model is inferred; made by a `Model`."""

    def __init__(self, number: int, name: str) -> None:
        super().__init__(_itself)
        self.number, self.name = number, name

    def at(self, setting: Setting) -> float:
        return setting[self.number]

    def hyperparameters(self) -> set[int]:
        return {self.number}

    def __repr__(self) -> str:
        return f"<hyperparameter {self.name}>"


def _logit(p: Any) -> Any:
    return np.log(p) - np.log1p(-p)


def _itself(value: Any) -> Any:
    return value


def at(value: Any, setting: Setting) -> Any:
    """Known values at these hyperparameters; all else as it is."""
    return value.at(setting) if isinstance(value, Known) else value


def hyperparameters_of(value: Any) -> set[int]:
    return value.hyperparameters() if isinstance(value, Known) else set()


class Linear:
    """Linear combinations of unknown numbers, in the shape of an array: what a model's factors are about.

    `+`, `-`, products with known numbers, `X @ w`, `sum()`, indexing and `reshape` give the same; the product of two of them
    can be the mean of what was observed.
    """

    __array_ufunc__ = None

    def __init__(
        self, variables: NDArray[np.uint32], weights: Any, constant: Any, shape: tuple[int, ...]
    ) -> None:
        # Row r is constant[r] + sum_k weights[r, k] x[variables[r, k]]; `variables` of one dimension are those of all rows.
        self.variables, self.weights, self.constant, self.shape = variables, weights, constant, shape

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def width(self) -> int:
        return int(self.variables.shape[-1])

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        # To numpy it is one thing, not a sequence: sparse matrices then leave `X @ w` to us.
        out = np.empty((), dtype=object)
        out[()] = self
        return out

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single unknown number has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{self.size} linear combinations of shape {self.shape}>"

    def of_each_row(self) -> NDArray[np.uint32]:
        """The variables of each row, also where they are the same."""
        if self.variables.ndim == 2:
            return self.variables
        return np.broadcast_to(self.variables, (self.size, self.width))

    def _taken(self, places: NDArray[np.int64]) -> Linear:
        rows = places.ravel()
        variables = self.variables if self.variables.ndim == 1 else self.variables[rows]
        return Linear(variables, _taken(self.weights, rows), _taken(self.constant, rows), places.shape)

    def __getitem__(self, key: Any) -> Linear:
        return self._taken(np.asarray(np.arange(self.size).reshape(self.shape)[key]))

    def reshape(self, *shape: int) -> Linear:
        return self._taken(np.arange(self.size).reshape(*shape))

    @property
    def T(self) -> Linear:  # noqa: N802
        return self._taken(np.arange(self.size).reshape(self.shape).T)

    def _spread(self, shape: tuple[int, ...]) -> Linear:
        """The same combinations, repeated as numpy repeats arrays."""
        if shape == self.shape:
            return self
        return self._taken(np.broadcast_to(np.arange(self.size).reshape(self.shape), shape))

    def __add__(self, other: Any) -> Linear:
        if isinstance(other, Linear):
            return _sum_of(self, other)
        if isinstance(other, Product):
            return NotImplemented
        other = as_given(other)
        shape = np.broadcast_shapes(self.shape, shape_of_known(other))
        here = self._spread(shape)
        return Linear(here.variables, here.weights, _add(here.constant, _flat(other, shape)), shape)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        return Product(self, other) if isinstance(other, Linear) else self._scaled(other)

    def _scaled(self, other: Any) -> Linear:
        other = as_given(other)
        shape = np.broadcast_shapes(self.shape, shape_of_known(other))
        here, factor = self._spread(shape), _flat(other, shape)
        return Linear(
            here.variables,
            _multiply(here.weights, _as_column(factor)),
            _multiply(here.constant, factor),
            shape,
        )

    __rmul__ = __mul__

    def __neg__(self) -> Linear:
        return self._scaled(-1.0)

    def __sub__(self, other: Any) -> Linear:
        return self.__add__(-as_given(other))

    def __rsub__(self, other: Any) -> Linear:
        return (-self).__add__(other)

    def __truediv__(self, other: Any) -> Linear:
        return self._scaled(1.0 / as_given(other))

    def __rmatmul__(self, matrix: Any) -> Linear:
        """`X @ w` for a vector w of these and a matrix of known numbers, sparse ones included."""
        if len(self.shape) != 1:
            raise ValueError(f"X @ w needs a vector w; its shape is {self.shape}")
        if hasattr(matrix, "tocsr"):
            return _sparse_product(matrix.tocsr(), self)
        shape = shape_of_known(matrix)
        if len(shape) not in (1, 2) or shape[-1] != self.size:
            raise ValueError(f"X @ w: X has the shape {shape}, and w has {self.size} numbers")
        return _dense_product(matrix, shape, self)

    def __matmul__(self, vector: Any) -> Linear:
        """`w @ v` for a vector of known numbers."""
        return self.__rmatmul__(np.asarray(vector, dtype=np.float64))

    def sum(self) -> Linear:
        """The sum of all."""
        return self.reshape(self.size).__rmatmul__(np.ones(self.size))


class Product:
    """The product of two arrays of unknown numbers: the mean of what was observed, or the score of an item."""

    def __init__(self, first: Linear, second: Linear) -> None:
        shape = np.broadcast_shapes(first.shape, second.shape)
        self.first, self.second = first._spread(shape), second._spread(shape)
        self.shape = shape


def gathered(value: Any) -> Any:
    """Lists in which hyperparameters stand, as one array that is known once they are; all else as it is."""
    if not isinstance(value, (list, tuple)):
        return value
    parts = [gathered(each) for each in value]
    return Known(_together, *parts) if any(isinstance(each, Known) for each in parts) else value


def as_given(value: Any) -> Any:
    """Lists as arrays, with which arithmetic is possible."""
    return np.asarray(found) if isinstance(found := gathered(value), (list, tuple)) else found


def _together(*parts: Any) -> Array:
    return np.stack(np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in parts)))


def shape_of_known(value: Any) -> tuple[int, ...]:
    """The shape of a number or an array, which does not depend on what values hyperparameters have."""
    return np.shape(at(value, _Halves()))


class _Halves(dict[int, float]):
    """A setting in which each hyperparameter is a half, where all of them are allowed to be or nearly so."""

    def __missing__(self, number: int) -> float:
        return 0.5


def _flat(value: Any, shape: tuple[int, ...]) -> Any:
    """One number for each row."""
    if isinstance(value, Known):
        return Known(_flattened, value, shape)
    return _flattened(value, shape)


def _flattened(value: Any, shape: tuple[int, ...]) -> Array:
    return np.broadcast_to(np.asarray(value, dtype=np.float64), shape).ravel()


def _as_column(value: Any) -> Any:
    return Known(_column, value) if isinstance(value, Known) else _column(value)


def _column(value: Array) -> Array:
    return value[:, None]


def _taken(value: Any, rows: NDArray[np.int64]) -> Any:
    return value[rows]


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, Known) or isinstance(b, Known):
        return Known(operator.add, a, b)
    return a + b


def _multiply(a: Any, b: Any) -> Any:
    if isinstance(a, Known) or isinstance(b, Known):
        return Known(operator.mul, a, b)
    return a * b


def _beside(a: Any, b: Any) -> Any:
    if isinstance(a, Known) or isinstance(b, Known):
        return Known(_stacked, a, b)
    return _stacked(a, b)


def _stacked(a: Array, b: Array) -> Array:
    return np.concatenate([a, b], axis=1)


def _sum_of(a: Linear, b: Linear) -> Linear:
    shape = np.broadcast_shapes(a.shape, b.shape)
    a, b = a._spread(shape), b._spread(shape)
    weights, constant = _beside(a.weights, b.weights), _add(a.constant, b.constant)
    if a.variables.ndim == 1 and b.variables.ndim == 1:
        variables = np.concatenate([a.variables, b.variables])
    else:
        variables = np.concatenate([a.of_each_row(), b.of_each_row()], axis=1)
    return Linear(variables, weights, constant, shape)


def _dense_product(matrix: Any, shape: tuple[int, ...], w: Linear) -> Linear:
    """Each row of the result is about all variables of w, in the order in which w has them."""
    variables = w.of_each_row()
    rows = shape[0] if len(shape) == 2 else 1
    known = matrix if isinstance(matrix, Known) else np.asarray(matrix, dtype=np.float64)
    weights: Any = Known(_product_weights, known, w.weights, rows)
    constant: Any = Known(_product_constant, known, w.constant, rows)
    if not hyperparameters_of(weights):
        weights = weights.at({})
    if not hyperparameters_of(constant):
        constant = constant.at({})
    return Linear(variables.ravel(), weights, constant, shape[:-1])


def _product_weights(matrix: Array, weights: Array, rows: int) -> Array:
    return (matrix.reshape(rows, -1)[:, :, None] * weights[None, :, :]).reshape(rows, -1)


def _product_constant(matrix: Array, constant: Array, rows: int) -> Array:
    return matrix.reshape(rows, -1) @ constant


def _sparse_product(matrix: Any, w: Linear) -> Linear:
    if matrix.shape[1] != w.size:
        raise ValueError(f"X @ w: X has the shape {matrix.shape}, and w has {w.size} numbers")
    if w.width != 1 or hyperparameters_of(w.weights) or hyperparameters_of(w.constant):
        raise ValueError("X @ w with a sparse X needs a vector w of variables; give X as an array")
    counts = np.diff(matrix.indptr)
    rows, width = matrix.shape[0], max(1, int(counts.max(initial=0)))
    place = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], counts)
    row = np.repeat(np.arange(rows), counts)
    at_w = w.of_each_row()[:, 0]
    # Rows that are shorter are filled up with a variable of weight 0.
    variables = np.full((rows, width), at_w[0])
    weights = np.zeros((rows, width))
    variables[row, place] = at_w[matrix.indices]
    weights[row, place] = matrix.data * w.weights[matrix.indices, 0]
    return Linear(variables, weights, matrix @ w.constant, (rows,))

