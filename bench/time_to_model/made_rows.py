"""Tables of as many rows as one likes, whose truth is known: twelve numbers, eight categories and an amount to predict. Needs numpy alone.

With columns x0 ... x11 of independent standard normal numbers and categories c0 ... c7 of LEVELS levels, frequent ones and rare ones,

  y = 2 x0 + x1 x2 + sin(2 x3) + trees(x4 ... x7) + sum_k a_k[c_k] + b[c5] x8 + N(0, 1),   k = 0 ... 5.

x9 to x11, c6 and c7 say nothing. Effects a_k and slopes b are drawn once. Nobody's root mean square error can be expected below NOISE, nor a
mean log-likelihood above that of the truth. Rows are drawn in blocks, each from a seed of its own, so that a table begins with all of a smaller one.
"""
import csv
import dataclasses
import pathlib
import sys

import numpy as np

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path[:0] = [str(EXPERIMENTS / "calibration"), str(EXPERIMENTS / "common")]
import truths  # noqa: E402
from scores import gaussian_log_likelihood, root_mean_square_error  # noqa: E402

SEED = 20
BLOCK = 10_000  # rows that are drawn and written at a time
PURPOSES = ("effects", "training", "test")
NUMBERS, LEVELS = 12, (2, 3, 5, 8, 20, 100, 4, 50)
TELLING = 6  # categories that say something, the first ones
SLOPED, SLOPING = 8, 5  # the number whose slope a category sets, and that category
EFFECT, NOISE = 0.5, 1.0  # standard deviations
DECIMALS = 4  # of what is written: the truth is that of the numbers as they are read
TARGET = "amount"
CATEGORIES = tuple(f"c{k}" for k in range(len(LEVELS)))
COLUMNS = (*(f"x{k}" for k in range(NUMBERS)), *CATEGORIES, TARGET)


@dataclasses.dataclass
class Rows:
    numbers: np.ndarray
    levels: np.ndarray  # a column for each category
    targets: np.ndarray


def generator(purpose, block=0):
    return np.random.default_rng([SEED, PURPOSES.index(purpose), block])


def level_names(category):
    return [f"v{level}" for level in range(LEVELS[category])]


def effects():
    """The effects of the levels of each telling category, and the slopes."""
    draw = generator("effects")
    drawn = [np.round(EFFECT * draw.standard_normal(levels), DECIMALS) for levels in (*LEVELS[:TELLING], LEVELS[SLOPING])]
    return drawn[:-1], drawn[-1]


def signal(numbers, levels):
    """The target without its noise."""
    by_level, slopes = effects()
    found = truths.smooth(numbers[:, :4]) + truths.trees(numbers[:, 4:8]) + slopes[levels[:, SLOPING]] * numbers[:, SLOPED]
    return found + sum(effect[levels[:, k]] for k, effect in enumerate(by_level))


def drawn_block(purpose, number, rows):
    """The first rows of a block."""
    draw = generator(purpose, number)
    numbers = np.round(truths.normal_columns(draw, BLOCK, NUMBERS), DECIMALS)
    levels = np.column_stack([truths.drawn_levels(draw, BLOCK, levels) for levels in LEVELS])
    targets = np.round(signal(numbers, levels) + NOISE * draw.standard_normal(BLOCK), DECIMALS)
    return Rows(numbers[:rows], levels[:rows], targets[:rows])


def blocks(purpose, rows):
    for number, first in enumerate(range(0, rows, BLOCK)):
        yield drawn_block(purpose, number, rows - first)


def made_rows(purpose, rows):
    parts = list(blocks(purpose, rows))
    return Rows(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in dataclasses.fields(Rows)))


def write_table(path, purpose, rows):
    names = [np.array(level_names(category)) for category in range(len(LEVELS))]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for block in blocks(purpose, rows):
            words = [names[category][block.levels[:, category]].tolist() for category in range(len(LEVELS))]
            writer.writerows(zip(*block.numbers.T.tolist(), *words, block.targets.tolist(), strict=True))


def scores_of_truth(rows):
    """What the true distribution reaches on these rows."""
    mean = signal(rows.numbers, rows.levels)
    return {"rmse": root_mean_square_error(mean, rows.targets), "log_likelihood": gaussian_log_likelihood(mean, NOISE, rows.targets)}
