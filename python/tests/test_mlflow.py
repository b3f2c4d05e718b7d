"""Models that MLflow keeps predict as before."""

import numpy as np
import pytest

import postrider

mlflow = pytest.importorskip("mlflow")
pd = pytest.importorskip("pandas")

from postrider.experimental.mlflow import log_model, save_model  # noqa: E402

QUICK = {"effort": "quick", "max_epochs": 5, "hidden_layer_sizes": [6], "ensemble_size": 2, "encoding": "standard"}


def table():
    random = np.random.default_rng(1)
    out = pd.DataFrame({"area": random.uniform(40, 140, 200), "side": random.choice(["north", "south"], 200)}, index=range(7, 207))
    return out.assign(price=2 * out["area"] + 30 * (out["side"] == "south") + random.normal(0, 5, 200), large=np.where(out["area"] > 90, "yes", "no"))


def test_a_folder_has_the_model_file_and_predicts(tmp_path):
    rows = table()
    model = postrider.TableModel(**QUICK).fit(rows.drop(columns="large"), "price")
    save_model(model, tmp_path / "kept")
    kept = list((tmp_path / "kept/artifacts").iterdir())
    assert [path.name for path in kept] == ["model.safetensors"]
    assert postrider.TableModel.load(kept[0]).predict(rows)["mean"].tolist() == model.predict(rows)["mean"].tolist()
    found = mlflow.pyfunc.load_model(str(tmp_path / "kept")).predict(rows[["area", "side"]])
    np.testing.assert_array_equal(found.index, rows.index)
    np.testing.assert_array_equal(found["mean"], model.predict(rows)["mean"])
    np.testing.assert_array_equal(found[["low", "high"]], model.predict_interval(rows, 0.9))


def test_a_run_has_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the small package has no other
    rows = table()
    model = postrider.TableModel(**QUICK).fit(rows.drop(columns="price"), "large")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    mlflow.create_experiment("here", artifact_location=(tmp_path / "artifacts").as_uri())
    mlflow.set_experiment("here")
    with mlflow.start_run():
        kept = log_model(model, "large")
    found = mlflow.pyfunc.load_model(kept.model_uri).predict(rows[["area", "side"]])
    np.testing.assert_array_equal(found[[f"probability of {name}" for name in model.classes]], model.predict_proba(rows))
    assert set(found["class"]) <= {"yes", "no"}
