"""Models with hidden states; references are sums forwards and backwards, and grids of the unknown numbers."""

import numpy as np
from references import log_sum
from scipy import stats

from postrider import Model

INITIAL, TRANSITION = np.array([0.8, 0.2]), np.array([[0.95, 0.05], [0.2, 0.8]])
ONE = np.ones(2)


def _states(random, length):
    s = [random.choice(2, p=INITIAL)]
    for _ in range(length - 1):
        s.append(random.choice(2, p=TRANSITION[s[-1]]))
    return np.array(s)


def hidden_markov(random):
    """A hidden state of two, seen by numbers whose mean depends on it."""
    y = np.where(_states(random, 200), 1.5, 0.0) + random.normal(size=200)
    model = Model()
    s = model.states(INITIAL, TRANSITION, length=200)
    model.normal(s.pick([0.0, 1.5]), 1.0, observed=y)

    def reference():
        seen = stats.norm.pdf(y[:, None], [0.0, 1.5], 1.0)
        forward, scale = [INITIAL * seen[0]], []
        for t in range(200):
            scale.append(forward[-1].sum())
            forward[-1] = forward[-1] / scale[-1]
            if t < 199:
                forward.append(forward[-1] @ TRANSITION * seen[t + 1])
        both, behind = [None] * 200, ONE
        for t in range(199, -1, -1):
            both[t] = forward[t] * behind / (forward[t] @ behind)
            behind = TRANSITION @ (seen[t] * behind)
            behind = behind / behind.sum()
        return np.array(both), 1.0, np.log(scale).sum()

    return model, s, reference


def _over_grid(log_p, values, cell):
    """Mean, standard deviation and evidence of a number whose values are known where a log-density is."""
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    mean = (p * values).sum()
    return mean, np.sqrt((p * (values - mean) ** 2).sum()), log_sum(log_p.ravel()) + np.log(cell)


def mixture(random):
    """Two groups whose means are unknown numbers."""
    y = np.where(random.random(60) < 0.4, -1.5, 1.0) + random.normal(size=60)
    share = [0.4, 0.6]
    model = Model()
    low, high = model.normal(-1, 0.5), model.normal(1, 0.5)
    s = model.states(share, [share, share], length=60)
    model.normal(s.pick([low, high]), 1.0, observed=y)

    def reference():
        axis = np.linspace(-3, 3, 601)
        a, b = np.meshgrid(axis, axis, indexing="ij")
        log_p = stats.norm.logpdf(a, -1, 0.5) + stats.norm.logpdf(b, 1, 0.5)
        for value in y:
            log_p += np.logaddexp(np.log(0.4) + stats.norm.logpdf(value, a), np.log(0.6) + stats.norm.logpdf(value, b))
        return _over_grid(log_p, b, (axis[1] - axis[0]) ** 2)

    return model, high, reference


def share(random):
    """Two groups whose share and one width are unknown."""
    failed = random.random(120) < 0.15
    y = np.where(failed, 5.0, 0.5) * random.normal(size=120)
    model = Model()
    share, wide = model.beta(1, 4, name="share"), model.half_normal(10, name="wide")
    shares = [1 - share, share]
    s = model.states(shares, [shares, shares], length=120)
    model.normal(0.0, s.pick([0.5, wide]), observed=y)

    def reference():
        p, w = np.meshgrid((np.arange(400) + 0.5) / 400, np.linspace(0.02, 20, 1000), indexing="ij")
        log_p = stats.beta.logpdf(p, 1, 4) + stats.halfnorm.logpdf(w, scale=10)
        for value in y:
            log_p += np.logaddexp(np.log1p(-p) + stats.norm.logpdf(value, 0, 0.5), np.log(p) + stats.norm.logpdf(value, 0, w))
        return _over_grid(log_p, p, (w[0, 1] - w[0, 0]) / 400)

    return model, share, reference


def _level(random, coefficient, step, noise, length=80):
    """A level whose coefficient, step and noise are those of a hidden state."""
    s, x = _states(random, length), [random.normal()]
    for t in range(1, length):
        x.append(coefficient[s[t]] * x[-1] + step[s[t]] * random.normal())
    return np.array(x) + noise[s] * random.normal(size=length)


def smoothed_on_grid(y, coefficient, step, noise, spacing=0.04):
    """Means and deviations of the level by sums over a grid of it and over states: exact but for the spacing."""
    x = np.arange(y.min() - 4, y.max() + 4, spacing)
    moves = [stats.norm.pdf(x[None, :], coefficient[k] * x[:, None], step[k]) * spacing for k in range(2)]
    seen = np.exp(stats.norm.logpdf(y[:, None, None], x[None, None, :], noise[None, :, None]))
    forward = [INITIAL[:, None] * stats.norm.pdf(x)[None, :] * seen[0]]
    for t in range(1, len(y)):
        mixed = TRANSITION.T @ forward[-1]
        forward.append(np.stack([mixed[k] @ moves[k] for k in range(2)]) * seen[t])
        forward[-1] /= forward[-1].sum()
    behind, means, sds = np.ones((2, len(x))), [], []
    for t in range(len(y) - 1, -1, -1):
        p = (forward[t] * behind).sum(axis=0)
        p /= p.sum()
        means.append(p @ x)
        sds.append(np.sqrt(p @ (x - means[-1]) ** 2))
        behind = TRANSITION @ np.stack([moves[k] @ (seen[t, k] * behind[k]) for k in range(2)])
        behind /= behind.max()
    return np.array(means[::-1]), np.array(sds[::-1]), None


# Each x has a prior of its own, so wide that the chain of steps alone counts.
WIDE = np.where(np.arange(80) == 0, 1.0, 1000.0)


def switching_noise(random):
    """A level seen with noise that depends on a hidden state."""
    noise = np.array([0.5, 3.0])
    y = _level(random, ONE, 0.3 * ONE, noise)
    model = Model()
    x = model.normal(0, WIDE, shape=80)
    s = model.states(INITIAL, TRANSITION, length=80)
    model.normal(x[1:] - x[:-1], 0.3, observed=np.zeros(79))
    model.normal(x, s.pick(noise), observed=y)
    return model, x, lambda: smoothed_on_grid(y, ONE, 0.3 * ONE, noise)


def switching_step(random):
    """A level that at times jumps."""
    step = np.array([0.2, 2.0])
    y = _level(random, ONE, step, 0.5 * ONE)
    model = Model()
    x = model.normal(0, WIDE, shape=80)
    s = model.states(INITIAL @ TRANSITION, TRANSITION, length=79)
    model.normal(x[1:] - x[:-1], s.pick(step), observed=np.zeros(79))
    model.normal(x, 0.5, observed=y)
    return model, x, lambda: smoothed_on_grid(y, ONE, step, 0.5 * ONE)


def switching_coefficient(random):
    """A level that at times falls back to 0."""
    coefficient = np.array([0.95, 0.2])
    y = _level(random, coefficient, 0.3 * ONE, 0.2 * ONE)
    model = Model()
    x = model.normal(0, WIDE, shape=80)
    s = model.states(INITIAL @ TRANSITION, TRANSITION, length=79)
    model.normal(s.pick([x[1:] - c * x[:-1] for c in coefficient]), 0.3, observed=np.zeros(79))
    model.normal(x, 0.2, observed=y)
    return model, x, lambda: smoothed_on_grid(y, coefficient, 0.3 * ONE, 0.2 * ONE)


CHAINS = [hidden_markov]
MIXTURES = [mixture, share]
SWITCHES = [switching_noise, switching_step, switching_coefficient]
