"""Small rows in shards, and the estimators that learn them: what tests of spread training share."""

import numpy as np
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

ROWS, SHARDS, EPOCHS = 120, 6, 5


def regressor(**options):
    return BayesianMLPRegressor((8,), **{"max_epochs": EPOCHS, "random_state": 3, **options})


def classifier(**options):
    return BayesianMLPClassifier((8,), **{"max_epochs": EPOCHS, "random_state": 3, **options})


def rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(ROWS, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=ROWS)


def cut(*arrays, shards=SHARDS):
    return list(zip(*(np.array_split(array, shards) for array in arrays), strict=True))


def labels(y):
    return np.array(["low", "middle", "high"])[np.searchsorted(np.quantile(y, [1 / 3, 2 / 3]), y)]


def regression_parts():
    return cut(*rows())


def labelled_parts():
    X, y = rows()
    return cut(X, labels(y))


def weighted_parts():
    X, y = rows()
    return cut(X, y, np.random.default_rng(1).integers(0, 4, size=ROWS).astype(float))


def two_target_parts():
    X, y = rows()
    return cut(X, np.stack([y, X[:, 0] - y], axis=1))


CASES = {
    "regressor": (regressor, regression_parts),
    "classifier": (classifier, labelled_parts),
    "three members": (lambda: regressor(ensemble_size=3), regression_parts),
    "three classifiers": (lambda: classifier(ensemble_size=3), labelled_parts),
    "weights": (regressor, weighted_parts),
    "two targets": (regressor, two_target_parts),
    "double": (lambda: regressor(precision="float64"), regression_parts),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


def model_bytes(estimator):
    return estimator._model.to_bytes({})


@pytest.fixture
def expected(spread, case):
    """The bytes of one worker that is never lost."""
    make, parts = case
    estimator = make()
    spread(estimator, parts(), workers=1)
    return model_bytes(estimator)
