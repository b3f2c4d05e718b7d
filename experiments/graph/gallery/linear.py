"""Models that are linear and Gaussian: what is found must be exact."""

import numpy as np
from references import chain_prior, dense_gaussian, rauch_tung_striebel

from postrider import Model


def regression(random):
    """Regression with correlated columns."""
    n, d = 60, 8
    X = 3 * random.normal(size=(n, 1)) + random.normal(size=(n, d))
    y = X @ random.normal(size=d) + 0.5 * random.normal(size=n)
    model = Model()
    w = model.normal(0, 2, shape=d)
    model.normal(X @ w, 0.5, observed=y)
    return model, w, lambda: dense_gaussian(np.zeros(d), 4 * np.eye(d), X, 0, 0.25, y)


def random_walk(random):
    """A level that moves, seen with noise."""
    y = np.cumsum(0.4 * random.normal(size=100)) + random.normal(size=100)
    model = Model()
    x = model.chain(1.0, 0.16, length=100, initial_covariance=4.0)
    model.normal(x[:, 0], 1.0, observed=y)
    one = np.eye(1)
    return model, x, lambda: rauch_tung_striebel(one, 0.16 * one, [0], 4 * one, one[0], 1.0, y)


def constant_velocity(random):
    """A target with position and velocity."""
    F, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), 0.05 * np.array([[1 / 3, 1 / 2], [1 / 2, 1.0]])
    y = np.cumsum(np.cumsum(0.2 * random.normal(size=80))) + random.normal(size=80)
    model = Model()
    x = model.chain(F, Q, length=80, initial_covariance=10 * np.eye(2))
    model.normal(x[:, 0], 1.0, observed=y)
    return model, x, lambda: rauch_tung_striebel(
        F, Q, [0, 0], 10 * np.eye(2), np.array([1.0, 0.0]), 1.0, y
    )


def autoregression(random):
    """The coefficients of a series that was seen without noise."""
    x = [0.0, 0.0]
    for _ in range(120):
        x.append(1.2 * x[-1] - 0.5 * x[-2] + random.normal())
    x = np.array(x)
    X, y = np.stack([x[1:-1], x[:-2]], axis=1), x[2:]
    model = Model()
    a = model.normal(0, 1, shape=2)
    model.normal(X @ a, 1.0, observed=y)
    return model, a, lambda: dense_gaussian([0, 0], np.eye(2), X, 0, 1.0, y)


def hidden_autoregression(random):
    """A series of second order, seen with noise."""
    first, second, noise = 1.2, -0.5, 0.7
    truth = [0.0, 0.0]
    for _ in range(58):
        truth.append(first * truth[-1] + second * truth[-2] + random.normal())
    y = np.array(truth) + noise * random.normal(size=60)
    model = Model()
    x = model.normal(0, np.where(np.arange(60) < 2, 2, 30), shape=60)
    model.normal(x[2:] - first * x[1:-1] - second * x[:-2], 1.0, observed=np.zeros(58))
    model.normal(x, noise, observed=y)
    steps = np.zeros((58, 60))
    for t in range(58):
        steps[t, t : t + 3] = [-second, -first, 1]
    H, both = np.concatenate([steps, np.eye(60)]), np.concatenate([np.zeros(58), y])
    spread = np.concatenate([np.ones(58), np.full(60, noise**2)])
    prior = np.diag(np.where(np.arange(60) < 2, 4.0, 900.0))
    return model, x, lambda: dense_gaussian(np.zeros(60), prior, H, 0, np.diag(spread), both)


def poses(random):
    """Places in the plane from steps between them, with three that return to where others were."""
    n = 60
    pairs = [(i, i + 1) for i in range(n - 1)] + [(0, n - 1), (10, 45), (20, 55)]
    H = np.zeros((2 * len(pairs), 2 * n))
    for k, (i, j) in enumerate(pairs):
        for c in range(2):
            H[2 * k + c, 2 * i + c], H[2 * k + c, 2 * j + c] = -1, 1
    angle = np.linspace(0, 2 * np.pi, n)
    truth = np.stack([np.cos(angle), np.sin(angle)], axis=1).ravel()
    y = H @ truth + 0.1 * random.normal(size=len(H))
    model = Model()
    x = model.normal(0, 3, shape=(n, 2))
    first, second = np.array(pairs).T
    model.normal(x[second] - x[first], 0.1, observed=y.reshape(-1, 2))
    return model, x, lambda: dense_gaussian(np.zeros(2 * n), 9 * np.eye(2 * n), H, 0, 0.01, y)


def grid_process(random):
    """A field on a grid whose neighbours are alike."""
    n = 12
    place = np.arange(n * n).reshape(n, n)
    pairs = np.concatenate(
        [
            np.stack([place[:, :-1].ravel(), place[:, 1:].ravel()], axis=1),
            np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1),
        ]
    )
    seen = random.choice(n * n, 40, replace=False)
    y = random.normal(size=40)
    model = Model()
    f = model.normal(0, 2, shape=n * n)
    model.normal(f[pairs[:, 1]] - f[pairs[:, 0]], 0.5, observed=np.zeros(len(pairs)))
    model.normal(f[seen], 0.3, observed=y)
    D = np.zeros((len(pairs), n * n))
    D[np.arange(len(pairs)), pairs[:, 1]], D[np.arange(len(pairs)), pairs[:, 0]] = 1, -1
    H = np.concatenate([D, np.eye(n * n)[seen]])
    noise = np.concatenate([np.full(len(pairs), 0.25), np.full(40, 0.09)])
    both = np.concatenate([np.zeros(len(pairs)), y])
    return model, f, lambda: dense_gaussian(
        np.zeros(n * n), 4 * np.eye(n * n), H, 0, np.diag(noise), both
    )


def scattered_process(random):
    """A Gaussian process at scattered points."""
    t = np.sort(random.random(50) * 10)
    gap = np.abs(t[:, None] - t)
    K = 1.5 * (1 + np.sqrt(3) * gap / 1.2) * np.exp(-np.sqrt(3) * gap / 1.2)
    y = np.sin(t) + 0.3 * random.normal(size=50)
    model = Model()
    f = model.multivariate_normal(0, K)
    model.normal(f, 0.3, observed=y)
    return model, f, lambda: dense_gaussian(np.zeros(50), K, np.eye(50), 0, 0.09, y)


MODELS = [
    regression,
    random_walk,
    constant_velocity,
    autoregression,
    hidden_autoregression,
    poses,
    grid_process,
    scattered_process,
]


def chain_is_dense(random):
    """The two references against each other, for the tests."""
    F, Q = np.array([[1.0, 1.0], [0.0, 1.0]]), 0.05 * np.eye(2)
    y = random.normal(size=12)
    mean, covariance = chain_prior(F, Q, [0, 0], np.eye(2), 12)
    H = np.zeros((12, 24))
    H[np.arange(12), 2 * np.arange(12)] = 1
    return (
        dense_gaussian(mean, covariance, H, 0, 0.5, y),
        rauch_tung_striebel(F, Q, [0, 0], np.eye(2), np.array([1.0, 0.0]), 0.5, y),
    )
