"""Bayesian optimisation: the next experiment is chosen by what is not known yet.

`minimize` does all of it; `Optimizer` is for experiments that are done elsewhere (`ask`, then `tell`).
"""

from postrider.optimize._space import Category, Integer, Real, Space
from postrider.optimize._optimizer import NoPointLeft, Optimizer
from postrider.optimize._minimize import OptimizeResult, minimize

__all__ = ["Category", "Integer", "NoPointLeft", "OptimizeResult", "Optimizer", "Real", "Space", "minimize"]
