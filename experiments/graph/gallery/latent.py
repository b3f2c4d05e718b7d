"""Models with many unknown numbers and likelihoods between them; references are long chains (sampling.py), and a grid."""

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
from sampling import gibbs_factors, gibbs_items, log_concave, walk_root
from scipy import stats
from scipy.special import expit, log_expit, log_ndtr

from postrider import Model


def items(random):
    """Persons of unknown ability answer items of unknown difficulty and slope."""
    y = items_data(random)
    model = Model()
    theta = model.normal(0, 1, shape=60)
    a, b = model.normal(1, 0.5, shape=12), model.normal(0, 1, shape=12)
    score = (a + np.zeros((60, 12))) * (theta.reshape(60, 1) - b)
    model.bernoulli(score, observed=y, link="probit")
    return model, theta, lambda: (*gibbs_items(y, 0.5), None)


def factors(random):
    """A matrix as the product of a column and a row."""
    y = factors_data(random)
    model = Model()
    u, v = model.normal(1, 0.5, shape=20), model.normal(0, 1, shape=12)
    model.normal((u.reshape(20, 1) + np.zeros((20, 12))) * v, 0.3, observed=y)
    return model, v, lambda: (*gibbs_factors(y, 0.3, 1.0, 0.5, 1.0), None)


def skills(random):
    """Skills that move from week to week, from who beat whom."""
    week, first, second, won = skills_data(random)
    model = Model()
    x = model.chain(np.eye(15), 0.09 * np.eye(15), length=10, initial_covariance=np.eye(15))
    model.bernoulli(x[week, first] - x[week, second], observed=won, link="probit")
    sign, games = np.where(won > 0, 1.0, -1.0), np.arange(200)
    design = np.zeros((200, 150))
    design[games, 15 * week + first], design[games, 15 * week + second] = 1, -1

    def slope(z):
        t = sign * z
        return sign * np.exp(-0.5 * t**2 - 0.5 * np.log(2 * np.pi) - log_ndtr(t))

    root = walk_root(10, 1.0, 0.3, 15)
    return model, x, lambda: (*log_concave(design, np.zeros(150), root, lambda z: log_ndtr(sign * z), slope), None)


def counts(random):
    """Counts whose log-rate is a random walk."""
    y = counts_data(random)
    model = Model()
    x = model.chain(1.0, 0.04, length=80, initial_mean=0.5, initial_covariance=1.0)
    model.poisson(x[:, 0], observed=y)

    def reference():
        root, start = walk_root(80, 1.0, 0.2), np.full(80, 0.5)
        found = log_concave(np.eye(80), start, root, lambda z: y * z - np.exp(z), lambda z: y - np.exp(z))
        return *found, None

    return model, x, reference


def volatility(random):
    """Returns whose log-variance is a random walk."""
    y = volatility_data(random)
    model = Model()
    g = model.chain(1.0, 0.09, length=80, initial_mean=-1, initial_covariance=1.0)
    model.normal_log_variance(0.0, g[:, 0], observed=y)

    def log_likelihood(z):
        return -0.5 * (z + y**2 * np.exp(-z))

    def slope(z):
        return 0.5 * (y**2 * np.exp(-z) - 1)

    root, start = walk_root(80, 1.0, 0.3), np.full(80, -1.0)
    return model, g, lambda: (*log_concave(np.eye(80), start, root, log_likelihood, slope), None)


def groups(random):
    """Logistic regression with an effect of each group."""
    group, x, y = groups_data(random)
    model = Model()
    w, effect = model.normal(0, 2, shape=2), model.normal(0, 0.8, shape=12)
    model.bernoulli(w[0] + w[1] * x + effect[group], observed=y)
    sign = np.where(y > 0, 1.0, -1.0)
    design = np.column_stack([np.ones(96), x, group[:, None] == np.arange(12)])
    root = np.diag(np.concatenate([[2, 2], np.full(12, 0.8)]))

    def reference():
        mean, sd = log_concave(
            design, np.zeros(14), root, lambda z: log_expit(sign * z), lambda z: sign * expit(-sign * z)
        )
        return mean[2:], sd[2:], None

    return model, effect, reference


def clusters(random):
    """Two groups whose shares and widths are known, and whose means are not."""
    y = clusters_data(random)
    model = Model()
    low, high = model.normal(-1, 0.5), model.normal(1, 0.5)

    def log_f(rows, a, b):
        first, second = -0.5 * (y[rows] - a) ** 2, -0.5 * (y[rows] - b) ** 2
        return np.logaddexp(np.log(0.4) + first, np.log(0.6) + second) - 0.5 * np.log(2 * np.pi)

    model.density(log_f, low + np.zeros(60), high + np.zeros(60))

    def reference():
        axis = np.linspace(-3, 3, 601)
        a, b = np.meshgrid(axis, axis, indexing="ij")
        log_p = stats.norm.logpdf(a, -1, 0.5) + stats.norm.logpdf(b, 1, 0.5)
        for value in y:
            log_p += np.logaddexp(
                np.log(0.4) + stats.norm.logpdf(value, a), np.log(0.6) + stats.norm.logpdf(value, b)
            )
        p = np.exp(log_p - log_p.max())
        evidence = log_p.max() + np.log(p.sum()) + 2 * np.log(axis[1] - axis[0])
        p /= p.sum()
        mean = (p * b).sum()
        return mean, np.sqrt((p * (b - mean) ** 2).sum()), evidence

    return model, high, reference


MODELS = [items, factors, skills, counts, volatility, groups, clusters]
