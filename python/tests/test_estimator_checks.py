"""scikit-learn's own checks, none excepted."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from postrider import BayesianMLPClassifier, BayesianMLPRegressor


@parametrize_with_checks([BayesianMLPRegressor(), BayesianMLPClassifier()])
def test_scikit_learn_check(estimator, check):
    check(estimator)
