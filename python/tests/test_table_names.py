"""Models of tables by scikit-learn's names, and predictions as arrays."""

import copy
import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from postrider import BayesianMLPRegressor, TableModel, read_schema

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 20}


def visits(rows=150):
    random = np.random.default_rng(3)
    age = random.uniform(20, 80, rows)
    ward = random.choice(["north", "south"], rows)
    came = (age + 20 * (ward == "north") + random.normal(0, 3, rows) > 60).astype(int)
    return pl.DataFrame({"age": age, "ward": ward, "one": np.ones(rows), "came": came, "cost": 3 * age})


def test_classes_of_zero_and_one():
    table = visits()
    model = TableModel.train(table.drop("cost"), "came", **SMALL)
    assert model.classes_.tolist() == [0, 1]
    assert model.classes_.dtype.kind == "i"
    assert list(model.feature_names_in_) == ["age", "ward"]
    assert model.n_features_in_ == 2
    labels = model.predict(table, return_std=False)
    assert set(labels) <= {0, 1}
    assert model.score(table) == np.mean(labels == table["came"].to_numpy())
    assert np.array_equal(model.predict_proba(table), model.predict(table)["probabilities"])
    with pytest.raises(ValueError, match="return_std = True: is for numeric targets"):
        model.predict(table, return_std=True)


def test_numbers_as_arrays():
    table = visits().drop("came")
    model = TableModel.train(table, "cost", **SMALL)
    found = model.predict(table, quantiles=[0.1, 0.9])
    mean, std = model.predict(table, return_std=True)
    assert np.array_equal(mean, found["mean"]) and np.array_equal(std, found["std"])
    assert np.array_equal(model.predict(table, return_std=False), mean)
    assert np.array_equal(model.predict(table, return_std=False, quantiles=[0.1, 0.9]), found["quantiles"])
    assert [part.shape for part in model.predict(table, return_std=True, quantiles=[0.5])] == [(150,), (150,), (150, 1)]
    y = table["cost"].to_numpy()
    assert model.score(table) == pytest.approx(1 - np.sum((y - mean) ** 2) / np.sum((y - y.mean()) ** 2))
    for name in ("classes_", "predict_proba"):
        with pytest.raises(AttributeError, match="is numeric"):
            getattr(model, name) if name == "classes_" else model.predict_proba(table)


def test_copies_and_parameters():
    table = visits()
    model = TableModel.train(table, "came", power=1.5, **SMALL)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict_proba(table), model.predict_proba(table))
        assert other.history[0].rows == 150
    parameters = model.get_params()
    assert parameters["power"] == 1.5
    assert parameters["hidden_layer_sizes"] == [8]
    assert parameters["store_budget"] is None


def test_quantiles_of_estimators_pass_through_wrappers(sine):
    quick = {"ensemble_size": 1, "max_epochs": 20, "random_state": 0}
    model = BayesianMLPRegressor(**quick).fit(*sine)
    levels = [0.1, 0.5, 0.9]
    values = model.predict(sine.X, quantiles=levels)
    assert np.array_equal(values, model.predict_quantiles(sine.X, levels))
    mean, std, more = model.predict(sine.X, return_std=True, quantiles=levels)
    assert mean.shape == std.shape == (400,) and np.array_equal(more, values)
    assert len(model.predict(sine.X, return_std="parts", quantiles=levels)) == 4
    both = BayesianMLPRegressor(**quick).fit(sine.X, np.column_stack([sine.y, -sine.y]))
    assert both.predict(sine.X, quantiles=levels).shape == (400, 2, 3)

    pipeline = make_pipeline(StandardScaler(), BayesianMLPRegressor(**quick)).fit(*sine)
    assert pipeline.predict(sine.X, quantiles=levels).shape == (400, 3)
    assert len(pipeline.predict(sine.X, return_std=True)) == 2
    wrapped = TransformedTargetRegressor(BayesianMLPRegressor(**quick), func=np.log, inverse_func=np.exp).fit(*sine)
    own = np.exp(wrapped.regressor_.predict(sine.X, quantiles=levels))
    assert np.allclose(wrapped.predict(sine.X, quantiles=levels), own)


@pytest.mark.parametrize(
    "call",
    [
        lambda path: TableModel.train(path, "y"),
        lambda path: TableModel.load(path),
        lambda path: read_schema(path),
        lambda path: BayesianMLPRegressor.load(path),
    ],
)
def test_files_that_are_not_there(call, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        call(tmp_path / "nowhere.csv")


def test_memory_limits(sine):
    quick = {"ensemble_size": 1, "max_epochs": 5, "random_state": 0, "encoding": "standard"}
    rows = np.tile(sine.X, (50, 1)), np.tile(sine.y, 50)
    free = BayesianMLPRegressor(**quick).fit(*rows)
    bound = BayesianMLPRegressor(memory_limit="73M", **quick).fit(*rows)
    # Rows share messages, so that others are learned.
    assert not np.array_equal(free.predict(sine.X), bound.predict(sine.X))
    assert np.array_equal(
        BayesianMLPRegressor(memory_limit=2**33, **quick).fit(*rows).predict(sine.X),
        BayesianMLPRegressor(store_budget=2**33, **quick).fit(*rows).predict(sine.X),
    )
    for limit, why in (("10M", "must be at least 73M"), ("soon", "must be a size"), (1.5, "must be a number of bytes")):
        with pytest.raises(ValueError, match=why):
            BayesianMLPRegressor(memory_limit=limit, **quick).fit(*rows)
    with pytest.raises(ValueError, match="does not go with store_budget"):
        BayesianMLPRegressor(memory_limit="1G", store_budget=1, **quick).fit(*rows)
    table = pl.DataFrame({"x": rows[0][:, 0], "y": rows[1]})
    assert TableModel.train(table, "y", memory_limit="1G", **quick).get_params()["store_budget"] > 2**29
    with pytest.raises(ValueError, match='memory_limit = "10M": must be at least 73M.*train_stream learns it'):
        TableModel.train(table, "y", memory_limit="10M", **quick)


def test_runs_that_did_not_converge_are_told(sine):
    quick = {"ensemble_size": 1, "encoding": "standard", "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="used all of its 3 epochs") as told:
        BayesianMLPRegressor(max_epochs=3, **quick).fit(*sine)
    assert told[0].filename == __file__
    table = pl.DataFrame({"x": sine.X[:, 0], "y": sine.y})
    with pytest.warns(ConvergenceWarning, match="used all of its 3 epochs") as told:
        TableModel.train(table, "y", max_epochs=3, **quick)
    assert told[0].filename == __file__
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert BayesianMLPRegressor(patience=1, **quick).fit(*sine).converged_
