"""What a network knows of its weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class LayerBeliefs:
    """Gaussian beliefs in the weights of one layer.

    All arrays are of the shape (units, inputs + 1), the bias last, and cannot be written to.

    Attributes
    ----------
    precision : ndarray
        One over the variance of each weight. A view of the network's own memory.
    precision_mean : ndarray
        Precision times mean of each weight. A view of the network's own memory.
    """

    precision_mean: Weights
    precision: Weights

    @cached_property
    def mean(self) -> Weights:
        """The mean of each weight; computed once for this object."""
        return _read_only(self.precision_mean / self.precision)

    @cached_property
    def std(self) -> Weights:
        """The standard deviation of each weight; computed once for this object."""
        return _read_only(1 / np.sqrt(self.precision))


def _read_only(values: Weights) -> Weights:
    values.flags.writeable = False
    return values
