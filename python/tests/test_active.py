"""Which rows to label next."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from postrider import BayesianMLPClassifier, BayesianMLPRegressor
from postrider.experimental.active import BatchSelector, select_rows


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 0, size=(40, 1))  # nothing is known above 0
    return X, X[:, 0] + 0.1 * rng.normal(size=40)


@pytest.fixture(scope="module")
def pool():
    return np.linspace(-1, 2, 61)[:, None]


@pytest.fixture(scope="module")
def small():
    return BayesianMLPRegressor((10,), ensemble_size=2, encoding="standard", max_epochs=20, random_state=0)


@pytest.fixture(scope="module")
def model(rows, small):
    return BayesianMLPRegressor(**small.get_params()).fit(*rows)


def greedy(values, noise, count):
    """The formula on the whole covariance."""
    K = np.cov(values, rowvar=False)
    total, chosen, removed = np.trace(K), [], []
    for _ in range(count):
        gain = (K**2).sum(axis=0) / (np.diag(K) + noise) / total
        gain[chosen] = -1
        chosen.append(int(np.argmax(gain)))
        removed.append(gain[chosen[-1]])
        column = K[:, chosen[-1]]
        K = K - np.outer(column, column) / (column[chosen[-1]] + noise[chosen[-1]])
    return chosen, removed


def test_rows_are_those_of_the_formula(model, rows, pool):
    found, removed = select_rows(model, pool, 6, *rows, n_functions=50, random_state=3)
    values = np.array([f(pool) for f in model.sample_functions(50, *rows, random_state=3)])
    chosen, gains = greedy(values, model.predict(pool, return_std="parts")[2] ** 2, 6)
    assert found.tolist() == chosen
    np.testing.assert_allclose(removed, gains, rtol=1e-6)


def test_asks_where_nothing_is_known(model, pool):
    found, removed = select_rows(model, pool, 3)
    assert pool[found[0], 0] > 0.5
    assert np.all(removed > 0) and removed.sum() < 1


@pytest.mark.parametrize("noise", [1e-3, 1.0, 100.0])
def test_known_noise_is_that_of_the_labels_to_come(model, rows, pool, noise):
    found, removed = select_rows(model, pool, 3, *rows, noise_std=noise, n_functions=50, random_state=3)
    values = np.array([f(pool) for f in model.sample_functions(50, *rows, noise_std=noise, random_state=3)])
    chosen, gains = greedy(values, np.full(len(pool), noise**2), 3)
    assert found.tolist() == chosen
    np.testing.assert_allclose(removed, gains, rtol=1e-6)


def test_candidates_stand_for_a_large_pool(model, pool):
    found, _ = select_rows(model, pool, 5, max_candidates=5, random_state=1)
    assert len(set(found)) == 5 and max(found) > 5
    assert set(found) != set(select_rows(model, pool, 5, max_candidates=5, random_state=2)[0])


def test_several_targets(rows, pool, small):
    X, y = rows
    both = np.stack([y, 100 * X[:, 0] ** 2], axis=1)
    model = BayesianMLPRegressor(**small.get_params()).fit(X, both)
    assert len(select_rows(model, pool, 4, X, both)[0]) == 4


def test_selector_learns_and_selects(rows, pool, small):
    selector = BatchSelector(small, n_rows=4, n_functions=60, random_state=5).fit(*rows)
    chosen = selector.select(pool)
    expected, removed = select_rows(selector.estimator_, pool, 4, *rows, n_functions=60, random_state=5)
    np.testing.assert_array_equal(chosen, expected)
    np.testing.assert_array_equal(selector.removed_, removed)
    assert len(selector.select(pool, 2)) == 2
    assert selector.get_params(deep=False)["n_rows"] == 4
    assert not hasattr(small, "n_features_in_")


def test_what_makes_no_sense_is_refused(model, rows, pool):
    with pytest.raises(ValueError, match="together"):
        select_rows(model, pool, 1, rows[0])
    with pytest.raises(ValueError, match="n_rows = 100: must be no more than the pool has, 61"):
        select_rows(model, pool, 100)
    with pytest.raises(ValueError, match="noise_std = 0.1: is that of y, and needs X and y"):
        select_rows(model, pool, 1, noise_std=0.1)
    with pytest.raises(ValueError, match="noise_std"):
        select_rows(model, pool, 1, *rows, noise_std=[0.1, 0.2])
    with pytest.raises(TypeError, match="must be a BayesianMLPRegressor"):
        select_rows(BayesianMLPClassifier(), pool, 1)
    with pytest.raises(TypeError, match="must be a BayesianMLPRegressor"):
        BatchSelector(BayesianMLPClassifier()).fit(*rows)
    with pytest.raises(ValueError, match=r"y has the shape \(40, 2\): must be \(40, 1\)"):
        select_rows(model, pool, 1, rows[0], np.stack([rows[1]] * 2, axis=1))
    with pytest.raises(ValueError, match="n_rows"):
        select_rows(model, pool, -1)
    with pytest.raises(NotFittedError, match="fit"):
        BatchSelector().select(pool)
    with pytest.raises(ValueError, match="features"):
        select_rows(model, np.zeros((5, 2)), 1)
