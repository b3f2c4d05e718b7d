"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from postrider._base import TrainingInterrupted
from postrider._beliefs import LayerBeliefs
from postrider._certificate import Certificate
from postrider._core import version
from postrider.classifier import BayesianMLPClassifier
from postrider.regressor import BayesianMLPRegressor

__version__ = version()

__all__ = [
    "BayesianMLPClassifier",
    "BayesianMLPRegressor",
    "Certificate",
    "LayerBeliefs",
    "TrainingInterrupted",
    "__version__",
]
