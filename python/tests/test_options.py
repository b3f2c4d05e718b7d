"""Parameters of the estimators are those of the library's one table."""

import inspect

import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, TableModel, _core
from postrider._options import default_of

TABLE = {option["name"]: option for option in _core.estimator_options()}
NOT_OF = {
    BayesianMLPRegressor: {"calibration_share"},
    BayesianMLPClassifier: {"varying_noise", "noise_std", "intervals", "target_scale"},
}
OF_THE_PACKAGE = {"class_weight", "memory_limit", "time_budget", "verbose"}


@pytest.mark.parametrize("kind", [BayesianMLPRegressor, BayesianMLPClassifier])
def test_every_option_is_a_parameter_with_its_default(kind):
    parameters = inspect.signature(kind).parameters
    assert set(parameters) - OF_THE_PACKAGE == set(TABLE) - NOT_OF[kind]
    for name, parameter in parameters.items():
        if name not in OF_THE_PACKAGE:
            assert parameter.default == default_of(name), name


@pytest.mark.parametrize("kind", [BayesianMLPRegressor, BayesianMLPClassifier])
def test_the_docstring_is_made_from_the_table(kind):
    text = " ".join(kind.__doc__.split())
    for name in set(TABLE) - NOT_OF[kind]:
        assert f"{name} : " in text
        assert str(TABLE[name]["help"]) in text


def test_tables_take_the_same_names():
    parameters = inspect.signature(TableModel.train).parameters
    assert set(TABLE) <= set(parameters)
    for name in set(TABLE) - {"random_state"}:  # a number of its own, so that a table is always the same model
        assert parameters[name].default == default_of(name), name
