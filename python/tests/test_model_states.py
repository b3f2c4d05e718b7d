"""Hidden states and hyperparameters of models against sums over paths, closed forms and fine grids."""

import math

import numpy as np
import pytest
from grids import posterior_on_grid
from scipy import stats

from postrider import Model


def test_hidden_states_are_those_of_forward_and_backward_sums():
    random = np.random.default_rng(10)
    y = random.normal(size=7)
    initial, transition = np.array([0.6, 0.4]), np.array([[0.9, 0.1], [0.3, 0.7]])
    means = np.array([-1.0, 1.5])
    model = Model()
    s = model.states(initial, transition, length=7)
    model.normal(s.pick(means), 0.8, observed=y)
    posterior = model.infer()
    total, marginals = 0.0, np.zeros((7, 2))
    for path in np.ndindex(*(2,) * 7):
        path = np.array(path)
        p = initial[path[0]] * transition[path[:-1], path[1:]].prod()
        p *= stats.norm.pdf(y, means[path], 0.8).prod()
        total += p
        marginals[np.arange(7), path] += p
    np.testing.assert_allclose(posterior[s].probabilities, marginals / total, atol=1e-12)
    assert posterior.log_evidence == pytest.approx(math.log(total), abs=1e-12)
    assert posterior.engine == "exact"


def test_a_mixture_whose_means_are_unknown():
    random = np.random.default_rng(11)
    y = np.where(random.random(50) < 0.4, -1.5, 1.0) + random.normal(size=50)
    model = Model()
    low, high = model.free(-1, 1, name="low"), model.free(1, 1, name="high")
    share = np.array([0.4, 0.6])
    s = model.states(share, np.tile(share, (2, 1)), length=50)
    means = low * np.array([1.0, 0.0]) + high * np.array([0.0, 1.0])
    model.normal(s.pick(means), 1.0, observed=y)
    posterior = model.infer()

    def log_density(a, b):
        first, second = stats.norm.logpdf(y, a[..., None], 1), stats.norm.logpdf(y, b[..., None], 1)
        parts = np.logaddexp(math.log(0.4) + first, math.log(0.6) + second)
        return stats.norm.logpdf(a, -1) + stats.norm.logpdf(b, 1) + parts.sum(axis=-1)

    # Nodes lie about one mode. That in which the two have changed places has a thousandth of the mass.
    found, sds, evidence = posterior_on_grid(
        log_density, np.linspace(-4, 0, 201), np.linspace(-0.5, 4, 201)
    )
    for name, mean, sd in zip((low, high), found, sds, strict=True):
        assert posterior[name].mean == pytest.approx(mean, abs=0.01 * sd)
        assert posterior[name].sd == pytest.approx(sd, rel=0.01)
    assert posterior.log_evidence == pytest.approx(evidence, abs=0.01)
    assert posterior[s].probabilities.shape == (50, 2)


def test_two_rates_compared():
    model = Model()
    a, b = model.beta(1, 1, name="a"), model.beta(1, 1, name="b")
    model.binomial(a.logit(), 200, observed=40)
    model.binomial(b.logit(), 210, observed=60)
    posterior = model.infer()
    for rate, (x, n) in ((a, (40, 200)), (b, (60, 210))):
        exact = stats.beta(1 + x, 1 + n - x)
        assert posterior[rate].mean == pytest.approx(exact.mean(), abs=0.005 * exact.std())
        assert posterior[rate].sd == pytest.approx(exact.std(), rel=0.005)
    exact = sum(-math.log(n + 1) for n in (200, 210))
    assert posterior.log_evidence == pytest.approx(exact, abs=1e-3)
    difference = posterior[b - a]
    assert difference.mean == pytest.approx(61 / 212 - 41 / 202, abs=1e-4)


def test_quantiles_of_hyperparameters_are_those_of_a_smooth_belief():
    """Within a fiftieth of a standard deviation of Beta's where nodes are a lattice, a tenth where they lie irregularly."""
    model = Model()
    a, b = model.beta(1, 1, name="a"), model.beta(1, 1, name="b")
    model.binomial(a.logit(), 12, observed=2)
    model.binomial(b.logit(), 210, observed=60)
    posterior = model.infer()
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    for rate, exact in ((a, stats.beta(3, 11)), (b, stats.beta(61, 151))):
        for level in levels:
            assert posterior[rate].quantile(level) == pytest.approx(exact.ppf(level), abs=0.02 * exact.std())
    random = np.random.default_rng(0)
    draws = random.beta(61, 151, size=200_000) - random.beta(3, 11, size=200_000)
    for level in levels:
        assert posterior[b - a].quantile(level) == pytest.approx(np.quantile(draws, level), abs=0.1 * draws.std())
    assert posterior.sample(50)[b - a].shape == (50,)


def test_lists_may_hold_hyperparameters():
    found = []
    for as_lists in (True, False):
        model = Model()
        share, high = model.beta(2, 2, name="share"), model.free(2, 1, name="high")
        up, down = np.array([0.0, 1.0]), np.array([1.0, 0.0])
        shares = [1 - share, share] if as_lists else (1 - share) * down + share * up
        both = [shares, shares] if as_lists else (1 - share) * np.tile(down, (2, 1)) + share * np.tile(up, (2, 1))
        s = model.states(shares, both, length=4)
        model.normal(s.pick([0.0, high] if as_lists else high * up), 1.0, observed=[0.1, 2.2, -0.4, 1.7])
        x = model.normal([1.0, 2.0], 1.0)
        model.normal(x - [0.5, 0.5], 0.3, observed=[1.0, 1.0])
        found.append(model.infer())
    assert found[0].log_evidence == pytest.approx(found[1].log_evidence, abs=1e-12)


def test_symbols_that_no_state_allows_are_said_to_be_impossible():
    model = Model()
    s = model.states([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], length=3)
    model.categorical(s.pick([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]), observed=[0, 1, 2])
    with pytest.raises(ValueError, match="impossible"):
        model.infer()
