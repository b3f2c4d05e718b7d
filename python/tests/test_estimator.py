"""One family: estimators learn tables by the name of a column, and models of tables are estimators."""

import copy
import pickle
import subprocess

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, LearnedRowsWarning, TableModel, read_schema
from trained import fitted, streamed

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
    model = fitted(table.drop("cost"), "came", **SMALL)
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
    model = fitted(table, "cost", **SMALL)
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
    model = fitted(table, "came", power=1.5, **SMALL)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict_proba(table), model.predict_proba(table))
        assert other.history[0].rows == 150
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    parameters = model.parameters_
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
        lambda path: fitted(path, "y"),
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
    assert fitted(table, "y", memory_limit="1G", **quick).parameters_["store_budget"] > 2**29
    with pytest.raises(ValueError, match='memory_limit = "10M": must be at least 73M.*update learns it'):
        fitted(table, "y", memory_limit="10M", **quick)


def test_runs_that_did_not_converge_are_told(sine):
    quick = {"ensemble_size": 1, "encoding": "standard", "random_state": 0}
    with pytest.warns(ConvergenceWarning, match="used all of its 3 epochs") as told:
        BayesianMLPRegressor(max_epochs=3, **quick).fit(*sine)
    assert told[0].filename == __file__
    table = pl.DataFrame({"x": sine.X[:, 0], "y": sine.y})
    with pytest.warns(ConvergenceWarning, match="used all of its 3 epochs") as told:
        TableModel(max_epochs=3, **quick).fit(table, "y")
    assert told[0].filename == __file__
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert BayesianMLPRegressor(patience=1, **quick).fit(*sine).converged_


def test_an_estimator_that_learns_a_table_is_its_model(tmp_path, program):
    table = visits().drop("came").drop("one")
    path = tmp_path / "visits.csv"
    table.write_csv(path)
    words = ["--hidden", "8", "--ensemble-size", "1", "--max-epochs", "20", "--quiet", "-o", tmp_path / "there"]
    subprocess.run([program, "train", path, "--target", "cost", *words], check=True)
    as_table = TableModel(**SMALL).fit(table, "cost")
    for other in (as_table, fitted(table, "cost", **SMALL)):
        other.save(tmp_path / "here")
        assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()
    for data in (table, path):
        model = BayesianMLPRegressor(**SMALL, random_state=1).fit(data, "cost")
        mean, std = model.predict(table, return_std=True)
        found = as_table.predict(table)
        assert np.array_equal(mean, found["mean"]) and np.array_equal(std, found["std"])
        assert np.array_equal(model.predict_interval(table, 0.8), as_table.predict_interval(table, 0.8))


def test_an_estimator_keeps_what_the_table_was(tmp_path):
    table, new = visits().drop("came"), visits(180)[150:].drop("came")
    model = BayesianMLPRegressor(**SMALL, random_state=1).fit(table, "cost")
    model.save(tmp_path / "model")
    found = model.evaluate(new)
    assert {"linear", "mean"} <= set(found.to_frame().columns) and not found.warning
    shuffled = new.select("cost", "ward", "one", "age")
    for each in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model), BayesianMLPRegressor.load(tmp_path / "model")):
        assert [column.name for column in each.schema_] == ["age", "ward", "one", "cost"]
        assert list(each.feature_names_in_) == ["age", "ward"] and each.n_features_in_ == 2
        assert list(each.ignored_columns_) == ["one"] and each.input_names_ == ["age", "ward = south"]
        assert np.array_equal(each.predict(shuffled), model.predict(new))
        assert each.evaluate(new) == found or dict(each.evaluate(new)).keys() == found.keys()
        assert each.evaluate(new.drop("cost"), new["cost"])["crps"].value == found["crps"].value
        (told,) = each.column_drift(new.with_columns(age=pl.col("age") * 1000))
        assert (told.column, told.kind) == ("age", "unit")
        assert each.is_far(new.with_columns(age=pl.col("age") * 1000)).all() and not each.is_far(table).any()
        with pytest.warns(LearnedRowsWarning, match="all 150 rows"):
            assert each.evaluate(table).warning
    assert np.array_equal(TableModel.load(tmp_path / "model").predict(new)["mean"], model.predict(new))
    assert clone(model).fit(table, "cost").predict(new).tolist() == model.predict(new).tolist()
    # Another fit, to arrays, forgets the table.
    X, y = table.select("age").to_numpy(), table["cost"].to_numpy()
    with pytest.raises(AttributeError, match="has learned arrays, and does not know how columns looked"):
        model.fit(X, y).column_drift(new)
    assert np.array_equal(model.predict(X), BayesianMLPRegressor(**SMALL, random_state=1).fit(X, y).predict(X))


def test_classes_of_a_table():
    table = visits().drop("cost")
    model = BayesianMLPClassifier(**SMALL, random_state=1).fit(table, "came")
    twin = fitted(table, "came", **SMALL)
    assert model.classes_.tolist() == [0, 1]
    assert np.array_equal(model.predict_proba(table), twin.predict_proba(table))
    assert model.score(table, table["came"]) == twin.score(table) == twin.score(table.drop("came"), table["came"])
    heavy = BayesianMLPClassifier(class_weight={1: 5.0}, **SMALL, random_state=1).fit(table, "came")
    assert heavy.predict_proba(table)[:, 1].mean() > model.predict_proba(table)[:, 1].mean()
    # The option decides what the target is, as the estimator's name says.
    assert BayesianMLPRegressor(**SMALL, random_state=1).fit(table, "came").predict(table).std() > 0
    with pytest.raises(ValueError, match="ward.*must have numbers only"):
        BayesianMLPRegressor(**SMALL).fit(table, "ward")


def test_a_model_of_a_table_from_rows_and_targets():
    table = visits().drop("came")
    both = TableModel(**SMALL).fit(table, "cost")
    for X in (table.drop("cost"), table.drop("cost").to_pandas(), table.drop("cost").to_arrow()):
        apart = TableModel(**SMALL).fit(X, table["cost"])
        assert apart.target == "cost" and np.array_equal(apart.predict(X)["mean"], both.predict(table)["mean"])
    numbers = TableModel(**SMALL).fit(table.select("age").to_numpy(), table["cost"].to_numpy())
    assert (numbers.target, numbers.features) == ("y", ["x0"])
    assert numbers.evaluate(table.select("age").to_numpy(), table["cost"].to_numpy()).rows == 150
    labels = TableModel(**SMALL).fit(table.drop("cost"), np.where(table["cost"] > 150, "dear", "cheap"))
    assert labels.classes == ["cheap", "dear"]
    assert repr(TableModel(power=2.0)) == "TableModel(power=2.0)"
    with pytest.raises(ValueError, match="not fitted"):
        TableModel().predict(table)


def test_streams_of_tables():
    table = visits(400).drop("came")
    first, more = table[:200], table[200:]
    model = BayesianMLPRegressor([8], random_state=1).partial_fit(first, "cost").partial_fit(more, "cost")
    twin = streamed(first, "cost", hidden_layer_sizes=[8])
    twin.update(more)
    assert np.array_equal(model.predict(table), twin.predict(table)["mean"])
    assert model.drift_rates_ and pickle.loads(pickle.dumps(model)).partial_fit(more.drop("cost"), more["cost"])


def test_what_belongs_to_tables_is_refused_for_arrays(sine):
    with pytest.raises(TypeError, match="numeric: is for a table, where y is the name of a column"):
        BayesianMLPRegressor(**SMALL).fit(*sine, numeric=["x"])
    with pytest.raises(ValueError, match="sample_weight: is for arrays; weights names a column of a table"):
        BayesianMLPRegressor(**SMALL).fit(visits(), "cost", sample_weight=np.ones(150))
    model = BayesianMLPRegressor(**SMALL).fit(*sine)
    for call in (model.is_far, model.column_drift, model.evaluate):
        with pytest.raises(AttributeError, match="has learned arrays"):
            call(sine.X)
