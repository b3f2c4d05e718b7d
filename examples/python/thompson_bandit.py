#!/usr/bin/env python3
"""A bandit with contexts: Thompson sampling, which explores where it is unsure, against epsilon-greedy.

  examples/python/thompson_bandit.py [--quick] [--out DIR]
"""
import gallery
import numpy as np

from postrider import BayesianMLPRegressor

ARMS, NOISE, FIRST, BATCH = 4, 0.3, 20, 10


def mean_rewards(contexts):
    """What each arm pays on average: for each context another arm is best, and not by much."""
    x, y = contexts.T
    return np.stack([np.sin(3 * x), np.cos(3 * y), x * y + 0.3, 0.5 * (x - y)], axis=1)


class Arm:
    """A model of one arm's rewards that learns them as they come."""

    def __init__(self, seed):
        self.model = BayesianMLPRegressor(hidden_layer_sizes=(20,), varying_noise=False, random_state=seed)

    def learn(self, contexts, rewards):
        if len(rewards):
            self.model.partial_fit(contexts, rewards)

    def predict(self, contexts):
        """Mean of the rewards, and how far it may be from the truth: the epistemic standard deviation."""
        mean, std = self.model.predict(contexts, return_std=True)
        return mean, np.sqrt(np.maximum(std**2 - self.model.noise_**2, 0))


def thompson(arms, contexts, rng):
    beliefs = [arm.predict(contexts) for arm in arms]
    return np.argmax([rng.normal(mean, std) for mean, std in beliefs], axis=0)


def epsilon_greedy(epsilon):
    def choose(arms, contexts, rng):
        best = np.argmax([arm.predict(contexts)[0] for arm in arms], axis=0)
        return np.where(rng.random(len(contexts)) < epsilon, rng.integers(ARMS, size=len(contexts)), best)
    return choose


def regret(choose, seed, batches):
    """What always taking the best arm would have paid more, summed up after each batch of contexts."""
    rng = np.random.default_rng(seed)
    arms = [Arm(seed) for _ in range(ARMS)]
    for number, arm in enumerate(arms):  # some of each arm, which also fixes the scales
        contexts = rng.uniform(-1, 1, size=(FIRST, 2))
        arm.learn(contexts, mean_rewards(contexts)[:, number] + NOISE * rng.normal(size=FIRST))
    lost = []
    for _ in range(batches):
        contexts = rng.uniform(-1, 1, size=(BATCH, 2))
        chosen = choose(arms, contexts, rng)
        pays = mean_rewards(contexts)
        got = np.take_along_axis(pays, chosen[:, None], axis=1)[:, 0]
        rewards = got + NOISE * rng.normal(size=BATCH)
        for number, arm in enumerate(arms):
            arm.learn(contexts[chosen == number], rewards[chosen == number])
        lost.append(np.sum(pays.max(axis=1) - got))
    return np.cumsum(lost)


def main():
    options = gallery.options(__doc__)
    seeds, batches = (2, 5) if options.quick else (20, 200)
    players = {"Thompson sampling": thompson, "greedy": epsilon_greedy(0), "epsilon-greedy, 5 %": epsilon_greedy(0.05),
               "epsilon-greedy, 10 %": epsilon_greedy(0.1)}
    steps = BATCH * np.arange(1, batches + 1)
    figure, axes = gallery.plt.subplots()
    numbers = {"seeds": seeds, "steps": int(steps[-1]), "regret": {}}
    for (name, choose), colour in zip(players.items(), (gallery.BLUE, gallery.GREY, gallery.ORANGE, "#8a5a9e")):
        runs = np.array([regret(choose, seed, batches) for seed in range(seeds)])
        mean, error = runs.mean(axis=0), runs.std(axis=0, ddof=1) / np.sqrt(seeds)
        axes.fill_between(steps, mean - error, mean + error, color=colour, alpha=0.2, lw=0)
        axes.plot(steps, mean, color=colour, label=name)
        numbers["regret"][name] = {"mean": float(mean[-1]), "error": float(error[-1])}
    axes.set(xlabel="choices", ylabel="regret, summed up")
    axes.legend()
    gallery.finish(figure, options.out, "thompson_bandit", numbers)


main()
