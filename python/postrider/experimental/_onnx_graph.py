"""Formulas as a graph of ONNX: values that know the operators, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

# Both are old enough for every runtime in use.
OPSET, IR_VERSION = 17, 8

# Computer Approximations (J. F. Hart and others, 1968), no. 5666: the standard normal distribution function below zero, divided by exp(-x^2/2).
# Relative errors are of the order of 1e-15. Runtimes have the error function in single precision only.
_ABOVE = (3.52624965998911e-02, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931, 220.206867912376)
_BELOW = (8.83883476483184e-02, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831, 793.826512519948,
          440.413735824752)  # fmt: skip
# exp of minus half its square is the least number that is none.
_FAR = 37.0


class Graph:
    """A graph that grows by operators; constants are shared."""

    def __init__(self) -> None:
        self._nodes: list[Any] = []
        self._constants: dict[tuple[Any, ...], str] = {}
        self._tensors: list[Any] = []
        self._count = 0

    def constant(self, value: Any, dtype: Any = np.float64) -> Value:
        """A number or an array."""
        array = np.asarray(value, dtype)
        key = (array.tobytes(), array.shape, array.dtype.str)
        if key not in self._constants:
            self._constants[key] = f"c{len(self._constants)}"
            self._tensors.append(numpy_helper.from_array(array, self._constants[key]))
        return Value(self, self._constants[key])

    def apply(self, operator: str, *inputs: Any, **attributes: Any) -> Value:
        """The result of one operator; numbers among the inputs become constants."""
        names = [each.name if isinstance(each, Value) else self.constant(each).name for each in inputs]
        self._count += 1
        name = f"v{self._count}"
        self._nodes.append(helper.make_node(operator, names, [name], **attributes))
        return Value(self, name)

    def model(self, columns: int, outputs: dict[str, tuple[Value, list[Any]]], properties: dict[str, str]) -> ModelProto:
        """The whole, with the input ``X`` of the shape (rows, columns)."""
        rows = helper.make_tensor_value_info("X", TensorProto.DOUBLE, ["rows", columns])
        described = []
        for name, (value, shape) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value.name], [name]))
            described.append(helper.make_tensor_value_info(name, TensorProto.DOUBLE, shape))
        graph = helper.make_graph(self._nodes, "postrider", [rows], described, self._tensors)
        out = helper.make_model(graph, producer_name="postrider", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(out, properties)
        return out


class Value:
    """A tensor of the graph."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def _(self, operator: str, *others: Any, **attributes: Any) -> Value:
        return self.graph.apply(operator, self, *others, **attributes)

    def __add__(self, other: Any) -> Value:
        return self._("Add", other)

    def __sub__(self, other: Any) -> Value:
        return self._("Sub", other)

    def __mul__(self, other: Any) -> Value:
        return self._("Mul", other)

    def __truediv__(self, other: Any) -> Value:
        return self._("Div", other)

    def __matmul__(self, other: Any) -> Value:
        return self._("MatMul", other)

    def __neg__(self) -> Value:
        return self._("Neg")

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Value:
        return self.graph.apply("Sub", other, self)

    def __rtruediv__(self, other: Any) -> Value:
        return self.graph.apply("Div", other, self)

    def less(self, other: Any) -> Value:
        """Where it is less; a truth value."""
        return self._("Less", other)

    def less_or_equal(self, other: Any) -> Value:
        """Where it is less or equal; a truth value."""
        return self._("LessOrEqual", other)

    def chosen(self, yes: Any, no: Any) -> Value:
        """Where this is a truth value: the one or the other."""
        return self._("Where", yes, no)

    def number(self) -> Value:
        """A truth value as 1 or 0."""
        return self._("Cast", to=TensorProto.DOUBLE)

    def exp(self) -> Value:
        """Its exponential."""
        return self._("Exp")

    def log(self) -> Value:
        """Its natural logarithm."""
        return self._("Log")

    def sqrt(self) -> Value:
        """Its root."""
        return self._("Sqrt")

    def clipped(self, low: float, high: float) -> Value:
        """Within these bounds; what is not a number stays so."""
        return self._("Max", low)._("Min", high)

    def at_least(self, low: float) -> Value:
        """Not below this."""
        return self._("Max", low)

    def sum(self, axis: int, keep: bool = False) -> Value:
        """The sum along an axis."""
        return self._("ReduceSum", self.graph.constant([axis], np.int64), keepdims=int(keep))

    def mean(self, axis: int) -> Value:
        """The mean along an axis, which stays with length 1."""
        return self._("ReduceMean", axes=[axis], keepdims=1)

    def part(self, axis: int, begin: int, end: int) -> Value:
        """What lies between these places of an axis."""
        whole = [self.graph.constant([each], np.int64) for each in (begin, end, axis)]
        return self._("Slice", *whole)

    def expanded(self, axis: int) -> Value:
        """With one more axis of length 1."""
        return self._("Unsqueeze", self.graph.constant([axis], np.int64))


def normal_density(x: Value) -> Value:
    """The standard normal density."""
    return (x * x * -0.5).exp() * float(1 / np.sqrt(2 * np.pi))


def normal_below(x: Value) -> Value:
    """The standard normal distribution function."""
    size = x._("Abs")._("Min", _FAR)

    def polynomial(coefficients: tuple[float, ...]) -> Value:
        out = size * coefficients[0] + coefficients[1]
        for each in coefficients[2:]:
            out = out * size + each
        return out

    outside: Value = (size * size * -0.5).exp() * polynomial(_ABOVE) / polynomial(_BELOW)
    return x.less_or_equal(0.0).chosen(outside, 1 - outside)


# M. J. Wichura, Algorithm AS 241 (1988): the standard normal quantile, to about 1e-16. Within 0.425 of the middle, and beyond down to
# exp(-25), far below what ranks among at most some hundreds of numbers ask for.
_MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
     133.14166789178437745, 3.387132872796366608),
    (5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077, 687.1870074920579083,
     42.313330701600911252, 1.0),
)  # fmt: skip
_TAIL = (
    (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258, 3.64784832476320460504,
     5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459, 0.68976733498510000455,
     1.6763848301838038494, 2.05319162663775882187, 1.0),
)  # fmt: skip


def normal_quantile(probability: Value) -> Value:
    """The standard normal number below which lies this probability, which is not nearer to 0 and 1 than 1e-10."""

    def ratio(x: Value, coefficients: tuple[tuple[float, ...], ...]) -> Value:
        above, below = (x * each[0] + each[1] for each in coefficients)
        for one, other in zip(coefficients[0][2:], coefficients[1][2:], strict=True):
            above, below = above * x + one, below * x + other
        return above / below

    q = probability - 0.5
    middle = q * ratio(0.180625 - q * q, _MIDDLE)
    smaller = q.less(0.0).chosen(probability, 1 - probability)
    tail = ratio((-(smaller.log())).sqrt() - 1.6, _TAIL)
    signed = q.less(0.0).chosen(-tail, tail)
    return q._("Abs").less_or_equal(0.425).chosen(middle, signed)
