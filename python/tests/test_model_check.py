"""check(): densities of hidden states against sums over all paths, and verdicts where the truth is known."""

import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from postrider import Model
from postrider._posterior_check import log_sum_over_paths

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "experiments" / "graph" / "gallery"))

import latent  # noqa: E402
import states  # noqa: E402

INITIAL, TRANSITION = np.array([0.7, 0.2, 0.1]), np.array([[0.8, 0.2, 0.0], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]])
SDS, MEANS = np.array([0.5, 1.0, 3.0]), np.array([0.0, 1.0, -1.0])


def three_states(length):
    """A level seen with noise of three kinds, by an offset that has the state as well, and a mark of the state alone."""
    random = np.random.default_rng(2)
    y, mark = np.cumsum(random.normal(size=length)), random.normal(size=length)
    model = Model()
    x = model.chain(1.0, 0.25, length=length, initial_covariance=1.0)[:, 0]
    s = model.states(INITIAL, TRANSITION, length=length)
    model.normal(s.pick([x + m for m in MEANS]), s.pick(SDS), observed=y)
    model.normal(s.pick(MEANS), 2.0, observed=mark)
    return model, x, y, mark


def log_sum_by_hand(x, y, mark):
    terms = []
    for path in itertools.product(range(3), repeat=len(y)):
        p = np.array(path)
        with np.errstate(divide="ignore"):
            log_p = math.log(INITIAL[p[0]]) + np.log(TRANSITION[p[:-1], p[1:]]).sum()
        terms.append(log_p + stats.norm.logpdf(y, x + MEANS[p], SDS[p]).sum() + stats.norm.logpdf(mark, MEANS[p], 2.0).sum())
    return np.logaddexp.reduce(terms)


def test_densities_are_sums_over_all_paths():
    model, _, y, mark = three_states(6)
    held = model.infer()._held
    points = np.random.default_rng(3).normal(size=(4, 6)) * [[1], [1], [10], [1e3]]
    (s,) = model._states
    found = log_sum_over_paths(s, held.model._seen_of(s), model._switches, {}, points)
    np.testing.assert_allclose(found, [log_sum_by_hand(x, y, mark) for x in points], rtol=1e-12)


def test_switches_are_checked():
    """Evidence by weighted draws against the sum over 243 paths, of which each is Gaussian."""
    model, x, y, mark = three_states(5)
    posterior = model.infer()
    check = posterior.check(8000)
    K = 1.0 + 0.25 * np.minimum.outer(np.arange(5), np.arange(5))
    terms, means, seconds = [], [], []
    for path in itertools.product(range(3), repeat=5):
        p = np.array(path)
        with np.errstate(divide="ignore"):
            log_p = math.log(INITIAL[p[0]]) + np.log(TRANSITION[p[:-1], p[1:]]).sum()
        S = K + np.diag(SDS[p] ** 2)
        log_y = stats.multivariate_normal(MEANS[p], S).logpdf(y)
        terms.append(log_p + log_y + stats.norm.logpdf(mark, MEANS[p], 2.0).sum())
        gain = K @ np.linalg.inv(S)
        means.append(gain @ (y - MEANS[p]))
        seconds.append(np.diag(K - gain @ K) + means[-1] ** 2)
    assert check.log_evidence == pytest.approx(np.logaddexp.reduce(terms), abs=4 * check.log_evidence_error)
    p = np.exp(terms - np.logaddexp.reduce(terms))
    mean = p @ np.array(means)
    ratios = np.sqrt(p @ np.array(seconds) - mean**2) / posterior[x].sd
    assert check.sd_ratio_low == pytest.approx(ratios.min(), abs=0.05)
    assert check.sd_ratio_high == pytest.approx(ratios.max(), abs=0.05)
    assert check.mean_shift == pytest.approx((np.abs(mean - posterior[x].mean) / posterior[x].sd).max(), abs=0.05)


@pytest.mark.parametrize(
    ("model_of", "seed", "verdicts"),
    [
        # Ratios to standard deviations of long chains: from 0.77, from 0.84, and of grids 0.50 to 1.14, 0.99 to 1.03.
        (latent.factors, 1, {"wrong", "not certified"}),
        (latent.factors, 0, {"certified"}),
        (states.switching_step, 4, {"wrong", "not certified"}),
        (states.switching_coefficient, 0, {"certified"}),
    ],
)
def test_what_is_off_is_flagged_and_what_is_right_is_certified(model_of, seed, verdicts):
    model, *_ = model_of(np.random.default_rng(seed))
    check = model.infer().check()
    assert check.verdict in verdicts, str(check)
    assert check.chains > 0
    assert "chains of" in str(check)


def test_a_verdict_is_about_what_was_asked():
    """Two numbers that have nothing to do with those that are too sure."""
    model, v, _ = latent.factors(np.random.default_rng(1))
    apart = model.normal(0, 1, shape=2)
    model.normal(apart.sum(), 1.0, observed=1.0)
    posterior = model.infer()
    assert posterior.check(800, of=v).verdict != "certified"
    assert posterior.check(800, of=apart).verdict == "certified"
    with pytest.raises(TypeError, match="of must be unknown numbers"):
        posterior.check(of=3)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_verdict_and_figures():
    model, *_ = states.switching_noise(np.random.default_rng(0))
    posterior = model.infer()
    assert posterior.check(400, seed=5) == posterior.check(400, seed=5)
