"""Switches between linear models against sums over all paths of their states."""

import itertools
import math

import numpy as np
import pytest
from grids import posterior_on_grid
from scipy import stats

from postrider import Model

INITIAL, TRANSITION = np.array([0.7, 0.3]), np.array([[0.8, 0.2], [0.4, 0.6]])
EXACT = 1e-6  # where one window holds all rows
MIXTURE_MEAN, MIXTURE_SDS, MIXTURE_EVIDENCE = 0.15, (0.85, 1.10), 0.05  # the goals of the gallery


def over_paths(steps, given):
    """Means, standard deviations, evidence, probabilities and the best path; `given(path)` is a Gaussian's mean, covariance, evidence."""
    paths = np.array(list(itertools.product(range(2), repeat=steps)))
    found = [given(path) for path in paths]
    log_p = np.array([math.log(INITIAL[p[0]]) + np.log(TRANSITION[p[:-1], p[1:]]).sum() + f[2] for p, f in zip(paths, found, strict=True)])
    evidence = np.logaddexp.reduce(log_p)
    p = np.exp(log_p - evidence)
    means, variances = np.array([f[0] for f in found]), np.array([np.diag(f[1]) for f in found])
    mean = p @ means
    return mean, np.sqrt(p @ (variances + means**2) - mean**2), evidence, p @ paths, paths[log_p.argmax()]


def gaussian_given(K, H, noise, y):
    """x ~ N(0, K), y = H x + N(0, noise²)."""
    S = H @ K @ H.T + np.diag(noise**2)
    gain = K @ H.T @ np.linalg.inv(S)
    return gain @ y, K - gain @ H @ K, stats.multivariate_normal(np.zeros(len(y)), S).logpdf(y)


def walk(length):
    return 1.0 + 0.25 * np.minimum.outer(np.arange(length), np.arange(length))


@pytest.mark.parametrize(("length", "close"), [(5, EXACT), (9, 0.01)])
def test_noise_that_depends_on_a_state(length, close):
    random = np.random.default_rng(0)
    y = np.cumsum(0.5 * random.normal(size=length)) + np.where(random.random(length) < 0.3, 4.0, 0.5) * random.normal(size=length)
    sds = np.array([0.5, 4.0])
    mean, sd, evidence, chances, best = over_paths(length, lambda p: gaussian_given(walk(length), np.eye(length), sds[p], y))
    model = Model()
    x = model.chain(1.0, 0.25, length=length, initial_covariance=1.0)
    s = model.states(INITIAL, TRANSITION, length=length)
    model.normal(x[:, 0], s.pick(sds), observed=y)
    posterior = model.infer()
    assert posterior.converged
    np.testing.assert_allclose(posterior[x].mean[:, 0], mean, atol=close * sd.min())
    np.testing.assert_allclose(posterior[x].sd[:, 0], sd, rtol=close)
    np.testing.assert_allclose(posterior[s].probabilities[:, 1], chances, atol=close)
    assert posterior.log_evidence == pytest.approx(evidence, abs=close)
    np.testing.assert_array_equal(posterior[s].most_probable_path, best)


def test_coefficients_that_depend_on_a_state():
    random = np.random.default_rng(1)
    coefficients, length = np.array([0.95, 0.1]), 6
    y = np.cumsum(random.normal(size=length))

    def given(path):
        H = np.zeros((length - 1, length))
        H[np.arange(length - 1), np.arange(1, length)], H[np.arange(length - 1), np.arange(length - 1)] = 1, -coefficients[path]
        noise = np.concatenate([np.full(length - 1, 0.3), np.full(length, 0.5)])
        return gaussian_given(9 * np.eye(length), np.concatenate([H, np.eye(length)]), noise, np.concatenate([np.zeros(length - 1), y]))

    mean, sd, evidence, chances, _ = over_paths(length - 1, given)
    model = Model()
    x = model.normal(0, 3, shape=length)
    s = model.states(INITIAL, TRANSITION, length=length - 1)
    model.normal(s.pick([x[1:] - c * x[:-1] for c in coefficients]), 0.3, observed=np.zeros(length - 1))
    model.normal(x, 0.5, observed=y)
    posterior = model.infer()
    np.testing.assert_allclose(posterior[x].mean, mean, atol=EXACT)
    np.testing.assert_allclose(posterior[x].sd, sd, rtol=EXACT)
    np.testing.assert_allclose(posterior[s].probabilities[:, 1], chances, atol=EXACT)
    assert posterior.log_evidence == pytest.approx(evidence, abs=EXACT)


def test_a_state_may_be_seen_in_several_ways():
    """The noise and the mean of another reading depend on the same states; one window, so that all is exact."""
    y, z, sds, means = np.array([0.3, 4.0, -0.2, 1.0]), np.array([0.1, 0.9, 0.2, 0.8]), np.array([0.5, 3.0]), np.array([0.0, 1.0])

    def given(path):
        mean, covariance, evidence = gaussian_given(walk(4), np.eye(4), sds[path], y)
        return mean, covariance, evidence + stats.norm.logpdf(z, means[path], 0.4).sum()

    mean, sd, evidence, chances, best = over_paths(4, given)
    model = Model()
    x = model.chain(1.0, 0.25, length=4, initial_covariance=1.0)
    s = model.states(INITIAL, TRANSITION, length=4)
    model.normal(x[:, 0], s.pick(sds), observed=y)
    model.normal(s.pick(means), 0.4, observed=z)
    posterior = model.infer()
    np.testing.assert_allclose(posterior[x].mean[:, 0], mean, atol=EXACT)
    np.testing.assert_allclose(posterior[x].sd[:, 0], sd, rtol=EXACT)
    np.testing.assert_allclose(posterior[s].probabilities[:, 1], chances, atol=EXACT)
    assert posterior.log_evidence == pytest.approx(evidence, abs=EXACT)
    np.testing.assert_array_equal(posterior[s].most_probable_path, best)


def test_a_mixture_of_unknown_means():
    random = np.random.default_rng(3)
    y = np.where(random.random(12) < 0.4, -1.5, 1.5) + random.normal(size=12)
    share = [0.4, 0.6]
    model = Model()
    a, b = model.normal(-1, 0.7), model.normal(1, 0.7)
    s = model.states(share, [share, share], length=12)
    model.normal(s.pick([a, b]), 1.0, observed=y)
    posterior = model.infer()

    def log_density(low, high):
        first, second = stats.norm.logpdf(y, low[..., None]), stats.norm.logpdf(y, high[..., None])
        rows = np.logaddexp(math.log(0.4) + first, math.log(0.6) + second)
        return stats.norm.logpdf(low, -1, 0.7) + stats.norm.logpdf(high, 1, 0.7) + rows.sum(axis=-1)

    means, sds, evidence = posterior_on_grid(log_density, np.linspace(-4, 4, 301), np.linspace(-4, 4, 301))
    for each, mean, sd in zip((a, b), means, sds, strict=True):
        assert posterior[each].mean == pytest.approx(mean, abs=MIXTURE_MEAN * sd)
        assert MIXTURE_SDS[0] < posterior[each].sd / sd < MIXTURE_SDS[1]
    assert posterior.log_evidence == pytest.approx(evidence, abs=MIXTURE_EVIDENCE)


def test_mistakes_with_switches_are_named():
    model = Model()
    x = model.normal(0, 1, shape=3)
    s = model.states(INITIAL, TRANSITION, length=3)
    with pytest.raises(ValueError, match="known ones for all"):
        model.normal(s.pick([x, 1.0]), 1.0, observed=[0, 0, 0])
    with pytest.raises(ValueError, match="the states"):
        model.normal(x, s.pick([1.0, 2.0]), observed=[0, 0])
