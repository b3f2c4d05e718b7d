"""Factor graphs: variables, factors, schedules, marginals and evidence."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider import _core
from postrider._core import Gaussian, Record
from postrider._graph_parts import (
    FactorNode,
    native_factor,
    numbers_of,
    parameters_by_row,
    shaped,
    spread,
    warn_unconverged,
)
from postrider.factor import Factor, Rule, edge_number
from postrider.gaussian import GaussianArray

__all__ = ["FactorGraph", "FactorNode", "Record"]

Policy: TypeAlias = Literal["refuse", "skip", "damp"]
ScheduleKind: TypeAlias = Literal["tree", "sweeps", "residual"]
Integers: TypeAlias = NDArray[np.integer[Any]]

_LARGEST_PICTURE = 500  # variables and factors; Graphviz takes minutes for more


class FactorGraph:
    """A model of one's own: variables, and factors between them.

    Variables are integers, so that arrays of them can be cut and stacked with numpy. What takes one
    variable also takes an array of them, and then answers with arrays.

    Only one thread at a time may use a graph. Runs release Python's global lock.

    See Also
    --------
    make_factor : Factors of the library.
    ArrayFactor : Factors written in Python.

    Examples
    --------
    A room of 20 degrees, give or take 5, and two thermometers:

    >>> from postrider import FactorGraph, Gaussian
    >>> graph = FactorGraph()
    >>> room = graph.add_variable("room")
    >>> graph.set_prior(room, Gaussian(20.0, 25.0))
    >>> shown = graph.add_variables(2)
    >>> for variable, variance in zip(shown, [1.0, 0.25]):
    ...     node = graph.add_factor("gaussian_likelihood", [variable, room], variance=variance)
    >>> graph.observe(shown, [23.1, 22.4])
    >>> graph.run()
    Record(messages=2, converged=True)
    >>> str(graph.marginal(room))
    'N(22.5198, 0.198413)'
    >>> round(graph.log_evidence(), 5)
    -3.88688
    """

    def __init__(self) -> None:
        self._graph = _core.Graph()

    def __reduce__(self) -> Any:
        raise TypeError("a FactorGraph cannot be pickled; keep the code that builds it instead")

    # --- building --------------------------------------------------------------------------------

    def add_variable(self, name: str = "") -> int:
        """A variable without information.

        Parameters
        ----------
        name : str
            For error messages and pictures only.

        Returns
        -------
        int
        """
        return self._graph.add_variable(name)

    def add_variables(self, shape: int | tuple[int, ...]) -> NDArray[np.int64]:
        """Many variables without information.

        Parameters
        ----------
        shape : int or tuple of int
            Of the array that is returned.

        Returns
        -------
        ndarray of int
            Consecutive numbers.

        Examples
        --------
        >>> import postrider
        >>> postrider.FactorGraph().add_variables((2, 3))
        array([[0, 1, 2],
               [3, 4, 5]])
        """
        sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        if any(size < 0 for size in sizes):
            raise ValueError(f"shape = {shape}: must not be negative")
        count = int(np.prod(sizes, dtype=np.int64))
        first = self._graph.add_variables(count)
        return np.arange(first, first + count, dtype=np.int64).reshape(sizes)

    def add_factor(
        self, factor: Factor | str, variables: ArrayLike, **parameters: ArrayLike
    ) -> FactorNode:
        """One factor between variables.

        Parameters
        ----------
        factor : Factor or str
            A name stands for ``make_factor(name, **parameters)``.
        variables : array_like of int
            One per edge, in the order of the edges.
        **parameters : float or array_like
            Of a factor given by name.

        Returns
        -------
        FactorNode
        """
        native = native_factor(factor, parameters)
        flat = numbers_of(variables)
        if len(flat) != len(native.edges):
            raise ValueError(
                f"{native.name}: {len(flat)} variables for {len(native.edges)} edges "
                f"({', '.join(edge[0] for edge in native.edges)}); add_plate takes several rows"
            )
        return FactorNode(native.name, self._graph.add_plate(native, flat), None, native)

    def add_plate(
        self, factor: Factor | str, variables: ArrayLike, **parameters: ArrayLike
    ) -> FactorNode:
        """The same factor once per row, without an object for each, or with parameters of each row's own.

        Parameters
        ----------
        factor : Factor or str
            A name stands for ``make_factor(name, **parameters)``.
        variables : array_like of int, shape (rows, edges)
            The variables of each row, in the order of the edges.
        **parameters : float or array_like
            Of a factor given by name. An array of shape (rows, k) has the parameter of each row; so has
            one of shape (rows,) where the parameter is a single number.

        Returns
        -------
        FactorNode

        Examples
        --------
        A random walk of a thousand steps:

        >>> import numpy as np, postrider
        >>> graph = postrider.FactorGraph()
        >>> walk = graph.add_variables(1000)
        >>> steps = np.column_stack([walk[1:], walk[:-1]])
        >>> graph.add_plate("gaussian_likelihood", steps, variance=0.1)
        <gaussian_likelihood[0] with 999 rows>

        A regression: rows of numbers are the weights of a sum.

        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(50, 2))
        >>> y = X @ [1.0, -2.0] + 0.1 * rng.normal(size=50)
        >>> graph = postrider.FactorGraph()
        >>> slopes, sums, seen = graph.add_variables(2), graph.add_variables(50), graph.add_variables(50)
        >>> graph.set_prior(slopes, postrider.Gaussian(0.0, 10.0))
        >>> of_rows = np.column_stack([sums, np.tile(slopes, (50, 1))])
        >>> graph.add_plate("linear", of_rows, weights=X)
        <linear[0] with 50 rows>
        >>> noise = graph.add_plate("gaussian_likelihood", np.column_stack([seen, sums]), variance=0.01)
        >>> graph.observe(seen, y)
        >>> graph.run("sweeps").converged
        True
        >>> bool(np.allclose(graph.marginal(slopes).mean, [1.0, -2.0], atol=0.1))
        True
        """
        rows = np.asarray(variables)
        own = parameters_by_row(factor, parameters, len(rows)) if rows.ndim == 2 else None
        if own is not None:
            return self._add_rows(str(factor), rows, own)
        native = native_factor(factor, parameters)
        edges = len(native.edges)
        if rows.ndim != 2 or rows.shape[1] != edges or len(rows) == 0:
            raise ValueError(
                f"{native.name}: variables of shape {rows.shape}: must be (rows, {edges}), one "
                f"column per edge ({', '.join(edge[0] for edge in native.edges)})"
            )
        first = self._graph.add_plate(native, numbers_of(rows))
        return FactorNode(native.name, first, len(rows), native)

    def _add_rows(
        self, name: str, rows: Integers, parameters: dict[str, NDArray[np.float64]]
    ) -> FactorNode:
        native = native_factor(name, {key: of_rows[0] for key, of_rows in parameters.items()})
        if rows.shape[1] != len(native.edges):
            raise ValueError(
                f"{name}: variables of shape {rows.shape}: must be (rows, {len(native.edges)}), one column "
                f"per edge ({', '.join(edge[0] for edge in native.edges)})"
            )
        first, factor = self._graph.add_rows(name, parameters, numbers_of(rows))
        return FactorNode(name, first, len(rows), factor, plates=len(rows))

    def remove(self, node: FactorNode) -> None:
        """Takes a factor or a plate out again: the graph is as if it had never been added.

        Numbers of other factors stay, and `factor_count` counts the places that remain empty. Messages of the others are where the next
        `run()` starts; on trees `update()` sends what follows from the removal alone.

        Parameters
        ----------
        node : FactorNode
            As `add_factor` or `add_plate` returned it.

        Examples
        --------
        >>> import postrider
        >>> graph = postrider.FactorGraph()
        >>> x, y = graph.add_variables(2)
        >>> graph.set_prior(x, postrider.Gaussian(0.0, 1.0))
        >>> reading = graph.add_factor("gaussian_likelihood", [y, x], variance=1.0)
        >>> graph.observe(y, 2.0)
        >>> graph.run().converged, graph.marginal(x).mean
        (True, 1.0)
        >>> graph.remove(reading)
        >>> graph.marginal(x).mean
        0.0
        """
        for first in node._firsts():
            self._graph.remove(first)

    # --- what is known ---------------------------------------------------------------------------

    def set_prior(self, variables: ArrayLike, prior: Gaussian | GaussianArray) -> None:
        """What is known of variables apart from their factors.

        Parameters
        ----------
        variables : int or array_like of int
            One or many.
        prior : Gaussian or GaussianArray
            Broadcast to the shape of `variables`.
        """
        shape = np.shape(variables)
        tau, rho = (spread("prior", values, shape) for values in (prior.tau, prior.rho))
        self._graph.set_prior(numbers_of(variables), tau, rho)

    def observe(self, variables: ArrayLike, values: ArrayLike) -> None:
        """Values that were seen: the variables become point masses.

        Parameters
        ----------
        variables : int or array_like of int
            One or many.
        values : float or array_like
            Finite; broadcast to the shape of `variables`.
        """
        seen = spread("values", values, np.shape(variables))
        self._graph.observe(numbers_of(variables), seen)

    def forget(self, variables: ArrayLike) -> None:
        """Takes observations out again: the priors from before are back."""
        self._graph.forget(numbers_of(variables))

    def set_rule(self, node: FactorNode, edge: int | str, rule: Rule) -> None:
        """How the messages to an edge are formed, for all rows of a plate.

        Parameters
        ----------
        node : FactorNode
            A factor or plate.
        edge : int or str
            Number or name.
        rule : {'exact', 'direct', 'conditioned'}
            One of the edge's.
        """
        number = edge_number(node._factor, edge)
        for first in node._firsts():
            self._graph.set_rule(first, number, rule)

    def set_policy(self, node: FactorNode, policy: Policy) -> None:
        """What to do with messages that cannot be used, for all rows of a plate.

        Parameters
        ----------
        node : FactorNode
            A factor or plate.
        policy : {'refuse', 'skip', 'damp'}
            'refuse' raises an error; 'skip' keeps the message that was there; 'damp' goes half the
            way, and half of that, until the message is proper, else as 'skip'.
        """
        for first in node._firsts():
            self._graph.set_policy(first, policy)

    # --- running ---------------------------------------------------------------------------------

    def run(
        self,
        schedule: ScheduleKind = "tree",
        *,
        limit: int = 100,
        tolerance: float = 1e-10,
        damping: float = 0.0,
        progress: Callable[[Record], object] | None = None,
        threads: int = 1,
    ) -> Record:
        """Sends messages, starting from those that were sent before.

        Ctrl-C stops it after a pass or sweep, and inside of a factor written in Python.

        Parameters
        ----------
        schedule : {'tree', 'sweeps', 'residual'}
            'tree': leaves to root and back, for graphs without loops. 'sweeps': all factors
            forwards, then backwards, until nothing changes. 'residual': the message that would
            change most, first.
        limit : int
            Most passes or sweeps; for 'residual', messages per edge.
        tolerance : float
            Of the largest change of a message, measured against the belief.
        damping : float
            Share of the old message that is kept, in natural parameters: 0 <= damping < 1.
        progress : callable, optional
            Called with the record so far after every pass or sweep. If it returns False the run
            ends. It may not use the graph.
        threads : int
            For 'sweeps' over plates whose rows share no unobserved variable, and whose factor is of the
            library; 0: as many as there are cores. Results are the same to the bit.

        Returns
        -------
        Record

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the limit ended the run before the changes fell below the tolerance.
        """
        was_ended = False

        def watch(record: Record) -> bool:
            nonlocal was_ended
            was_ended = progress is not None and progress(record) is False
            return not was_ended

        record = self._graph.run(
            schedule, limit, tolerance, damping, None if progress is None else watch, threads
        )
        if not (record.converged or was_ended):
            warn_unconverged(schedule, limit, tolerance, record)
        return record

    def update(self, tolerance: float = 0.0) -> Record:
        """After a run on a tree: sends only what follows from what changed since."""
        return self._graph.update(tolerance)

    def send(self, node: FactorNode, edge: int | str) -> Record:
        """The messages of a factor, or of all rows of a plate, to one edge.

        For a schedule of one's own.
        """
        return self._graph.send_plates(node.first, node.plates, edge_number(node._factor, edge))

    def absorb(self, variables: ArrayLike) -> None:
        """Multiplies the messages to variables into their priors and clears them.

        One example after the other so learned is assumed-density filtering.
        """
        self._graph.absorb(numbers_of(variables))

    def reset(self) -> None:
        """Clears all messages."""
        self._graph.reset()

    # --- answers ---------------------------------------------------------------------------------

    @overload
    def marginal(self, variables: int) -> Gaussian: ...
    @overload
    def marginal(self, variables: Sequence[int] | Integers) -> GaussianArray: ...
    def marginal(self, variables: Any) -> Gaussian | GaussianArray:
        """Beliefs in variables.

        Parameters
        ----------
        variables : int or array_like of int
            One or many.

        Returns
        -------
        Gaussian or GaussianArray
            The latter of the shape of `variables`.

        Examples
        --------
        >>> import postrider
        >>> graph = postrider.FactorGraph()
        >>> variables = graph.add_variables(3)
        >>> graph.set_prior(variables, postrider.GaussianArray.from_moments([1.0, 2.0, 3.0], 0.25))
        >>> graph.marginal(variables).mean
        array([1., 2., 3.])
        >>> graph.marginal(variables[0])
        Gaussian(1.0, 0.25)
        """
        tau, rho = self._graph.marginals(numbers_of(variables))
        return shaped(tau, rho, np.shape(variables))

    def message(self, node: FactorNode, edge: int | str) -> Gaussian | GaussianArray:
        """The message that a factor last sent to an edge; for a plate, one per row."""
        return self._of_rows(self._graph.messages, node, edge)

    def incoming(self, node: FactorNode, edge: int | str) -> Gaussian | GaussianArray:
        """What the variable of an edge tells the factor: all that is known but its message."""
        return self._of_rows(self._graph.incoming, node, edge)

    def _of_rows(
        self, what: Callable[[int, int, int], Any], node: FactorNode, edge: int | str
    ) -> Gaussian | GaussianArray:
        rows = 1 if node.rows is None else node.rows
        tau, rho = what(node.first, rows, edge_number(node._factor, edge))
        return shaped(tau, rho, () if node.rows is None else (rows,))

    def log_evidence(self) -> float | None:
        """The logarithm of the probability of what was observed.

        Returns
        -------
        float or None
            Exact on trees of exact factors after a run, else Bethe's approximation. None if a rule
            has no scale or a variable has neither prior nor message; minus infinity if observations
            exclude each other.
        """
        return self._graph.log_evidence()

    @property
    def variable_count(self) -> int:
        """How many variables there are."""
        return self._graph.variable_count

    @property
    def factor_count(self) -> int:
        """How many factors there are; each row of a plate is one."""
        return self._graph.factor_count

    @property
    def memory_bytes(self) -> int:
        """What the graph takes."""
        return self._graph.memory_bytes

    def to_graphviz(self) -> str:
        """The graph in Graphviz's language, with mean and standard deviation at the variables."""
        return self._graph.to_graphviz()

    def _repr_svg_(self) -> str | None:
        """A picture for notebooks, where Graphviz is installed and the graph is small."""
        dot = shutil.which("dot")
        if dot is None or self.variable_count + self.factor_count > _LARGEST_PICTURE:
            return None
        done = subprocess.run(
            [dot, "-Tsvg"], input=self.to_graphviz(), capture_output=True, text=True, check=False
        )
        return done.stdout if done.returncode == 0 else None

    def __repr__(self) -> str:
        return f"<FactorGraph: {self.variable_count} variables, {self.factor_count} factors>"
