"""Rows that are added to a model after it was inferred, and what is taken out again, against models built from scratch."""

import pickle

import numpy as np
import pytest

from postrider import Model

CLOSE = 1e-6  # of messages that settled to 1e-8
RANDOM = np.random.default_rng(5)
X, MORE_X = RANDOM.normal(size=(60, 4)) + RANDOM.normal(size=(60, 1)), RANDOM.normal(size=(15, 4))
Y, MORE_Y = X @ [1, -1, 0.5, 0] + RANDOM.normal(size=60), MORE_X @ [1, -1, 0.5, 0] + RANDOM.normal(size=15)
INITIAL, TRANSITION = np.array([0.7, 0.3]), np.array([[0.8, 0.2], [0.4, 0.6]])


def linear(model):
    w = model.normal(0, 2, shape=4)
    model.normal(X @ w, 0.7, observed=Y, name="first")
    return w, lambda: model.normal(MORE_X @ w, 0.7, observed=MORE_Y, name="more")


def logistic(model):
    w = model.normal(0, 2, shape=4)
    model.bernoulli(X @ w, observed=Y > 0, name="first")
    return w, lambda: model.bernoulli(MORE_X @ w, observed=MORE_Y > 0, name="more")


def product(model):
    """Loops through both factors of each product."""
    u, v = model.normal(1, 0.5, shape=(5, 1)), model.normal(0, 1, shape=4)
    model.normal((u + np.zeros((5, 4))) * v, 0.5, observed=X[:5], name="first")
    return v, lambda: model.normal((u[:2] + np.zeros((2, 4))) * v, 0.5, observed=MORE_X[:2], name="more")


def given_density(model):
    w = model.normal(0, 2, shape=4)

    def log_laplace(y):
        return lambda rows, z: -np.abs(y[rows] - z)

    model.density(log_laplace(Y), X @ w, log_concave=True, name="first")
    return w, lambda: model.density(log_laplace(MORE_Y), MORE_X @ w, log_concave=True, name="more")


def switched(model):
    x = model.chain(1.0, 0.25, length=15, initial_covariance=1.0)[:, 0]
    s = model.states(INITIAL, TRANSITION, length=15)
    model.normal(x, s.pick([0.5, 3.0]), observed=np.cumsum(MORE_Y), name="first")
    return x, lambda: model.normal(x[3:9], 0.5, observed=np.cumsum(MORE_Y)[3:9] + 0.1, name="more")


def noisy(model):
    noise, w = model.half_normal(2, name="noise"), model.normal(0, 2, shape=4)
    model.normal(X @ w, noise, observed=Y, name="first")
    return w, lambda: model.normal(MORE_X @ w, noise, observed=MORE_Y, name="more")


def noisy_effects(model):
    scale = model.half_normal(2, name="scale")
    w = model.normal(0, scale, shape=4)
    model.bernoulli(X @ w, observed=Y > 0, name="first")
    return w, lambda: model.bernoulli(MORE_X @ w, observed=MORE_Y > 0, name="more")


def same(found, wanted, x, y, close):
    sd = wanted[y].sd
    np.testing.assert_allclose(found[x].mean, wanted[y].mean, atol=close * sd.max())
    np.testing.assert_allclose(found[x].sd, sd, rtol=close)
    assert found.log_evidence == pytest.approx(wanted.log_evidence, abs=10 * close)


# What a lattice of nodes is refined to is 0.005, squared by what it is refined by.
CASES = [(linear, 1e-12), (logistic, CLOSE), (product, CLOSE), (given_density, CLOSE), (switched, CLOSE), (noisy, 1e-4), (noisy_effects, 1e-4)]


def written_twice(write):
    """Two models alike: each with its unknown numbers, and what adds rows to it."""
    first, second = Model(), Model()
    return (first, *write(first)), (second, *write(second))


@pytest.mark.parametrize(("write", "close"), CASES, ids=[case[0].__name__ for case in CASES])
def test_more_rows_give_what_all_rows_at_once_give(write, close):
    (model, x, add), (whole, y, add_at_once) = written_twice(write)
    add_at_once()
    wanted = whole.infer()
    before = model.infer()
    add()
    after = model.infer(start=before)
    same(after, wanted, x, y, close)
    same(model.infer(), wanted, x, y, min(close, CLOSE))
    assert sum(report.sweeps for report in after._held.reports) <= sum(report.sweeps for report in wanted._held.reports)


@pytest.mark.parametrize(("write", "close"), CASES, ids=[case[0].__name__ for case in CASES])
def test_what_is_removed_might_never_have_been(write, close):
    (model, x, add), (without, y, _) = written_twice(write)
    add()
    before = model.infer()
    model.remove("more")
    same(model.infer(start=before), without.infer(), x, y, close)
    same(model.infer(), without.infer(), x, y, min(close, 1e-12))


def test_a_start_saves_sweeps_and_nodes():
    for write, share in [(logistic, 0.6), (noisy_effects, 0.85), (switched, 0.6)]:
        model = Model()
        _, add = write(model)
        before = model.infer()
        warm, cold = (sum(report.sweeps for report in found._held.reports) for found in (model.infer(start=before), before))
        assert warm < share * cold, write  # nothing new
        add()
        warm, cold = (sum(report.sweeps for report in found._held.reports) for found in (model.infer(start=before), model.infer()))
        assert warm < cold, write
    model = Model()
    _, add = noisy(model)
    before = model.infer()
    add()
    assert len(model.infer(start=before)._held.reports) < len(model.infer()._held.reports) - 3


def test_a_posterior_does_not_hear_of_what_is_added_later():
    model = Model()
    noise, x = model.half_normal(1, name="noise"), model.normal(0, 1, shape=2)
    s = model.states(INITIAL, TRANSITION, length=3)
    model.normal(s.pick([0.0, 1.0]), 0.5, observed=[0.1, 0.9, 1.1], name="seen")
    model.normal(x, noise, observed=[1.0, 2.0])
    before = model.infer()
    mean, sum_sd, chances, draws = before[x].mean, before[x.sum()].sd, before[s].probabilities, before.sample(5, seed=1)[x]
    more = model.normal(0, 1)
    model.half_normal(1, name="scale")
    model.normal(x[0] + more, noise, observed=3.0)
    model.remove("seen")
    np.testing.assert_array_equal(before[x].mean, mean)
    np.testing.assert_allclose(before[x.sum()].sd, sum_sd, rtol=1e-12)
    np.testing.assert_array_equal(before[s].probabilities, chances)
    np.testing.assert_allclose(before.sample(5, seed=1)[x], draws, rtol=1e-12)
    after = model.infer(start=before)
    assert after[more].mean != 0
    np.testing.assert_allclose(after[s].probabilities[0], INITIAL)


def test_a_start_that_led_nowhere_is_forgotten():
    """All that was seen is replaced by its opposite: the former mode of the noise is 200 standard deviations away."""
    model, anew = Model(), Model()
    noise, w = model.half_normal(1, name="noise"), model.normal(0, 1)
    model.normal(w + np.zeros(400), noise, observed=1e-3 * RANDOM.normal(size=400), name="quiet")
    before = model.infer()
    model.remove("quiet")
    wild = 3 * RANDOM.normal(size=10)
    model.normal(w + np.zeros(10), noise, observed=wild)
    noise_anew, w_anew = anew.half_normal(1, name="noise"), anew.normal(0, 1)
    anew.normal(w_anew + np.zeros(10), noise_anew, observed=wild)
    after, wanted = model.infer(start=before), anew.infer()
    assert after[noise].mean == pytest.approx(wanted[noise_anew].mean, rel=1e-3)
    assert after[w].sd == pytest.approx(wanted[w_anew].sd, rel=1e-3)


def test_a_posterior_is_a_start_after_pickling():
    model = Model()
    w, add = logistic(model)
    model, before, w = pickle.loads(pickle.dumps((model, model.infer(), w)))
    model.bernoulli(MORE_X @ w, observed=MORE_Y > 0)
    assert model.infer(start=before).sweeps < model.infer().sweeps


def test_priors_and_what_depends_on_hyperparameters_alone_are_removed():
    model = Model()
    rate, x = model.gamma(2, 1, name="rate"), model.normal(0, 1, name="prior")
    model.poisson(rate.log(), observed=[3, 4], name="counts")
    model.normal(x, 0.5, observed=1.0, name="reading")
    model.remove("counts")
    posterior = model.infer()
    assert posterior[rate].mean == pytest.approx(2, rel=1e-2)  # of the prior, Gamma(2, 1)
    model.remove("prior")
    posterior = model.infer()
    assert posterior[x].mean == pytest.approx(1.0) and posterior[x].sd == pytest.approx(0.5)
    model.remove("reading")
    with pytest.raises(ValueError, match="give each variable a prior|no mode"):
        model.infer()


def test_conjugate_unknowns_lose_what_was_seen_under_a_name():
    model, without = Model(), Model()
    rates = []
    for each in (model, without):
        p = each.beta(1, 2, plate=3)
        each.binomial(probability=p, trials=[5, 6, 7], observed=[1, 2, 3])
        rates.append(p)
    before = model.infer()
    model.binomial(probability=rates[0][:2], trials=10, observed=[9, 8], name="more")
    model.bernoulli(probability=rates[0][2], observed=1, name="more")
    after = model.infer(start=before)
    np.testing.assert_allclose(before[rates[0]].mean, [2 / 8, 3 / 9, 4 / 10])
    np.testing.assert_allclose(after[rates[0]].mean, [11 / 18, 11 / 19, 5 / 11])
    np.testing.assert_allclose(before.sample(4000)[rates[0]].mean(axis=0), [2 / 8, 3 / 9, 4 / 10], atol=0.02)
    model.remove("more")
    assert model.infer().log_evidence == pytest.approx(without.infer().log_evidence, abs=1e-12)
    np.testing.assert_allclose(model.infer()[rates[0]].mean, without.infer()[rates[1]].mean, rtol=1e-12)


def test_several_parts_of_one_name_go_together():
    model = Model()
    x = model.chain(1.0, 0.25, length=3, initial_covariance=1.0, name="day")
    model.normal(x[:, 0], 0.5, observed=[1, 2, 3], name="day")
    model.normal(x[:, 0], 1.0, observed=[4, 5, 6])
    model.remove("day")
    np.testing.assert_allclose(model.infer()[x].mean[:, 0], [4, 5, 6])


def test_mistakes_are_named():
    model = Model()
    noise, x = model.half_normal(1, name="noise"), model.normal(0, 1)
    model.normal(x, noise, observed=1.0, name="b")
    model.normal(x, noise, observed=1.0, name="a")
    with pytest.raises(ValueError, match="name = 'c': names nothing that was added; there are 'a', 'b'"):
        model.remove("c")
    with pytest.raises(ValueError, match="name = 'normal': is what factors without a name"):
        model.remove("normal")
    with pytest.raises(ValueError, match="name = 'noise': names what is unknown"):
        model.remove("noise")
    other = Model()
    other.normal(0, 1)
    with pytest.raises(ValueError, match="start: is the posterior of another model"):
        model.infer(start=other.infer())
    with pytest.raises(TypeError, match="start must be a posterior of this model, not Model"):
        model.infer(start=other)
