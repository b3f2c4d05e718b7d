"""How good predictions are, by the definitions of postrider/metrics.h. Needs numpy alone."""
import math

import numpy as np

BINS, LEAST_PROBABILITY = 15, 1e-15


def root_mean_square_error(mean, targets):
    return float(np.sqrt(np.mean((targets - mean) ** 2)))


def gaussian_log_likelihood(mean, deviation, targets):
    """Mean log density of the targets, in nats."""
    return float(np.mean(-0.5 * ((targets - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)))


def gaussian_crps(mean, deviation, targets):
    """Mean continuous ranked probability score of normal distributions, in the unit of the targets."""
    z = (targets - mean) / deviation
    below = np.array([0.5 * math.erfc(-each / math.sqrt(2)) for each in z])
    height = np.exp(-0.5 * z ** 2) / np.sqrt(2 * np.pi)
    return float(np.mean(deviation * (z * (2 * below - 1) + 2 * height - 1 / np.sqrt(np.pi))))


def quantiles_crps(quantiles, levels, targets):
    """The same from quantiles of evenly spaced levels, one row for each target: twice the mean of their pinball losses."""
    excess = targets[:, None] - quantiles
    return float(2 * np.mean(np.maximum(levels * excess, (levels - 1) * excess)))


def log_loss(probabilities, labels):
    return float(-np.mean(np.log(np.maximum(probabilities[np.arange(len(labels)), labels], LEAST_PROBABILITY))))


def accuracy(probabilities, labels):
    return float(np.mean(probabilities.argmax(1) == labels))


def excess_by_bin(probabilities, labels, bins=BINS):
    """For the rows of each bin, the sum of the probability of the most probable class minus whether it was right.

    Those of several folds add up to those of all rows together.
    """
    most = probabilities.max(1)
    bin_of_row = np.minimum((most * bins).astype(int), bins - 1)
    return np.bincount(bin_of_row, weights=most - (probabilities.argmax(1) == labels), minlength=bins)


def expected_calibration_error(probabilities, labels, bins=BINS):
    return float(np.abs(excess_by_bin(probabilities, labels, bins)).sum() / len(labels))


def area_under_curve(lower, higher):
    """The probability that a value of `higher` is above one of `lower`, ties counting half."""
    lower = np.sort(lower)
    below = (np.searchsorted(lower, higher, "left") + np.searchsorted(lower, higher, "right")) / 2
    return float(np.mean(below) / len(lower))


def mean_area_under_curve(probabilities, labels):
    """For two classes the area of the second; for more the mean over the classes, each against the rest."""
    classes = [1] if probabilities.shape[1] == 2 else range(probabilities.shape[1])
    return float(np.mean([area_under_curve(probabilities[labels != k, k], probabilities[labels == k, k]) for k in classes]))


def mean_and_error(values):
    """Over splits, the standard error as experiments/uci/trial.cc has it."""
    values = np.asarray(values, float)
    return float(values.mean()), float(values.std() / np.sqrt(len(values)))
