"""Likelihoods of linear combinations with correlated columns; references are 400,000 weighted draws."""

import numpy as np
from references import importance
from scipy import stats
from scipy.special import expit, log_expit, log_ndtr

from postrider import Model


def _columns(random, n=60, d=4):
    return 1.2 * random.normal(size=(n, 1)) + random.normal(size=(n, d))


def _case(X, observe, log_likelihood):
    d = X.shape[1]
    model = Model()
    w = model.normal(0, 1, shape=d)
    observe(model, X @ w)

    def log_density(points):
        return stats.norm.logpdf(points).sum(axis=1) + log_likelihood(points @ X.T).sum(axis=1)

    return model, w, lambda: importance(log_density, np.zeros(d))


def probit(random):
    """Probit regression."""
    X = _columns(random)
    y = random.random(60) < stats.norm.cdf(X @ [0.8, -0.5, 0.3, 0.0])
    return _case(
        X,
        lambda m, z: m.bernoulli(z, observed=y, link="probit"),
        lambda z: log_ndtr(np.where(y, z, -z)),
    )


def logistic(random):
    """Logistic regression."""
    X = _columns(random)
    y = random.random(60) < expit(X @ [0.8, -0.5, 0.3, 0.0])
    return _case(
        X, lambda m, z: m.bernoulli(z, observed=y), lambda z: log_expit(np.where(y, z, -z))
    )


def poisson(random):
    """Counts whose rates depend on columns."""
    X = 0.5 * _columns(random)
    y = random.poisson(np.exp(X @ [0.6, -0.4, 0.3, 0.0] + 0.5))

    def log_likelihood(z):
        return stats.poisson.logpmf(y, np.exp(z + 0.5))

    return _case(X, lambda m, z: m.poisson(z + 0.5, observed=y), log_likelihood)


def negative_binomial(random):
    """Counts that vary more than Poisson's."""
    X = 0.5 * _columns(random)
    mean = np.exp(X @ [0.6, -0.4, 0.3, 0.0] + 0.5)
    y = random.poisson(mean * random.gamma(2.0, 0.5, size=60))

    def log_likelihood(z):
        m = np.exp(z + 0.5)
        return stats.nbinom.logpmf(y, 2.0, 2 / (2 + m))

    return _case(X, lambda m, z: m.negative_binomial(z + 0.5, 2.0, observed=y), log_likelihood)


def student_t(random):
    """Regression with outliers."""
    X = _columns(random)
    y = X @ [0.8, -0.5, 0.3, 0.0] + 0.5 * random.standard_t(3, size=60)
    return _case(
        X,
        lambda m, z: m.student_t(z, 0.5, 3, observed=y),
        lambda z: stats.t.logpdf(y, 3, z, 0.5),
    )


def ordinal(random):
    """Levels on a scale."""
    X = _columns(random)
    cuts = np.array([-0.8, 0.1, 1.0])
    y = np.digitize(X @ [0.8, -0.5, 0.3, 0.0] + random.normal(size=60), cuts)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])

    def log_likelihood(z):
        # From the tail in which both are small.
        low, high = edges[y] - z, edges[y + 1] - z
        turn = low + high > 0
        low, high = np.where(turn, -high, low), np.where(turn, -low, high)
        upper = log_ndtr(high)
        return upper + np.log1p(-np.exp(log_ndtr(low) - upper))

    return _case(X, lambda m, z: m.ordinal(z, cuts, observed=y), log_likelihood)


def binomial(random):
    """Successes of several trials each."""
    X = _columns(random, n=30)
    y = random.binomial(8, expit(X @ [0.8, -0.5, 0.3, 0.0]))
    return _case(
        X, lambda m, z: m.binomial(z, 8, observed=y), lambda z: stats.binom.logpmf(y, 8, expit(z))
    )


MODELS = [probit, logistic, poisson, negative_binomial, student_t, ordinal, binomial]
