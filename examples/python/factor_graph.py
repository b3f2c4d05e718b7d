#!/usr/bin/env python3
"""A model of one's own, with a factor written in Python.

A tide gauge reads a slowly changing water level. Most readings are good, a few are nonsense. The
level is a random walk, and a factor written in Python gives each reading the weight of the
probability that it is good, by what the others say of the level.

    examples/python/factor_graph.py [--out DIR] [--quick]
"""

from __future__ import annotations

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import numpy as np  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import postrider  # noqa: E402
from postrider import ArrayFactor, Edge, EdgeRule, FactorGraph, Gaussian, GaussianArray  # noqa: E402
from postrider.plots import plot_predictive_band  # noqa: E402

GOOD, NONSENSE = 0.2**2, 3.0**2  # variances of a reading
SHARE_OF_NONSENSE = 0.2
STEP = 0.1**2  # variance of what the level changes between two readings


class SometimesNonsense(ArrayFactor):
    """(1 - p) N(y; x, good) + p N(y; x, nonsense)."""

    formula = "(1 - p) N(y; x, good) + p N(y; x, nonsense)"
    edges = (Edge("y", (EdgeRule("direct", "moments"),)), Edge("x", (EdgeRule("conditioned"),)))

    def send(self, edge: str, rule: str, incoming: GaussianArray) -> GaussianArray:
        y, x = incoming[:, 0], incoming[:, 1]
        if edge == "y":  # the mixture's own mean and variance
            mixed = (1 - SHARE_OF_NONSENSE) * GOOD + SHARE_OF_NONSENSE * NONSENSE
            return GaussianArray.from_moments(x.mean, x.variance + mixed)
        # How likely the reading is nonsense, by what is known of the level without it.
        prior = (1 - SHARE_OF_NONSENSE, SHARE_OF_NONSENSE)
        evidence = np.stack(
            [
                np.log(share)
                + GaussianArray.from_moments(x.mean, x.variance + variance).log_density(y.mean)
                for share, variance in zip(prior, (GOOD, NONSENSE), strict=True)
            ]
        )
        weight = np.exp(evidence - np.logaddexp(*evidence))
        # A reading that is good with probability w says as much as w good ones.
        precision = weight[0] / (GOOD + y.variance) + weight[1] / (NONSENSE + y.variance)
        return GaussianArray(y.mean * precision, precision)

    def evaluate(self, *values: float) -> float:
        y, x = values
        return float(
            np.logaddexp(
                np.log1p(-SHARE_OF_NONSENSE) + Gaussian(x, GOOD).log_density(y),
                np.log(SHARE_OF_NONSENSE) + Gaussian(x, NONSENSE).log_density(y),
            )
        )


def readings(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    generator = np.random.default_rng(7)
    level = np.sin(np.arange(count) / 12) + 0.3 * np.sin(np.arange(count) / 5)
    is_nonsense = generator.random(count) < SHARE_OF_NONSENSE
    noise = np.where(is_nonsense, NONSENSE, GOOD) ** 0.5 * generator.normal(size=count)
    return level, level + noise


def smooth(seen: NDArray[np.float64], reading: postrider.Factor) -> GaussianArray:
    graph = FactorGraph()
    level, shown = graph.add_variables(len(seen)), graph.add_variables(len(seen))
    graph.set_prior(level[0], Gaussian(0.0, 1.0))
    steps = np.column_stack([level[1:], level[:-1]])
    graph.add_plate("gaussian_likelihood", steps, variance=STEP)
    graph.add_plate(reading, np.column_stack([shown, level]))
    graph.observe(shown, seen)
    record = graph.run("sweeps")
    print(f"  {record}")
    return graph.marginal(level)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out"), metavar="DIR")
    parser.add_argument("--quick", action="store_true", help="fewer readings")
    given = parser.parse_args()
    level, seen = readings(60 if given.quick else 150)
    plain = postrider.make_factor("gaussian_likelihood", variance=GOOD)
    found = {}
    models = {"every reading is good": plain, "some are nonsense": SometimesNonsense()}
    for name, factor in models.items():
        print(name)
        found[name] = smooth(seen, factor)
        error = np.sqrt(np.mean((found[name].mean - level) ** 2))
        print(f"  root mean square error {error:.3f}")
    given.out.mkdir(parents=True, exist_ok=True)
    draw(found["some are nonsense"], seen, level, given.out / "factor_graph.png")


def draw(
    belief: GaussianArray, seen: NDArray[np.float64], level: NDArray[np.float64], path: pathlib.Path
) -> None:
    figure, axes = pyplot.subplots(figsize=(7.6, 4.0), layout="constrained")
    plot_predictive_band(
        belief.mean, np.arange(len(seen)), seen, std=belief.std, ax=axes
    )
    axes.plot(level, color="#d55e00", linewidth=1)
    axes.set(ylim=(-2.5, 2.5), xlabel="time", ylabel="level")
    labels = ["90% belief", "50% belief", "mean", "readings", "true level"]
    axes.legend(
        [*axes.collections, *axes.lines],
        labels,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1, 1),
    )
    figure.savefig(path, dpi=120, metadata={"Software": None})
    print(path)


if __name__ == "__main__":
    main()
