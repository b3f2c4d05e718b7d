#!/usr/bin/env python3
"""Draws the pictures of docs/python/plots.md from made-up numbers.

docs/python/draw.py [--out DIR]
"""

from __future__ import annotations

import argparse
import functools
import math
import pathlib
from types import SimpleNamespace
from typing import Any

import matplotlib

matplotlib.use("Agg")
import numpy as np  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from postrider import Explanation, SkillRating, TableModel, plots  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parents[1] / "figures" / "python"


class Curve:
    """A regressor that is sure where it has data, and less so elsewhere."""

    def predict(self, X: NDArray[Any], return_std: bool = False) -> Any:
        x = np.asarray(X)[:, 0]
        deviation = np.sqrt(0.15**2 + (0.35 * np.maximum(0, np.abs(x) - 2)) ** 2)
        return (np.sin(1.5 * x), deviation) if return_std else np.sin(1.5 * x)


def predictive_band(generator: np.random.Generator) -> Any:
    x = generator.uniform(-2.4, 2.4, 90)
    y = np.sin(1.5 * x) + 0.15 * generator.normal(size=90)
    return plots.plot_predictive_band(Curve(), x, y)


def calibration(generator: np.random.Generator) -> Any:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
    mean = generator.normal(size=400)
    y = mean + 0.5 * generator.normal(size=400)
    plots.plot_calibration((mean, np.full(400, 0.5)), y, label="honest", ax=left)
    plots.plot_calibration((mean, np.full(400, 0.25)), y, label="too sure", ax=left)
    score = 1.5 * generator.normal(size=1500)
    came = (generator.random(1500) < 1 / (1 + np.exp(-score))).astype(int)
    for label, slope in (("honest", 1.0), ("too sure", 2.5)):
        told = 1 / (1 + np.exp(-slope * score))
        plots.plot_calibration(told, came, bins=8, label=label, ax=right)
    left.set_title("regression", loc="left")
    right.set_title("two classes", loc="left")
    return right


def explanation(generator: np.random.Generator) -> Any:
    columns = ["area = 110", "town = Brook", "floor = 5", "balcony = yes", "year = 1962"]
    moves = np.array([290.0, 96.0, -38.0, 21.0, -9.0])[None, :, None]
    spread = np.array([6.0, 9.0, 5.0, 8.0, 7.0])[None, :, None]
    names, values = zip(*(column.split(" = ") for column in columns), strict=True)
    found = Explanation(list(names), ["mean"], np.array([640.0]), 640 + moves.sum(axis=1), moves, spread, np.zeros((1, 5)), [list(values)])
    return plots.plot_explanation(found)


def flats(generator: np.random.Generator, rows: int) -> Any:
    """Rents of flats: a square metre costs more in Brook, and there rents differ most."""
    import pandas

    frame = pandas.DataFrame({
        "area": generator.uniform(30, 120, rows),
        "town": generator.choice(["Brook", "Calder", "Dale"], rows),
        "floor": generator.integers(0, 6, rows),
        "noise": generator.normal(size=rows),
    })
    centre = frame["town"] == "Brook"
    rent = 8 * frame["area"] + 3 * frame["area"] * centre - 15 * frame["floor"]
    return frame.assign(rent=rent + np.where(centre, 60, 20) * generator.normal(size=rows))


@functools.cache
def model_of_flats() -> Any:
    return TableModel(random_state=1, n_jobs=1).fit(flats(np.random.default_rng(1), 400), "rent")


def predicted_observed(generator: np.random.Generator) -> Any:
    return plots.plot_predicted_observed(model_of_flats(), flats(generator, 200))


def coverage(generator: np.random.Generator) -> Any:
    # Intervals that are right on average alone: one width for all towns.
    plain = TableModel(random_state=1, n_jobs=1, varying_noise=False, learned_shape=False).fit(flats(np.random.default_rng(1), 400), "rent")
    return plots.plot_coverage(plain, flats(generator, 600), group="town")


def importance(generator: np.random.Generator) -> Any:
    return plots.plot_importance(model_of_flats())


def partial_dependence(generator: np.random.Generator) -> Any:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained", sharey=True)
    plots.plot_partial_dependence(model_of_flats(), "area", ax=left)
    plots.plot_partial_dependence(model_of_flats(), "area", by="town", ax=right)
    return right


def hinton(generator: np.random.Generator) -> Any:
    shape = (16, 7)
    deviation = np.exp(generator.normal(-1.2, 0.8, shape))
    mean = generator.normal(0, 0.8, shape) * generator.random(shape)
    names = ["age", "income", "rooms", "distance", "tax", "year"]
    layer = SimpleNamespace(mean=mean, std=deviation)
    return plots.plot_hinton(layer, input_names=names)


def rating_over_time(generator: np.random.Generator) -> Any:
    ratings = SkillRating(dynamics_std=0.4)
    names = ["Ann", "Bob", "Cleo", "Dan"]
    history: dict[str, tuple[list[float], list[float], list[float]]] = {
        name: ([], [], []) for name in names
    }
    skill = np.array([30.0, 26.0, 24.0, 20.0])
    for week in range(100):
        skill += [-0.06, 0.0, 0.08, 0.02]
        for _ in range(4):
            a, b = generator.choice(4, 2, replace=False)
            difference = skill[a] - skill[b] + 25 / 6 * math.sqrt(2) * generator.normal()
            winner, loser = (a, b) if difference > 0 else (b, a)
            ratings.update(names[winner], names[loser], draw=abs(difference) < 0.74, time=week)
        for name in names:
            if name in ratings:
                belief = ratings.rating(name, time=week)
                for course, value in zip(
                    history[name], (week, belief.mean, belief.std), strict=True
                ):
                    course.append(value)
    ax = plots.plot_rating_over_time(history)
    ax.set_xlabel("week")
    return ax


def training_curve(generator: np.random.Generator) -> Any:
    rows = []
    for member in range(3):
        epochs = np.arange(1, 31)
        score = -1.2 * np.exp(-epochs / (4 + member)) - 0.4 - 0.002 * np.maximum(0, epochs - 18)
        score += 0.008 * generator.normal(size=30)
        best = int(epochs[score.argmax()])
        rows += [
            {"member": member, "epoch": int(e), "score": float(s), "best_epoch": best}
            for e, s in zip(epochs, score, strict=True)
        ]
    return plots.plot_training_curve(rows, label="log-likelihood before learning")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=OUT, metavar="DIR")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for number, draw in enumerate(
        (predictive_band, calibration, hinton, rating_over_time, training_curve, explanation, predicted_observed, coverage, importance,
         partial_dependence)
    ):
        axes = draw(np.random.default_rng([2, number]))
        path = folder / f"{draw.__name__}.png"
        axes.figure.savefig(path, dpi=120, metadata={"Software": None})
        print(path)


if __name__ == "__main__":
    main()
