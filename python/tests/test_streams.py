"""Streams that do not lose their calibration, whatever comes and however they are cut."""

import warnings

import numpy as np
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, StreamWarning

RNG = np.random.default_rng(5)
X = RNG.normal(size=(500, 2))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=500)


def fitted(**options):
    return BayesianMLPRegressor((10,), ensemble_size=1, random_state=1, **options).fit(X[:200], Y[:200])


def test_many_small_updates_are_one_large():
    whole, single = fitted(), fitted()
    whole.partial_fit(X[200:350], Y[200:350])
    for row in range(200, 350):
        single.partial_fit(X[row : row + 1], Y[row : row + 1])
    np.testing.assert_array_equal(whole.predict(X[350:]), single.predict(X[350:]))
    assert single.log_likelihood(X[350:], Y[350:]) > -0.2
    bounds = single.predict_interval(X[350:], 0.9)
    inside = np.mean((bounds[:, 0] < Y[350:]) & (Y[350:] < bounds[:, 1]))
    assert 0.82 < inside < 0.97


def test_the_first_row_does_not_set_the_scale():
    model = BayesianMLPRegressor((10,), random_state=1)
    for row in range(300):
        model.partial_fit(X[row : row + 1], 2.5e5 + 6e4 * Y[row : row + 1])
    assert model.score(X[300:], 2.5e5 + 6e4 * Y[300:]) > 0.5


def test_a_far_target_warns_and_does_no_harm():
    model = fitted()
    before = model.predict(X[:1])[0]
    with pytest.warns(StreamWarning, match="1 targets lie more than ten standard deviations"):
        model.partial_fit(X[:1], [1e6])
    assert abs(model.predict(X[:1])[0] - before) < 5
    with pytest.raises(ValueError, match="targets = 1e\\+25: must lie within 1e12"):
        model.partial_fit(X[:1], [1e25])


def test_a_narrow_network_warns():
    model = BayesianMLPRegressor(ensemble_size=1, max_epochs=2, random_state=1).fit(X[:50], Y[:50])
    more = RNG.normal(size=(5000, 2))
    with pytest.warns(StreamWarning, match="narrowed for the few rows"):
        model.partial_fit(more, more[:, 0])


def test_nothing_to_tell_is_not_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted().partial_fit(X[200:210], Y[200:210])
        labels = (Y > 0).astype(int)
        BayesianMLPClassifier((5,), ensemble_size=1).fit(X[:100], labels[:100]).partial_fit(
            X[100:], labels[100:]
        )
