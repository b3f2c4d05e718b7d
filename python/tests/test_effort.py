"""How long training may take, in words and in seconds."""

import time

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from postrider import BayesianMLPClassifier, BayesianMLPRegressor
from trained import fitted


def rows(count=300):
    draw = np.random.default_rng(4)
    inputs = draw.uniform(0, 8, size=(count, 1))
    return inputs, np.floor(inputs[:, 0]) * 3 % 8 + 0.1 * draw.normal(size=count)


def test_quick_effort_takes_fewer_epochs_and_chooses_nothing():
    inputs, targets = rows()
    quick, standard = (BayesianMLPRegressor(effort=effort, random_state=1).fit(inputs, targets) for effort in ("quick", "standard"))
    assert quick.encodings_ == ["standard"]
    assert quick.n_iter_ < standard.n_iter_ / 2


@pytest.mark.parametrize("wrong", ["hasty", 1])
def test_other_efforts_are_refused(wrong):
    with pytest.raises(ValueError, match="effort"):
        BayesianMLPRegressor(effort=wrong).fit(*rows(60))


@pytest.mark.parametrize("estimator", [BayesianMLPRegressor, BayesianMLPClassifier])
def test_a_time_budget_ends_training(estimator):
    inputs, targets = rows(500)
    endless = {"encoding": "standard", "max_epochs": 1_000_000, "patience": 1_000_000, "effort": "thorough", "random_state": 1}
    begin = time.monotonic()
    model = estimator(time_budget=1.0, **endless).fit(inputs, (targets > 3).astype(int) if estimator is BayesianMLPClassifier else targets)
    assert 0.5 < time.monotonic() - begin < 10
    assert model.n_iter_ > 1
    assert model.history_[-1]["epoch"] >= 1


def test_a_time_budget_that_is_over_at_once_leaves_a_model():
    inputs, targets = rows(500)
    with pytest.warns(ConvergenceWarning, match="time_budget ended training after 1 epoch: the estimator has"):
        model = BayesianMLPRegressor(time_budget=1e-6, random_state=1).fit(inputs, targets)
    assert model.n_iter_ >= 1
    assert np.isfinite(model.predict(inputs)).all()


def test_a_budget_is_for_one_fit():
    inputs, targets = rows(60)
    model = BayesianMLPRegressor(time_budget=1e-6, random_state=1).fit(inputs, targets)
    again = model.set_params(time_budget=None).fit(inputs, targets)
    alone = BayesianMLPRegressor(random_state=1).fit(inputs, targets)
    assert again.n_iter_ == alone.n_iter_ > 1


@pytest.mark.parametrize("wrong", [0, -1, True, "30", float("nan")])
def test_other_budgets_are_refused(wrong):
    with pytest.raises(ValueError, match="time_budget = .*must be a number of seconds above 0"):
        BayesianMLPRegressor(time_budget=wrong).fit(*rows(60))


def test_tables_have_the_same_words():
    pyarrow = pytest.importorskip("pyarrow")
    inputs, targets = rows()
    table = pyarrow.table({"x": inputs[:, 0], "y": targets})
    quick = fitted(table, "y", effort="quick")
    assert len(quick.history[-1].fits[0].epochs) < 100


def test_the_bar_tells_of_the_race(capsys):
    pytest.importorskip("tqdm")
    BayesianMLPRegressor(verbose=True, random_state=1).fit(*rows())
    told = capsys.readouterr().err
    assert "choosing, 4 ways" in told
    assert "training" in told
    assert told.index("choosing") < told.rindex("training")
