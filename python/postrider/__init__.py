"""Bayesian inference by Gaussian message passing: predictions that say how sure they are."""

from postrider._core import version

__version__ = version()

__all__ = ["__version__"]
