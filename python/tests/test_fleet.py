"""Fleets are their models fitted one by one, and cross-validation is scikit-learn's."""

import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import model_selection
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

import postrider
from postrider import BayesianMLPClassifier, BayesianMLPRegressor

# Another order of sums in double, after a few epochs.
ROUNDING = 1e-9


def regressor(**options):
    options = {"max_epochs": 5, "precision": "float64", "random_state": 1, **options}
    return BayesianMLPRegressor((8,), **options)


def classifier(**options):
    options = {"max_epochs": 5, "precision": "float64", "random_state": 1, **options}
    return BayesianMLPClassifier((8,), **options)


def sensors(count):
    rng = np.random.default_rng(3)
    Xs = [rng.uniform(-2, 2, size=(40 + 9 * k, 2)) for k in range(count)]
    return Xs, [100 * k + np.sin(X[:, 0]) + X[:, 1] for k, X in enumerate(Xs)]


def test_a_fleet_is_its_models_fitted_one_by_one():
    Xs, ys = sensors(5)
    fleet = [regressor() for _ in Xs]
    assert postrider.fit_fleet(fleet, Xs, ys) == fleet
    for model, X, y in zip(fleet, Xs, ys, strict=True):
        alone = regressor().fit(X, y)
        np.testing.assert_allclose(model.predict(X), alone.predict(X), rtol=ROUNDING)
        assert model.n_features_in_ == 2
        assert model.n_iter_ == alone.n_iter_
        assert [row["member"] for row in model.history_] == [row["member"] for row in alone.history_]
        np.testing.assert_allclose(model.out_of_fold_score_, alone.out_of_fold_score_)


def test_both_kinds_with_weights_and_frames():
    Xs, ys = sensors(3)
    labels = np.where(ys[1] > np.median(ys[1]), "high", "low")
    frame = pd.DataFrame(Xs[0], columns=["a", "b"])
    weight = np.linspace(0, 3, len(Xs[2]))
    fleet = [regressor(), classifier(), regressor()]
    postrider.fit_fleet(fleet, [frame, sparse.csr_matrix(Xs[1]), Xs[2]], [ys[0], labels, ys[2]],
                        [None, None, weight])
    assert list(fleet[0].feature_names_in_) == ["a", "b"]
    assert list(fleet[1].classes_) == ["high", "low"]
    alone = classifier().fit(Xs[1], labels)
    np.testing.assert_allclose(fleet[1].predict_proba(Xs[1]), alone.predict_proba(Xs[1]),
                               rtol=ROUNDING)
    weighted = regressor().fit(Xs[2], ys[2], weight)
    np.testing.assert_allclose(fleet[2].predict(Xs[2]), weighted.predict(Xs[2]), rtol=ROUNDING)


def test_a_fleet_can_be_saved(tmp_path):
    Xs, ys = sensors(2)
    fleet = postrider.fit_fleet([regressor(), regressor()], Xs, ys)
    fleet[1].save(tmp_path / "model")
    loaded = BayesianMLPRegressor.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(Xs[1]), fleet[1].predict(Xs[1]))
    assert len(loaded.history_) == len(fleet[1].history_)


def test_groups_of_a_fleet_are_those_of_its_models():
    Xs, ys = sensors(3)
    labels = np.where(ys[2] > np.median(ys[2]), "high", "low")
    weight = np.linspace(0, 3, len(Xs[0]))
    groups = [[f"shop {row % 9}" for row in range(len(Xs[0]))], None, pd.Series(np.arange(len(Xs[2])) // 4)]
    targets = [ys[0], ys[1], labels]
    fleet = [regressor(ensemble_size=8), regressor(ensemble_size=8), classifier(ensemble_size=8)]
    postrider.fit_fleet(fleet, Xs, targets, [weight, None, None], groups)
    for place, model in enumerate(fleet):
        own = weight if place == 0 else None
        alone = clone(model).fit(Xs[place], targets[place], own, groups=groups[place])
        apart = clone(model).fit(Xs[place], targets[place], own)
        assert model.out_of_fold_score_ == pytest.approx(alone.out_of_fold_score_, abs=1e-6)
        assert (abs(alone.out_of_fold_score_ - apart.out_of_fold_score_) > 1e-6) == (place != 1)
    with pytest.raises(ValueError, match=f"groups has 2 values: must be one for each of the {len(Xs[1])} rows"):
        postrider.fit_fleet(fleet, Xs, targets, groups=[None, [1, 2], None])
    with pytest.raises(ValueError, match="groups must be as many as estimators, 3"):
        postrider.fit_fleet(fleet, Xs, targets, groups=[None])


def test_mistakes_of_fleets():
    Xs, ys = sensors(2)
    with pytest.raises(ValueError, match="must be as many as estimators, 1"):
        postrider.fit_fleet([regressor()], Xs, ys)
    one = regressor()
    with pytest.raises(ValueError, match="must all be different objects"):
        postrider.fit_fleet([one, one], Xs, ys)
    with pytest.raises(TypeError, match="must be a BayesianMLPRegressor"):
        postrider.fit_fleet([LinearRegression()], Xs[:1], ys[:1])
    assert postrider.fit_fleet([], [], []) == []


def test_one_that_diverges_is_named_and_the_others_are_fitted():
    Xs, ys = sensors(3)
    Xs[1][0, 0] = ys[1][1] = 1e30
    fleet = [regressor(precision="float32") for _ in Xs]
    fleet[1].set_params(power=1000, ensemble_size=1, copies="together")
    with pytest.raises(RuntimeError, match="estimator 1: training diverged in its first epoch"):
        postrider.fit_fleet(fleet, Xs, ys, [None, np.full(len(Xs[1]), 100.0), None])
    assert np.all(np.isfinite(fleet[0].predict(Xs[0])))
    assert np.all(np.isfinite(fleet[2].predict(Xs[2])))
    with pytest.raises(NotFittedError):
        fleet[1].predict(Xs[1])


def test_ctrl_c_ends_a_fleet(ctrl_c):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 10))
    endless = BayesianMLPRegressor(max_epochs=100000, patience=100000)
    thread = threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT))
    thread.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        postrider.cross_val_predict(endless, X, X[:, 0], cv=2)
    thread.join()
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("cv", [4, model_selection.KFold(3, shuffle=True, random_state=2)])
def test_predictions_out_of_folds_are_those_of_scikit_learn(sine, cv):
    theirs = model_selection.cross_val_predict(regressor(), sine.X, sine.y, cv=cv)
    ours = postrider.cross_val_predict(regressor(), sine.X, sine.y, cv=cv)
    np.testing.assert_allclose(ours, theirs, rtol=ROUNDING)


def test_folds_as_pairs_of_indices_and_standard_deviations(sine):
    order = np.random.default_rng(5).permutation(len(sine.X))
    halves = [(order[:200], order[200:]), (order[200:], order[:200])]
    mean, std = postrider.cross_val_predict(
        regressor(), sine.X, sine.y, cv=iter(halves), return_std=True
    )
    bounds = postrider.cross_val_predict(
        regressor(), sine.X, sine.y, cv=halves, method="predict_interval", coverage=0.5
    )
    for train, test in halves:
        alone = regressor().fit(sine.X[train], sine.y[train])
        expected = alone.predict(sine.X[test], return_std=True)
        np.testing.assert_allclose(mean[test], expected[0], rtol=ROUNDING)
        np.testing.assert_allclose(std[test], expected[1], rtol=ROUNDING)
        np.testing.assert_allclose(
            bounds[test], alone.predict_interval(sine.X[test], coverage=0.5), rtol=ROUNDING
        )


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_classes_out_of_folds(moons, method):
    frame = pd.DataFrame(moons.X, columns=["a", "b"])
    theirs = model_selection.cross_val_predict(classifier(), frame, moons.y, cv=3, method=method)
    ours = postrider.cross_val_predict(classifier(), frame, moons.y, cv=3, method=method)
    if method == "predict":
        assert list(ours) == list(theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_a_class_that_a_fold_has_not_seen_has_no_probability(moons):
    y = moons.y.astype("<U6").copy()
    y[:20] = "west"
    folds = [(np.arange(20, 300), np.arange(20)), (np.arange(0, 290), np.arange(20, 300))]
    found = postrider.cross_val_predict(classifier(), moons.X, y, cv=folds, method="predict_proba")
    assert found.shape == (300, 3)
    assert np.all(found[:20, 2] == 0)
    assert np.all(found[20:, 2] > 0)


def test_weights_groups_and_mistakes_of_folds(sine):
    weight = np.linspace(0.1, 2, 400)
    plain = postrider.cross_val_predict(regressor(), sine.X, sine.y, cv=2)
    weighted = postrider.cross_val_predict(regressor(), sine.X, sine.y, cv=2, sample_weight=weight)
    assert not np.allclose(plain, weighted)
    alone = regressor().fit(sine.X[200:], sine.y[200:], weight[200:])
    np.testing.assert_allclose(weighted[:200], alone.predict(sine.X[:200]), rtol=ROUNDING)
    # Folds of whole groups, by models that leave out whole groups themselves.
    groups, folds = np.arange(400) % 20, model_selection.GroupKFold(2)
    grouped = postrider.cross_val_predict(regressor(ensemble_size=8), sine.X, sine.y, groups=list(groups), cv=folds)
    for train, test in folds.split(sine.X, sine.y, groups):
        assert not set(groups[train]) & set(groups[test])
        alone = regressor(ensemble_size=8).fit(sine.X[train], sine.y[train], groups=groups[train])
        apart = regressor(ensemble_size=8).fit(sine.X[train], sine.y[train])
        np.testing.assert_allclose(grouped[test], alone.predict(sine.X[test]), rtol=ROUNDING)
        assert not np.allclose(grouped[test], apart.predict(sine.X[test]), rtol=ROUNDING)
    with pytest.raises(ValueError, match="every row must be tested once"):
        postrider.cross_val_predict(regressor(), sine.X, sine.y,
                                    cv=model_selection.ShuffleSplit(3, random_state=1))
    with pytest.raises(TypeError, match="must be a BayesianMLPRegressor"):
        postrider.cross_val_predict(LinearRegression(), sine.X, sine.y)


def test_the_estimator_itself_is_not_fitted(sine):
    model = regressor()
    before = clone(model)
    postrider.cross_val_predict(model, sine.X, sine.y, cv=2)
    assert model.get_params() == before.get_params()
    with pytest.raises(NotFittedError):
        model.predict(sine.X)
