"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from postrider._core import version
from postrider.array_factor import ArrayFactor
from postrider.certificate import FactorCertificate, certify
from postrider.factor import (
    Edge,
    EdgeRule,
    Factor,
    Reply,
    factor_names,
    make_deterministic,
    make_factor,
)
from postrider.gaussian import Gaussian, GaussianArray
from postrider.graph import FactorGraph, FactorNode, Record
from postrider.skill_rating import OutcomeProbabilities, SkillRating, Standing

__version__ = version()

__all__ = [
    "ArrayFactor",
    "Edge",
    "EdgeRule",
    "Factor",
    "FactorCertificate",
    "FactorGraph",
    "FactorNode",
    "Gaussian",
    "GaussianArray",
    "OutcomeProbabilities",
    "Record",
    "Reply",
    "SkillRating",
    "Standing",
    "__version__",
    "certify",
    "factor_names",
    "make_deterministic",
    "make_factor",
]
