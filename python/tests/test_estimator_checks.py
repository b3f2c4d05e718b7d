"""scikit-learn's own checks, none excepted."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"ensemble_size": 1, "encoding": "standard", "max_epochs": 40}


@parametrize_with_checks([BayesianMLPRegressor(**QUICK), BayesianMLPClassifier(**QUICK)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([BayesianMLPRegressor(), BayesianMLPClassifier()])
def test_scikit_learn_check_of_the_defaults(estimator, check):
    check(estimator)
