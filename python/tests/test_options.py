"""Parameters of the estimators are those of the library's one table."""

import inspect

import pytest
from sklearn.base import clone

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, TableModel, _core
from postrider._options import default_of

TABLE = {option["name"]: option for option in _core.estimator_options()}
NOT_OF = {
    BayesianMLPRegressor: {"calibration_share"},
    BayesianMLPClassifier: {"varying_noise", "noise_std", "intervals", "learned_shape", "target_scale"},
    TableModel: set(),
}
OF_THE_PACKAGE = {"class_weight", "memory_limit", "time_budget", "verbose", "missing", "indicators"}
KINDS = list(NOT_OF)


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_is_a_parameter_with_its_default(kind):
    parameters = inspect.signature(kind).parameters
    assert set(parameters) - OF_THE_PACKAGE == set(TABLE) - NOT_OF[kind]
    for name, parameter in parameters.items():
        if name == "random_state" and kind is TableModel:
            assert parameter.default == 1  # so that a table is always the same model
        elif name not in OF_THE_PACKAGE:
            assert parameter.default == default_of(name), name


@pytest.mark.parametrize("kind", KINDS)
def test_the_docstring_is_made_from_the_table(kind):
    text = " ".join(kind.__doc__.split())
    for name in set(TABLE) - NOT_OF[kind]:
        assert f"{name} : " in text
        assert str(TABLE[name]["help"]) in text


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_given_by_their_names(kind):
    model = kind((4,), power=1.5)
    assert model.get_params()["hidden_layer_sizes"] == (4,) and model.get_params()["power"] == 1.5
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(power=2.0).get_params()["power"] == 2.0
    assert repr(model).startswith(f"{kind.__name__}(hidden_layer_sizes=(4,)")
    for wrong in ({"powers": 1.5}, {"calibration_share": 0.1, "intervals": "beliefs", "missing": "some"}):
        if kind is not TableModel or "powers" in wrong:
            with pytest.raises(TypeError, match="unexpected keyword argument"):
                kind(**wrong)
    with pytest.raises(TypeError):
        kind((4,), "relu")
