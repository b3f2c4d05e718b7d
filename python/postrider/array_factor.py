"""Factors written in Python, which work on arrays of messages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider.factor import Edge, Factor, Kind, Reply, Rule
from postrider.gaussian import GaussianArray

__all__ = ["ArrayFactor"]

_EVENTS = ("none", "linearised", "vanished", "overflowed", "contradicted", "held")


class ArrayFactor(Factor):
    """Base of factors written in Python, which work on arrays of messages.

    A subclass says what it is in class attributes and has `send`. All rows of a plate that can go
    together are sent in one call, so that numpy's cost per call is paid once.

    Attributes
    ----------
    name : str
        By default the name of the class.
    formula : str
        For pictures and certificates.
    kind : {'density', 'deterministic'}
        A density f(x_0, ..., x_n), or the relation x_0 = g(x_1, ..., x_n).
    edges : sequence of Edge
        In the order in which variables are given.

    Examples
    --------
    A variable seen with noise of variance 4. Both messages are the other one, blurred:

    >>> import postrider
    >>> from postrider import ArrayFactor, Edge, EdgeRule, GaussianArray
    >>> exact = (EdgeRule("exact", "exact"),)
    >>> class Sighting(ArrayFactor):
    ...     formula = "N(y; x, 4)"
    ...     edges = (Edge("y", exact), Edge("x", exact))
    ...
    ...     def send(self, edge, rule, incoming):
    ...         other = incoming[:, 1 if edge == "y" else 0]
    ...         return GaussianArray.from_moments(other.mean, other.variance + 4.0)
    >>> graph = postrider.FactorGraph()
    >>> y, x = graph.add_variables(2)
    >>> node = graph.add_factor(Sighting(), [y, x])
    >>> graph.observe(y, 3.0)
    >>> record = graph.run()
    >>> graph.marginal(x)
    Gaussian(3.0, 4.0)
    """

    name: str = ""
    formula: str = ""
    kind: Kind = "density"
    edges: Sequence[Edge] = ()

    @abstractmethod
    def send(self, edge: str, rule: Rule, incoming: GaussianArray) -> GaussianArray | Reply:
        """The messages to one edge, one per row.

        Parameters
        ----------
        edge : str
            Its name.
        rule : str
            One of the edge's.
        incoming : GaussianArray of shape (rows, edges)
            What the variables tell the factor. Where all is known, or nothing, variances are 0 or
            infinite: write formulas in moments, or in natural parameters, such that they bear it.

        Returns
        -------
        GaussianArray of shape (rows,), or Reply
        """

    def evaluate(self, *values: float) -> float:
        """What the factor is, for `certify`: log f(values), or g(values) without the first edge."""
        raise NotImplementedError(
            f"{type(self).__name__}.evaluate: certify needs the factor itself: log f of one value "
            "per edge, or for a deterministic factor g of one value per edge but the first"
        )

    def _native(self) -> _core.Factor:
        edges: list[Any] = [
            (
                edge.name,
                [(rule.rule, rule.claim, rule.has_log_scale) for rule in edge.rules],
                edge.exact_may_be_improper,
                [float(kink) for kink in edge.kinks],
            )
            for edge in self.edges
        ]
        name = self.name or type(self).__name__
        return _core.python_factor(name, self.formula, self.kind, edges, self._send, self._evaluate)

    def _send(
        self, edge: int, rule: Rule, tau: NDArray[np.float64], rho: NDArray[np.float64]
    ) -> tuple[Any, ...]:
        rows = len(tau)
        reply = self.send(self.edges[edge].name, rule, GaussianArray(tau, rho))
        if isinstance(reply, GaussianArray):
            reply = Reply(reply)
        where = f"{type(self).__name__}.send(edge={self.edges[edge].name!r})"
        if not isinstance(reply, Reply) or not isinstance(reply.messages, GaussianArray):
            raise TypeError(f"{where} returned {reply!r}: must be a GaussianArray or a Reply")
        if reply.messages.shape != (rows,):
            raise ValueError(
                f"{where} returned messages of shape {reply.messages.shape}: must be ({rows},), "
                "one per row"
            )
        sent = reply.messages
        messages = (np.ascontiguousarray(sent.tau), np.ascontiguousarray(sent.rho))
        if np.isnan(messages).any():
            bad = int(np.flatnonzero(np.isnan(messages).any(axis=0))[0])
            raise ValueError(f"{where} returned NaN in row {bad}: must be a message")
        return (*messages, _scales(reply, rows, where), _event_numbers(reply, rows, where))

    def _evaluate(self, values: Sequence[float]) -> float:
        return float(self.evaluate(*values))


def _scales(reply: Reply, rows: int, where: str) -> NDArray[np.float64] | None:
    if reply.log_scale is None:
        return None
    scales = np.ascontiguousarray(reply.log_scale, dtype=np.float64)
    if scales.shape not in ((), (rows,)):
        raise ValueError(f"{where} returned log_scale of shape {scales.shape}: must be ({rows},)")
    return np.ascontiguousarray(np.broadcast_to(scales, (rows,)))


def _event_numbers(reply: Reply, rows: int, where: str) -> NDArray[np.uint8] | None:
    if reply.event is None:
        return None
    unknown = sorted(set(reply.event) - set(_EVENTS))
    if unknown:
        raise ValueError(f"{where} returned event {unknown[0]!r}: must be one of {_EVENTS}")
    if len(reply.event) != rows:
        raise ValueError(f"{where} returned {len(reply.event)} events: must be {rows}")
    return np.array([_EVENTS.index(event) for event in reply.event], dtype=np.uint8)
