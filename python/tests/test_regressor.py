"""What the regressor predicts, in the unit of its targets."""

import numpy as np
import pytest
from scipy import stats

from postrider import BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (20,), "ensemble_size": 2, "max_epochs": 20, "random_state": 1}


@pytest.fixture(scope="module")
def fitted(sine):
    return BayesianMLPRegressor(**QUICK).fit(*sine)


def test_predicts_the_sine_and_its_noise(fitted):
    x = np.array([[-1.5], [0.0], [1.5]])
    mean, deviation = fitted.predict(x, return_std=True)
    assert np.allclose(mean, 3 * np.sin(2 * x[:, 0]) + 10, atol=0.4)
    assert 1.5 < deviation[2] / deviation[0]
    assert np.array_equal(fitted.predict(x), mean)


def test_noise_is_in_the_unit_of_the_target(sine):
    # Other values put the rows into another order, which matters less the longer training goes on.
    longer = QUICK | {"ensemble_size": 4, "max_epochs": 100}
    constant = BayesianMLPRegressor(**longer, varying_noise=False)
    one = constant.fit(sine.X, sine.y).noise_
    assert 0.1 < one < 0.6
    thousand = constant.fit(sine.X, 1000 * sine.y).noise_
    # Nor are the same rows left out together: a tenth is what four networks may differ by.
    assert thousand == pytest.approx(1000 * one, rel=0.1)


def test_the_out_of_fold_score_is_a_log_density_of_the_targets(sine, fitted):
    score = fitted.out_of_fold_score_
    # The likelihood of rows that were learned is better, but not by much.
    assert score == pytest.approx(fitted.log_likelihood(*sine), abs=0.3)
    thousand = BayesianMLPRegressor(**QUICK).fit(sine.X, 1000 * sine.y)
    # Other values put the rows into another order, and so into other folds.
    assert thousand.out_of_fold_score_ == pytest.approx(score - np.log(1000), abs=2 * fitted.out_of_fold_score_error_ + 0.05)


def test_one_gaussian_has_the_textbooks_quantiles_and_density(sine):
    model = BayesianMLPRegressor(**{**QUICK, "ensemble_size": 1}, varying_noise=False).fit(*sine)
    x, levels = np.array([[-1.0], [0.7]]), [0.05, 0.5, 0.8]
    mean, deviation = model.predict(x, return_std=True)
    expected = stats.norm.ppf(levels, mean[:, None], deviation[:, None])
    assert np.allclose(model.predict_quantiles(x, levels), expected, rtol=1e-9)
    expected = stats.norm.logpdf([9.0, 12.0], mean, deviation).mean()
    assert model.log_likelihood(x, [9.0, 12.0]) == pytest.approx(expected, rel=1e-6)


def test_quantiles_hold_what_they_should_of_the_draws(fitted):
    x = np.array([[-1.0], [1.0], [6.0]])
    draws = fitted.sample_y(x, 20_000, random_state=3)
    assert draws.shape == (3, 20_000)
    levels = np.array([0.02, 0.3, 0.5, 0.95])
    below = (draws[:, :, None] < fitted.predict_quantiles(x, levels)[:, None]).mean(axis=1)
    assert np.all(np.abs(below - levels) < 4.5 * np.sqrt(levels * (1 - levels) / 20_000))
    mean, deviation = fitted.predict(x, return_std=True)
    assert np.allclose(draws.mean(axis=1), mean, atol=4.5 * deviation.max() / np.sqrt(20_000))
    assert np.allclose(draws.std(axis=1), deviation, rtol=0.05)


def test_intervals_hold_new_rows(fitted):
    rng = np.random.default_rng(7)
    x = rng.uniform(-2, 2, size=2000)
    y = 3 * np.sin(2 * x) + 10 + (0.05 + 0.35 * (x + 2) / 4) * rng.normal(size=2000)
    low, high = fitted.predict_interval(x[:, None], coverage=0.8).T
    assert np.mean((low <= y) & (y <= high)) == pytest.approx(0.8, abs=0.08)


def test_draws_depend_on_the_seed_alone(fitted):
    x = np.linspace(-2, 2, 7)[:, None]
    assert np.array_equal(fitted.sample_y(x, 3), fitted.sample_y(x, 3, random_state=0))
    assert not np.array_equal(fitted.sample_y(x, 3), fitted.sample_y(x, 3, random_state=1))


def test_several_targets_keep_their_units(sine):
    y = np.column_stack([sine.y, 7 - 1000 * sine.y])
    model = BayesianMLPRegressor(**QUICK).fit(sine.X, y)
    x = np.array([[-1.0], [1.0]])
    mean, deviation = model.predict(x, return_std=True)
    assert mean.shape == deviation.shape == (2, 2)
    assert np.allclose(mean[:, 1], 7 - 1000 * mean[:, 0], atol=500)
    assert model.predict_quantiles(x, [0.1, 0.9]).shape == (2, 2, 2)
    assert model.sample_y(x, 5).shape == (2, 2, 5)
    assert model.noise_[1] == pytest.approx(1000 * model.noise_[0], rel=1e-6)
    assert model.log_likelihood(sine.X, y) < 0


@pytest.mark.parametrize("quantiles", [[0.0], [1.0], [-0.1], [np.nan]])
def test_quantiles_lie_between_0_and_1(fitted, quantiles):
    with pytest.raises(ValueError, match="must be above 0 and below 1"):
        fitted.predict_quantiles([[0.0]], quantiles)
    with pytest.raises(ValueError, match="must be above 0 and below 1"):
        fitted.predict_interval([[0.0]], quantiles[0])


@pytest.mark.parametrize("value", ["no", "false", 2, None])
def test_a_switch_is_true_or_false(value):
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    with pytest.raises(ValueError, match="varying_noise = .*: must be yes or no"):
        BayesianMLPRegressor(varying_noise=value).fit(X, y)


def test_large_sample_weights_are_refused_with_what_to_do():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    with pytest.raises(ValueError, match="weights = 1000: .*divide them by their mean"):
        BayesianMLPRegressor().fit(X, y, sample_weight=np.full(20, 1000.0))


def test_intervals_follow_the_rows_left_out_unless_beliefs_are_asked_for(sine):
    model = BayesianMLPRegressor(**QUICK).fit(*sine)
    beliefs = BayesianMLPRegressor(**QUICK, intervals="beliefs").fit(*sine)
    X = sine[0][:20]
    np.testing.assert_array_equal(beliefs.predict_interval(X, 0.5), model.predict_quantiles(X, (0.25, 0.75)))
    assert not np.array_equal(model.predict_interval(X, 0.5), beliefs.predict_interval(X, 0.5))
    with pytest.raises(ValueError, match="intervals = .*: must be .*conformal"):
        BayesianMLPRegressor(intervals="sure").fit(*sine)
