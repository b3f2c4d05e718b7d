"""Pictures of rows that were learned say so."""

import pickle
import warnings

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, LearnedRowsWarning
from postrider.plots import plot_calibration
from trained import fitted

SMALL = {"hidden_layer_sizes": [6], "ensemble_size": 1, "max_epochs": 3, "n_jobs": 1, "encoding": "standard"}
ALL = "all 200 rows were learned by this model: these figures say how well it remembers"


def rows_of(seed, rows=200):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    return X, X[:, 0] + random.normal(size=rows)


def labels_of(y):
    return np.where(y > 0, "yes", "no")


def expect_quiet(model, y, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plot_calibration(model, y, X).get_title() == ""


def expect_told(model, y, X, said=ALL):
    with pytest.warns(LearnedRowsWarning, match=said) as told:
        title = plot_calibration(model, y, X).get_title()
    assert title.replace("\n", " ").startswith(said)
    assert told[0].filename == __file__


@pytest.fixture(autouse=True)
def close_pictures():
    yield
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("kind", [BayesianMLPRegressor, BayesianMLPClassifier])
def test_estimators_know_the_rows_of_fit(kind, tmp_path):
    def of(seed):
        X, y = rows_of(seed)
        return X, y if kind is BayesianMLPRegressor else labels_of(y)

    X, y = of(1)
    new, expected = of(2)
    model = kind(**SMALL).fit(X, y)
    model.save(tmp_path / "m")
    for each in (model, pickle.loads(pickle.dumps(model)), kind.load(tmp_path / "m")):
        expect_told(each, y, X)
        expect_quiet(each, expected, new)
    both = np.vstack([X, new]), np.concatenate([y, expected])
    expect_told(model, both[1], both[0], "200 of 400 rows were learned by this model")


def test_targets_count_too():
    X, y = rows_of(1)
    expect_quiet(BayesianMLPRegressor(**SMALL).fit(X, y), y + 1, X)


def test_frames_sparse_rows_and_several_targets():
    X, y = rows_of(1)
    frame = pd.DataFrame({"x": X[:, 0], "side": np.where(X[:, 1] > 0, "left", "right")})
    expect_told(BayesianMLPRegressor(**SMALL).fit(frame, y), y, frame)
    matrix = sparse.csr_matrix(X * (X > 0))
    expect_told(BayesianMLPRegressor(**SMALL).fit(matrix, y), y, matrix)
    shifted = sparse.csr_matrix(X[:, [1, 0, 2]] + 5)  # the same targets, and other inputs in every row
    expect_quiet(BayesianMLPRegressor(**SMALL).fit(matrix, y), y, shifted)
    two = BayesianMLPRegressor(**SMALL).fit(X, np.column_stack([y, -y]))
    assert two._learned_warning(X, np.column_stack([y, -y])).startswith(ALL)
    assert two._learned_warning(X, np.column_stack([y, y])) == ""


def test_another_fit_forgets_the_rows_of_the_first():
    X, y = rows_of(1)
    new, expected = rows_of(2)
    model = BayesianMLPRegressor(**SMALL).fit(X, y).fit(new, expected)
    expect_quiet(model, y, X)
    expect_told(model, expected, new)


def test_where_nothing_is_kept_nothing_is_told():
    X, y = rows_of(1)
    expect_quiet(BayesianMLPRegressor(**SMALL).partial_fit(X, y), y, X)
    expect_quiet(make_pipeline(StandardScaler(), BayesianMLPClassifier(**SMALL)).fit(X, labels_of(y)), labels_of(y), X)


@pytest.mark.parametrize("target", ["price", "where"])
def test_models_of_tables_know_their_rows(target):
    def of(seed):
        X, y = rows_of(seed)
        return pd.DataFrame({"x": X[:, 0], "z": X[:, 1], target: y if target == "price" else labels_of(y)})

    rows, new = of(1), of(2)
    model = fitted(rows, target, **SMALL)
    expect_told(model, rows[target], rows)
    expect_quiet(model, new[target], new)
    expect_quiet(model, rows[target], rows.drop(columns=target))  # whether it was learned cannot be known
