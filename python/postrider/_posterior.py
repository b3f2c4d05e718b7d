"""What a model's inference gives: beliefs of its unknown numbers, as mixtures over the nodes of its hyperparameters."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from postrider._conjugate import Conjugate, ConjugateBelief, ConjugatePlate, draws_of
from postrider._core import PlateModel
from postrider._expressions import Array, Hyperparameter, Known, Linear, Setting, at
from postrider._hidden_states import StateBelief, States
from postrider._plates import add_plate, block_numbers, gaussian_numbers
from postrider._quantiles import quantile_between, quantile_of_mixture
from postrider._switches import settle, sites_of
from postrider._topics import TopicBelief, Topics

if TYPE_CHECKING:
    from postrider.model import Model

_NEGLIGIBLE = 1e-6  # the weight of nodes that no result needs


@dataclass(frozen=True)
class Belief:
    """What is known of some numbers: their means, their standard deviations, and of which Gaussians they are mixtures."""

    mean: Array
    sd: Array
    weights: Array  # of the nodes
    node_means: Array  # (nodes, ...)
    node_sds: Array

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """The central interval that holds this share of the belief: its ends."""
        if not 0 < level < 1:
            raise ValueError(f"level = {level}: must be between 0 and 1")
        return self.quantile(0.5 * (1 - level)), self.quantile(0.5 * (1 + level))

    def quantile(self, probability: float) -> Array:
        """Where the mixture's distribution function has this value."""
        if not 0 < probability < 1:
            raise ValueError(f"probability = {probability}: must be between 0 and 1")
        if not self.node_sds.any():
            return self._quantile_of_nodes(probability)
        return quantile_of_mixture(self.weights, self.node_means, self.node_sds, probability)

    def _quantile_of_nodes(self, probability: float) -> Array:
        """Where numbers are known at each node: between nodes the distribution function is smooth."""
        out = np.empty(np.shape(self.mean))
        for place in np.ndindex(out.shape):
            out[place] = quantile_between(self.node_means[(slice(None), *place)], self.weights, probability)
        return out

    def __repr__(self) -> str:
        if np.ndim(self.mean) == 0:
            return f"{float(self.mean):.4g} ± {float(self.sd):.3g}"
        return f"<belief of shape {np.shape(self.mean)}>"


@dataclass(frozen=True)
class Check:
    """Whether a posterior can be trusted, by draws from it that the model's density weighs."""

    draws: int
    effective_draws: float
    pareto_k: float
    verdict: str
    mean_shift: float  # the largest, in standard deviations of the posterior
    sd_ratio_low: float  # corrected over reported standard deviations
    sd_ratio_high: float
    log_evidence: float
    log_evidence_error: float

    def __str__(self) -> str:
        return (
            f"{self.verdict}: {self.effective_draws:.0f} of {self.draws} draws count (Pareto k {self.pareto_k:.2f}); "
            f"means move by at most {self.mean_shift:.2f} standard deviations, these by factors of "
            f"{self.sd_ratio_low:.2f} to {self.sd_ratio_high:.2f}"
        )


class HeldModel:
    """A model as plates of numbers, at one setting of its hyperparameters after the other."""

    def __init__(self, model: Model, limit: int, tolerance: float) -> None:
        self.model, self.limit, self.tolerance = model, limit, tolerance
        self.start = [prior.start for prior in model._hyperparameters]
        self.setting: Setting = model._values(self.start)
        self.reports: list[Any] = []
        self._make()

    def _make(self) -> None:
        self.core = PlateModel()
        self.core.add_variables(self.model._variables)
        self.plates = [add_plate(self.core, plate, self.setting) for plate in self.model._plates]
        self.switches = sites_of(self.core, self.model._switches, self.setting)
        self.topics = [TopicBelief(each.beliefs(), each.name) for each in self.model._topics]

    def __getstate__(self) -> dict[str, Any]:
        # The plates are made anew from the model, and inferred where correlations are asked for.
        return {k: v for k, v in vars(self).items() if k not in ("core", "plates", "switches", "topics", "reports")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.reports = []
        self._make()
        self.infer()

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
        out = self.model._log_known(self.setting) + sum(each.log_evidence_bound for each in self.topics)
        if self.switches:
            report, found, log_overlap = settle(self.core, self.switches, self.setting, self.limit, self.tolerance)
            self.reports.append(report)
            self.states = [found[id(each)] if id(each) in found else each.at(self.setting) for each in self.model._states]
            return out + sum(log_evidence for log_evidence, _, _ in self.states) + self.core.log_evidence() - log_overlap
        self.states = [each.at(self.setting) for each in self.model._states]
        out += sum(log_evidence for log_evidence, _, _ in self.states)
        if self.model._variables:
            self.reports.append(self.core.infer(self.limit, self.tolerance))
            out += self.core.log_evidence()
        return out

    def node(self, weight: float) -> _Node:
        """What is known at the present setting."""
        known = bool(self.model._variables)
        means = self.core.means() if known else np.zeros(0)
        variances = self.core.variances() if known else np.zeros(0)
        return _Node(weight, self.setting, means, variances, self.states)

    def posterior(self) -> Posterior:
        model = self.model
        if not model._hyperparameters:
            log_evidence = self.infer()
            if not math.isfinite(log_evidence):
                raise ValueError("what was observed is impossible under the model")
            return self._finished([self.node(1.0)], log_evidence, True)
        kept: list[_Node | None] = []

        def log_density(g: Array) -> float:
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
            return out if math.isfinite(out) else -math.inf

        scale = np.array([prior.scale for prior in model._hyperparameters])
        found = PlateModel.at_nodes(log_density, np.array(self.start), scale)
        nodes = []
        for weight, call in zip(found.weights, found.evaluation, strict=True):
            answer = kept[call]
            if weight >= _NEGLIGIBLE and answer is not None:
                nodes.append(replace(answer, weight=float(weight)))
        total = sum(node.weight for node in nodes)
        nodes = [replace(node, weight=node.weight / total) for node in nodes]
        return self._finished(nodes, found.log_mass, found.converged)

    def _finished(self, nodes: list[_Node], log_evidence: float, settled: bool) -> Posterior:
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
                stacklevel=4,
            )
        return Posterior(self, nodes, log_evidence, converged)


@dataclass(frozen=True)
class _Node:
    weight: float
    setting: Setting
    means: Array
    variances: Array
    states: list[tuple[float, Array, NDArray[np.int64]]]


class Posterior:
    """Beliefs of a model's unknown numbers: `posterior[x].mean`, `.sd`, `.interval()` of any linear combination x."""

    def __init__(
        self, held: HeldModel, nodes: list[_Node], log_evidence: float, converged: bool
    ) -> None:
        self._held, self._nodes = held, nodes
        self.log_evidence, self.converged = log_evidence, converged

    @property
    def engine(self) -> str:
        """How it was found."""
        sites = any(plate.kind in ("likelihood", "density") for plate in self._held.model._plates)
        sites = sites or bool(self._held.switches)
        how = "expectation propagation" if sites else "exact"
        if self._held.topics:
            how = "soft counts" if how == "exact" else f"{how}, soft counts of topics"
        names = [prior.name for prior in self._held.model._hyperparameters]
        return f"{how} at {len(self._nodes)} nodes of {', '.join(names)}" if names else how

    @property
    def sweeps(self) -> int:
        """How often all likelihoods were visited, at the last node."""
        return int(self._held.reports[-1].sweeps)

    def __repr__(self) -> str:
        return f"<Posterior: {self.engine}, log-evidence {self.log_evidence:.4f}>"

    def __getitem__(self, x: Any) -> Any:
        if isinstance(x, (Hyperparameter, Known)):
            return self._of_known(x)
        if isinstance(x, States):
            return self._of_states(x)
        if isinstance(x, Conjugate):
            weights = np.array([node.weight for node in self._nodes])
            return ConjugateBelief(x, weights, [x.plate.at(node.setting) for node in self._nodes])
        if isinstance(x, Topics):
            return self._held.topics[x.number]
        if not isinstance(x, Linear):
            raise TypeError(
                f"posterior[...] takes unknown numbers of the model or combinations of them, not {type(x).__name__}"
            )
        weights = np.array([node.weight for node in self._nodes])
        means, sds = [], []
        for node in self._nodes:
            w, c = np.asarray(at(x.weights, node.setting)), np.asarray(at(x.constant, node.setting))
            means.append((c + (w * node.means[x.of_each_row()]).sum(axis=1)).reshape(x.shape))
            sds.append(np.sqrt(self._variances(x, w, node)).reshape(x.shape))
        return _mixture(weights, np.array(means), np.array(sds))

    def _variances(self, x: Linear, weights: Array, node: _Node) -> Array:
        if x.width == 1:
            return np.asarray(weights[:, 0] ** 2 * node.variances[x.of_each_row()[:, 0]])
        # Correlations are those of the model at this node.
        self._move_to(node)
        return np.asarray(
            self._held.core.variances_of(x.variables.ravel(), np.ascontiguousarray(weights), x.width)
        )

    def _move_to(self, node: _Node) -> None:
        if self._held.setting != node.setting:
            self._held.change(node.setting)
            self._held.infer()

    def _of_states(self, x: States) -> StateBelief:
        number = next(k for k, each in enumerate(self._held.model._states) if each is x)
        probabilities = sum(node.weight * node.states[number][1] for node in self._nodes)
        best = max(self._nodes, key=lambda node: node.weight)
        return StateBelief(np.asarray(probabilities), best.states[number][2])

    def _of_known(self, x: Known) -> Belief:
        weights = np.array([node.weight for node in self._nodes])
        values = np.array([np.asarray(at(x, node.setting), dtype=np.float64) for node in self._nodes])
        return _mixture(weights, values, np.zeros_like(values))

    def sample(self, count: int, *, seed: int = 0) -> Draws:
        """Draws of all unknown numbers and hyperparameters together: `draws[x]` has the shape (count, ...)."""
        random = np.random.default_rng(seed)
        weights = np.array([node.weight for node in self._nodes])
        counts = random.multinomial(count, weights / weights.sum())
        parts, settings = [], []
        for k, node in enumerate(self._nodes):
            if counts[k] == 0:
                continue
            if self._held.model._variables:
                self._move_to(node)
                parts.append(self._held.core.draws(int(counts[k]), seed + k))
            else:
                parts.append(np.zeros((int(counts[k]), 0)))
            settings += [node.setting] * int(counts[k])
        order = random.permutation(count)
        return Draws(np.concatenate(parts)[order], [settings[k] for k in order], seed)

    def check(self, draws: int = 2000, *, seed: int = 0) -> Check:
        """Draws from the posterior weighed by the model: whether means and deviations hold, or that draws cannot tell.

        For models with hyperparameters the check is made at the most probable node.
        """
        if self._held.switches:
            raise ValueError("check() does not weigh models yet in which hidden states choose between linear models")
        if not self._held.model._variables:
            raise ValueError("check() weighs draws of unknown numbers, of which this model has none")
        best = max(self._nodes, key=lambda node: node.weight)
        self._move_to(best)
        core = self._held.core
        found = core.check(draws, seed)
        sds = np.sqrt(core.variances())
        shift = np.abs(found.means - core.means()) / sds
        beyond = np.maximum(0, shift - 3 * found.mean_errors / sds)
        ratio, error = found.deviations / sds, 3 * found.deviation_errors / sds
        if not found.can_tell:
            verdict = "not certified"
        elif (beyond > 0.25).any() or (ratio - error > 1.25).any() or (ratio + error < 0.8).any():
            verdict = "wrong"
        else:
            verdict = "certified"
        return Check(
            found.draws,
            found.effective_draws,
            found.pareto_k,
            verdict,
            float(shift.max()),
            float(ratio.min()),
            float(ratio.max()),
            found.log_evidence,
            found.log_evidence_error,
        )


class Draws:
    """Draws of all unknown numbers of a model."""

    def __init__(self, values: Array, settings: list[Setting], seed: int) -> None:
        self._values, self._settings, self._seed = values, settings, seed
        self._conjugates: dict[int, tuple[ConjugatePlate, Array]] = {}  # drawn when they are asked for

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, x: Any) -> Array:
        if isinstance(x, Known):
            return np.array([np.asarray(at(x, setting), dtype=np.float64) for setting in self._settings])
        if isinstance(x, Conjugate):
            return self._of_conjugates(x)
        if isinstance(x.weights, Known) or isinstance(x.constant, Known):
            rows = []
            for value, setting in zip(self._values, self._settings, strict=True):
                w, c = at(x.weights, setting), at(x.constant, setting)
                rows.append((c + (w * value[x.of_each_row()]).sum(axis=1)).reshape(x.shape))
            return np.array(rows)
        out = x.constant + (x.weights * self._values[:, x.of_each_row()]).sum(axis=2)
        return np.asarray(out.reshape(len(self._values), *x.shape))

    def _of_conjugates(self, x: Conjugate) -> Array:
        plate = x.plate
        if id(plate) not in self._conjugates:
            random = np.random.default_rng([self._seed, plate.number])
            self._conjugates[id(plate)] = plate, draws_of(plate, self._settings, random)
        rows = self._conjugates[id(plate)][1].reshape(len(self), plate.rows, -1)
        picked = rows[:, x.index]
        return picked if plate.kind == "dirichlet" else picked[..., 0]


def _mixture(weights: Array, means: Array, sds: Array) -> Belief:
    by_node = weights.reshape(-1, *(1,) * (means.ndim - 1))
    mean = (by_node * means).sum(axis=0)
    variance = (by_node * (sds**2 + (means - mean) ** 2)).sum(axis=0)
    return Belief(mean, np.sqrt(variance), weights, means, sds)
