"""Chains of hidden states by windows of a few steps, whose states are summed over together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postrider._expressions import Array, Setting
from postrider._hidden_states import Emission, States

_MOST_PATHS = 32  # of a window: the length of windows follows


@dataclass(frozen=True)
class Windows:
    """Windows of equal length, one after the other: the rows of each, and the paths that states may take in it."""

    rows: NDArray[np.int64]  # (windows, steps)
    paths: NDArray[np.int64]  # (paths, steps)


def windows_of(states: States) -> list[Windows]:
    """Long ones, and a shorter one for the steps that are left over."""
    steps = 1
    while states.count ** (steps + 1) <= _MOST_PATHS and steps < states.length:
        steps += 1
    whole = states.length // steps
    out = [_windows(np.arange(whole * steps).reshape(whole, steps), states.count)]
    if whole * steps < states.length:
        out.append(_windows(np.arange(whole * steps, states.length)[None], states.count))
    return out


def _windows(rows: NDArray[np.int64], count: int) -> Windows:
    return Windows(rows, np.array(list(itertools.product(range(count), repeat=rows.shape[1]))))


@dataclass(frozen=True)
class WindowBeliefs:
    """What a chain's states are, given log-densities of the paths in its windows."""

    log_evidence: float
    of_paths: list[Array]  # for each kind of windows: log-probabilities (windows, paths)
    probabilities: Array  # (steps, states)
    most_probable_path: NDArray[np.int64]


def beliefs_of(
    states: States, seen: list[Emission], kinds: list[Windows], log_densities: list[Array], setting: Setting
) -> WindowBeliefs:
    """Sums forwards and backwards over windows."""
    alone, initial, transition = states.numbers(seen, setting)
    with np.errstate(divide="ignore"):
        log_initial, log_transition = np.log(initial), np.log(transition)
    weights = []
    for kind, extra in zip(kinds, log_densities, strict=True):
        inside = log_transition[kind.paths[:, :-1], kind.paths[:, 1:]].sum(axis=1)
        each = np.take_along_axis(alone[kind.rows], np.broadcast_to(kind.paths.T, (len(kind.rows), *kind.paths.T.shape)), axis=2)
        weights.append(extra + inside + each.sum(axis=1))
    order = [(k, w) for k, kind in enumerate(kinds) for w in range(len(kind.rows))]
    first, last = [kind.paths[:, 0] for kind in kinds], [kind.paths[:, -1] for kind in kinds]
    coming, best, back = [log_initial], [log_initial], []
    for k, w in order:
        coming.append(_to_states(coming[-1][first[k]] + weights[k][w], last[k], log_transition))
        found = best[-1][first[k]] + weights[k][w]
        ends = np.array([found[last[k] == state].max() for state in range(states.count)])
        back.append([np.flatnonzero(last[k] == state)[found[last[k] == state].argmax()] for state in range(states.count)])
        best.append((ends[:, None] + log_transition).max(axis=0))
    of_paths = [np.empty(each.shape) for each in weights]
    going, path = np.zeros(states.count), np.zeros(states.length, dtype=np.int64)
    follower: int | None = None
    log_evidence = 0.0
    for place in range(len(order) - 1, -1, -1):
        k, w = order[place]
        joint = coming[place][first[k]] + weights[k][w] + going[last[k]]
        log_evidence = _log_sum(joint)
        of_paths[k][w] = joint - log_evidence
        going = np.array([_log_sum(log_transition[state][first[k]] + weights[k][w] + going[last[k]]) for state in range(states.count)])
        found = best[place][first[k]] + weights[k][w]
        ends = found[back[place]]
        end = int((ends if follower is None else ends + log_transition[:, follower]).argmax())
        path[kinds[k].rows[w]] = kinds[k].paths[back[place][end]]
        follower = int(kinds[k].paths[back[place][end], 0])
    probabilities = np.zeros((states.length, states.count))
    for kind, log_p in zip(kinds, of_paths, strict=True):
        for state in range(states.count):
            probabilities[kind.rows, state] = np.exp(log_p) @ (kind.paths == state)
    return WindowBeliefs(log_evidence, of_paths, probabilities, path)


def _to_states(log_p: Array, last: NDArray[np.int64], log_transition: Array) -> Array:
    return np.array([_log_sum(log_p + log_transition[last, state]) for state in range(len(log_transition))])


def _log_sum(log_p: Array) -> float:
    top = log_p.max()
    return float(top + np.log(np.exp(log_p - top).sum())) if np.isfinite(top) else float(top)
