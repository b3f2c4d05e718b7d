"""Which columns matter, how predictions move with them, and which act together: of tables, frames and arrays."""

import pickle

import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel
from trained import fitted

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, LearnedRowsWarning, TableModel

pd = pytest.importorskip("pandas")

QUICK = {"random_state": 1, "max_epochs": 15, "ensemble_size": 8, "hidden_layer_sizes": (12,), "encoding": "standard", "n_jobs": 1,
         "learned_shape": False}


def flats(rows=300, seed=1):
    draw = np.random.default_rng(seed)
    out = pd.DataFrame({"area": draw.uniform(20, 120, rows), "town": draw.choice(["a", "b", "c"], rows), "noise": draw.normal(size=rows)})
    out["rent"] = 6 * out["area"] + 3 * out["area"] * (out["town"] == "a") + 20 * draw.normal(size=rows)
    return out


def numbers(rows=300, seed=1):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, 3))
    return X, 2 * X[:, 0] * X[:, 2] + X[:, 2] + 0.1 * draw.normal(size=rows)


@pytest.fixture(scope="module")
def table_model():
    return fitted(flats(), "rent", **QUICK)


@pytest.fixture(scope="module")
def regressor():
    return BayesianMLPRegressor(**QUICK | {"max_epochs": 60}).fit(*numbers())


def test_importance_of_a_table_by_new_rows_and_by_rows_left_out(table_model):
    new = table_model.importance(flats(200, 2))
    own = table_model.importance()
    for found, is_out_of_fold in ((new, False), (own, True)):
        assert found.is_out_of_fold == is_out_of_fold
        assert found.columns == ["area", "town", "noise"]
        assert list(found)[0] == "area"
        assert found["area"] > 10 * found.standard_error[0] > 0
        assert abs(found["noise"]) < 0.2 * found["town"]
        assert found.clear_columns()[:2] == ["area", "town"]
    assert own["area"] == pytest.approx(new["area"], rel=0.5)
    assert new.to_frame().loc["area", "growth"] == new.growth[0] > 1


def test_importance_says_that_rows_were_learned(table_model):
    with pytest.warns(LearnedRowsWarning):
        table_model.importance(flats())


def test_feature_importances_are_by_rows_left_out(table_model):
    np.testing.assert_array_equal(table_model.feature_importances_, table_model.importance().loss)
    assert len(table_model.feature_importances_) == table_model.n_features_in_


def test_frames_and_tables_say_the_same(tmp_path):
    frame = flats()
    by_frame = BayesianMLPRegressor(**QUICK).fit(frame.drop(columns="rent"), frame["rent"])
    by_frame.save(tmp_path / "m.safetensors")
    by_table = TableModel.load(tmp_path / "m.safetensors")
    other = flats(100, 2)
    found = by_frame.importance(other.drop(columns="rent"), other["rent"])
    assert found.columns == ["area", "town", "noise"]
    np.testing.assert_allclose(found.loss, by_table.importance(other).loss, rtol=1e-6)
    assert np.argmax(by_frame.feature_importances_) == 0
    curve = by_frame.partial_dependence("area", other.drop(columns="rent"))
    np.testing.assert_allclose(curve.mean, by_table.partial_dependence("area", other).mean, rtol=1e-6)


def test_feature_importances_have_zeros_for_columns_that_are_no_inputs():
    frame = flats().assign(same=1.0)
    model = fitted(frame, "rent", **QUICK)
    by_name = dict(zip(model.feature_names_in_, model.feature_importances_, strict=True))
    assert by_name["area"] > 0.5
    assert by_name.get("same", 0.0) == 0.0


def test_arrays(regressor):
    X, y = numbers(200, 2)
    found = regressor.importance(X, y)
    assert found.columns == ["x0", "x1", "x2"]
    assert set(found.clear_columns()) == {"x0", "x2"}
    np.testing.assert_allclose(regressor.feature_importances_, regressor.importance().loss)
    assert regressor.feature_importances_.shape == (3,)
    kept = SelectFromModel(regressor, threshold="mean", prefit=True).get_support()
    assert kept[2] and not kept[1]


def test_classes_are_told_by_their_log_loss():
    X, y = numbers()
    labels = np.where(X[:, 0] > 0, "yes", "no")
    model = BayesianMLPClassifier(**{name: value for name, value in QUICK.items() if name != "learned_shape"}).fit(X, labels)
    new, _ = numbers(200, 2)
    found = model.importance(new, np.where(new[:, 0] > 0, "yes", "no"))
    assert next(iter(found)) == "x0" and found.error_name == "log-loss"
    evaluated = model.evaluate(new, np.where(new[:, 0] > 0, "yes", "no"))
    assert found.growth[0] == pytest.approx(found.loss[0] / evaluated["log_loss"].value)
    assert next(iter(model.importance())) == "x0"
    assert model.partial_dependence(0, new).output == "probability of yes"
    assert model.partial_dependence(0, new, class_name="no").mean[0] > 0.5


def test_several_targets_have_importances_by_rows_left_out_alone():
    X, y = numbers()
    model = BayesianMLPRegressor(**QUICK).fit(X, np.stack([y, X[:, 1]], axis=1))
    assert (model.feature_importances_ > 0.1).all()
    with pytest.raises(ValueError, match="several targets"):
        model.importance(X, y)


def test_a_file_and_a_stream_keep_no_rows_to_tell_by(table_model, regressor, tmp_path):
    table_model.save(tmp_path / "m.safetensors")
    for model in (TableModel.load(tmp_path / "m.safetensors"), BayesianMLPRegressor(**QUICK).partial_fit(*numbers())):
        assert not hasattr(model, "feature_importances_")
        with pytest.raises(ValueError, match="X = None"):
            model.importance()
    assert TableModel.load(tmp_path / "m.safetensors").importance(flats(100, 2))["area"] > 0.5
    found = regressor.feature_importances_
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(regressor)).feature_importances_, found)
    assert not hasattr(BayesianMLPRegressor(), "feature_importances_")


def test_a_new_fit_has_new_importances():
    X, y = numbers()
    model = BayesianMLPRegressor(**QUICK).fit(X, y)
    before = model.feature_importances_
    before[:] = 0  # a copy
    assert model.feature_importances_[2] > 0.1
    assert np.argmax(model.fit(X, X[:, 1]).feature_importances_) == 1


def test_partial_dependence_is_the_mean_of_what_is_predicted(table_model):
    rows = flats(80, 2)
    found = table_model.partial_dependence("area", rows, points=4)
    for k, area in enumerate(found.x):
        said = table_model.predict(rows.assign(area=area), return_std=False)
        assert found.mean[k] == pytest.approx(said.mean())
        assert found.low[k] == pytest.approx(np.sort(said)[7])
    assert (found.spread > 0).all()
    assert list(found.to_frame().columns) == ["area", "mean", "low", "high", "spread"]
    towns = table_model.partial_dependence("town", rows)
    assert towns.is_category and set(towns.x) == {"a", "b", "c"}
    assert table_model.partial_dependence("area").mean[-1] > 500  # by rows that the model keeps


def test_partial_dependence_by_another_column(table_model):
    rows = flats(80, 2)
    curves = table_model.partial_dependence("area", rows, by="town")
    assert {curve.value for curve in curves} == {"a", "b", "c"}
    for curve in curves:
        expected = table_model.partial_dependence("area", rows.assign(town=curve.value))
        np.testing.assert_allclose(curve.mean, expected.mean)
    steepest = max(curves, key=lambda curve: curve.mean[-1] - curve.mean[0])
    assert steepest.value == "a"
    by_number = table_model.partial_dependence("town", rows, by="area")
    assert len(by_number) == 3 and by_number[0].value < by_number[1].value < by_number[2].value


def test_dates_are_moments():
    frame = flats().assign(day=pd.date_range("2024-01-01", periods=300, freq="h"))
    model = fitted(frame, "rent", **QUICK)
    found = model.partial_dependence("day", frame.head(50))
    assert found.x.dtype.kind == "M" and str(found.x[0]).startswith("2024-01-01")
    assert len(model.partial_dependence("area", frame.head(50), by="day")) == 3


def test_interactions_are_found(regressor):
    X, _ = numbers(200, 2)
    found = regressor.interactions(X)
    assert {found[0].first, found[0].second} == {"x0", "x2"}
    assert found[0].is_clear and found[0].share > 0.4
    assert len(found) == 3 and len(found[:1]) == 1
    assert list(found.to_frame().columns) == ["first", "second", "share", "standard_error"]


def test_what_is_printed_and_shown_in_notebooks(table_model, regressor):
    rows = flats(60, 2).assign(town="<b>")
    assert repr(table_model.importance(flats(60, 2))).splitlines()[0].startswith("without")
    for shown in (table_model, regressor, table_model.importance(), table_model.interactions(rows), table_model.evaluate(flats(60, 2)),
                  table_model.partial_dependence("town", flats(60, 2)), table_model.explain(flats(2, 2).assign(town="<b>"))):
        html = shown._repr_html_()
        assert "<table>" in html and "<b>" not in html
    assert "rent" in table_model._repr_mimebundle_()["text/html"]
    assert "not fitted" in TableModel()._repr_html_()


def test_a_report_of_arrays(regressor, tmp_path):
    X, y = numbers(100, 2)
    regressor.report(tmp_path / "r.html", X, y, title="By arrays")
    page = (tmp_path / "r.html").read_text()
    assert "<h1>By arrays</h1>" in page and "These inputs act together" in page and "x0 and x2" in page
    with pytest.raises(ValueError, match="is for tables"):
        regressor.report(tmp_path / "r.html", X, y, group="town")


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda m: m.importance(flats(50, 2), rows=1), "rows = 1"),
        (lambda m: m.importance(flats(50, 2), repeats=1), "repeats = 1"),
        (lambda m: m.importance(flats(50, 2).drop(columns="rent")), "value of the target"),
        (lambda m: m.partial_dependence("rent"), 'column = "rent"'),
        (lambda m: m.partial_dependence(7), "column = 7"),
        (lambda m: m.partial_dependence("area", by="area"), 'by = "area"'),
        (lambda m: m.partial_dependence("area", class_name="x"), 'class_name = "x"'),
        (lambda m: m.interactions(columns=1), "columns = 1"),
    ],
)
def test_what_makes_no_sense_is_refused(table_model, call, told):
    with pytest.raises(ValueError, match=told):
        call(table_model)
