"""How columns become inputs: chosen, or as asked for."""

import numpy as np
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (10,), "ensemble_size": 2, "max_epochs": 20, "random_state": 1}


def stairs(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps of one column; the other is of zeros and ones, and tells nothing."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 8, size=count)
    X = np.column_stack([x, rng.integers(0, 2, size=count)])
    return X, np.fmod(np.floor(x) * 3, 8) + 0.1 * rng.normal(size=count)


@pytest.mark.parametrize("encoding", ["standard", "quantile", "piecewise", "bins"])
def test_what_was_asked_for_is_used(encoding):
    X, y = stairs(300, 1)
    model = BayesianMLPRegressor(encoding=encoding, **QUICK).fit(X, y)
    assert model.encodings_ == [encoding, "standard"]
    assert np.all(np.isfinite(model.predict(X)))


def test_steps_are_found_and_predicted_better():
    X, y = stairs(600, 1)
    new_X, new_y = stairs(300, 2)
    chosen = BayesianMLPRegressor(**QUICK).fit(X, y)
    standard = BayesianMLPRegressor(encoding="standard", **QUICK).fit(X, y)
    assert chosen.encodings_[0] in ("piecewise", "bins")
    assert chosen.log_likelihood(new_X, new_y) > standard.log_likelihood(new_X, new_y) + 0.2


def test_a_missing_number_leaves_more_open():
    X, y = stairs(600, 1)
    model = BayesianMLPClassifier(encoding="bins", **QUICK).fit(X, y > 3.5)
    known, missing = model.predict_proba([[0.5, 0], [np.nan, 0]])
    assert missing.max() < known.max()


def test_others_are_refused():
    X, y = stairs(30, 1)
    with pytest.raises(ValueError, match="encoding = 'splines': must be chosen, standard"):
        BayesianMLPRegressor(encoding="splines").fit(X, y)
