"""How good predictions are: the same figures from arrays and from tables, as a mapping."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, Evaluation, LearnedRowsWarning
from trained import fitted

SMALL = {"ensemble_size": 2, "max_epochs": 10, "encoding": "standard", "random_state": 3}


def amounts(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    return X, X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=rows)


@pytest.fixture(scope="module")
def regressor():
    return BayesianMLPRegressor(**SMALL).fit(*amounts(300, 0))


def test_figures_are_those_of_the_predictions(regressor):
    X, y = amounts(200, 1)
    found = regressor.evaluate(X, y)
    mean, bounds = regressor.predict(X), regressor.predict_interval(X, 0.9)
    inside = (bounds[:, 0] <= y) & (y <= bounds[:, 1])
    assert isinstance(found, Evaluation) and found.rows == 200 and not found.warning
    assert found["root_mean_square_error"].value == pytest.approx(np.sqrt(mean_squared_error(y, mean)))
    assert found["log_likelihood"].value == pytest.approx(regressor.log_likelihood(X, y))
    assert found["coverage_0.9"].value == pytest.approx(inside.mean())
    assert found["pinball_0.5"].value == pytest.approx(np.mean(abs(y - regressor.predict(X, quantiles=[0.5])[:, 0])) / 2)
    assert "accuracy" not in found and found.accuracy is None


def test_classes():
    X, y = amounts(300, 2)
    labels = np.where(y > 0, "high", "low")
    model = BayesianMLPClassifier(**SMALL).fit(X[:200], labels[:200])
    found = model.evaluate(X[200:], labels[200:])
    assert found["accuracy"].value == pytest.approx(accuracy_score(labels[200:], model.predict(X[200:])))
    assert found["log_loss"].value == pytest.approx(log_loss(labels[200:], model.predict_proba(X[200:])))
    assert "log_likelihood" not in found and len(found.by_class) == 2


def test_a_mapping_and_a_frame(regressor):
    found = regressor.evaluate(*amounts(50, 4))
    assert dict(found) == {name: found[name] for name in found} and len(found) == len(list(found))
    frame = found.to_frame()
    assert list(frame.index) == list(found) and list(frame.columns) == ["value", "standard_error"]
    assert frame.loc["crps", "value"] == found["crps"].value
    assert "crps=" in repr(found) and "rows=50" in repr(found)
    with pytest.raises(KeyError):
        found["nothing of this name"]
    with pytest.raises(AttributeError):
        found.nothing_of_this_name


def test_rows_that_were_learned_are_said(regressor):
    with pytest.warns(LearnedRowsWarning):
        found = regressor.evaluate(*amounts(300, 0))
    assert found.warning and found.warning in repr(found)


def test_one_target_at_a_time():
    X, y = amounts(100, 5)
    model = BayesianMLPRegressor(**SMALL).fit(X, np.column_stack([y, -y]))
    with pytest.raises(ValueError, match="y has 2 targets: evaluate takes rows of one"):
        model.evaluate(X, np.column_stack([y, -y]))


def frame_of(rows, seed):
    X, y = amounts(rows, seed)
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})


def test_a_table_gives_the_same_figures_with_baselines_beside_them():
    model = fitted(frame_of(300, 0), "y", **SMALL)
    new = frame_of(150, 6)
    found = model.evaluate(new)
    bounds = model.predict_interval(new, 0.8)
    inside = (bounds[:, 0] <= new["y"]) & (new["y"] <= bounds[:, 1])
    assert bounds.shape == (150, 2) and found["coverage_0.8"].value == pytest.approx(inside.mean())
    assert model.log_likelihood(new) == found["log_likelihood"].value
    assert {"linear", "mean"} <= set(found.to_frame().columns)
    with pytest.raises(ValueError, match="coverage = 1.5: must be above 0 and below 1"):
        model.predict_interval(new, 1.5)


def test_groups_of_a_table_are_left_out_together():
    table = frame_of(120, 7)
    nearly_twice = pd.concat([table, table.assign(b=table["b"] + 1e-9)], ignore_index=True)
    pairs, new = np.tile(np.arange(120), 2), frame_of(50, 8)
    apart = fitted(nearly_twice, "y", **SMALL)
    together = fitted(nearly_twice, "y", groups=pairs, **SMALL)
    assert not np.array_equal(apart.predict(new)["mean"], together.predict(new)["mean"])
    with pytest.raises(ValueError, match="groups"):
        fitted(table, "y", groups=pairs, **SMALL)
