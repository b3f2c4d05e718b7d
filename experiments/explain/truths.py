"""Ten tables whose functions are known: twelve columns of graded weight, added up or interacting, and the exact contributions of the function itself."""
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

COLUMNS = 12
# Each column matters three quarters as much as the one before: an order that is clear, but not easy at its end.
WEIGHTS = 0.75 ** np.arange(COLUMNS)
NOISE = 0.1  # standard deviation, of the function's own


@dataclass(frozen=True)
class Truth:
    """A function of standard normal columns; of classes, the log-odds of the second one."""

    name: str
    function: Callable[[np.ndarray], np.ndarray]
    interacts: bool = False
    classes: bool = False

    def said(self, x: np.ndarray) -> np.ndarray:
        """What is explained: the mean, or the probability of the second class."""
        return 1 / (1 + np.exp(-self.function(x))) if self.classes else self.function(x)


def linear(x):
    return x @ WEIGHTS


def waves(x):
    return np.sin(1.5 * x) @ WEIGHTS


def curves(x):
    shapes = [x[:, k] if k % 3 == 0 else np.abs(x[:, k]) if k % 3 == 1 else np.tanh(2 * x[:, k]) for k in range(COLUMNS)]
    return np.stack(shapes, axis=1) @ WEIGHTS


def kinks(x):
    return np.maximum(x, -0.3) @ WEIGHTS


def odds(x):
    return 1.5 * (x @ WEIGHTS)


def pairs(x):
    return x @ WEIGHTS + 0.5 * x[:, 0] * x[:, 1] - 0.3 * x[:, 2] * x[:, 3]


def threes(x):
    return x @ WEIGHTS + 0.5 * np.tanh(x[:, 0]) * np.tanh(x[:, 1]) * np.tanh(x[:, 2])


def gates(x):
    return x @ WEIGHTS + np.where(x[:, 0] > 0, 0.6, -0.2) * x[:, 1]


def ridge(x):
    return np.sin(0.7 * (x @ WEIGHTS)) + 0.5 * (x @ WEIGHTS)


def tangled_odds(x):
    return 1.5 * (x @ WEIGHTS) + 0.8 * x[:, 0] * x[:, 1]


TRUTHS = [
    Truth("linear", linear),
    Truth("waves", waves),
    Truth("curves", curves),
    Truth("kinks", kinks),
    Truth("odds", odds, classes=True),
    Truth("pairs", pairs, interacts=True),
    Truth("threes", threes, interacts=True),
    Truth("gates", gates, interacts=True),
    Truth("ridge", ridge, interacts=True),
    Truth("tangled odds", tangled_odds, interacts=True, classes=True),
]


@dataclass(frozen=True)
class Table:
    x: np.ndarray
    y: np.ndarray
    new: np.ndarray  # rows that were not learned
    background: np.ndarray  # rows that were


def made(truth: Truth, rows: int, new: int, background: int, seed: int = 1) -> Table:
    random = np.random.default_rng([seed, sum(truth.name.encode())])
    x = random.normal(size=(rows + new, COLUMNS))
    f = truth.function(x)
    if truth.classes:
        y = (random.uniform(size=len(x)) < truth.said(x)).astype(np.int64)
    else:
        y = f + NOISE * f[:rows].std() * random.normal(size=len(x))
    return Table(x[:rows], y[:rows], x[rows:], x[:background])


def exact_contributions(said: Callable[[np.ndarray], np.ndarray], rows: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Shapley values by their definition, from all subsets of the columns: of each row, against all rows of the background."""
    columns = rows.shape[1]
    subsets = (np.arange(2**columns)[:, None] >> np.arange(columns) & 1).astype(bool)
    sizes = subsets.sum(axis=1)
    out = np.zeros(rows.shape)
    for place, row in enumerate(rows):
        values = np.zeros(len(subsets))
        for base in background:
            values += said(np.where(subsets, row, base)) / len(background)
        for k in range(columns):
            without = np.flatnonzero(~subsets[:, k])
            shares = np.array([1 / (columns * math.comb(columns - 1, size)) for size in sizes[without]])
            out[place, k] = np.sum(shares * (values[without | 1 << k] - values[without]))
    return out


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's, of values of which no two are equal."""
    def ranks(values):
        return np.argsort(np.argsort(values))
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])
