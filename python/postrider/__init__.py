"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from postrider._base import TrainingInterrupted
from postrider._beliefs import LayerBeliefs
from postrider._core import version
from postrider._reading import Schema, read_schema
from postrider.classifier import BayesianMLPClassifier
from postrider.regressor import BayesianMLPRegressor
from postrider.streaming import as_row_batches, fit_stream
from postrider.tables import TableModel

__version__ = version()

__all__ = [
    "BayesianMLPClassifier",
    "BayesianMLPRegressor",
    "LayerBeliefs",
    "Schema",
    "TableModel",
    "TrainingInterrupted",
    "__version__",
    "as_row_batches",
    "fit_stream",
    "read_schema",
]
