"""Masked arrays and moments of numpy are learned as what they are."""

import numpy as np
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 20, "encoding": "standard", "n_jobs": 1, "random_state": 0}


def rows(count=300):
    random = np.random.default_rng(1)
    X = random.normal(size=(count, 2))
    return X, 2 * X[:, 0] + X[:, 1] + random.normal(0, 0.1, count)


@pytest.mark.filterwarnings("ignore")
def test_masked_cells_are_missing_whatever_lies_beneath():
    X, y = rows()
    mask = np.random.default_rng(2).random(X.shape) < 0.2
    missing = np.where(mask, np.nan, X)
    expected = BayesianMLPRegressor(**SMALL).fit(missing, y)
    found = BayesianMLPRegressor(**SMALL).fit(np.ma.masked_array(np.where(mask, 1e6, X), mask), y)
    np.testing.assert_array_equal(found.predict(X[:9]), expected.predict(X[:9]))
    np.testing.assert_array_equal(found.predict(np.ma.masked_array(X, mask)), expected.predict(missing))


@pytest.mark.filterwarnings("ignore")
def test_masked_integers_are_missing():
    X, y = rows()
    whole = np.ma.masked_array((10 * X).astype(int), X > 1)
    expected = BayesianMLPRegressor(**SMALL).fit(np.where(X > 1, np.nan, whole.data.astype(float)), y)
    np.testing.assert_array_equal(
        BayesianMLPRegressor(**SMALL).fit(whole, y).predict(X[:5]), expected.predict(X[:5])
    )


def test_masked_targets_are_refused():
    X, y = rows(30)
    hidden = np.ma.masked_array(y, np.arange(30) < 3)
    for estimator, targets in (
        (BayesianMLPRegressor(**SMALL), hidden),
        (BayesianMLPClassifier(**SMALL), np.ma.masked_array(y > 0, hidden.mask)),
    ):
        with pytest.raises(ValueError, match="y is masked in 3 of 30 places: leave these rows out"):
            estimator.fit(X, targets)
        with pytest.raises(ValueError, match="y is masked in 3 of 30 places"):
            estimator.partial_fit(X, targets, **({"classes": [False, True]} if targets.dtype == bool else {}))


@pytest.mark.filterwarnings("ignore")
def test_moments_are_dates():
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    hours = np.arange(24 * 60)
    moments = np.datetime64("2026-01-01") + hours.astype("timedelta64[h]")
    y = np.where(hours % 24 < 12, 1.0, -1.0)  # which the number of seconds does not tell
    model = BayesianMLPRegressor(**SMALL).fit(moments[:, None], y)
    assert model.score(moments[:, None], y) > 0.5
    frame = pandas.DataFrame({"x0": moments})
    np.testing.assert_array_equal(
        BayesianMLPRegressor(**SMALL).fit(frame, y).predict(frame), model.predict(moments[:, None])
    )
