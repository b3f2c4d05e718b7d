"""Quantiles of beliefs: of mixtures over the nodes of hyperparameters, and intervals between them."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from postrider._expressions import Array


class Quantiles:
    """What beliefs have that know their quantiles."""

    mean: Array
    sd: Array

    def quantile(self, probability: float) -> Array:
        """Where the distribution function has this value."""
        raise NotImplementedError

    def interval(self, level: float = 0.9) -> tuple[Array, Array]:
        """The central interval that holds this share of the belief: its ends."""
        if not 0 < level < 1:
            raise ValueError(f"level = {level}: must be between 0 and 1")
        return self.quantile(0.5 * (1 - level)), self.quantile(0.5 * (1 + level))

    def __repr__(self) -> str:
        if np.ndim(self.mean) == 0:
            return f"{float(self.mean):.4g} ± {float(self.sd):.3g}"
        return f"<belief of shape {np.shape(self.mean)}>"


def quantile_of_mixture(weights: Array, means: Array, sds: Array, probability: float) -> Array:
    """Where the distribution function of a mixture of Gaussians has this value; parts along the first axis."""
    by_part = weights.reshape(-1, *(1,) * (np.ndim(means) - 1))
    ends = means + sds * ndtri(probability)
    low, high = ends.min(axis=0), ends.max(axis=0)
    for _ in range(60):  # bisection, to the last digit
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore", invalid="ignore"):
            below = (by_part * ndtr((middle - means) / sds)).sum(axis=0)
        low, high = np.where(below < probability, middle, low), np.where(below < probability, high, middle)
    return np.asarray(0.5 * (low + high))


# In standard deviations: how wide the Gaussians are about values that lie irregularly. Lattices of hyperparameters have a spacing of 0.85,
# of which such Gaussians leave ripples of a hundredth.
_WIDTH = 0.4


def quantile_between(values: Array, weights: Array, probability: float) -> float:
    """A quantile of a smooth distribution of which the weights at some values are known."""
    values, place = np.unique(np.round(values, 12), return_inverse=True)
    mass: Array = np.bincount(place, weights).astype(np.float64)
    gaps = np.diff(values[mass > 1e-4 * mass.max()])
    if len(gaps) < 3:
        return float(values[min(int(np.searchsorted(np.cumsum(mass), probability)), len(values) - 1)])
    if (np.maximum(gaps[1:] / gaps[:-1], gaps[:-1] / gaps[1:]) < 5).all():
        return _quantile_of_cells(values, mass, probability)
    mean = mass @ values
    sd = math.sqrt(mass @ (values - mean) ** 2)
    # Gaussians about the values, which are drawn together so that the standard deviation stays.
    means = mean + math.sqrt(1 - _WIDTH**2) * (values - mean)
    return float(quantile_of_mixture(mass, means, np.full(len(means), _WIDTH * sd), probability))


def _quantile_of_cells(values: Array, mass: Array, probability: float) -> float:
    """Where values are a lattice, seen through a smooth function.

    A mass is that of the cell about its value, but for what the density bends within cells. On the scale of normal quantiles the
    distribution function at the ends of cells is nearly a straight line.
    """
    from scipy.interpolate import PchipInterpolator

    below = np.cumsum(mass)[:-1] + np.diff(mass) / 24
    before = np.maximum.accumulate(np.concatenate([[0.0], below[:-1]]))
    keep = (below > 1e-9) & (below < 1 - 1e-9) & (below > before)
    ends = PchipInterpolator(np.arange(len(values)), values)(np.arange(len(values) - 1) + 0.5)[keep]
    levels, z = ndtri(below[keep]), ndtri(probability)
    if levels[0] <= z <= levels[-1]:
        return float(PchipInterpolator(levels, ends)(z))
    near = slice(0, 2) if z < levels[0] else slice(-2, None)
    (z0, z1), (x0, x1) = levels[near], ends[near]
    return float(x0 + (x1 - x0) * (z - z0) / (z1 - z0))
