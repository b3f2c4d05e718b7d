"""Streams whose beliefs drift: what estimators and tables tell of them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor


def walking(rows: int, jump: float = 0.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 1))
    level = np.where(np.arange(rows) < rows // 2, 0.0, jump)
    return x, np.sin(2 * x[:, 0]) + level + 0.1 * rng.normal(size=rows)


def test_rates_are_told_with_their_weights():
    x, y = walking(300)
    model = BayesianMLPRegressor(random_state=1).partial_fit(x, y)
    rates = model.drift_rates_
    assert rates[0]["forgetting"] == 0
    assert rates[0]["walk"] == 0
    assert len(rates) == 8
    assert sum(rate["weight"] for rate in rates) == pytest.approx(1)
    assert model.stream_changes_ == []
    again = pickle.loads(pickle.dumps(model))
    assert again.drift_rates_ == rates


def test_a_jump_is_told():
    x, y = walking(1200, jump=3.0)
    model = BayesianMLPRegressor(random_state=1)
    for first in range(0, 1200, 100):
        model.partial_fit(x[first : first + 100], y[first : first + 100])
    assert model.stream_changes_
    change = model.stream_changes_[0]
    assert 590 <= change["began"] <= change["found"] <= 700
    assert change["strength"] > 0


def test_without_drift_there_is_one_network():
    x, y = walking(200)
    model = BayesianMLPRegressor(drift=False, random_state=1).partial_fit(x, y)
    assert model.drift_rates_ == [{"forgetting": 0.0, "walk": 0.0, "weight": 1.0}]


def test_a_window_is_two_more_kinds():
    x, y = walking(200)
    model = BayesianMLPRegressor(stream_memory=1 << 22, random_state=1).partial_fit(x, y)
    assert len(model.drift_rates_) == 10


def test_a_horizon_widens_intervals_of_rows_that_miss_together():
    rng = np.random.default_rng(3)
    near, far = (BayesianMLPRegressor(horizon=h, random_state=1) for h in (1, 10))
    for _ in range(60):
        x = rng.normal(size=(10, 1))
        y = np.sin(2 * x[:, 0]) + rng.normal() + 0.05 * rng.normal(size=10)
        near.partial_fit(x, y)
        far.partial_fit(x, y)
    x = rng.normal(size=(50, 1))
    assert far.predict(x, return_std=True)[1].mean() > near.predict(x, return_std=True)[1].mean()


def test_classes_drift_as_well():
    x, y = walking(300)
    model = BayesianMLPClassifier(random_state=1).partial_fit(x, y > 0, classes=[False, True])
    assert len(model.drift_rates_) == 8


def test_before_a_stream_there_are_no_rates():
    with pytest.raises(AttributeError, match="partial_fit"):
        _ = BayesianMLPRegressor().drift_rates_
