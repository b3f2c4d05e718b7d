"""Models with many unknown numbers and likelihoods between them; references are NUTS, run once and kept in ../results/nuts.json.

`nuts.py` writes that file; it needs numpyro.
"""

import json
from pathlib import Path

import numpy as np
from latent_data import (
    clusters_data,
    counts_data,
    factors_data,
    groups_data,
    items_data,
    skills_data,
    volatility_data,
)

from postrider import Model

_KEPT = Path(__file__).resolve().parent.parent / "results" / "nuts.json"


def kept(name, random):
    """Means and deviations by NUTS for the data set that this generator began with; None if they were not run."""
    seed = random.bit_generator.seed_seq.entropy

    def reference():
        every = json.loads(_KEPT.read_text()) if _KEPT.exists() else {}
        found = every.get(name, {}).get(str(seed))
        return None if found is None else (found["mean"], found["sd"], None)

    return reference


def items(random):
    """Persons of unknown ability answer items of unknown difficulty and slope."""
    y = items_data(random)
    model = Model()
    theta = model.normal(0, 1, shape=60)
    a, b = model.normal(1, 0.5, shape=12), model.normal(0, 1, shape=12)
    score = (a + np.zeros((60, 12))) * (theta.reshape(60, 1) - b)
    model.bernoulli(score, observed=y, link="probit")
    return model, theta, kept("items", random)


def factors(random):
    """A matrix as the product of a column and a row."""
    y = factors_data(random)
    model = Model()
    u, v = model.normal(1, 0.5, shape=20), model.normal(0, 1, shape=12)
    model.normal((u.reshape(20, 1) + np.zeros((20, 12))) * v, 0.3, observed=y)
    return model, v, kept("factors", random)


def skills(random):
    """Skills that move from week to week, from who beat whom."""
    week, first, second, won = skills_data(random)
    model = Model()
    x = model.chain(np.eye(15), 0.09 * np.eye(15), length=10, initial_covariance=np.eye(15))
    model.bernoulli(x[week, first] - x[week, second], observed=won, link="probit")
    return model, x, kept("skills", random)


def counts(random):
    """Counts whose log-rate is a random walk."""
    y = counts_data(random)
    model = Model()
    x = model.chain(1.0, 0.04, length=80, initial_mean=0.5, initial_covariance=1.0)
    model.poisson(x[:, 0], observed=y)
    return model, x, kept("counts", random)


def volatility(random):
    """Returns whose log-variance is a random walk."""
    y = volatility_data(random)
    model = Model()
    g = model.chain(1.0, 0.09, length=80, initial_mean=-1, initial_covariance=1.0)
    model.normal_log_variance(0.0, g[:, 0], observed=y)
    return model, g, kept("volatility", random)


def groups(random):
    """Logistic regression with an effect of each group."""
    group, x, y = groups_data(random)
    model = Model()
    w, effect = model.normal(0, 2, shape=2), model.normal(0, 0.8, shape=12)
    model.bernoulli(w[0] + w[1] * x + effect[group], observed=y)
    return model, effect, kept("groups", random)


def clusters(random):
    """Two groups whose shares and widths are known, and whose means are not."""
    y = clusters_data(random)
    model = Model()
    low, high = model.normal(-1, 0.5), model.normal(1, 0.5)

    def log_f(rows, a, b):
        first, second = -0.5 * (y[rows] - a) ** 2, -0.5 * (y[rows] - b) ** 2
        return np.logaddexp(np.log(0.4) + first, np.log(0.6) + second) - 0.5 * np.log(2 * np.pi)

    model.density(log_f, low + np.zeros(60), high + np.zeros(60))
    return model, high, kept("clusters", random)


MODELS = [items, factors, skills, counts, volatility, groups, clusters]
