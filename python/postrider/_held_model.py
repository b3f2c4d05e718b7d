"""A model as plates of numbers, and how its posterior is found: at one setting of its hyperparameters, or at nodes of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from postrider._core import PlateModel
from postrider._expressions import Array, Setting
from postrider._plates import add_plate, block_numbers, gaussian_numbers
from postrider._starts import Former, begin_at, messages_of
from postrider._switches import StatesFound, settle, sites_of
from postrider._topics import TopicBelief

if TYPE_CHECKING:
    from postrider.model import Model

_NEGLIGIBLE = 1e-6  # the weight of nodes that no result needs
_STEP = 0.25  # of first derivatives at a former mode, in standard deviations


@dataclass(frozen=True)
class Node:
    """What is known at one setting of the hyperparameters."""

    weight: float
    setting: Setting
    means: Array
    variances: Array
    states: list[tuple[float, Array, NDArray[np.int64]]]


Found = tuple[list[Node], float, bool]  # nodes, log-evidence, and whether all has settled


class HeldModel:
    """A model as plates of numbers, at one setting of its hyperparameters after the other."""

    def __init__(self, model: Model, limit: int, tolerance: float) -> None:
        self.model, self.limit, self.tolerance = model, limit, tolerance
        self.start = [prior.start for prior in model._hyperparameters]
        self.setting: Setting = model._values(self.start)
        self.reports: list[Any] = []
        self.is_warm, self.former = False, Former()
        self._make()
        self._find_topics()

    def _make(self) -> None:
        self.core = PlateModel()
        self.core.add_variables(self.model._variables)
        self.plates = [add_plate(self.core, plate, self.setting) for plate in self.model._plates]
        self.switches = sites_of(self.core, self.model._switches, self.model._emissions, self.setting)

    def _find_topics(self) -> None:
        self.topics = [TopicBelief(each.beliefs(), each.name) for each in self.model._topics]

    def __getstate__(self) -> dict[str, Any]:
        # The plates are made anew from the model, and inferred where correlations are asked for.
        return {k: v for k, v in vars(self).items() if k not in ("core", "plates", "switches", "topics", "reports")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.reports = []
        self._make()
        self._find_topics()
        self._begin(self.former)
        self.infer()

    def _begin(self, former: Former) -> None:
        begin_at(self, former)
        self.is_warm = True

    def change(self, setting: Setting) -> None:
        self.setting = setting
        for number, plate in zip(self.plates, self.model._plates, strict=True):
            if not plate.hyperparameters():
                continue
            if plate.kind == "gaussian":
                self.core.change_gaussian(number, *gaussian_numbers(plate, setting))
            else:
                self.core.change_block(number, *block_numbers(plate, setting))

    def infer(self) -> float:
        """The log-evidence at the present setting."""
        if self.is_warm:
            self.is_warm = False
            try:
                out = self._inferred()
                if all(report.converged for report in self.reports):
                    return out
            except ValueError:
                pass
            # Messages of another posterior led nowhere: from the beginning.
            self.reports.clear()
            self._make()
        return self._inferred()

    def _inferred(self) -> float:
        model = self.model
        out = model._log_known(self.setting) + sum(each.log_evidence_bound for each in self.topics)
        found: StatesFound = {}
        if self.switches:
            report, found, log_overlap = settle(self.core, self.switches, self.setting, self.limit, self.tolerance)
            self.reports.append(report)
            out -= log_overlap
        elif model._variables:
            self.reports.append(self.core.infer(self.limit, self.tolerance))
        self.states = [
            found[id(each)] if id(each) in found else each.at(model._seen_of(each), self.setting) for each in model._states
        ]
        out += sum(log_evidence for log_evidence, _, _ in self.states)
        return out + self.core.log_evidence() if model._variables else out

    def node(self, weight: float) -> Node:
        """What is known at the present setting."""
        known = bool(self.model._variables)
        means = self.core.means() if known else np.zeros(0)
        variances = self.core.variances() if known else np.zeros(0)
        return Node(weight, self.setting, means, variances, self.states)

    def found(self, former: Former | None) -> Found:
        """The posterior, found from nothing or from what is left of a former one."""
        if former is not None:
            self._begin(former)
        if self.model._hyperparameters:
            return self._found_at_nodes(former)
        log_evidence = self.infer()
        if not math.isfinite(log_evidence):
            raise ValueError("what was observed is impossible under the model")
        self.former = messages_of(self)
        return self._finished([self.node(1.0)], log_evidence, True)

    def _found_at_nodes(self, former: Former | None) -> Found:
        model, kept = self.model, list[Node | None]()
        highest = -math.inf

        def log_density(g: Array) -> float:
            nonlocal highest
            setting = model._values(g.tolist())
            log_prior = model._log_prior(g.tolist())
            kept.append(None)
            if not math.isfinite(log_prior):
                return -math.inf
            try:
                self.change(setting)
                out = self.infer() + log_prior
            except ValueError:  # numbers so extreme that there is no belief
                return -math.inf
            kept[-1] = self.node(1.0)
            if out > highest:
                highest, self.former = out, messages_of(self)
            return out if math.isfinite(out) else -math.inf

        found = self._nodes_near(former, log_density) if former is not None else None
        if found is None:
            kept.clear()
            scale = np.array([prior.scale for prior in model._hyperparameters])
            found = PlateModel.at_nodes(log_density, np.array(self.start), scale)
        self.former = replace(self.former, mode=list(found.mode), sds=list(found.deviations))
        nodes = []
        for weight, call in zip(found.weights, found.evaluation, strict=True):
            answer = kept[call]
            if weight >= _NEGLIGIBLE and answer is not None:
                nodes.append(replace(answer, weight=float(weight)))
        total = sum(node.weight for node in nodes)
        nodes = [replace(node, weight=node.weight / total) for node in nodes]
        return self._finished(nodes, found.log_mass, found.converged)

    def _nodes_near(self, former: Former, log_density: Callable[[Array], float]) -> Any:
        """The nodes, looked for where they were before; None if they are not there."""
        new = self.model._hyperparameters[len(former.mode) :]
        start = [*former.mode, *(prior.start for prior in new)]
        steps = [*(_STEP * sd for sd in former.sds), *(prior.scale for prior in new)]
        try:
            found = PlateModel.at_nodes(log_density, np.array(start), np.array(steps))
        except ValueError:
            found = None
        if found is not None and found.converged and all(report.converged for report in self.reports):
            return found
        self.reports.clear()
        return None

    def _finished(self, nodes: list[Node], log_evidence: float, settled: bool) -> Found:
        converged = settled and all(report.converged for report in self.reports)
        if converged and not all(each.converged for each in self.topics):
            converged = False  # of which topics have warned
        elif not converged:
            warnings.warn(
                "the posterior is not settled: "
                + (
                    f"messages still change by {self.reports[-1].change[-1]:.1g} after {self.reports[-1].sweeps} sweeps, "
                    f"and {self.reports[-1].kept} factors found none; see posterior.check()"
                    if settled
                    else "the nodes of hyperparameters do not agree yet"
                ),
                ConvergenceWarning,
                stacklevel=5,
            )
        return nodes, log_evidence, converged
