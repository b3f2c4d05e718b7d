"""Arrays of Gaussians: what graphs answer with and what factors written in Python work on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider import _core
from postrider._core import Gaussian

__all__ = ["Gaussian", "GaussianArray"]

Floats: TypeAlias = NDArray[np.float64]


def _flat(*arrays: ArrayLike) -> tuple[list[Floats], tuple[int, ...]]:
    """The arrays at a common shape, flat and contiguous as the library wants them."""
    together = np.broadcast_arrays(*(np.asarray(array, dtype=np.float64) for array in arrays))
    return [np.ascontiguousarray(array).reshape(-1) for array in together], together[0].shape


class GaussianArray:
    """Many Gaussians, as two arrays of natural parameters.

    Multiplication and division are those of the densities, element by element and with numpy's
    broadcasting. Indexing gives a `Gaussian` for one element and a `GaussianArray` for several.

    Parameters
    ----------
    tau, rho : array_like
        mean / variance and 1 / variance, broadcast against each other. Where `rho` is 0 the message
        is uniform, and `tau` must be 0; where it is infinite the message is a point mass at `tau`.

    See Also
    --------
    GaussianArray.from_moments : The same from means and variances.

    Examples
    --------
    >>> from postrider import GaussianArray
    >>> beliefs = GaussianArray.from_moments([0.0, 1.0, 2.0], 4.0)
    >>> beliefs.std
    array([2., 2., 2.])
    >>> (beliefs * beliefs).variance
    array([2., 2., 2.])
    >>> beliefs[1]
    Gaussian(1.0, 4.0)
    """

    __slots__ = ("rho", "tau")
    # numpy's arrays leave operators to this class.
    __array_ufunc__ = None

    def __init__(self, tau: ArrayLike, rho: ArrayLike) -> None:
        self.tau: Floats
        self.rho: Floats
        self.tau, self.rho = np.broadcast_arrays(
            np.asarray(tau, dtype=np.float64), np.asarray(rho, dtype=np.float64)
        )

    @classmethod
    def from_moments(cls, mean: ArrayLike, variance: ArrayLike) -> GaussianArray:
        """From means and variances, broadcast against each other.

        Parameters
        ----------
        mean : array_like
            Must be finite.
        variance : array_like
            At least 0. Zero gives a point mass, infinity the uniform message.

        Returns
        -------
        GaussianArray
        """
        (means, variances), shape = _flat(mean, variance)
        tau, rho = _core.natural_of_moments(means, variances)
        return cls(tau.reshape(shape), rho.reshape(shape))

    @classmethod
    def uniform(cls, shape: int | tuple[int, ...]) -> GaussianArray:
        """Messages that say nothing."""
        return cls(np.zeros(shape), np.zeros(shape))

    @classmethod
    def _of(cls, value: Gaussian | GaussianArray) -> GaussianArray:
        return value if isinstance(value, GaussianArray) else cls(value.tau, value.rho)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays."""
        return self.tau.shape

    def _moments(self) -> tuple[Floats, Floats]:
        (tau, rho), shape = _flat(self.tau, self.rho)
        mean, variance = _core.moments_of_natural(tau, rho)
        return mean.reshape(shape), variance.reshape(shape)

    @property
    def mean(self) -> Floats:
        """Means; 0 where the message is uniform."""
        return self._moments()[0]

    @property
    def variance(self) -> Floats:
        """Variances; infinity where the message is uniform, 0 where it is a point mass."""
        return self._moments()[1]

    @property
    def std(self) -> Floats:
        """Standard deviations."""
        return np.sqrt(self.variance)

    @property
    def precision(self) -> Floats:
        """One over the variance."""
        return self.rho

    def log_density(self, x: ArrayLike) -> Floats:
        """log N(x; mean, variance) of each; 0 where the message is uniform."""
        (tau, rho, at), shape = _flat(self.tau, self.rho, x)
        return _core.log_density(tau, rho, at).reshape(shape)

    def __mul__(self, other: Gaussian | GaussianArray) -> GaussianArray:
        return self._combine(_core.multiply, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Gaussian | GaussianArray) -> GaussianArray:
        return self._combine(_core.divide, other)

    def _combine(self, operation: Any, other: Gaussian | GaussianArray) -> GaussianArray:
        if not isinstance(other, (Gaussian, GaussianArray)):
            return NotImplemented
        that = self._of(other)
        flat, shape = _flat(self.tau, self.rho, that.tau, that.rho)
        tau, rho = operation(*flat)
        return GaussianArray(tau.reshape(shape), rho.reshape(shape))

    def __len__(self) -> int:
        return len(self.tau)

    @overload
    def __getitem__(self, index: int) -> Gaussian: ...
    @overload
    def __getitem__(self, index: Any) -> GaussianArray: ...
    def __getitem__(self, index: Any) -> Gaussian | GaussianArray:
        tau, rho = self.tau[index], self.rho[index]
        if np.ndim(tau) > 0:
            return GaussianArray(tau, rho)
        return _core.gaussian_of(float(tau), float(rho))

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianArray):
            return NotImplemented
        return np.array_equal(self.tau, other.tau) and np.array_equal(self.rho, other.rho)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        mean, variance = self._moments()
        with np.printoptions(threshold=10, edgeitems=3, precision=4):
            return f"GaussianArray(mean={mean!s}, variance={variance!s})".replace("\n", "")
