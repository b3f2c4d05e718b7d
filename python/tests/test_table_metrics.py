"""Figures of table models against scikit-learn's, baselines, weights of rows and of classes."""

import re
import subprocess

import numpy as np
import pyarrow as pa
import pyarrow.csv  # noqa: F401
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from trained import fitted

SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 5, "n_jobs": 1}


def numbers(rows, seed):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=rows), random.normal(size=rows)
    y = 10 + x - 2 * z + random.normal(size=rows)
    return pa.table({"x": x, "z": 100 * z, "y": y, "w": 1.0 + (np.arange(rows) % 3)})


def classes(rows, seed):
    random = np.random.default_rng(seed)
    x, z = random.normal(size=rows), random.normal(size=rows)
    kind = np.where(x + 0.5 * random.normal(size=rows) > 1, "rare", "usual")
    return pa.table({"x": x, "z": z, "kind": kind})


def features(table, names):
    return np.column_stack([table[name].to_numpy() for name in names])


def test_numbers_and_the_linear_baseline():
    train, test = numbers(300, 1), numbers(200, 2)
    found = fitted(train, "y", ignored=["w"], **SMALL).evaluate(test)
    scaler = StandardScaler().fit(features(train, "xz"))
    ridge = Ridge(alpha=1).fit(scaler.transform(features(train, "xz")), train["y"].to_numpy())
    said = ridge.predict(scaler.transform(features(test, "xz")))
    y = test["y"].to_numpy()
    linear, mean = found.baselines
    assert (linear.name, mean.name) == ("linear", "mean")
    assert linear.evaluation.explained_variance.value == pytest.approx(
        metrics.r2_score(y, said), abs=1e-6
    )
    assert linear.evaluation.pinball[1].loss.value == pytest.approx(
        metrics.mean_pinball_loss(y, said, alpha=0.5), abs=1e-6
    )
    assert mean.evaluation.mean_absolute_percentage_error.value == pytest.approx(
        metrics.mean_absolute_percentage_error(y, np.full(200, train["y"].to_numpy().mean())),
        abs=1e-6,
    )
    difference = found.log_likelihood.value - linear.evaluation.log_likelihood.value
    assert linear.gain.value == pytest.approx(difference)
    assert found.by_class == [] and found.area_under_curve is None


def test_classes_and_the_linear_baseline():
    train, test = classes(400, 1), classes(300, 2)
    model = fitted(train, "kind", **SMALL)
    found, out = model.evaluate(test), model.predict(test)
    truth = test["kind"].to_numpy(zero_copy_only=False)
    usual = out["probabilities"][:, 1]
    assert found.area_under_curve.value == pytest.approx(
        metrics.roc_auc_score(truth == "usual", usual)
    )
    assert found.average_precision.value == pytest.approx(
        metrics.average_precision_score(truth == "usual", usual)
    )
    precision, recall, f1, rows = metrics.precision_recall_fscore_support(truth, out["class"])
    for k, each in enumerate(found.by_class):
        assert each.precision.value == pytest.approx(precision[k])
        assert each.recall.value == pytest.approx(recall[k])
        assert each.f1.value == pytest.approx(f1[k])
        assert each.rows == rows[k]
    scaler = StandardScaler().fit(features(train, "xz"))
    logistic = LogisticRegression(C=1, tol=1e-10).fit(
        scaler.transform(features(train, "xz")), train["kind"].to_numpy(zero_copy_only=False)
    )
    said = logistic.predict_proba(scaler.transform(features(test, "xz")))
    linear, rate = found.baselines
    assert linear.evaluation.log_loss.value == pytest.approx(
        metrics.log_loss(truth, said), abs=1e-5
    )
    assert rate.name == "base rate" and rate.evaluation.area_under_curve.value == 0.5


def test_weights_of_rows_count_as_copies():
    train, test = numbers(90, 1), numbers(50, 2)
    copies = train.take(np.repeat(np.arange(90), train["w"].to_numpy().astype(int)))
    options = {**SMALL, "encoding": "standard"}
    one = fitted(train, "y", weights="w", **options)
    two = fitted(copies, "y", ignored=["w"], **options)
    np.testing.assert_array_equal(one.predict(test)["mean"], two.predict(test)["mean"])
    assert one.schema[3].note == "how often rows count"


def test_weights_of_classes():
    train, test = classes(400, 1), classes(300, 2)
    plain, balanced, heavy = (
        fitted(train, "kind", class_weight=weight, **SMALL).predict(test)
        for weight in (None, "balanced", {"rare": 6})
    )
    for other in (balanced, heavy):
        assert other["probabilities"][:, 0].mean() > plain["probabilities"][:, 0].mean() + 0.05
    with pytest.raises(ValueError, match="class_weight"):
        fitted(train, "kind", class_weight="even", **SMALL)
    with pytest.raises(ValueError, match="must be one of the classes"):
        fitted(train, "kind", class_weight={"other": 2}, **SMALL)
    with pytest.raises(ValueError, match="has no classes"):
        fitted(numbers(50, 1), "y", class_weight="balanced", **SMALL)


def test_a_report_is_the_program_s_but_for_the_names_of_files(tmp_path, program):
    model = fitted(numbers(300, 1), "y", ignored=["w"], **SMALL)
    model.save(tmp_path / "model")
    pa.csv.write_csv(numbers(120, 2), tmp_path / "new.csv")
    model.report(tmp_path / "here.html", tmp_path / "new.csv", keys=["x"], time="z", group="w")
    command = [program, "report", "model", tmp_path / "new.csv", "--key", "x", "--time", "z", "--group", "w", "-o", "there.html", "-q"]
    subprocess.run(command, cwd=tmp_path, check=True)
    there = (tmp_path / "there.html").read_text()
    for fact in ("model", "written by"):
        there = re.sub(rf"<div><dt>{fact}</dt><dd>[^<]*</dd></div>\n", "", there)
    assert (tmp_path / "here.html").read_text() == there


def test_a_report_of_a_frame_numbers_rows_from_one(tmp_path):
    model = fitted(classes(300, 1), "kind", **SMALL)
    model.report(tmp_path / "page.html", classes(80, 2), title="Kinds & more")
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Kinds &amp; more</h1>" in page
    assert "row 0<" not in page
    model.report(tmp_path / "page.html", classes(80, 3))
    (tmp_path / "notes.html").write_text("<p>mine</p>")
    with pytest.raises(FileExistsError, match="is not a report"):
        model.report(tmp_path / "notes.html", classes(80, 2))
    with pytest.raises(ValueError, match="level"):
        model.report(tmp_path / "page.html", classes(80, 2), level=1)
