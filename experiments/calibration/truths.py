"""What made tables are made of: columns, signals, noise and classes, each with its formula. Needs numpy alone.

Everything that is kept lies on a grid of 2^-20: the last bits of a sine or a logarithm differ from processor to processor, and
rounding takes them away, so that a table has the same bits everywhere.
"""
import math

import numpy as np

GRID = 2.0**20
CORRELATION = 0.8  # of neighbouring columns where columns are correlated
LEAST_SPREAD, MOST_SPREAD = -3.0, 3.0  # between which growing noise follows the standardised signal
MODE = 0.9  # distance of each of two modes from the mean, in standard deviations of the noise
FREEDOM = 3  # degrees of freedom of heavy tails
LEVEL_EFFECT = 1.5


def on_grid(values):
    return np.rint(np.asarray(values, float) * GRID) / GRID


# Columns ------------------------------------------------------------------------------------------------------------------


def normal_columns(draw, rows, columns):
    """x_ij ~ N(0, 1), all independent."""
    return on_grid(draw.standard_normal((rows, columns)))


def correlated_columns(draw, rows, columns):
    """x_i0 ~ N(0, 1), x_ij = c x_i(j-1) + sqrt(1 - c^2) N(0, 1): each is standard normal, neighbours have correlation c."""
    found = draw.standard_normal((rows, columns))
    for column in range(1, columns):
        found[:, column] = CORRELATION * found[:, column - 1] + math.sqrt(1 - CORRELATION**2) * found[:, column]
    return on_grid(found)


def duplicated_columns(draw, rows, columns):
    """The second half repeats the first: x_i(j+h) = x_ij, where h is half of the columns, rounded up."""
    half = (columns + 1) // 2
    found = normal_columns(draw, rows, half)
    return np.hstack([found, found[:, :columns - half]])


def drawn_levels(draw, rows, levels):
    """floor(L u^2) with u uniform: the first of L levels are frequent, the last ones are rare."""
    return np.minimum((levels * draw.random(rows) ** 2).astype(int), levels - 1)


# Signals: each depends on the first four columns, so that most of a wide table is irrelevant. --------------------------------


def nothing(x):
    """f = 0"""
    return np.zeros(len(x))


def linear(x):
    """f = 2 x0 - 1.5 x1 + x2 - 0.5 x3"""
    return 2 * x[:, 0] - 1.5 * x[:, 1] + x[:, 2] - 0.5 * x[:, 3]


def smooth(x):
    """f = 2 x0 + x1 x2 + sin(2 x3)"""
    return 2 * x[:, 0] + x[:, 1] * x[:, 2] + np.sin(2 * x[:, 3])


def sines(x):
    """f = sin(x0) + sin(1.5 x1 + 1) + sin(2 x2 + 2) + sin(2.5 x3 + 3)"""
    return sum(np.sin((1 + column / 2) * x[:, column] + column) for column in range(4))


def interactions(x):
    """f = x0 x1 + x2 x3 + x0 x2"""
    return x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] + x[:, 0] * x[:, 2]


def trees(x):
    """f = if x0 > 0: (if x1 > 0.5: 3, else 1), else: (if x2 > -0.5: -1, else 0.5), plus 1 if x3 > 1"""
    right, left = np.where(x[:, 1] > 0.5, 3.0, 1.0), np.where(x[:, 2] > -0.5, -1.0, 0.5)
    return np.where(x[:, 0] > 0, right, left) + (x[:, 3] > 1)


def periodic(x):
    """f = 2 sin(4 x0) + cos(3 x1)"""
    return 2 * np.sin(4 * x[:, 0]) + np.cos(3 * x[:, 1])


SIGNALS = {"nothing": nothing, "linear": linear, "smooth": smooth, "sines": sines, "interactions": interactions, "trees": trees,
           "periodic": periodic}


# Noise: each has mean 0 and standard deviation 1, and is multiplied by a scale. ----------------------------------------------


class Gaussian:
    """p(e) = exp(-e^2 / 2) / sqrt(2 pi)"""

    @staticmethod
    def draw(draw, rows):
        return draw.standard_normal(rows)

    @staticmethod
    def log_density(e):
        return -0.5 * e**2 - 0.5 * math.log(2 * math.pi)


class HeavyTails:
    """e = t / sqrt(3), t = z0 / sqrt((z1^2 + z2^2 + z3^2) / 3) of Student's distribution with 3 degrees of freedom, whose variance is 3.

    p(t) = 2 / (pi sqrt(3) (1 + t^2 / 3)^2), and p(e) = sqrt(3) p(t)
    """

    @staticmethod
    def draw(draw, rows):
        z = draw.standard_normal((rows, 1 + FREEDOM))
        return z[:, 0] / np.sqrt((z[:, 1:] ** 2).sum(axis=1) / FREEDOM) / math.sqrt(FREEDOM)

    @staticmethod
    def log_density(e):
        return math.log(2 / math.pi) - 2 * np.log1p(e**2)


class TwoModes:
    """e ~ N(-m, 1 - m^2) or N(m, 1 - m^2), each with probability 1/2; the variance is m^2 + (1 - m^2) = 1."""

    @staticmethod
    def draw(draw, rows):
        side = np.where(draw.random(rows) < 0.5, -MODE, MODE)
        return side + math.sqrt(1 - MODE**2) * draw.standard_normal(rows)

    @staticmethod
    def log_density(e):
        width = math.sqrt(1 - MODE**2)
        both = [Gaussian.log_density((e - mode) / width) - math.log(width) for mode in (-MODE, MODE)]
        return np.logaddexp(*both) - math.log(2)


# "growing" is Gaussian noise whose scale follows the signal.
NOISES = {"constant": Gaussian, "growing": Gaussian, "heavy": HeavyTails, "modes": TwoModes}


def growth(standardised):
    """The factor exp(u / 2) of growing noise, where u is the signal, standardised and cut at +-3."""
    return np.exp(np.clip(standardised, LEAST_SPREAD, MOST_SPREAD) / 2)


# Classes ------------------------------------------------------------------------------------------------------------------


def probit(score):
    """P(class 1) = Phi(score)"""
    of_one = 0.5 * np.array([math.erfc(-value / math.sqrt(2)) for value in score])
    return np.column_stack([1 - of_one, of_one])


def softmax(scores):
    """P(class k) = exp(s_k) / sum_l exp(s_l)"""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def drawn_classes(draw, probabilities):
    """The first class whose cumulated probability is above a uniform number."""
    below = np.cumsum(probabilities, axis=1)[:, :-1]
    return (draw.random(len(probabilities))[:, None] >= below).sum(axis=1)
