"""Noise that is known, and none at all."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from postrider import BayesianMLPClassifier, BayesianMLPRegressor
from trained import fitted

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
# For few points of a function without noise: one wide layer, whose rows count as several.
FUNCTION = {"hidden_layer_sizes": [30], "weights_per_example": 0, "power": 8, "copies": "apart", "random_state": 0}


@pytest.mark.parametrize("function", [np.square, np.sin, lambda x: np.sin(2 * x)])
def test_a_function_of_twenty_points(function):
    X = np.linspace(-2, 2, 20)[:, None]
    y = function(X[:, 0])
    model = BayesianMLPRegressor(noise_std=0, **FUNCTION).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert model.score(X, y) > 0.99
    assert np.mean(std) < 0.25 * np.std(y)
    assert np.all(std < 0.5 * np.std(y))
    # A thousandth of the targets' standard deviation stands for none.
    assert model.noise_ == pytest.approx(1e-3 * np.std(y), rel=1e-6)
    assert not model._model.varying_noise


def test_it_is_in_the_targets_unit_and_not_learned(sine, tmp_path):
    model = BayesianMLPRegressor(noise_std=0.7, ensemble_size=2, max_epochs=30, random_state=0).fit(*sine)
    assert model.noise_ == pytest.approx(0.7, rel=1e-12)
    _, _, noise = model.predict(sine.X, return_std="parts")
    assert np.allclose(noise, 0.7, rtol=1e-12)
    model.save(tmp_path / "model.safetensors")
    loaded = BayesianMLPRegressor.load(tmp_path / "model.safetensors")
    assert loaded.noise_std == 0.7
    assert np.array_equal(loaded.predict(sine.X), model.predict(sine.X))
    loaded.partial_fit(sine.X[:50], sine.y[:50])
    assert loaded.noise_ == pytest.approx(0.7, rel=1e-12)
    many = BayesianMLPRegressor(noise_std=0.7, random_state=0).partial_fit(sine.X, sine.y)
    assert many.noise_ == pytest.approx(0.7, rel=1e-12)


def test_several_targets(sine):
    y = np.column_stack([sine.y, 100 * sine.y])
    quick = {"ensemble_size": 1, "max_epochs": 20, "random_state": 0}
    model = BayesianMLPRegressor(noise_std=[0.5, 30.0], **quick).fit(sine.X, y)
    assert model.noise_ == pytest.approx([0.5, 30.0])
    with pytest.raises(ValueError, match="noise_std = 1,2,3: must be one number, or one for each target"):
        BayesianMLPRegressor(noise_std=[1, 2, 3], **quick).fit(sine.X, y)


def test_it_predicts_better_than_a_wrong_guess(sine):
    quick = {"ensemble_size": 2, "max_epochs": 60, "random_state": 0, "encoding": "standard"}
    right = BayesianMLPRegressor(noise_std=0.25, **quick).fit(*sine)
    wrong = BayesianMLPRegressor(noise_std=3.0, **quick).fit(*sine)
    assert right.log_likelihood(*sine) > wrong.log_likelihood(*sine) + 0.5


def test_tables_and_mistakes(sine):
    import pyarrow as pa

    table = pa.table({"x": sine.X[:, 0], "y": sine.y})
    model = fitted(table, "y", noise_std=0.5, max_epochs=10, ensemble_size=1)
    assert np.allclose(model.predict(table)["noise_std"], 0.5, rtol=1e-9)
    assert model.parameters_["noise_std"] == [0.5]
    assert fitted(table, "y", max_epochs=3, ensemble_size=1).parameters_["noise_std"] == []
    for given in (-1.0, "much", [0.1, -0.1], np.inf, True):
        with pytest.raises(ValueError, match="noise_std"):
            BayesianMLPRegressor(noise_std=given).fit(*sine)
    with pytest.raises(ValueError, match="does not go with targets that are learned as square roots"):
        BayesianMLPRegressor(noise_std=1.0, target_scale="root").fit(*sine)
    assert "noise_std" not in BayesianMLPClassifier().get_params()
