"""Any array that scikit-learn would accept: finite predictions with deviations, or a clear error."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from sklearn.utils import check_array

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (3,), "ensemble_size": 1, "max_epochs": 3, "random_state": 0}
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

NUMBERS = st.one_of(
    st.floats(-1e3, 1e3),
    st.floats(allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 1e-300, -1e-300, 1e30, 1e300, -1.7e308, np.nan, 5e-324]),
)
TYPES = st.sampled_from([np.float64, np.float32, np.int8, np.int64, np.uint16, bool])


@st.composite
def inputs(draw, columns=None):
    shape = (draw(st.integers(1, 12)), columns or draw(st.integers(1, 4)))
    if draw(st.booleans()):
        return draw(nps.arrays(np.float64, shape, elements=NUMBERS))
    return draw(nps.arrays(draw(TYPES), shape))


@st.composite
def rows(draw, targets):
    X = draw(inputs())
    y = draw(nps.arrays(np.float64, len(X), elements=targets))
    return X, y, draw(inputs(columns=X.shape[1]))


def is_accepted(X):
    try:
        check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    except ValueError:
        return False
    return True


def expect_clear(error, X):
    """The message names what is wrong; scikit-learn's own are clear."""
    if is_accepted(X):
        assert "must" in str(error), error


@SETTINGS
@given(rows(st.one_of(st.floats(-1e3, 1e3), st.floats(-1e130, 1e130))))
def test_regressor(case):
    X, y, new = case
    try:
        model = BayesianMLPRegressor(**QUICK).fit(X, y)
    except ValueError as error:
        expect_clear(error, X)
        return
    for given_rows in (X, new):
        try:
            mean, deviation = model.predict(given_rows, return_std=True)
            bounds = model.predict_interval(given_rows)
            draws = model.sample_y(given_rows, 2)
        except ValueError as error:
            expect_clear(error, given_rows)
            continue
        assert np.all(np.isfinite(mean)) and np.all(np.isfinite(deviation))
        assert np.all(deviation > 0)
        assert np.all(np.isfinite(bounds)) and np.all(bounds[:, 0] <= bounds[:, 1])
        assert np.all(np.isfinite(draws))


@SETTINGS
@given(rows(st.integers(0, 2)))
def test_classifier(case):
    X, y, new = case
    y = y.astype(int)
    try:
        model = BayesianMLPClassifier(**QUICK).fit(X, y)
    except ValueError as error:
        if len(np.unique(y)) > 1:
            expect_clear(error, X)
        return
    for given_rows in (X, new):
        try:
            probabilities = model.predict_proba(given_rows)
        except ValueError as error:
            expect_clear(error, given_rows)
            continue
        assert np.all(np.isfinite(probabilities)) and np.all(probabilities >= 0)
        assert np.allclose(probabilities.sum(axis=1), 1)


@SETTINGS
@given(rows(st.floats(-1e3, 1e3)), st.integers(0, 2**32))
def test_stream(case, seed):
    X, y, new = case
    model = BayesianMLPRegressor(**{**QUICK, "random_state": seed})
    try:
        for _ in range(3):
            model.partial_fit(X, y)
        mean, deviation = model.predict(new, return_std=True)
    except ValueError as error:
        if is_accepted(new):
            expect_clear(error, X)
        return
    assert np.all(np.isfinite(mean)) and np.all(np.isfinite(deviation)) and np.all(deviation > 0)
