"""What a model's inference gives: beliefs of its unknown numbers, as mixtures over the nodes of its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from postrider._conjugate import Conjugate, ConjugateBelief, ConjugatePlate, draws_of
from postrider._expressions import Array, Hyperparameter, Known, Linear, Setting, at
from postrider._held_model import HeldModel, Node
from postrider._hidden_states import StateBelief, States
from postrider._model_parts import ModelParts
from postrider._posterior_check import Check, checked
from postrider._quantiles import Quantiles, quantile_between, quantile_of_mixture
from postrider._starts import Former
from postrider._topics import Topics


@dataclass(frozen=True, repr=False)
class Belief(Quantiles):
    """What is known of some numbers: their means, their standard deviations, and of which Gaussians they are mixtures."""

    mean: Array
    sd: Array
    weights: Array  # of the nodes
    node_means: Array  # (nodes, ...)
    node_sds: Array

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


class Posterior:
    """Beliefs of a model's unknown numbers: `posterior[x].mean`, `.sd`, `.interval()` of any linear combination x."""

    def __init__(
        self, held: HeldModel, nodes: list[Node], log_evidence: float, converged: bool
    ) -> None:
        self._held, self._nodes = held, nodes
        self.log_evidence, self.converged = log_evidence, converged

    @property
    def engine(self) -> str:
        """How it was found."""
        sites = any(plate.has_messages for plate in self._held.model._plates)
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
            return ConjugateBelief(x, weights, [self._held.model._conjugates[x.plate.number].at(node.setting) for node in self._nodes])
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

    def _variances(self, x: Linear, weights: Array, node: Node) -> Array:
        if x.width == 1:
            return np.asarray(weights[:, 0] ** 2 * node.variances[x.of_each_row()[:, 0]])
        # Correlations are those of the model at this node.
        self._move_to(node)
        return np.asarray(
            self._held.core.variances_of(x.variables.ravel(), np.ascontiguousarray(weights), x.width)
        )

    def _move_to(self, node: Node) -> None:
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
        conjugates = self._held.model._conjugates
        return Draws(np.concatenate(parts)[order], [settings[k] for k in order], seed, conjugates)

    def check(self, draws: int = 2000, *, of: Linear | None = None, seed: int = 0) -> Check:
        """Draws from the posterior weighed by the model: whether means and deviations hold, or that draws cannot tell.

        Where weights are too uneven, chains of draws are moved until they are the model's. With `of=` the verdict is about these unknown
        numbers alone. For models with hyperparameters the check is made at the most probable node.
        """
        if not self._held.model._variables:
            raise ValueError("check() weighs draws of unknown numbers, of which this model has none")
        if of is not None and not isinstance(of, Linear):
            raise TypeError(f"of must be unknown numbers of the model or combinations of them, not {type(of).__name__}")
        self._move_to(max(self._nodes, key=lambda node: node.weight))
        return checked(self._held, of, draws, seed)


class Draws:
    """Draws of all unknown numbers of a model."""

    def __init__(self, values: Array, settings: list[Setting], seed: int, conjugates: list[ConjugatePlate]) -> None:
        self._values, self._settings, self._seed, self._conjugates = values, settings, seed, conjugates
        self._drawn: dict[int, Array] = {}  # of conjugates, when they are asked for

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
        plate = self._conjugates[x.plate.number]
        if plate.number not in self._drawn:
            random = np.random.default_rng([self._seed, plate.number])
            self._drawn[plate.number] = draws_of(plate, self._settings, random)
        rows = self._drawn[plate.number].reshape(len(self), plate.rows, -1)
        picked = rows[:, x.index]
        return picked if plate.kind == "dirichlet" else picked[..., 0]


def _mixture(weights: Array, means: Array, sds: Array) -> Belief:
    by_node = weights.reshape(-1, *(1,) * (means.ndim - 1))
    mean = (by_node * means).sum(axis=0)
    variance = (by_node * (sds**2 + (means - mean) ** 2)).sum(axis=0)
    return Belief(mean, np.sqrt(variance), weights, means, sds)


def former_of(model: ModelParts, posterior: Posterior | None) -> Former | None:
    """What inference of the model may take from an earlier posterior of it."""
    if posterior is None:
        return None
    if not isinstance(posterior, Posterior):
        raise TypeError(f"start must be a posterior of this model, not {type(posterior).__name__}")
    if posterior._held.model._identity != model._identity:
        raise ValueError("start: is the posterior of another model")
    return posterior._held.former
