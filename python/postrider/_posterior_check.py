"""Whether a posterior can be trusted: its moments beside those that draws have once the model has weighed or moved them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from postrider._expressions import Array, Linear, Setting
from postrider._held_model import HeldModel
from postrider._hidden_states import Emission, States, normal_log_density
from postrider._switches import Switch, each_site

_NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Check:
    """Whether a posterior can be trusted, by draws from it that the model weighs or moves.

    `verdict` is "certified" where all means are within a quarter of a standard deviation of the model's and all standard deviations
    within a quarter of them, by two standard errors; "wrong" where one is not, by as many; else "not certified".
    """

    draws: int
    effective_draws: float
    pareto_k: float
    verdict: str
    mean_shift: float  # the largest, in standard deviations of the posterior
    sd_ratio_low: float  # corrected over reported standard deviations
    sd_ratio_high: float
    log_evidence: float
    log_evidence_error: float
    chains: int = 0  # of draws that the model moved; 0 where weights were enough
    steps: int = 0

    def __str__(self) -> str:
        if self.chains:
            worth = f"{self.chains} chains of {self.steps} steps are worth {self.effective_draws:.0f} draws"
        else:
            worth = f"{self.effective_draws:.0f} of {self.draws} draws count"
        return (
            f"{self.verdict}: {worth} (Pareto k of weights {self.pareto_k:.2f}); "
            f"means move by at most {self.mean_shift:.2f} standard deviations, these by factors of "
            f"{self.sd_ratio_low:.2f} to {self.sd_ratio_high:.2f}"
        )


def checked(held: HeldModel, of: Linear | None, draws: int, seed: int) -> Check:
    """The check at the present setting, of all unknown numbers or of some."""
    core = held.core
    judged = np.arange(core.variable_count(), dtype=np.uint32) if of is None else np.unique(of.variables).astype(np.uint32)
    sites = [one.plate for one in each_site(held.switches)]
    found = core.check(draws, seed, judged, sites, _density_of_switches(held) if sites else None)
    sds = np.sqrt(core.variances())
    shift, ratio = (np.abs(found.means - core.means()) / sds)[judged], (found.deviations / sds)[judged]
    return Check(
        found.draws,
        found.effective_draws,
        found.pareto_k,
        found.verdict,
        float(shift.max()),
        float(ratio.min()),
        float(ratio.max()),
        found.log_evidence,
        found.log_evidence_error,
        found.chains,
        found.steps,
    )


def _density_of_switches(held: HeldModel) -> Callable[[Array], Array]:
    """What was seen under switches, at points of all variables: in place of the sites that stand for it in the belief."""
    chains = [(states, seen, [one.switch for one in by_kind[0]]) for states, seen, _, by_kind in held.switches]

    def log_density(points: Array) -> Array:
        out = np.zeros(len(points))
        for states, seen, switches in chains:
            out += log_sum_over_paths(states, seen, switches, held.setting, points)
        return out

    return log_density


def log_sum_over_paths(
    states: States, seen: list[Emission], switches: list[Switch], setting: Setting, points: Array
) -> Array:
    """log of the sum over all paths of a chain of their probability times the density of what was seen, at each point."""
    alone, initial, transition = states.numbers(seen, setting)
    widest = max(switch.variables.shape[1] for switch in switches)
    at_once = max(1, _NUMBERS_AT_ONCE // (states.length * max(widest, states.count**2)))
    parts = []
    for first in range(0, len(points), at_once):
        some = points[first : first + at_once]
        log_f = np.broadcast_to(alone, (len(some), *alone.shape))
        for switch in switches:
            means = switch.constants + np.einsum("tkv,ntv->ntk", switch.weights, some[:, switch.variables])
            log_f = log_f + normal_log_density(switch.observed[:, None], means, switch.sds(setting))
        parts.append(_forward(log_f, initial, transition))
    return np.concatenate(parts)


def _forward(log_f: Array, initial: Array, transition: Array) -> Array:
    """log of the sums over all paths, of densities (points, steps, states)."""
    top = log_f.max(axis=2, keepdims=True)
    f = np.exp(log_f - top)
    p, out = initial * f[:, 0], top.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        for t in range(log_f.shape[1]):
            if t:
                p = (p @ transition) * f[:, t]
            total = p.sum(axis=1)
            out += np.log(total)
            p /= total[:, None]
    lost = ~np.isfinite(out)
    if lost.any():  # only states whose share is below the least number are possible
        out[lost] = _forward_by_logarithms(log_f[lost], initial, transition)
    return np.asarray(out)


def _forward_by_logarithms(log_f: Array, initial: Array, transition: Array) -> Array:
    with np.errstate(divide="ignore"):
        log_p, log_transition = np.log(initial) + log_f[:, 0], np.log(transition)
    for t in range(1, log_f.shape[1]):
        log_p = np.logaddexp.reduce(log_p[:, :, None] + log_transition, axis=1) + log_f[:, t]
    return np.asarray(np.logaddexp.reduce(log_p, axis=1))
