"""Observed numbers whose mean or noise depends on a hidden state and on unknown numbers: switches between linear models.

Row t has the density N(y_t; z_tk, sd_k) in state k, where the z_tk are linear combinations of unknown numbers. Expectation propagation
between two beliefs that are each found exactly: one Gaussian over all unknown numbers, in which a window of a few rows is a Gaussian
site, and the chain of states, to which a window says how probable each path through it is. The mixture over these paths, given what all
other windows say, is collapsed to the Gaussian that has its mean and covariance. In longer windows less is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider._core import PlateModel
from postrider._expressions import Array, Linear, Setting, at, hyperparameters_of
from postrider._hidden_states import Emission, Picked, States
from postrider._windows import WindowBeliefs, Windows, beliefs_of, windows_of

# Sites may take precision away, up to this share of what the other factors leave, as those of other likelihoods.
_MOST_TAKEN = 0.95
_DAMPING = 0.5  # the share of the way that sites go, which all change together
_PATIENCE = 10  # sweeps in which changes should halve: else the share is halved
_LEAST_SHARE = 0.05


@dataclass(frozen=True)
class Switch:
    """Rows whose linear model is that of a state."""

    label: str
    states: States
    variables: NDArray[np.uint32]  # (rows, width)
    weights: Array  # (rows, states, width)
    constants: Array  # (rows, states)
    sd: Any  # of each state or of all; may depend on hyperparameters
    observed: Array

    def sds(self, setting: Setting) -> Array:
        return np.broadcast_to(np.asarray(at(self.sd, setting), dtype=np.float64), (self.states.count,))


def switched(mean: Any, sd: Any) -> tuple[States, Any, Any] | None:
    """The states, and the means and standard deviations that they pick, of a normal whose mean is unknown."""
    picked = [each for each in (mean, sd) if isinstance(each, Picked)]
    values = [each.values if isinstance(each, Picked) else each for each in (mean, sd)]
    about = values[0] if isinstance(values[0], (list, tuple)) else [values[0]]
    if not picked or not any(isinstance(each, Linear) for each in about):
        return None
    if any(each.states is not picked[0].states for each in picked):
        raise ValueError("normal: what was seen can depend on one chain of states")
    return picked[0].states, values[0], values[1]


def switch_of(label: str, states: States, mean: Any, sd: Any, y: Array) -> Switch:
    """The rows of `model.normal(mean, sd, observed=y)`, whose mean is a combination, or a list of one for each state."""
    shape, count = (states.length,), states.count
    each = list(mean) if isinstance(mean, (list, tuple)) else [mean] * count
    if not all(isinstance(one, Linear) for one in each):
        raise ValueError(f"{label}: pick() takes unknown numbers for all states, or known ones for all")
    if y.shape != shape:
        raise ValueError(f"{label}: observed has the shape {y.shape}, the states {shape}")
    each = [one + np.zeros(shape) for one in each]
    if any(hyperparameters_of(one.weights) or hyperparameters_of(one.constant) for one in each):
        raise ValueError(f"{label}: hyperparameters cannot multiply unknown numbers under a switch")
    variables = np.concatenate([one.of_each_row() for one in each], axis=1)
    weights, first = np.zeros((states.length, count, variables.shape[1])), 0
    for k, one in enumerate(each):
        weights[:, k, first : first + one.width] = np.asarray(one.weights)
        first += one.width
    constants = np.stack([np.asarray(one.constant) for one in each], axis=1)
    return Switch(label, states, variables, weights, constants, sd, y)


def over_windows(switch: Switch, windows: Windows) -> tuple[NDArray[np.uint32], Array]:
    """The variables of each window, each once, and the weights (windows, steps, states, variables) of its rows."""
    found = [np.unique(switch.variables[rows]) for rows in windows.rows]
    width = max(len(each) for each in found)
    if any(len(each) < width for each in found):
        raise ValueError("rows under a switch must be about equally many unknown numbers")
    variables = np.array(found, dtype=np.uint32)
    steps, count = windows.rows.shape[1], switch.states.count
    weights = np.zeros((len(found), steps, count, width))
    for w, rows in enumerate(windows.rows):
        for i, row in enumerate(rows):
            place = np.searchsorted(variables[w], switch.variables[row])
            for k in range(count):
                np.add.at(weights[w, i, k], place, switch.weights[row, k])
    return variables, weights


class SwitchSites:
    """The sites of a switch over windows of one length."""

    def __init__(self, core: PlateModel, switch: Switch, windows: Windows, setting: Setting) -> None:
        self.core, self.switch, self.windows, self.setting = core, switch, windows, setting
        self.variables, weights = over_windows(switch, windows)
        count, steps, states, width = weights.shape
        # A site is over the window's combinations where these are few, else over its variables.
        if (weights == weights[:, :, :1]).all() and steps < width:
            self.basis = np.ascontiguousarray(weights[:, :, 0])
            self.rows = np.broadcast_to(np.eye(steps)[:, None], (count, steps, states, steps))
        else:
            self.basis, self.rows = np.broadcast_to(np.eye(width), (count, width, width)), weights
        self.to_variables = np.linalg.pinv(self.basis)
        self.gaps = (switch.observed[:, None] - switch.constants)[windows.rows]  # (windows, steps, states)
        # At first each row as if all states were equally probable.
        variance = (switch.sds(setting) ** 2).mean() + self.gaps.var(axis=2)
        scaled = self.rows / (variance[:, :, None, None] * states)
        self.precision = _invertible(np.einsum("wske,wskf->wef", scaled, self.rows))
        self.information = np.einsum("wske,wsk->we", scaled, self.gaps)
        self.plate = core.add_block(self.variables.ravel(), width, *self._numbers())

    def _numbers(self) -> tuple[Array, Array, Array]:
        precision = np.einsum("wev,wef,wfu->wvu", self.basis, self.precision, self.basis)
        means = np.einsum("wve,we->wv", self.to_variables, _solved(self.precision, self.information))
        return np.ascontiguousarray(precision).ravel(), np.ascontiguousarray(means).ravel(), np.zeros(len(means))

    def belief(self) -> tuple[Array, Array]:
        """Means and covariances of what the sites are over."""
        means = np.einsum("wev,wv->we", self.basis, self.core.means()[self.variables])
        size, width = self.basis.shape[1:]

        def variances(weights: Array) -> Array:
            return np.asarray(self.core.variances_of(self.variables.ravel(), np.ascontiguousarray(weights).ravel(), width))

        covariances = np.empty((len(means), size, size))
        for e in range(size):
            covariances[:, e, e] = variances(self.basis[:, e])
        for e in range(size):
            for f in range(e):
                both = variances(self.basis[:, e] + self.basis[:, f])
                covariances[:, e, f] = 0.5 * (both - covariances[:, e, e] - covariances[:, f, f])
                covariances[:, f, e] = covariances[:, e, f]
        return means, covariances

    def look(self) -> None:
        """What all else says of a window, and from it the log-density of what was seen on each path of its states."""
        means, covariances = self.belief()
        inverse: Array = np.asarray(np.linalg.inv(covariances), dtype=np.float64)
        # Nothing else may say anything in a direction: then next to nothing is left, and not less.
        values, vectors = np.linalg.eigh(inverse - self.precision)
        least = 1e-9 * np.linalg.eigvalsh(inverse)[:, -1:]
        self.left = np.einsum("wij,wj,wkj->wik", vectors, np.maximum(values, least), vectors)
        self.spread = np.linalg.inv(self.left)
        self.means = means
        self.centre = _times(self.spread, _times(inverse, means) - self.information)
        paths, steps = self.windows.paths, np.arange(self.windows.rows.shape[1])
        self.seen_by = self.rows[:, steps, paths]  # (windows, paths, steps, size)
        self.gap = self.gaps[:, steps, paths] - np.einsum("wpse,we->wps", self.seen_by, self.centre)
        noise = self.switch.sds(self.setting)[paths] ** 2
        self.shared = np.einsum("wpse,wef->wpsf", self.seen_by, self.spread)
        variance = np.einsum("wpse,wpte->wpst", self.shared, self.seen_by) + noise[:, :, None] * np.eye(len(steps))
        self.gain = np.linalg.solve(variance, self.shared).swapaxes(2, 3)  # (windows, paths, size, steps)
        met = np.linalg.solve(variance, self.gap[..., None])[..., 0]
        log_size = np.linalg.slogdet(2 * np.pi * variance)[1]
        self.log_densities = -0.5 * (log_size + (self.gap * met).sum(axis=2))

    def log_overlap(self) -> float:
        """log of the integrals of what is left times the sites."""
        turned = np.eye(self.left.shape[1]) + self.spread @ self.precision
        away = self.centre - _solved(self.precision, self.information)
        met = _times(self.precision @ np.linalg.inv(turned), away)
        return float((-0.5 * np.linalg.slogdet(turned)[1] - 0.5 * (away * met).sum(axis=1)).sum())

    def aim(self, log_chances: Array) -> float:
        """At sites that have the moments of windows whose paths have these chances, all seen; returns the largest change."""
        p = np.exp(log_chances)
        shifts = np.einsum("wpes,wps->wpe", self.gain, self.gap)
        shift = np.einsum("wpe,wp->we", shifts, p)
        away = shifts - shift[:, None]
        inside = np.einsum("wpes,wpsf,wp->wef", self.gain, self.shared, p)
        covariance = self.spread - inside + np.einsum("wpe,wpf,wp->wef", away, away, p)
        precision = self._allowed(np.linalg.inv(covariance))
        moved = self.centre + shift
        information = _times(precision + self.left, moved) - _times(self.left, self.centre)
        self.start, self.goal = (self.precision, self.information), (precision, information)
        sd = np.sqrt(np.einsum("wee->we", covariance))
        scale = sd[:, :, None] * sd[:, None, :]
        return max(float((np.abs(moved - self.means) / sd).max()), float((np.abs(precision - self.precision) * scale).max()))

    def take(self, precision: Array, information: Array) -> None:
        """The sites of an earlier posterior."""
        self.precision, self.information = precision, information
        self.core.change_block(self.plate, *self._numbers())

    def go(self, share: float) -> None:
        """This share of the way from where the sites were to where they should be."""
        (precision, information), (to_precision, to_information) = self.start, self.goal
        self.precision = precision + share * (to_precision - precision)
        self.information = information + share * (to_information - information)
        self.core.change_block(self.plate, *self._numbers())

    def _allowed(self, precision: Array) -> Array:
        """The site's precision, of which no more is negative than may be taken away."""
        root = np.linalg.cholesky(self.left)
        into = np.linalg.inv(root)
        values, vectors = np.linalg.eigh(into @ precision @ into.swapaxes(1, 2))
        values = np.maximum(values, 1 - _MOST_TAKEN) - 1
        values = np.where(np.abs(values) < 1e-9, 1e-9, values)  # a site of which nothing is open has a mean
        back = root @ vectors
        return np.asarray(np.einsum("wij,wj,wkj->wik", back, values, back))


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("wij,wj->wi", matrices, vectors))


def _solved(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.linalg.solve(matrices, vectors[:, :, None])[:, :, 0])


def _invertible(matrices: Array) -> Array:
    """With a little more on diagonals, so that a site has a mean."""
    return np.asarray(matrices + 1e-9 * np.linalg.eigvalsh(matrices)[:, -1, None, None] * np.eye(matrices.shape[1]))


@dataclass
class SwitchReport:
    """How the sites of switches settled."""

    sweeps: int
    converged: bool
    change: list[float]
    kept: int = 0


Sites = list[tuple[States, list[Emission], list[Windows], list[list[SwitchSites]]]]
StatesFound = dict[int, tuple[float, Array, NDArray[np.int64]]]


def sites_of(core: PlateModel, switches: list[Switch], emissions: list[Emission], setting: Setting) -> Sites:
    """For each chain of states what else was seen of it, its windows, and the sites of all its switches for each kind of windows."""
    out: Sites = []
    for states in {id(each.states): each.states for each in switches}.values():
        kinds = windows_of(states)
        own = [each for each in switches if each.states is states]
        seen = [each for each in emissions if each.states is states]
        out.append((states, seen, kinds, [[SwitchSites(core, each, kind, setting) for each in own] for kind in kinds]))
    return out


def each_site(sites: Sites) -> list[SwitchSites]:
    return [one for *_, by_kind in sites for kind in by_kind for one in kind]


def settle(core: PlateModel, sites: Sites, setting: Setting, limit: int, tolerance: float) -> tuple[SwitchReport, StatesFound, float]:
    """Sites and chains in turn until neither changes; how that went, what states are, and by how much sites count twice."""
    report, everything = SwitchReport(0, False, []), each_site(sites)
    for one in everything:
        one.setting = setting
    core.infer(limit, tolerance)
    share = _DAMPING
    while True:
        for one in everything:
            one.look()
        found: StatesFound = {}
        change = 0.0
        for states, seen, kinds, by_kind in sites:
            densities = [np.asarray(sum(one.log_densities for one in kind)) for kind in by_kind]
            beliefs: WindowBeliefs = beliefs_of(states, seen, kinds, densities, setting)
            found[id(states)] = beliefs.log_evidence, beliefs.probabilities, beliefs.most_probable_path
            if not np.isfinite(beliefs.log_evidence):
                return report, found, 0.0
            for kind, log_p in zip(by_kind, beliefs.of_paths, strict=True):
                change = max(change, *(one.aim(log_p) for one in kind))
        if report.converged or report.sweeps >= limit:
            return report, found, sum(one.log_overlap() for one in everything)
        report.sweeps += 1
        report.change.append(change)
        report.converged = change < max(tolerance, 1e-7)
        if report.sweeps > _PATIENCE and change > 0.5 * report.change[-1 - _PATIENCE]:
            share = max(0.5 * share, _LEAST_SHARE)  # forth and back, or hardly at all
        _step(core, everything, share, limit, tolerance)


def _step(core: PlateModel, sites: list[SwitchSites], share: float, limit: int, tolerance: float) -> None:
    """This share of the way, or less where there would be no belief."""
    while True:
        for each in sites:
            each.go(share)
        try:
            core.infer(limit, tolerance)
            return
        except ValueError:
            if share == 0:
                raise
            share = 0.5 * share if share > 1e-3 else 0.0
