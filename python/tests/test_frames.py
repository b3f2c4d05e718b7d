"""Data frames with categories, dates and missing values in the estimators."""

import copy
import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from postrider import IgnoredColumnsWarning, BayesianMLPClassifier, BayesianMLPRegressor, TableModel, cross_val_predict
from postrider.experimental.functions import joint_moments
from trained import fitted

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 40, "random_state": 0}


def rentals(rows=200, seed=1):
    """What is rented depends on the weather, the weekday and the temperature; some cells are missing."""
    random = np.random.default_rng(seed)
    days = [datetime.datetime(2025, 1, 1) + datetime.timedelta(days=int(day)) for day in range(rows)]
    weather = random.choice(["dry", "rain", "snow"], rows)
    warmth = random.normal(10, 5, rows)
    weekend = np.array([day.weekday() >= 5 for day in days])
    y = 20.0 * (weather == "dry") + 10.0 * weekend + warmth + random.normal(size=rows)
    frame = pd.DataFrame({"day": days, "weather": pd.Categorical(weather), "warmth": warmth, "town": random.choice(["a", "b"], rows)})
    frame.loc[5, "warmth"], frame.loc[6, "town"], frame.loc[7, "weather"] = np.nan, None, None
    return frame, pd.Series(y, name="rented")


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)])
def test_frames_are_read_as_tables_are(kind):
    frame, y = rentals()
    X = kind(frame)
    model = BayesianMLPRegressor(**SMALL).fit(X, y.to_numpy())
    table = fitted(pa.Table.from_pandas(frame.assign(rented=y), preserve_index=False), "rented", **{**SMALL, "encoding": "standard"})
    assert model.input_names_ == table.features
    assert list(model.feature_names_in_) == ["day", "weather", "warmth", "town"]
    assert model.n_features_in_ == 4
    assert model.score(X, y) > 0.8
    assert np.isfinite(model.predict(X)).all()


def test_an_index_is_no_column():
    frame, y = rentals()
    train, test, y_train, y_test = train_test_split(frame, y, random_state=0)
    model = BayesianMLPRegressor(**SMALL).fit(train, y_train)
    assert not any("index" in name for name in model.input_names_)
    assert model.score(test, y_test) > 0.7
    table = fitted(train.assign(rented=y_train), "rented", **SMALL)
    assert table.features == model.input_names_


def test_numbers_go_on_as_before():
    frame, y = rentals()
    numbers = frame[["warmth"]].assign(other=np.arange(len(frame)), truth=frame.town == "a")
    a = BayesianMLPRegressor(**SMALL).fit(numbers, y)
    b = BayesianMLPRegressor(**SMALL).fit(numbers.to_numpy(dtype=float), y)
    assert np.array_equal(a.predict(numbers), b.predict(numbers.to_numpy(dtype=float)))
    as_objects = numbers.astype(object)
    assert np.array_equal(BayesianMLPRegressor(**SMALL).fit(as_objects, y).predict(as_objects), a.predict(numbers))
    # And after a frame with texts.
    again = BayesianMLPRegressor(**SMALL).fit(frame, y).fit(numbers, y)
    assert np.array_equal(again.predict(numbers), a.predict(numbers))
    assert again.input_names_ == ["warmth", "other", "truth"]


def test_unknown_and_missing_cells_say_nothing():
    frame, y = rentals()
    model = BayesianMLPRegressor(**SMALL).fit(frame, y)
    new, missing = frame.head(2).copy(), frame.head(2).copy()
    new["town"] = ["c", "d"]
    missing["town"] = [None, None]
    missing["town"] = missing["town"].astype(object)
    assert np.array_equal(model.predict(new), model.predict(missing))


def test_copies_files_and_the_table_model(tmp_path):
    frame, y = rentals()
    model = BayesianMLPRegressor(**SMALL).fit(frame, y)
    mean = model.predict(frame)
    model.save(tmp_path / "model.safetensors")
    loaded = BayesianMLPRegressor.load(tmp_path / "model.safetensors")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), loaded):
        assert np.array_equal(other.predict(frame), mean)
        assert list(other.feature_names_in_) == list(frame.columns)
        assert other.input_names_ == model.input_names_
    assert clone(model).fit(frame, y).predict(frame).tolist() == mean.tolist()
    table = TableModel.load(tmp_path / "model.safetensors")
    assert table.target == "rented"
    assert np.array_equal(table.predict(frame)["mean"], mean)


def test_classes_pipelines_and_folds():
    frame, y = rentals()
    label = np.where(y > y.median(), "many", "few")
    model = BayesianMLPClassifier(**SMALL)
    pipeline = make_pipeline(FunctionTransformer(lambda X: X.drop(columns="town")), model)
    assert pipeline.fit(frame, label).score(frame, label) > 0.8
    assert np.mean(cross_val_score(model, frame, label, cv=3)) > 0.7
    probabilities = cross_val_predict(model, frame, label, cv=3, method="predict_proba")
    assert probabilities.shape == (len(frame), 2)
    assert np.isfinite(cross_val_predict(BayesianMLPRegressor(**SMALL), frame, y, cv=3)).all()


def test_columns_that_are_no_inputs_are_named():
    frame, y = rentals()
    odd = frame.assign(name=[f"row {k}" for k in range(len(frame))], country="here")
    model = BayesianMLPRegressor(**SMALL)
    with pytest.warns(IgnoredColumnsWarning, match=r"name \(an identifier: .*; country \(constant\)") as told:
        model.fit(odd, y)
    assert told[0].filename == __file__
    assert list(model.ignored_columns_) == ["name", "country"]
    assert BayesianMLPRegressor(**SMALL).fit(frame, y).ignored_columns_ == {}


def test_drawn_functions_take_frames():
    frame, y = rentals()
    model = BayesianMLPRegressor(**SMALL).fit(frame, y)
    functions = model.sample_functions(300)
    first = functions[0](frame)
    # The same function of the inputs that the frame is made into.
    plain = functions[0]._core.values(model._encoded(frame, reset=False))
    np.testing.assert_array_equal(first, plain[:, 0])
    shuffled = frame[frame.columns[::-1]]
    np.testing.assert_array_equal(functions[0](shuffled), first)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(functions[0]))(frame), first)
    assert functions[0].gradient(frame).shape == (len(frame), len(model.input_names_))
    mean, covariance = joint_moments(functions, frame.head(5))
    assert covariance.shape == (5, 5)
    spread = model.predict(frame.head(5), return_std="parts")[1]
    assert np.all(np.abs(mean - model.predict(frame.head(5))) < spread)
    near = model.sample_functions(20, frame, y, noise_std=0.1)
    error = np.mean([np.abs(f(frame) - y).mean() for f in near])
    assert error < np.mean([np.abs(f(frame) - y).mean() for f in functions[:20]])
    with pytest.raises(ValueError, match="must be a data frame"):
        functions[0](np.zeros((2, len(model.input_names_))))
    with pytest.raises(ValueError, match="warmth"):
        functions[0](frame.drop(columns="warmth"))


def test_streams():
    frame, y = rentals()
    model = BayesianMLPRegressor(hidden_layer_sizes=[8], random_state=0)
    for first in range(0, 200, 50):
        model.partial_fit(frame.iloc[first : first + 50], y.iloc[first : first + 50])
    assert np.isfinite(model.predict(frame)).all()
    with pytest.raises(ValueError, match="must be a data frame"):
        model.partial_fit(np.zeros((3, len(model.input_names_))), np.zeros(3))


def test_mistakes_are_named():
    frame, y = rentals()
    model = BayesianMLPRegressor(**SMALL).fit(frame, y)
    with pytest.raises(ValueError, match="X is ndarray: must be a data frame with the columns that were learned"):
        model.predict(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"town": "city"}))
    with pytest.raises(ValueError):
        BayesianMLPRegressor(**SMALL).fit(frame[["warmth"]], y).predict(frame[["town"]].rename(columns={"town": "warmth"}))
