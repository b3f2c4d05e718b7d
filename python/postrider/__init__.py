"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from postrider._beliefs import LayerBeliefs
from postrider._core import version
from postrider._reading import Schema, read_schema
from postrider._warnings import (
    CopiedRowsWarning,
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
from postrider.factor import (
    Edge,
    EdgeRule,
    Factor,
    Reply,
    factor_names,
    make_deterministic,
    make_factor,
)
from postrider.factor_certificate import FactorCertificate, certify
from postrider.fleet import cross_val_predict, fit_fleet
from postrider.functions import DrawnFunction, joint_moments
from postrider.gaussian import Gaussian, GaussianArray
from postrider.graph import FactorGraph, FactorNode, Record
from postrider.model import Model
from postrider.network_certificate import NetworkCertificate
from postrider.regressor import BayesianMLPRegressor
from postrider.rated_games import rate_games
from postrider.skill_history import LearnedSetting, SkillHistory
from postrider.skill_rating import OutcomeProbabilities, SkillRating, Standing
from postrider.sparse_model import SparseModel, hashed_columns
from postrider.streaming import as_row_batches, fit_stream
from postrider.tables import TableModel

__version__ = version()

__all__ = [
    "ArrayFactor",
    "BayesianMLPClassifier",
    "BayesianMLPRegressor",
    "CopiedRowsWarning",
    "DrawnFunction",
    "DriftWarning",
    "Edge",
    "EdgeRule",
    "Evaluation",
    "Factor",
    "FactorCertificate",
    "FactorGraph",
    "FactorNode",
    "Gaussian",
    "GaussianArray",
    "LayerBeliefs",
    "LearnedRowsWarning",
    "LearnedSetting",
    "MissingColumnsWarning",
    "Model",
    "NetworkCertificate",
    "OutcomeProbabilities",
    "Record",
    "Reply",
    "Schema",
    "SkillHistory",
    "SkillRating",
    "SkippedRowsWarning",
    "SparseModel",
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
    "fit_stream",
    "hashed_columns",
    "joint_moments",
    "make_deterministic",
    "make_factor",
    "rate_games",
    "read_schema",
]
