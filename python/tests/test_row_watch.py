"""Rows that do not look as those learned, rows that cannot be read, and files that are not replaced."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

import postrider
from postrider import CopiedRowsWarning, DriftWarning, LearnedRowsWarning, Monitor, SkippedRowsWarning
from trained import fitted

SMALL = {"hidden_layer_sizes": [6], "ensemble_size": 1, "max_epochs": 3, "n_jobs": 1, "encoding": "standard"}


def houses(rows, seed, factor=1.0):
    random = np.random.default_rng(seed)
    area = random.uniform(20, 120, rows)
    return pa.table({"area": factor * area, "side": random.choice(["north", "south"], rows),
                     "price": 3 * area + random.normal(size=rows)})


@pytest.fixture(scope="module")
def model():
    return fitted(houses(300, 1), "price", **SMALL)


def test_rows_that_look_alike_are_not_warned_of(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(houses(100, 2))
        model.evaluate(houses(100, 3))
    assert model.drift(houses(100, 4)) == []


def test_another_unit_is_named(model):
    new = houses(100, 2, factor=1000)
    (found,) = model.drift(new)
    assert (found.column, found.kind) == ("area", "unit")
    assert found.found / found.learned == pytest.approx(1000, rel=0.2)
    for call in (model.predict, model.evaluate):
        with pytest.warns(DriftWarning, match="area: values are about .* is it another unit"):
            call(new)


def test_far_rows_are_flagged(model):
    assert model.predict(houses(200, 2), far=True)["far"].mean() < 0.05
    with pytest.warns(DriftWarning):
        found = model.predict(houses(100, 2, factor=1000), far=True)["far"]
    assert found.dtype == bool and found.all()
    assert "far" not in model.predict(houses(10, 2))


def test_what_was_learned_before_is_warned_of():
    model = fitted(houses(300, 1), "price", **SMALL)
    before = model.predict(houses(20, 9))["mean"]
    both = pa.concat_tables([houses(300, 1), houses(40, 4)])
    for data, said in (
        (houses(300, 1), "the model has learned these 300 rows already, and a row that is learned twice counts twice"),
        (both, "300 of 340 rows were learned before, and a row that is learned twice counts twice"),
        (houses(200, 5, factor=1000), "area: values are about .* times as large"),
    ):
        with pytest.raises(ValueError, match=said + ".*anyway=True learns these rows"):
            model.update(data)
    with pytest.raises(ValueError, match='target = "price": must be a column of the table'):
        model.update(houses(50, 6).drop_columns("price"))
    unknown = houses(50, 6).drop_columns("price").append_column("price", pa.nulls(50, pa.float64()))
    with pytest.raises(ValueError, match="no row has a value of price, the target"):
        model.update(unknown)
    np.testing.assert_array_equal(model.predict(houses(20, 9))["mean"], before)
    assert len(model.history) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", DriftWarning)
        model.update(houses(200, 5))
        model.update(houses(300, 1), anyway=True)
    assert [step.rows for step in model.history] == [300, 200, 300]


def test_rows_that_were_learned_are_no_test(model):
    with pytest.warns(LearnedRowsWarning, match="all 300 rows were learned by this model: these figures say how well it remembers"):
        found = model.evaluate(houses(300, 1))
    assert repr(found).startswith("Evaluation(warning='all 300 rows were learned by this model: ")
    found = model.evaluate(houses(100, 3))
    assert found.warning == "" and repr(found).startswith("Evaluation(rows=100")


def test_copies_of_rows_are_warned_of():
    rows = houses(300, 1)
    with pytest.warns(CopiedRowsWarning, match="30 of 330 rows are exact copies of others: they are kept in one fold"):
        model = fitted(pa.concat_tables([rows, rows.slice(0, 30)]), "price", **SMALL)
    assert model.history[0].copies == 30
    with pytest.warns(CopiedRowsWarning, match="1 of 31 rows is an exact copy of another"):
        fitted(pa.concat_tables([rows.slice(0, 30), rows.slice(0, 1)]), "price", **SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CopiedRowsWarning)  # one in three hundred is told by the history alone
        model = fitted(pa.concat_tables([rows, rows.slice(0, 1)]), "price", **SMALL)
    assert model.history[0].copies == 1


def test_bad_rows_are_passed_over_and_counted(model, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("area,side\n50,north\n60\n70,south,8\n80,south\n")
    with pytest.warns(SkippedRowsWarning, match="2 rows were passed over.*line 3"):
        found = model.predict(path, skip_bad=True)
    assert len(found["mean"]) == 2
    with pytest.raises(ValueError, match="line 3"):
        model.predict(path)


def test_a_file_of_another_kind_is_not_replaced(model, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a model")
    with pytest.raises(FileExistsError, match="is not a model"):
        model.save(path)
    estimator = postrider.BayesianMLPRegressor(hidden_layer_sizes=(4,), ensemble_size=1, max_epochs=1)
    estimator.fit(np.arange(20.0).reshape(-1, 1), np.arange(20.0))
    with pytest.raises(FileExistsError, match="is not a model"):
        estimator.save(path)
    assert path.read_text() == "not a model"
    (tmp_path / "empty").touch()
    for name in ("m", "m", "empty"):
        model.save(tmp_path / name)


def test_a_monitor_sees_a_change_though_many_rows_came_before(model):
    monitor = Monitor(model, window=300)
    for seed in range(5):
        monitor.add(houses(300, 2 + seed))
    assert monitor.drift == []
    monitor.add(houses(300, 9, factor=1000))
    assert [each.column for each in monitor.drift] == ["area"]
    with pytest.raises(ValueError, match="rows = 0"):
        Monitor(model, window=0)
