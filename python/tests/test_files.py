"""Model files, between Python and the command line."""

import csv
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (10,), "ensemble_size": 2, "max_epochs": 8, "random_state": 1}


@pytest.fixture(params=[BayesianMLPRegressor, BayesianMLPClassifier])
def case(request, sine, moons):
    return request.param, sine if request.param is BayesianMLPRegressor else moons


@pytest.fixture
def run(program):
    """Calls the command line and returns what it prints."""

    def call(*arguments):
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def table(text):
    return list(csv.DictReader(text.splitlines()))


def test_a_file_brings_everything_back(case, tmp_path):
    kind, (X, y) = case
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    model = kind(**QUICK).fit(frame, pd.Series(y, name="wanted"))
    model.save(tmp_path / "model.safetensors")
    again = kind.load(tmp_path / "model.safetensors")
    assert np.array_equal(again.predict(frame), model.predict(frame))
    assert list(again.feature_names_in_) == list(frame.columns)
    same = {**model.get_params(), "hidden_layer_sizes": [10]}
    assert again.get_params() == same
    assert again.n_iter_ == model.n_iter_
    assert again.out_of_fold_score_ == pytest.approx(model.out_of_fold_score_)
    assert [e["score"] for e in again.history_] == [e["score"] for e in model.history_]
    if kind is BayesianMLPClassifier:
        assert again.classes_.dtype == model.classes_.dtype
        assert np.array_equal(again.classes_, model.classes_)
    # A second time, and after more rows.
    again.partial_fit(frame[:10], y[:10]).save(tmp_path / "more.safetensors")
    assert np.array_equal(kind.load(tmp_path / "more.safetensors").predict(frame), again.predict(frame))


@pytest.mark.parametrize("labels", [[5, -3], [1.0, 2.0], [False, True], ["b", "a"], ["1", "2"]])
def test_labels_come_back(moons, tmp_path, labels):
    y = np.array(labels)[(moons.y == "north").astype(int)]
    BayesianMLPClassifier(**QUICK).fit(moons.X, y).save(tmp_path / "model")
    again = BayesianMLPClassifier.load(tmp_path / "model")
    assert np.array_equal(again.classes_, np.unique(y)) and again.classes_.dtype == y.dtype


def test_several_targets_are_for_python_alone(sine, tmp_path):
    model = BayesianMLPRegressor(**QUICK).fit(sine.X, np.column_stack([sine.y, -sine.y]))
    model.save(tmp_path / "model")
    assert np.array_equal(
        BayesianMLPRegressor.load(tmp_path / "model").predict(sine.X), model.predict(sine.X)
    )


def test_files_that_are_none(sine, tmp_path):
    (tmp_path / "text").write_text("no model")
    with pytest.raises(ValueError, match="does not begin with a safetensors header"):
        BayesianMLPRegressor.load(tmp_path / "text")
    with pytest.raises(FileNotFoundError, match="cannot open"):
        BayesianMLPRegressor.load(tmp_path / "nowhere")
    BayesianMLPRegressor(**QUICK).fit(*sine).save(tmp_path / "regressor")
    with pytest.raises(ValueError, match="a classifier was asked for"):
        BayesianMLPClassifier.load(tmp_path / "regressor")


def test_damage_is_a_value_error(sine, tmp_path):
    path = tmp_path / "model"
    BayesianMLPRegressor(**QUICK).fit(*sine).save(path)
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[-1] ^= 1
    path.write_bytes(changed)
    with pytest.raises(ValueError, match="checksum differs"):
        BayesianMLPRegressor.load(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match="cannot read"):
        BayesianMLPRegressor.load(path)


def test_files_that_cannot_be_written_are_os_errors(sine, tmp_path):
    model = BayesianMLPRegressor(**QUICK).fit(*sine)
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        model.save(tmp_path / "none" / "model")
    with pytest.raises(OSError, match="it is a folder"):
        model.save(tmp_path)
    with pytest.raises(OSError, match="it is a device"):
        model.save("/dev/null")


def test_the_library_says_not_fitted_as_scikit_learn_does():
    with pytest.raises(NotFittedError, match="fit"):
        BayesianMLPRegressor(**QUICK)._new_model(1).predict(np.zeros((1, 1)))


def test_the_command_line_reads_what_python_wrote(case, tmp_path, run):
    kind, (X, y) = case
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    model = kind(**QUICK).fit(frame, pd.Series(y, name="wanted"))
    model.save(tmp_path / "model.safetensors")
    frame.assign(wanted=y).to_csv(tmp_path / "rows.csv", index=False)
    rows = table(run("predict", tmp_path / "model.safetensors", tmp_path / "rows.csv"))
    assert len(rows) == len(y)
    if kind is BayesianMLPRegressor:
        mean, deviation = model.predict(frame, return_std=True)
        assert np.allclose([float(row["mean"]) for row in rows], mean, rtol=1e-5)
        assert np.allclose([float(row["std"]) for row in rows], deviation, rtol=1e-5)
    else:
        assert [row["wanted"] for row in rows] == list(model.predict(frame))
    assert "wanted" in run("inspect", tmp_path / "model.safetensors")
    assert run("evaluate", tmp_path / "model.safetensors", tmp_path / "rows.csv")


def test_python_reads_what_the_command_line_trained(case, tmp_path, run):
    kind, (X, y) = case
    frame = pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])
    path = tmp_path / "model.safetensors"
    frame.assign(wanted=y).to_csv(tmp_path / "rows.csv", index=False)
    run("train", tmp_path / "rows.csv", "--target", "wanted", "--output", path, "--max-epochs", "5")
    model = kind.load(path)
    assert list(model.feature_names_in_) == list(frame.columns)
    rows = table(run("predict", path, tmp_path / "rows.csv"))
    if kind is BayesianMLPRegressor:
        expected = [float(row["mean"]) for row in rows]
        assert np.allclose(model.predict(frame), expected, rtol=1e-5)
    else:
        assert list(model.predict(frame)) == [row["wanted"] for row in rows]
    assert 1 <= model.n_iter_ <= 5
    # And back.
    model.partial_fit(frame[:10], y[:10]).save(path)
    assert len(table(run("predict", path, tmp_path / "rows.csv"))) == len(y)
