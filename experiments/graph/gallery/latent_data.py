"""The data of the models in latent.py: the same for Postrider and for NUTS."""

import numpy as np
from scipy.special import expit


def items_data(random):
    ability = random.normal(size=60)
    slope, difficulty = random.lognormal(0, 0.3, size=12), random.normal(size=12)
    z = slope * (ability[:, None] - difficulty)
    return (random.normal(size=z.shape) < z).astype(int)


def factors_data(random):
    return np.outer(1 + 0.5 * random.normal(size=20), random.normal(size=12)) + 0.3 * random.normal(size=(20, 12))


def skills_data(random):
    """Who played whom when, and whether the first won: 15 players, 10 weeks, 200 games."""
    skills = np.cumsum(np.where(np.arange(10)[:, None] == 0, 1.0, 0.3) * random.normal(size=(10, 15)), axis=0)
    week = np.sort(random.integers(10, size=200))
    first = random.integers(15, size=200)
    second = (first + random.integers(1, 15, size=200)) % 15
    gap = skills[week, first] - skills[week, second]
    return week, first, second, (random.normal(size=200) < gap).astype(int)


def counts_data(random):
    return random.poisson(np.exp(0.5 + np.cumsum(0.2 * random.normal(size=80))))


def volatility_data(random):
    log_variance = -1 + np.cumsum(0.3 * random.normal(size=80))
    return np.exp(0.5 * log_variance) * random.normal(size=80)


def groups_data(random):
    group = np.repeat(np.arange(12), 8)
    effect = 0.8 * random.normal(size=12)
    x = random.normal(size=96)
    return group, x, (random.random(96) < expit(0.3 + 0.7 * x + effect[group])).astype(int)


def clusters_data(random):
    return np.where(random.random(60) < 0.4, -1.5, 1.0) + random.normal(size=60)
