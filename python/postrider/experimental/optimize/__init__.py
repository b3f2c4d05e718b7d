"""Bayesian optimisation: the next experiment is chosen by what is not known yet.

`minimize` does all of it; `Optimizer` is for experiments that are done elsewhere (`ask`, then `tell`).

Experimental: the part becomes stable once it finds no less than Optuna's TPE on the noisy test functions. With ten of twenty seeds
measured it finds more on all four.
"""

from postrider.experimental.optimize._space import Category, Integer, Real, Space
from postrider.experimental.optimize._optimizer import NoPointLeft, Optimizer
from postrider.experimental.optimize._minimize import OptimizeResult, minimize

__all__ = ["Category", "Integer", "NoPointLeft", "OptimizeResult", "Optimizer", "Real", "Space", "minimize"]
