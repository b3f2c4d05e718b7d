"""Explanations of predictions: by all subsets of the columns, from different data, and what would be predicted otherwise."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, Explanation, TableModel

ROUNDING = 1e-9  # of some hundred numbers of size 1
QUICK = {"random_state": 1, "max_epochs": 6, "ensemble_size": 3, "hidden_layer_sizes": (8,), "encoding": "standard", "n_jobs": 1}


def numbers(rows, columns=4, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def target_of(X):
    return X[:, 0] + 2 * X[:, 1] * X[:, 2] + np.maximum(X[:, 3], 0) * X[:, 0]


@pytest.fixture(scope="module")
def regressor():
    X = numbers(200)
    return BayesianMLPRegressor(**QUICK).fit(X, target_of(X))


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(1)
    out = pd.DataFrame({"age": random.uniform(20, 70, 200), "town": random.choice(["a", "b", "c"], 200), "rooms": random.integers(1, 6, 200)})
    out["rent"] = 5 * out["age"] + out["town"].map({"a": 0, "b": 100, "c": 200}) + 50 * out["rooms"] + random.normal(size=200)
    return out


@pytest.fixture(scope="module")
def table_model(frame):
    return TableModel(**QUICK).fit(frame, "rent")


def by_all_subsets(said, row, background):
    """Shapley values by their definition."""
    columns = range(len(row))
    out = np.zeros(len(row))

    def value(subset):
        rows = background.copy()
        rows[:, list(subset)] = row[list(subset)]
        return said(rows).mean()

    for k in columns:
        others = [c for c in columns if c != k]
        for size in range(len(row)):
            share = factorial(size) * factorial(len(row) - size - 1) / factorial(len(row))
            out[k] += share * sum(value((*subset, k)) - value(subset) for subset in combinations(others, size))
    return out


def test_contributions_are_shapley_values(regressor):
    X, background = numbers(3, seed=2), numbers(5, seed=3)
    found = regressor.explain(X, background, orders=8)
    for place, said in enumerate((regressor.predict, lambda rows: regressor.predict(rows, return_std=True)[1])):
        for row in range(3):
            expected = by_all_subsets(said, X[row], background)
            np.testing.assert_allclose(found.contributions[row, :, place], expected, atol=ROUNDING)


def test_drawn_orders_come_near_and_add_up(regressor):
    X, background = numbers(20, seed=2), numbers(8, seed=3)
    exact, drawn = (regressor.explain(X, background, orders=orders).contributions for orders in (8, 1))
    assert not np.array_equal(exact, drawn)
    assert np.sqrt(np.mean((exact - drawn) ** 2)) < 0.1 * np.sqrt(np.mean(exact**2))
    mean, std = regressor.predict(X, return_std=True)
    found = regressor.explain(X, background, orders=1)
    np.testing.assert_array_equal(found.prediction, np.stack([mean, std], axis=1))
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.prediction - found.baseline, atol=ROUNDING)


def test_explanations_are_the_same_each_time_and_for_any_number_of_threads(regressor):
    X = numbers(150, seed=2)
    one = regressor.explain(X, numbers(3, seed=3), orders=1)
    threads = BayesianMLPRegressor(**{**QUICK, "n_jobs": 3}).fit(numbers(200), target_of(numbers(200)))
    three = threads.explain(X, numbers(3, seed=3), orders=1)
    np.testing.assert_array_equal(one.contributions, three.contributions)
    np.testing.assert_array_equal(one.spread, three.spread)
    np.testing.assert_array_equal(one[140].contributions, regressor.explain(X[140:141], numbers(3, seed=3), orders=1).contributions)
    other = regressor.explain(X, numbers(3, seed=3), orders=1, seed=2)
    assert not np.array_equal(one.contributions, other.contributions)


def test_a_baseline_is_the_means_or_a_row(regressor):
    X = numbers(2, seed=2)
    means = numbers(200).mean(axis=0)
    found = regressor.explain(X)
    np.testing.assert_allclose(found.baseline[0], regressor.predict([means])[0], atol=1e-6)
    row = regressor.explain(X, X[1])
    np.testing.assert_array_equal(row.contributions[1], 0)
    np.testing.assert_array_equal(row.baseline, row.prediction[1])
    nothing = regressor.explain(X, np.full(4, np.nan))
    assert nothing.baseline[1] > nothing.prediction[:, 1].max()  # what is known narrows


def test_classes_have_contributions_to_each_probability():
    X = numbers(200)
    model = BayesianMLPClassifier(**QUICK).fit(X, np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)])
    found = model.explain(X[:10], X[20:24])
    assert found.quantities == ["no", "yes"]
    np.testing.assert_array_equal(found.prediction, model.predict_proba(X[:10]))
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.prediction - found.baseline, atol=ROUNDING)
    np.testing.assert_allclose(found.contributions.sum(axis=2), 0, atol=ROUNDING)  # probabilities sum to one
    assert next(iter(found.importance())) == "x0"
    assert found.quantity_of() == ("yes" if X[0, 0] > 0 else "no")


def test_several_targets_are_explained_each():
    X = numbers(100)
    model = BayesianMLPRegressor(**QUICK).fit(X, X[:, :2] * [1, -3])
    found = model.explain(X[:4])
    assert found.quantities == ["mean of target 1", "std of target 1", "mean of target 2", "std of target 2"]
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.prediction - found.baseline, atol=ROUNDING)
    np.testing.assert_array_equal(found.prediction[:, [0, 2]], model.predict(X[:4]))


def test_columns_of_a_table_are_those_of_the_user(table_model, frame):
    found = table_model.explain(frame.head(5))
    assert found.columns == ["age", "town", "rooms"]
    assert found.values[0][1] == frame["town"][0]
    predicted = table_model.predict(frame.head(5))
    np.testing.assert_array_equal(found.prediction[:, 0], predicted["mean"])
    np.testing.assert_array_equal(found.prediction[:, 1], predicted["std"])
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.prediction - found.baseline, atol=1e-9)
    assert found.far is not None and len(found.far) == 5


def test_frames_are_explained_by_their_columns(frame):
    inputs = frame.drop(columns="rent")
    by_arrays = BayesianMLPRegressor(**QUICK).fit(inputs, frame["rent"])
    by_table = BayesianMLPRegressor(**QUICK).fit(frame, "rent")
    for model in (by_arrays, by_table):
        found = model.explain(inputs.head(4), inputs.tail(2))
        assert found.columns == ["age", "town", "rooms"]
        np.testing.assert_array_equal(found.prediction[:, 0], model.predict(inputs.head(4)))
        np.testing.assert_allclose(found.contributions.sum(axis=1), found.prediction - found.baseline, atol=1e-9)
    assert by_arrays.explain(inputs.head(1), inputs.tail(1)).values == [[inputs["age"][0], inputs["town"][0], inputs["rooms"][0]]]


def test_unusual_columns_are_named(table_model, frame):
    row = frame.head(1).assign(age=400.0, town="elsewhere")
    found = table_model.explain(row)
    assert list(found.unusual_columns()) == ["town", "age"]
    assert found.unusual[0, 0] == pytest.approx((400 - frame["age"].mean()) / frame["age"].std(ddof=0), rel=1e-6)
    assert found.far is not None and found.far[0]
    assert "not among the categories learned" in repr(found)
    assert not table_model.explain(frame.head(1)).unusual_columns()


def test_spread_is_that_of_the_members(regressor):
    X = numbers(2, seed=2)
    found = regressor.explain(X)
    assert (found.spread[:, :, 0] > 0).all()
    alone = BayesianMLPRegressor(**{**QUICK, "ensemble_size": 1}).fit(numbers(200), target_of(numbers(200)))
    assert (alone.explain(X).spread == 0).all()


def test_what_if_predicts_changed_rows(table_model, frame, regressor):
    X = numbers(3, seed=2)
    changed = X.copy()
    changed[:, 2] = 0.5
    np.testing.assert_array_equal(regressor.what_if(X, {2: 0.5})["mean"], regressor.predict(changed))
    np.testing.assert_array_equal(regressor.what_if(X, x2=0.5)["mean"], regressor.predict(changed))
    older = frame.head(3).assign(age=60.0, town="c")
    np.testing.assert_array_equal(table_model.what_if(frame.head(3), age=60.0, town="c")["mean"], table_model.predict(older)["mean"])
    of_frame = BayesianMLPRegressor(**QUICK).fit(frame.drop(columns="rent"), frame["rent"])
    np.testing.assert_array_equal(of_frame.what_if(frame.drop(columns="rent").head(3), town="c")["mean"],
                                  of_frame.predict(frame.drop(columns="rent").head(3).assign(town="c")))


def test_explanations_are_tables_and_parts(table_model, frame):
    found = table_model.explain(frame.head(6))
    lines = found.to_frame("mean")
    assert len(lines) == 18
    np.testing.assert_allclose(lines.groupby("row")["contribution"].sum(), found.prediction[:, 0] - found.baseline[0], atol=1e-9)
    assert len(found.to_frame()) == 36
    assert isinstance(found[2], Explanation) and len(found[2]) == 1 and len(found[1:4]) == 3
    np.testing.assert_array_equal(found[-1].contributions[0], found.contributions[5])
    text = found.to_text(2)
    assert text.startswith("baseline") and "town = " in text and text.splitlines()[-1].startswith("mean")
    assert "first of 6 rows" in repr(found)
    importance = found.importance("std")
    assert sorted(importance.values(), reverse=True) == list(importance.values())


def test_mistakes_are_named(regressor, table_model, frame):
    X = numbers(2)
    with pytest.raises(ValueError, match="orders = 0: must be a whole number"):
        regressor.explain(X, orders=0)
    with pytest.raises(ValueError, match="features"):
        regressor.explain(X, [1.0, 2.0])
    with pytest.raises(ValueError, match="quantity = 'median': must be one of mean, std"):
        regressor.explain(X).importance("median")
    with pytest.raises(ValueError, match="must name a column"):
        regressor.what_if(X)
    with pytest.raises(ValueError, match="changes = 7: must be a column"):
        regressor.what_if(X, {7: 1.0})
    with pytest.raises(ValueError, match="must be an input of the model"):
        table_model.what_if(frame.head(1), rent=1.0)
    with pytest.raises(ValueError, match="baseline has no rows"):
        table_model.explain(frame.head(1), frame.head(0))
    with pytest.raises(TypeError, match="chunk_rows"):
        regressor.explain(X, chunk_rows=3)
