"""Gaussians and arrays of them, against the formulas of densities."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from postrider import Gaussian, GaussianArray

ROUNDING = 1e-12
means = st.floats(-1e6, 1e6)
variances = st.floats(1e-6, 1e6)
moments = st.tuples(means, variances)


def close(found, expected, scale=1.0):
    return abs(found - expected) <= ROUNDING * max(abs(expected), scale)


@given(moments)
def test_moments_come_back(pair):
    mean, variance = pair
    belief = Gaussian(mean, variance)
    assert close(belief.mean, mean, math.sqrt(variance))
    assert close(belief.variance, variance)
    assert close(belief.std, math.sqrt(variance))
    assert close(belief.precision, 1 / variance)
    assert belief.state == "proper"


@given(moments, moments)
def test_product_is_that_of_densities(a, b):
    product = Gaussian(*a) * Gaussian(*b)
    total = a[1] + b[1]
    assert close(product.variance, a[1] * b[1] / total)
    scale = max(abs(a[0]), abs(b[0]), product.std)
    assert close(product.mean, (a[0] * b[1] + b[0] * a[1]) / total, scale)


@given(moments, means)
def test_log_density_is_scipys(pair, x):
    mean, variance = pair
    deviation = math.sqrt(variance)
    # How far rounding of the mean moves a density that is this steep there.
    slope = abs(x - mean) / variance * (abs(mean) + deviation)
    found = Gaussian(mean, variance).log_density(x)
    assert close(found, stats.norm.logpdf(x, mean, deviation), scale=1 + slope)


def test_states():
    uniform, known = Gaussian.uniform(), Gaussian.point_mass(3.0)
    assert (uniform.state, uniform.mean, uniform.variance) == ("uniform", 0, math.inf)
    assert (known.state, known.mean, known.variance) == ("point mass", 3, 0)
    assert Gaussian(1.0, math.inf) == uniform
    assert Gaussian(3.0, 0.0) == known
    belief = Gaussian(2.0, 0.5)
    assert uniform * belief == belief
    assert known * belief == known
    assert (belief / Gaussian(2.0, 0.25)).state == "improper"
    assert belief**2 == belief * belief


@pytest.mark.parametrize(
    "value",
    [
        Gaussian(0.1, 0.3),
        Gaussian.uniform(),
        Gaussian.point_mass(-7.25),
        Gaussian.from_natural(1.0, -2.0),
    ],
)
def test_copies_are_equal(value):
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert hash(copy.copy(value)) == hash(value)


def test_repr_reads_back():
    for value in (Gaussian(1.5, 4.0), Gaussian.uniform(), Gaussian.point_mass(2.5)):
        assert eval(repr(value)) == value
    assert str(Gaussian(1.5, 4.0)) == "N(1.5, 4)"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Gaussian(0.0, -1.0), "variance = -1: must be at least 0"),
        (lambda: Gaussian(math.nan, 1.0), "mean = nan: must be finite"),
        (lambda: Gaussian.from_natural(1.0, 0.0), "tau = 1: must be 0 where rho is 0"),
        (lambda: Gaussian.point_mass(1.0) * Gaussian.point_mass(2.0), "contradict each other"),
        (lambda: Gaussian(0.0, 1.0) / Gaussian.point_mass(2.0), "divisor is a point mass"),
        (lambda: GaussianArray.from_moments([0.0, 1.0], [1.0, -2.0]), "variance = -2"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


messages = st.one_of(
    moments.map(lambda pair: Gaussian(*pair)),
    st.just(Gaussian.uniform()),
    means.map(Gaussian.point_mass),
)


@given(st.lists(st.tuples(messages, moments), min_size=1, max_size=20))
def test_arrays_do_what_single_ones_do(pairs):
    left = GaussianArray([a.tau for a, _ in pairs], [a.rho for a, _ in pairs])
    mean, variance = np.transpose([b for _, b in pairs])
    right = GaussianArray.from_moments(mean, variance)
    for i, (a, pair) in enumerate(pairs):
        b = Gaussian(*pair)
        assert left[i] == a
        assert right[i] == b
        assert (left * right)[i] == a * b
        assert (left / right)[i] == a / b
        assert (left * b)[i] == a * b
        assert left.mean[i] == a.mean
        assert left.std[i] == a.std
        assert right.log_density(1.5)[i] == b.log_density(1.5)


def test_arrays_have_shapes():
    grid = GaussianArray.from_moments(np.arange(6.0).reshape(2, 3), 2.0)
    assert grid.shape == (2, 3)
    assert grid.mean.shape == (2, 3)
    assert grid[:, 1].shape == (2,)
    assert grid[1, 2].mean == 5
    assert (grid * grid[0]).shape == (2, 3)
    assert [row.shape for row in grid] == [(3,), (3,)]
    assert GaussianArray.uniform((4, 2)).variance.tolist() == [[math.inf] * 2] * 4
    assert grid == GaussianArray.from_moments(grid.mean, [[2.0]])
    assert grid != GaussianArray.uniform((2, 3))


def test_numbers_do_not_multiply_messages():
    with pytest.raises(TypeError):
        GaussianArray.uniform(2) * 3.0
    with pytest.raises(TypeError):
        np.ones(2) * GaussianArray.uniform(2)
