"""Functions drawn from beliefs, and the two parts of a standard deviation."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from postrider import BayesianMLPRegressor
from postrider.experimental.functions import joint_moments

CHANCE = 4.5  # standard errors that chance may be expected to take


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    a = rng.normal(size=60)
    X = np.stack([a, a + 0.3 * rng.normal(size=60)], axis=1)
    return X, 2 * X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=60)


@pytest.fixture(scope="module")
def model(rows):
    return BayesianMLPRegressor((8,), ensemble_size=3, max_epochs=20, random_state=1).fit(*rows)


def test_parts_add_up(model, rows):
    mean, std = model.predict(rows[0], return_std=True)
    again, epistemic, aleatoric = model.predict(rows[0], return_std="parts")
    np.testing.assert_array_equal(mean, again)
    np.testing.assert_allclose(epistemic**2 + aleatoric**2, std**2)
    far = model.predict(rows[0] + 50, return_std="parts")[1]
    assert far.mean() > 5 * epistemic.mean()
    with pytest.raises(ValueError, match="return_std"):
        model.predict(rows[0], return_std="both")


def test_a_function_is_the_same_wherever_it_is_asked(model, rows):
    first, second = model.sample_functions(2, random_state=5)
    whole = first(rows[0])
    np.testing.assert_array_equal(whole[7:9], first(rows[0][7:9]))
    np.testing.assert_array_equal(whole, model.sample_functions(1, random_state=5)[0](rows[0]))
    np.testing.assert_array_equal(whole, pickle.loads(pickle.dumps(first))(rows[0]))
    assert not np.array_equal(whole, second(rows[0]))


def test_gradients_are_those_of_differences(model, rows):
    function, step = model.sample_functions(1, *rows)[0], 1e-6
    X = rows[0][:5]
    found = function.gradient(X)
    for column in range(2):
        beside = X.copy()
        beside[:, column] += step
        np.testing.assert_allclose(found[:, column], (function(beside) - function(X)) / step, rtol=1e-3, atol=1e-5)


def test_a_line_given_its_rows_has_the_exact_posterior():
    rng = np.random.default_rng(8)
    noise = 0.3
    X = rng.normal(size=(200, 2))
    y = 2 * X[:, 0] - X[:, 1] + noise * rng.normal(size=200)
    line = BayesianMLPRegressor((), ensemble_size=1, varying_noise=False, encoding="standard", target_scale="plain").fit(X, y)
    functions = line.sample_functions(3000, X, y, noise_std=noise)
    asked = np.array([[1.0, 1.0], [1.0, -1.0]])
    mean, covariance = joint_moments(functions, asked)
    # The prior tells little beside 200 rows: least squares. The tests in C++ have a prior that counts.
    H = np.column_stack([X, np.ones(len(X))])
    of_weights = np.linalg.inv(H.T @ H) * noise**2
    told = np.column_stack([asked, np.ones(2)])
    expected = told @ of_weights @ told.T
    np.testing.assert_allclose(np.diag(covariance), np.diag(expected), rtol=CHANCE * np.sqrt(2 / 3000))
    best = told @ np.linalg.lstsq(H, y, rcond=None)[0]
    assert np.all(np.abs(mean - best) < 0.15 * np.sqrt(np.diag(expected)))


def test_known_noise_is_met(rows):
    X = np.linspace(-1, 1, 12)[:, None]
    y = np.sin(3 * X[:, 0])
    model = BayesianMLPRegressor((100,), weights_per_example=0, ensemble_size=2, max_epochs=2, random_state=0).fit(X, y)
    for function in model.sample_functions(5, X, y, noise_std=0.0):
        np.testing.assert_allclose(function(X), y, atol=0.02)


def test_frames_of_numbers_are_known_by_their_names(rows):
    pandas = pytest.importorskip("pandas")
    X, y = rows
    frame = pandas.DataFrame(X, columns=["p", "q"])
    function = BayesianMLPRegressor((5,), ensemble_size=1, max_epochs=3, random_state=0).fit(frame, y).sample_functions(1)[0]
    np.testing.assert_array_equal(function(frame), function(X))
    for again in (function, pickle.loads(pickle.dumps(function))):
        with pytest.raises(ValueError, match=r"X has the columns \['q', 'p'\]: must have those that were learned"):
            again(frame[["q", "p"]])
    missing = frame[:3].astype("Float64")
    missing.iloc[0, 0] = pandas.NA
    bare = X[:3].copy()
    bare[0, 0] = np.nan
    np.testing.assert_array_equal(function(missing), function(bare))


def test_sparse_rows_are_rows(model, rows):
    function = model.sample_functions(1)[0]
    np.testing.assert_array_equal(function(csr_matrix(rows[0])), function(rows[0]))


def test_what_makes_no_sense_is_refused(model, rows):
    with pytest.raises(ValueError, match="together"):
        model.sample_functions(1, rows[0])
    with pytest.raises(ValueError, match="noise_std"):
        model.sample_functions(1, *rows, noise_std=-1.0)
    with pytest.raises(ValueError, match="2 columns"):
        model.sample_functions(1)[0]([[1.0]])
    with pytest.raises(ValueError, match="two"):
        joint_moments(model.sample_functions(1), rows[0])
