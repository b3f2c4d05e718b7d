"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from typing import TYPE_CHECKING

from postrider._beliefs import LayerBeliefs
from postrider._core import version
from postrider._moved import moved_to
from postrider._reading import Schema, read_schema
from postrider._warnings import (
    CopiedRowsWarning,
    DataWarning,
    DriftWarning,
    IgnoredColumnsWarning,
    LearnedRowsWarning,
    MissingColumnsWarning,
    SkippedRowsWarning,
    StreamWarning,
    TrainingInterrupted,
)
from postrider.array_factor import ArrayFactor
from postrider.classifier import BayesianMLPClassifier
from postrider.evaluation import Evaluation
from postrider.explaining import Explanation
from postrider.factor import (
    Edge,
    EdgeRule,
    Factor,
    Reply,
    factor_names,
    make_density,
    make_deterministic,
    make_factor,
)
from postrider.factor_certificate import FactorCertificate, certify
from postrider.fleet import cross_val_predict, fit_fleet
from postrider.gaussian import Gaussian, GaussianArray
from postrider.graph import FactorGraph, FactorNode, Record
from postrider.importance import Importance, Interaction, Interactions, PartialDependence
from postrider.model import Model
from postrider.monitor import Monitor
from postrider.network_certificate import NetworkCertificate
from postrider.regressor import BayesianMLPRegressor
from postrider.rated_games import rate_games
from postrider.skill_history import LearnedSetting, SkillHistory
from postrider.skill_rating import OutcomeProbabilities, SkillRating, Standing
from postrider.streaming import as_row_batches, fit_stream as fit_stream, update_stream
from postrider.tables import TableModel

if TYPE_CHECKING:
    from postrider.experimental.functions import DrawnFunction as DrawnFunction, joint_moments as joint_moments
    from postrider.experimental.sparse_model import SparseModel as SparseModel, hashed_columns as hashed_columns

__version__ = version()

_MOVED = {
    "DrawnFunction": "functions",
    "SparseModel": "sparse_model",
    "hashed_columns": "sparse_model",
    "joint_moments": "functions",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _MOVED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return moved_to(f"postrider.experimental.{_MOVED[name]}", __name__)(name)


__all__ = [
    "ArrayFactor",
    "BayesianMLPClassifier",
    "BayesianMLPRegressor",
    "CopiedRowsWarning",
    "DataWarning",
    "DriftWarning",
    "Edge",
    "EdgeRule",
    "Evaluation",
    "Explanation",
    "Factor",
    "FactorCertificate",
    "FactorGraph",
    "FactorNode",
    "Gaussian",
    "GaussianArray",
    "Importance",
    "Interaction",
    "Interactions",
    "LayerBeliefs",
    "LearnedRowsWarning",
    "LearnedSetting",
    "MissingColumnsWarning",
    "Model",
    "Monitor",
    "NetworkCertificate",
    "OutcomeProbabilities",
    "PartialDependence",
    "Record",
    "Reply",
    "Schema",
    "SkillHistory",
    "SkillRating",
    "SkippedRowsWarning",
    "Standing",
    "StreamWarning",
    "TableModel",
    "IgnoredColumnsWarning",
    "TrainingInterrupted",
    "__version__",
    "as_row_batches",
    "certify",
    "cross_val_predict",
    "factor_names",
    "fit_fleet",
    "make_density",
    "make_deterministic",
    "make_factor",
    "rate_games",
    "read_schema",
    "update_stream",
]
