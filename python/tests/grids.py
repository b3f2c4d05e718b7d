"""Posteriors by sums over grids, for tests of models."""

import math

import numpy as np


def posterior_on_grid(log_density, *axes):
    """Means, standard deviations and log-evidence by a sum over a grid."""
    grid = np.meshgrid(*axes, indexing="ij")
    log_p = log_density(*grid)
    top = log_p.max()
    p = np.exp(log_p - top)
    cell = np.prod([axis[1] - axis[0] for axis in axes])
    means = [(p * g).sum() / p.sum() for g in grid]
    sds = [math.sqrt((p * (g - m) ** 2).sum() / p.sum()) for g, m in zip(grid, means, strict=True)]
    return np.array(means), np.array(sds), top + math.log(p.sum() * cell)
