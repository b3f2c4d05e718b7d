"""Estimators in the company of others: pipelines, searches, frames, pickles, logs, bars."""

import copy
import logging
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (10,), "ensemble_size": 1, "max_epochs": 8, "random_state": 1}


@pytest.fixture(params=[BayesianMLPRegressor, BayesianMLPClassifier])
def case(request, sine, moons):
    return request.param, sine if request.param is BayesianMLPRegressor else moons


def test_pickles_and_copies_go_on_the_same(case):
    kind, (X, y) = case
    model = kind(**QUICK).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(twin.predict(X), model.predict(X))
        assert twin.history_ == model.history_
        twin.partial_fit(X[:20], y[:20])
        assert not np.array_equal(
            twin.beliefs_[0][0].precision, model.beliefs_[0][0].precision
        )
        again = copy.deepcopy(model).partial_fit(X[:20], y[:20])
        assert np.array_equal(twin.predict(X), again.predict(X))


def test_a_pickle_before_fit(case):
    kind, (X, y) = case
    twin = pickle.loads(pickle.dumps(kind(**QUICK)))
    assert twin.get_params() == kind(**QUICK).get_params()
    assert len(twin.fit(X, y).predict(X)) == len(y)


def test_clone_forgets_what_was_learned(case):
    kind, (X, y) = case
    model = kind(**QUICK, n_jobs=2).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "history_") and not hasattr(twin, "noise_")


def test_pipelines_and_searches(case):
    kind, (X, y) = case
    pipeline = make_pipeline(PolynomialFeatures(2), StandardScaler(), kind(**QUICK))
    scores = cross_val_score(pipeline, X, y, cv=3)
    assert scores.shape == (3,) and scores.min() > 0.5
    name = f"{kind.__name__.lower()}__hidden_layer_sizes"
    search = GridSearchCV(pipeline, {name: [(4,), (10,)]}, cv=2).fit(X, y)
    assert search.best_params_[name] in [(4,), (10,)]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_bring_names(case, frame):
    kind, (X, y) = case
    columns = {f"column {i}": X[:, i] for i in range(X.shape[1])}
    series = pd.Series if frame is pd.DataFrame else pl.Series
    model = kind(**QUICK).fit(frame(columns), series(y))
    assert list(model.feature_names_in_) == list(columns)
    assert np.array_equal(model.predict(frame(columns)), kind(**QUICK).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame({f"other {i}": X[:, i] for i in range(X.shape[1])}))


def test_log_lines(case, caplog):
    kind, (X, y) = case
    with caplog.at_level(logging.DEBUG, logger="postrider"):
        kind(**QUICK).fit(X, y)
    lines = [record.getMessage() for record in caplog.records if record.name == "postrider"]
    assert sum("epoch" in line and "score" in line for line in lines) == 9  # 8 of two networks together, and the end
    assert lines[-1].startswith(f"{kind.__name__} learned {len(y)} rows")


def test_bar(case, capsys):
    kind, (X, y) = case
    kind(**QUICK, verbose=True).fit(X, y)
    assert "8/8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameter", "value", "accepted"),
    [
        ("ensemble_size", -1, "ensemble_size = -1: must be at least 1, or None to choose it"),
        ("max_epochs", 2.5, "max_epochs = 2.5: must be at least 1"),
        ("max_epochs", True, "max_epochs = True: must be at least 1"),
        ("hidden_layer_sizes", (3, 0), "hidden_layer_sizes = .*0.*: must be at least 1"),
        ("horizon", 0, "horizon = 0"),
        ("power", 1e6, "power = 1000000.0: must be a number above 0 and at most 1000"),
        ("activation", "tanh", "activation = 'tanh': must be leaky_relu, relu or identity"),
        ("precision", "float16", "precision = 'float16': must be float32 or float64"),
        ("weights_per_example", -1.0, "weights_per_example = -1.0: must be a number of at least 0"),
    ],
)
def test_parameters_that_make_no_sense(case, parameter, value, accepted):
    kind, (X, y) = case
    with pytest.raises(ValueError, match=accepted):
        kind(**{**QUICK, parameter: value}).fit(X, y)
