"""Models whose deviations or coefficients are unknown; references are fine grids over them."""

import math

import numpy as np
from references import dense_gaussian, log_sum, mixed_over, rauch_tung_striebel
from scipy import stats

from postrider import Model


def over_grid(log_prior, axes, given):
    """What `given(values)` gives (means, deviations, evidence) mixed over a grid of hyperparameters."""
    mesh = [g.ravel() for g in np.meshgrid(*axes, indexing="ij")]
    log_weights, means, sds = [], [], []
    for values in zip(*mesh, strict=True):
        mean, sd, log_evidence = given(*values)
        log_weights.append(log_evidence + log_prior(*values))
        means.append(mean)
        sds.append(sd)
    mean, sd, _ = mixed_over(log_weights, means, sds)
    cell = sum(math.log(axis[1] - axis[0]) for axis in axes)
    return mean, sd, log_sum(log_weights) + cell


def half_normal(scale):
    """The density of the logarithm of a half-normal number."""
    return lambda g: stats.halfnorm(scale=scale).logpdf(math.exp(g)) + g


def unknown_noise(random):
    """Regression whose noise is unknown."""
    n, d = 25, 3
    X = random.normal(size=(n, 1)) + random.normal(size=(n, d))
    y = X @ random.normal(size=d) + 0.8 * random.normal(size=n)
    model = Model()
    noise = model.half_normal(2, name="noise")
    w = model.normal(0, 2, shape=d)
    model.normal(X @ w, noise, observed=y)
    prior = half_normal(2)
    return model, w, lambda: over_grid(
        prior,
        [np.linspace(-4, 3, 1401)],
        lambda g: dense_gaussian(np.zeros(d), 4 * np.eye(d), X, 0, math.exp(2 * g), y),
    )


def eight_schools(random):
    """Effects that have something in common; the first data set is that of the book."""
    s = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]) + 5 * random.normal(size=8)
    model = Model()
    tau = model.half_normal(10, name="tau")
    mu = model.normal(0, 10)
    theta = model.normal(mu + np.zeros(8), tau)
    model.normal(theta, s, observed=y)
    prior = half_normal(10)
    return model, theta, lambda: over_grid(
        prior,
        [np.linspace(-12, 5.5, 1751)],
        lambda g: dense_gaussian(
            np.zeros(8), 100 + math.exp(2 * g) * np.eye(8), np.eye(8), 0, s**2, y
        ),
    )


def local_level(random):
    """A level that moves and is seen, by how much of both unknown."""
    y = np.cumsum(0.5 * random.normal(size=60)) + random.normal(size=60)
    model = Model()
    step, noise = model.half_normal(1, name="step"), model.half_normal(2, name="noise")
    x = model.chain(1.0, step**2, length=60, initial_covariance=4.0)
    model.normal(x[:, 0], noise, observed=y)
    first, second = half_normal(1), half_normal(2)
    one = np.eye(1)
    return model, x, lambda: over_grid(
        lambda a, b: first(a) + second(b),
        [np.linspace(-7, 2, 91), np.linspace(-2.5, 2, 61)],
        lambda a, b: rauch_tung_striebel(
            one, math.exp(2 * a) * one, [0], 4 * one, one[0], math.exp(2 * b), y
        ),
    )


def hidden_coefficient(random):
    """A hidden series of first order whose coefficient is unknown."""
    state, y = 0.0, []
    for _ in range(60):
        state = 0.8 * state + random.normal()
        y.append(state + 0.5 * random.normal())
    y = np.array(y)
    model = Model()
    phi = model.uniform(-1, 1, name="phi")
    x = model.chain(phi, 1.0, length=60, initial_covariance=2.0)
    model.normal(x[:, 0], 0.5, observed=y)
    one = np.eye(1)
    return model, x, lambda: over_grid(
        lambda p: -math.log(2),
        [np.linspace(-0.9995, 0.9995, 2000)],
        lambda p: rauch_tung_striebel(p * one, one, [0], 2 * one, one[0], 0.25, y),
    )


MODELS = [unknown_noise, eight_schools, local_level, hidden_coefficient]
