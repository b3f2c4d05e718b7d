"""What the classifier predicts, for labels of any kind."""

import numpy as np
import pytest

from postrider import BayesianMLPClassifier

QUICK = {"hidden_layer_sizes": (20,), "ensemble_size": 2, "max_epochs": 20, "random_state": 1}


@pytest.fixture(scope="module")
def fitted(moons):
    return BayesianMLPClassifier(**QUICK).fit(*moons)


def test_knows_the_moons(fitted, moons):
    assert list(fitted.classes_) == ["north", "south"]
    assert fitted.score(*moons) > 0.93
    probabilities = fitted.predict_proba(moons.X)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.allclose(np.exp(fitted.predict_log_proba(moons.X)), probabilities, rtol=1e-12)
    assert -1 < fitted.out_of_fold_score_ < 0


def test_draws_come_as_often_as_their_probability(fitted):
    x = np.array([[0.5, 0.25], [0.0, 1.0]])
    draws = fitted.sample_y(x, 20_000, random_state=2)
    share = np.mean(draws == "south", axis=1)
    p = fitted.predict_proba(x)[:, 1]
    assert np.all(np.abs(share - p) <= 4.5 * np.sqrt(p * (1 - p) / 20_000))


@pytest.mark.parametrize(
    "labels",
    [np.array([5, -3]), np.array([1.0, 2.0]), np.array([False, True]), np.array(["b", "a"], object)],
)
def test_labels_of_any_kind(moons, labels):
    y = labels[(moons.y == "north").astype(int)]
    model = BayesianMLPClassifier(**QUICK).fit(moons.X, y)
    assert np.array_equal(model.classes_, np.unique(labels))
    predicted = model.predict(moons.X)
    assert predicted.dtype == y.dtype
    assert np.mean(predicted == y) > 0.93


def test_a_stream_names_its_classes_once(moons):
    model = BayesianMLPClassifier(**QUICK)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit(*moons)
    model.partial_fit(*moons, classes=["south", "north"])
    model.partial_fit(*moons)
    with pytest.raises(ValueError, match="must be those of the first call"):
        model.partial_fit(*moons, classes=["south", "west"])
    with pytest.raises(ValueError, match="west.*must be one of the classes"):
        model.partial_fit(moons.X[:1], np.array(["west"]))
    assert model.score(*moons) > 0.8


def rare_north(moons):
    """Few rows of one class."""
    kept = (moons.y == "south") | (np.arange(len(moons.y)) % 8 == 0)
    return moons.X[kept], moons.y[kept]


def test_weights_of_classes_are_those_of_their_rows(moons):
    X, y = rare_north(moons)
    by_label = {"north": 3.0, "south": 0.5}
    of_rows = np.where(y == "north", 3.0, 0.5)
    of_rows /= of_rows.mean()
    one = BayesianMLPClassifier(**QUICK, class_weight=by_label).fit(X, y)
    other = BayesianMLPClassifier(**QUICK).fit(X, y, sample_weight=of_rows)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
    both = BayesianMLPClassifier(**QUICK, class_weight=by_label).fit(X, y, sample_weight=2 / of_rows)
    many = {label: 1000 * weight for label, weight in by_label.items()}  # ratios alone count
    scaled = BayesianMLPClassifier(**QUICK, class_weight=many).fit(X, y)
    assert np.allclose(scaled.predict_proba(X), one.predict_proba(X), rtol=1e-4)
    twice = BayesianMLPClassifier(**QUICK).fit(X, y, sample_weight=np.full(len(y), 2.0))
    assert np.array_equal(both.predict_proba(X), twice.predict_proba(X))


def test_balanced_classes_count_the_same(moons):
    X, y = rare_north(moons)
    counts = {label: np.sum(y == label) for label in ("north", "south")}
    of_rows = np.array([len(y) / (2 * counts[label]) for label in y])
    balanced = BayesianMLPClassifier(**QUICK, class_weight="balanced").fit(X, y)
    by_hand = BayesianMLPClassifier(**QUICK).fit(X, y, sample_weight=of_rows)
    # Weights may differ in their last digit.
    np.testing.assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), rtol=1e-6)
    plain = BayesianMLPClassifier(**QUICK).fit(X, y)
    rare = y == "north"
    assert np.mean(balanced.predict(X)[rare] == "north") >= np.mean(plain.predict(X)[rare] == "north")
    assert balanced.predict_proba(X)[rare, 0].mean() > plain.predict_proba(X)[rare, 0].mean()


def test_weights_of_classes_in_a_stream(moons):
    X, y = rare_north(moons)
    labels = ["north", "south"]
    model = BayesianMLPClassifier(**QUICK, class_weight={"north": 2.0, "south": 1.0})
    of_rows = np.where(y == "north", 2.0, 1.0)
    by_hand = BayesianMLPClassifier(**QUICK)
    for part in (slice(0, 150), slice(150, None)):  # the second is not the first call
        model.partial_fit(X[part], y[part], classes=labels)
        by_hand.partial_fit(X[part], y[part], classes=labels, sample_weight=of_rows[part])
    assert np.array_equal(model.predict_proba(X), by_hand.predict_proba(X))
    with pytest.raises(ValueError, match="class_weight = 'balanced'.*partial_fit"):
        BayesianMLPClassifier(class_weight="balanced").partial_fit(X, y, classes=labels)


@pytest.mark.parametrize("wrong", [{"west": 2.0, "north": 1.0}, "even", {"north": -1.0, "south": 1.0}, {"north": 0.0, "south": 0.0}])
def test_weights_of_classes_that_make_no_sense(moons, wrong):
    with pytest.raises(ValueError):
        BayesianMLPClassifier(**QUICK, class_weight=wrong).fit(*moons)
