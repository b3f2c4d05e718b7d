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
    assert -1 < fitted.leave_batch_out_score_ < 0


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
