"""Factors: those of the library by name, and functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider import _core
from postrider.gaussian import GaussianArray

__all__ = [
    "Edge",
    "EdgeRule",
    "Factor",
    "Reply",
    "factor_names",
    "make_density",
    "make_deterministic",
    "make_factor",
]

Rule: TypeAlias = Literal["exact", "direct", "conditioned"]
Claim: TypeAlias = Literal["exact", "moments", "tilted moments", "approximate"]
Kind: TypeAlias = Literal["density", "deterministic"]


@dataclass(frozen=True)
class EdgeRule:
    """A way to form the message to an edge, and what it promises.

    Parameters
    ----------
    rule : {'direct', 'exact', 'conditioned'}
        'exact': the sum-product message itself. 'direct': an approximation from the messages of the
        other edges alone. 'conditioned': it also looks at the message that comes in on this edge.
    claim : {'approximate', 'exact', 'moments', 'tilted moments'}
        What `certify` holds it to. 'moments': mean and variance are those of the sum-product
        message. 'tilted moments': they are so after multiplying with the incoming message.
    has_log_scale : bool
        Whether replies carry the logarithm of the message's scale, which the evidence needs.
    """

    rule: Rule = "direct"
    claim: Claim = "approximate"
    has_log_scale: bool = False


@dataclass(frozen=True)
class Edge:
    """An edge of a factor.

    Parameters
    ----------
    name : str
        As in the formula.
    rules : sequence of EdgeRule
        The first is the default.
    exact_may_be_improper : bool
        Whether the sum-product message may have infinite mass.
    kinks : sequence of float
        Where the factor is not smooth in this variable.
    """

    name: str
    rules: Sequence[EdgeRule] = (EdgeRule(),)
    exact_may_be_improper: bool = False
    kinks: Sequence[float] = ()


@dataclass(frozen=True)
class Reply:
    """Messages with what else may be said of them.

    Parameters
    ----------
    messages : GaussianArray
        One per row.
    log_scale : array_like, optional
        The factor's own message is exp(log_scale) times the Gaussian density.
    event : sequence of str, optional
        Per row 'none' or the guard that fired: 'linearised', 'held', 'vanished', 'overflowed' or
        'contradicted'. They are counted in the record of the run.
    """

    messages: GaussianArray
    log_scale: ArrayLike | None = None
    event: Sequence[str] | None = None


class Factor(ABC):
    """A factor of a graph. Made by `make_factor`, `make_deterministic` or a class of your own."""

    @abstractmethod
    def _native(self) -> _core.Factor:
        """What the library works with. It keeps this object alive, so it is not kept here."""

    @property
    def edge_names(self) -> tuple[str, ...]:
        """Names of the edges, in the order in which variables are given."""
        return tuple(edge[0] for edge in self._native().edges)

    def messages(self, edge: int | str, incoming: GaussianArray, rule: Rule | None = None) -> Reply:
        """Messages to one edge, without a graph.

        Parameters
        ----------
        edge : int or str
            Number or name of the edge.
        incoming : GaussianArray of shape (rows, edges)
            What comes in at every edge; that of `edge` itself is read by conditioned rules only.
        rule : str, optional
            By default the first of the edge.

        Returns
        -------
        Reply

        Examples
        --------
        >>> import postrider
        >>> noise = postrider.make_factor("gaussian_likelihood", variance=1.0)
        >>> heard = postrider.GaussianArray.from_moments([[3.0, 0.0]], [[0.5, 10.0]])
        >>> noise.messages("x", heard).messages
        GaussianArray(mean=[3.], variance=[1.5])
        """
        native = self._native()
        number = edge_number(native, edge)
        rows, edges = incoming.shape if len(incoming.shape) == 2 else (0, 0)
        if edges != len(native.edges):
            raise ValueError(
                f"incoming has shape {incoming.shape}: must be (rows, {len(native.edges)}), "
                f"one message per row and edge of {native.name}"
            )
        tau, rho, log_scale, event = native.send_many(
            number,
            rule or native.edges[number][1][0][0],
            np.ascontiguousarray(incoming.tau).reshape(-1),
            np.ascontiguousarray(incoming.rho).reshape(-1),
        )
        has_scale = not np.isnan(log_scale).all()
        return Reply(GaussianArray(tau, rho), log_scale if has_scale else None, event)


def edge_number(native: _core.Factor, edge: int | str) -> int:
    """The number of an edge that was given by number or name."""
    names = [found[0] for found in native.edges]
    if not isinstance(edge, str):
        if not 0 <= int(edge) < len(names):
            raise ValueError(
                f"{native.name}: edge = {edge}: must be from 0 to {len(names) - 1}, or one of: "
                f"{', '.join(names)}"
            )
        return int(edge)
    if edge not in names:
        raise ValueError(f"{native.name}: no edge {edge!r}; there are: {', '.join(names)}")
    return names.index(edge)


class _NativeFactor(Factor):
    """A factor of the library."""

    def __init__(self, native: _core.Factor) -> None:
        self._factor = native

    def _native(self) -> _core.Factor:
        return self._factor

    def __repr__(self) -> str:
        return f"<factor {self._factor.name}: {self._factor.formula}>"


def factor_names() -> list[str]:
    """Names that `make_factor` knows.

    Examples
    --------
    >>> import postrider
    >>> "gaussian_likelihood" in postrider.factor_names()
    True
    """
    return _core.factor_names()


def make_factor(name: str, /, **parameters: float | ArrayLike) -> Factor:
    """A factor of the library.

    Parameters
    ----------
    name : str
        One of `factor_names`.
    **parameters : float or array_like
        As the factor's page names them, such as ``variance=0.25`` or ``weights=[1, -1]``.

    Returns
    -------
    Factor

    Examples
    --------
    >>> import postrider
    >>> postrider.make_factor("linear", weights=[1.0, -1.0]).edge_names
    ('z', 'x1', 'x2')
    """
    values = [(key, _numbers(f"{name}.{key}", value)) for key, value in parameters.items()]
    return _NativeFactor(_core.make_factor(name, values))


def _numbers(field: str, value: ArrayLike) -> list[float]:
    """A parameter as the library takes it: one number, or one after the other."""
    given = np.asarray(value, dtype=np.float64)
    if given.ndim > 1:
        raise ValueError(
            f"{field} of shape {given.shape}: must be a number, or a sequence of numbers"
        )
    return [float(number) for number in np.atleast_1d(given)]


def make_deterministic(
    g: Callable[..., float],
    *,
    name: str | None = None,
    kinks: Sequence[float] = (),
    inputs: Sequence[str] = ("x",),
) -> Factor:
    """The factor y = g(x) for any function, with messages by quadrature. Edges: y and the inputs.

    Every message calls `g` at many points, one after the other: it is for trying things out and for
    rare factors.

    Parameters
    ----------
    g : callable
        A function of one number, finite far outside of the mass, too; or of two or three, where it is
        smooth.
    name : str, optional
        For messages and pictures; by default the name of the function.
    kinks : sequence of float
        The points where `g` of one input is not smooth; naming them keeps the quadrature exact.
    inputs : sequence of str
        The names of two or three edges, in the order in which `g` takes them.

    Returns
    -------
    Factor

    Examples
    --------
    >>> import math, postrider
    >>> heard = postrider.GaussianArray.from_moments([[0.5, 0.3]], [[0.04, 1.0]])
    >>> postrider.make_deterministic(math.tanh).messages("y", heard).messages
    GaussianArray(mean=[0.1801], variance=[0.378])
    >>> postrider.make_deterministic(math.hypot, inputs=("east", "north")).edge_names
    ('y', 'east', 'north')
    """
    if not callable(g):
        raise TypeError(f"g = {g!r}: must be a function of one number")
    name = name or str(getattr(g, "__name__", "deterministic"))
    if len(inputs) == 1:
        return _NativeFactor(_core.make_deterministic(name, g, _numbers("kinks", kinks)))
    if len(kinks) > 0:
        raise ValueError(f"kinks = {kinks!r}: only a function of one input may have them")
    return _NativeFactor(
        _core.make_deterministic_of_several(name, lambda x: float(g(*x)), list(inputs))
    )


def make_density(
    log_f: Callable[..., ArrayLike], *, edges: Sequence[str], name: str | None = None
) -> Factor:
    """A factor from the logarithm of its density, with messages by quadrature.

    Parameters
    ----------
    log_f : callable
        A function of one array for each edge, all of one length, that returns log f at each point, and
        -inf where f is 0. It is asked for many points at once.
    edges : sequence of str
        Names of one, two or three edges.
    name : str, optional
        For messages and pictures; by default the name of the function.

    Returns
    -------
    Factor

    Examples
    --------
    An event that was not seen for 3 hours, at an unknown log-rate:

    >>> import numpy, postrider
    >>> silence = postrider.make_density(lambda z: -3 * numpy.exp(z), edges=["z"], name="silence")
    >>> before = postrider.GaussianArray.from_moments([[0.0]], [[1.0]])
    >>> reply = silence.messages("z", before)
    >>> (before[0] * reply.messages).mean.round(4)
    array([-1.1692])
    """
    if not callable(log_f):
        raise TypeError(f"log_f = {log_f!r}: must be a function of one array for each edge")
    name = name or str(getattr(log_f, "__name__", "density"))

    def at_points(points: Any) -> NDArray[np.float64]:
        values = np.asarray(log_f(*points.T), dtype=np.float64)
        if values.shape not in ((), (len(points),)):
            raise ValueError(
                f"{name}: log_f returned an array of shape {values.shape} for {len(points)} points; "
                "must be one number for each"
            )
        return np.ascontiguousarray(np.broadcast_to(values, (len(points),)))

    return _NativeFactor(_core.make_density(name, list(edges), at_points))
