"""Conjugate unknowns of models against scipy's distributions, and against the integrals that their evidence is."""

import math
import pickle

import numpy as np
import pytest
from scipy import integrate, stats

from postrider import Model


def test_probabilities_are_beta_with_the_evidence_of_the_beta_binomial():
    trials, seen = np.array([10, 20, 30, 5]), np.array([1, 5, 20, 0])
    model = Model()
    p = model.beta(2, [1, 2, 3, 4], plate=4)
    model.binomial(probability=p, trials=trials, observed=seen)
    posterior = model.infer()
    b = np.array([1, 2, 3, 4])
    exact = stats.beta(2 + seen, b + trials - seen)
    np.testing.assert_allclose(posterior[p].mean, exact.mean(), rtol=1e-12)
    np.testing.assert_allclose(posterior[p].sd, exact.std(), rtol=1e-12)
    np.testing.assert_allclose(posterior[p].interval(0.8), exact.interval(0.8), rtol=1e-9)
    assert posterior.log_evidence == pytest.approx(stats.betabinom.logpmf(seen, trials, 2, b).sum(), abs=1e-10)
    assert posterior.engine == "exact"


def test_rows_of_a_table_pick_their_unknown():
    arm, y = np.array([0, 2, 2, 0, 2]), np.array([1, 0, 1, 1, 1])
    model = Model()
    p = model.beta(1, 1, plate=3)
    model.bernoulli(probability=p[arm], observed=y)
    posterior = model.infer()
    np.testing.assert_allclose(posterior[p].mean, [3 / 4, 1 / 2, 3 / 5], rtol=1e-12)
    assert posterior[p[2]].mean == pytest.approx(3 / 5)
    expected = math.log(1 / 3) + math.log(2 * 1 / (4 * 3 * 2))  # B(3, 1) and B(3, 2)
    assert posterior.log_evidence == pytest.approx(expected, abs=1e-12)


def test_what_is_seen_adds_up_over_calls_and_inference_leaves_it():
    model, other = Model(), Model()
    p, q = model.beta(1, 2, plate=2), other.beta(1, 2, plate=2)
    model.bernoulli(probability=p, observed=[1, 0])
    model.bernoulli(probability=p[1], observed=[1, 1])
    other.bernoulli(probability=q[[0, 1, 1, 1]], observed=[1, 0, 1, 1])
    first, again = model.infer(), model.infer()
    np.testing.assert_array_equal(first[p].mean, other.infer()[q].mean)
    assert first.log_evidence == again.log_evidence == pytest.approx(other.infer().log_evidence)


def test_vectors_of_probabilities_are_dirichlet():
    a, counts = np.array([0.5, 1.0, 2.0]), np.array([[3, 0, 1], [0, 0, 9]])
    model = Model()
    q = model.dirichlet(a, plate=2)
    model.multinomial(q, observed=counts)
    posterior = model.infer()
    for row in range(2):
        exact = stats.dirichlet(a + counts[row])
        np.testing.assert_allclose(posterior[q].mean[row], exact.mean(), rtol=1e-12)
        np.testing.assert_allclose(posterior[q].sd[row], np.sqrt(exact.var()), rtol=1e-12)
    first = stats.beta(0.5 + 3, 3 + 1)  # what a vector's first probability is by itself
    assert posterior[q].quantile(0.1)[0, 0] == pytest.approx(first.ppf(0.1))
    expected = stats.dirichlet_multinomial.logpmf(counts, a, counts.sum(axis=1)).sum()
    assert posterior.log_evidence == pytest.approx(expected, abs=1e-10)


def test_symbols_count_as_their_counts_do_but_for_their_order():
    model, other = Model(), Model()
    q, r = model.dirichlet([1, 1, 1]), other.dirichlet([1, 1, 1])
    model.categorical(q, observed=[0, 2, 2])
    other.multinomial(r, observed=[1, 0, 2])
    np.testing.assert_array_equal(model.infer()[q].mean, other.infer()[r].mean)
    assert other.infer().log_evidence - model.infer().log_evidence == pytest.approx(math.log(3))


def test_rates_are_gamma_with_the_evidence_of_the_negative_binomial():
    exposure, y = np.array([1.0, 0.5, 4.0]), np.array([3, 0, 11])
    model = Model()
    rate = model.gamma(2, 1.5, plate=3)
    model.poisson(rate=rate, exposure=exposure, observed=y)
    posterior = model.infer()
    exact = stats.gamma(2 + y, scale=1 / (1.5 + exposure))
    np.testing.assert_allclose(posterior[rate].mean, exact.mean(), rtol=1e-12)
    np.testing.assert_allclose(posterior[rate].sd, exact.std(), rtol=1e-12)
    np.testing.assert_allclose(posterior[rate].interval(), exact.interval(0.9), rtol=1e-9)
    expected = stats.nbinom.logpmf(y, 2, 1.5 / (1.5 + exposure)).sum()
    assert posterior.log_evidence == pytest.approx(expected, abs=1e-10)


def test_precisions_are_gamma_with_the_evidence_of_students_t():
    y = np.array([[0.3, -1.0, 2.0], [1.1, 1.0, 0.9]])
    model = Model()
    precision = model.gamma(3, 2, plate=(2, 1))
    model.normal([0.0, 0.0, 1.0], precision=precision, observed=y)
    posterior = model.infer()
    rest = ((y - [0, 0, 1]) ** 2).sum(axis=1, keepdims=True)
    exact = stats.gamma(3 + 1.5, scale=1 / (2 + 0.5 * rest))
    np.testing.assert_allclose(posterior[precision].mean, exact.mean(), rtol=1e-12)
    np.testing.assert_allclose(posterior[precision].sd, exact.std(), rtol=1e-12)
    expected = sum(
        stats.multivariate_t.logpdf(row - np.array([0, 0, 1]), np.zeros(3), 2 / 3 * np.eye(3), 6) for row in y
    )
    assert posterior.log_evidence == pytest.approx(expected, abs=1e-10)


def test_priors_made_of_hyperparameters_are_mixed_over_their_nodes():
    y, trials = np.array([0, 3, 7, 2, 9]), 10
    model = Model()
    mean = model.beta(2, 2, name="mean")
    p = model.beta(6 * mean, 6 * (1 - mean), plate=5)
    model.binomial(probability=p, trials=trials, observed=y)
    posterior = model.infer()

    def mass(m, with_p=1.0):
        return stats.beta.pdf(m, 2, 2) * np.exp(stats.betabinom.logpmf(y, trials, 6 * m, 6 * (1 - m)).sum()) * with_p

    total = integrate.quad(mass, 0, 1, epsabs=0, epsrel=1e-10)[0]
    expected = integrate.quad(lambda m: mass(m, (6 * m + 9) / 16), 0, 1, epsabs=0, epsrel=1e-10)[0] / total
    assert posterior.log_evidence == pytest.approx(math.log(total), abs=1e-4)
    assert posterior[p].mean[4] == pytest.approx(expected, abs=1e-4)
    below = integrate.quad(
        lambda m: mass(m, stats.beta.cdf(0.7, 6 * m + 9, 6 * (1 - m) + 1)), 0, 1, epsabs=0, epsrel=1e-10
    )[0]
    assert posterior[p].quantile(below / total)[4] == pytest.approx(0.7, abs=1e-4)


def test_draws_are_of_the_beliefs_and_together():
    model = Model()
    p, q, rate = model.beta(2, 3, plate=2), model.dirichlet([1.0, 2.0, 3.0]), model.gamma(4, 2, plate=(2, 2))
    draws = model.infer().sample(40_000, seed=3)
    assert draws[p].shape == (40_000, 2)
    assert draws[q].shape == (40_000, 3)
    assert draws[rate].shape == (40_000, 2, 2)
    for found, exact in ((draws[p][:, 1], stats.beta(2, 3)), (draws[rate][:, 1, 0], stats.gamma(4, scale=0.5))):
        assert stats.kstest(found, exact.cdf).pvalue > 1e-4
    assert stats.kstest(draws[q][:, 2], stats.beta(3, 3).cdf).pvalue > 1e-4
    np.testing.assert_allclose(draws[q].sum(axis=1), 1)
    np.testing.assert_array_equal(draws[p[1]], draws[p][:, 1])
    np.testing.assert_array_equal(model.infer().sample(40_000, seed=3)[p], draws[p])
    assert (model.infer().sample(40_000, seed=4)[p] != draws[p]).any()


def test_draws_of_tiny_parameters_are_vectors_of_probabilities():
    model = Model()
    q = model.dirichlet([1e-300, 1e-300])
    draws = model.infer().sample(100)[q]
    np.testing.assert_allclose(draws.sum(axis=1), 1)


def test_hostile_counts_leave_proper_beliefs():
    model = Model()
    p, q, rate = model.beta(1e-3, 1e-3, plate=3), model.dirichlet([1e-6, 1.0]), model.gamma(1e-6, 1e6, plate=2)
    model.binomial(probability=p, trials=[0, 1_000_000, 1], observed=[0, 1_000_000, 0])
    model.multinomial(q, observed=[[0, 1_000_000], [0, 0]])
    model.poisson(rate=rate, exposure=[1e-9, 1e9], observed=[1_000_000, 0])
    posterior = model.infer()
    assert math.isfinite(posterior.log_evidence)
    for each in (p, q, rate):
        belief = posterior[each]
        assert np.isfinite(belief.mean).all()
        assert (belief.sd > 0).all()
        low, high = belief.interval()
        assert (low <= high).all()


def test_beside_other_unknowns_and_after_pickling():
    model = Model()
    x = model.normal(0, 1)
    model.normal(x, 1, observed=2.0)
    p = model.beta(1, 1, plate=())
    model.bernoulli(probability=p, observed=[1, 1])
    posterior, again = (found := model.infer()), pickle.loads(pickle.dumps(found))
    assert posterior[x].mean == pytest.approx(1)
    assert again[p].mean == pytest.approx(3 / 4)
    assert posterior.log_evidence == pytest.approx(stats.norm.logpdf(2, 0, math.sqrt(2)) + math.log(1 / 3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda m, p, g: m.bernoulli(p, observed=[1, 0]), "is not a score: write probability="),
        (lambda m, p, g: m.poisson(g, observed=[1, 0]), "is not a log_rate: write rate="),
        (lambda m, p, g: m.bernoulli(observed=[1]), "bernoulli: needs either score or probability"),
        (lambda m, p, g: m.binomial(probability=p, observed=[1, 1]), "binomial: trials must be given"),
        (lambda m, p, g: m.binomial(probability=p, trials=[1, 2], observed=[1, 3]), "observed = 3: must be at most the trials, 2"),
        (lambda m, p, g: m.bernoulli(probability=p, observed=[1, 2]), "observed = 2: must be at most the trials, 1"),
        (lambda m, p, g: m.bernoulli(probability=p, observed=[1, 0, 1]), r"observed has the shape \(3,\), what it is about \(2,\)"),
        (lambda m, p, g: m.poisson(rate=p, observed=[1, 0]), r"poisson: rate must be made by model.gamma\(..., plate=...\), not probabilities"),
        (lambda m, p, g: m.poisson(rate=g, observed=[1, 0.5]), "observed = 0.5: must be whole numbers of at least 0"),
        (lambda m, p, g: m.poisson(rate=g, exposure=0, observed=[1, 0]), "exposure = 0: must be above 0"),
        (lambda m, p, g: m.poisson(m.normal(0, 1, shape=2), exposure=2, observed=[1, 0]), "exposure goes with rate"),
        (lambda m, p, g: m.normal(m.normal(0, 1), precision=g, observed=[1, 0]), "the mean must be known"),
        (lambda m, p, g: m.normal(0, 1, precision=g, observed=[1, 0]), "normal: needs either sd or precision"),
        (lambda m, p, g: m.normal(0, precision=g), "a precision is that of observed numbers"),
        (lambda m, p, g: m.categorical([0.5, 0.5], observed=[1, 0]), "made by dirichlet"),
        (lambda m, p, g: m.categorical(m.dirichlet([1, 1]), observed=[2]), "observed = 2: must be below 2"),
        (lambda m, p, g: m.multinomial(m.dirichlet([1, 1]), observed=[1, 2, 3]), "its last axis must hold 2 counts"),
        (lambda m, p, g: m.dirichlet([1.0]), r"a has the shape \(1,\): must hold at least two numbers"),
        (lambda m, p, g: m.dirichlet([1.0, 0.0]), "dirichlet: a = 0: must be above 0"),
        (lambda m, p, g: m.beta(-1, 1, plate=2), "beta: a = -1: must be above 0"),
        (lambda m, p, g: m.beta([1, 2], 1, plate=3), r"beta: a has the shape \(2,\), the plate \(3,\)"),
        (lambda m, p, g: m.beta(m.normal(0, 1), 1, plate=3), "beta: a must be known numbers or hyperparameters"),
        (lambda m, p, g: m.beta(1, 1, plate=0), "shape = 0: must be of at least 1"),
    ],
)
def test_uses_that_are_not_conjugate_are_refused(wrong, said):
    model = Model()
    p, g = model.beta(1, 1, plate=2), model.gamma(1, 1, plate=2)
    with pytest.raises(ValueError, match=said):
        wrong(model, p, g)


def test_arithmetic_is_refused_with_what_to_do_instead():
    model = Model()
    p = model.beta(1, 1, plate=2, name="p")
    for attempt in (lambda: p + 1, lambda: 2 * p, lambda: p[0] - p[1], lambda: p.logit(), lambda: np.ones(2) @ p):
        with pytest.raises(TypeError, match=r"p: probabilities .* are seen by bernoulli\(\) and binomial\(\) alone"):
            attempt()
    with pytest.raises(ValueError, match="probability = 1"):
        model.infer()[p].quantile(1)
