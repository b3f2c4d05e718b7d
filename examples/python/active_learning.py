#!/usr/bin/env python3
"""Active learning: ask for the labels of the rows that tell most about all others.

  examples/python/active_learning.py [--quick] [--out DIR]
"""
import gallery
import numpy as np

from postrider import BayesianMLPRegressor
from postrider.experimental.active import select_rows

NOISE = 0.05


def surface(inputs):
    x, y = inputs.T
    return np.sin(2 * x + 1) + x * y


def learn(inputs, targets, epochs, seed):
    # Constant noise: the rows with the largest standard deviation are then those with most epistemic uncertainty.
    return BayesianMLPRegressor(varying_noise=False, max_epochs=epochs, random_state=seed).fit(inputs, targets)


def most_telling(model, inputs, targets, pool, count, rng):
    """As a batch: what one row tells, the others need not tell again."""
    return select_rows(model, pool, count, inputs, targets)[0]


def most_uncertain(model, inputs, targets, pool, count, rng):
    std = model.predict(pool, return_std=True)[1]
    return np.argsort(-std)[:count]


def at_random(model, inputs, targets, pool, count, rng):
    return rng.choice(len(pool), count, replace=False)


WAYS = {"select_rows": (most_telling, gallery.BLUE), "largest deviation": (most_uncertain, gallery.GREY),
        "at random": (at_random, gallery.ORANGE)}


def errors(choose, seed, rounds, count, epochs):
    """Root mean squared errors on a grid after each round of `count` labels."""
    rng = np.random.default_rng(seed)
    # Most rows lie in one corner; predictions are wanted everywhere.
    pool = 2 * rng.beta(1, 2.5, size=(1500, 2)) - 1
    grid = rng.uniform(-1, 1, size=(2000, 2))
    chosen = rng.choice(len(pool), 40, replace=False)
    found = []
    for _ in range(rounds + 1):
        targets = surface(pool[chosen]) + NOISE * np.random.default_rng(seed).normal(size=len(chosen))
        model = learn(pool[chosen], targets, epochs, seed)
        found.append(float(np.sqrt(np.mean((model.predict(grid) - surface(grid)) ** 2))))
        rest = np.setdiff1d(np.arange(len(pool)), chosen)
        chosen = np.concatenate([chosen, rest[choose(model, pool[chosen], targets, pool[rest], count, rng)]])
    return found


def main():
    options = gallery.options(__doc__)
    seeds, rounds, count, epochs = (2, 2, 10, 3) if options.quick else (8, 8, 15, 200)
    labels = 40 + count * np.arange(rounds + 1)
    figure, axes = gallery.plt.subplots()
    numbers = {"seeds": seeds, "labels": int(labels[-1])}
    for name, (choose, colour) in WAYS.items():
        runs = np.array([errors(choose, seed, rounds, count, epochs) for seed in range(seeds)])
        mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(seeds)
        axes.fill_between(labels, mean - error, mean + error, color=colour, alpha=0.25, lw=0)
        axes.plot(labels, mean, "o-", ms=3, color=colour, label=name)
        numbers[name] = {"rmse": mean.tolist(), "error": error.tolist()}
    axes.set(xlabel="labels", ylabel="RMSE on a grid", ylim=(0, None))
    axes.legend()
    gallery.finish(figure, options.out, "active_learning", numbers)


main()
