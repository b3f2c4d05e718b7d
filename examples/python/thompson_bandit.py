#!/usr/bin/env python3
"""A bandit with contexts: Thompson sampling, which explores where it is unsure, against greedy choices.

  examples/python/thompson_bandit.py [--quick] [--out DIR]
"""
import gallery
import numpy as np

from postrider.experimental.bandit import ContextualBandit

ARMS, NOISE, BATCH = 4, 0.3, 20
PLAYERS = {
    "Thompson sampling": (dict(policy="thompson"), gallery.BLUE),
    "greedy": (dict(policy="greedy"), gallery.GREY),
    "greedy, 5 % at random": (dict(policy="greedy", exploration=0.05), gallery.ORANGE),
    "greedy, 10 % at random": (dict(policy="greedy", exploration=0.1), "#8a5a9e"),
}


def mean_rewards(contexts):
    """What each arm pays on average: for each context another arm is best, and not by much."""
    x, y = contexts.T
    return np.stack([np.sin(3 * x), np.cos(3 * y), x * y + 0.3, 0.5 * (x - y)], axis=1)


def regret(settings, seed, batches):
    """What always taking the best arm would have paid more, summed up after each batch of contexts."""
    rng = np.random.default_rng(seed)
    bandit = ContextualBandit(ARMS, random_state=seed, **settings)
    lost = []
    for _ in range(batches):
        contexts = rng.uniform(-1, 1, size=(BATCH, 2))
        arms, ids = bandit.choose(contexts)
        pays = mean_rewards(contexts)
        got = pays[np.arange(BATCH), arms]
        bandit.update(ids, got + NOISE * rng.normal(size=BATCH))
        lost.append(np.sum(pays.max(axis=1) - got))
    return np.cumsum(lost)


def main():
    options = gallery.options(__doc__)
    seeds, batches = (2, 5) if options.quick else (20, 100)
    steps = BATCH * np.arange(1, batches + 1)
    figure, axes = gallery.plt.subplots()
    numbers = {"seeds": seeds, "steps": int(steps[-1]), "regret": {}}
    for name, (settings, colour) in PLAYERS.items():
        runs = np.array([regret(settings, seed, batches) for seed in range(seeds)])
        mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(seeds)
        axes.fill_between(steps, mean - error, mean + error, color=colour, alpha=0.2, lw=0)
        axes.plot(steps, mean, color=colour, label=name)
        numbers["regret"][name] = {"mean": float(mean[-1]), "error": float(error[-1])}
    axes.set(xlabel="choices", ylabel="regret, summed up")
    axes.legend()
    gallery.finish(figure, options.out, "thompson_bandit", numbers)


main()
