"""How well a method predicts the test part of a made table. Needs numpy alone.

The interval score of Winkler at coverage 1 - a, for an interval from l to u: u - l, plus 2 / a times the distance of a target that lies outside.
It is smallest on average for the true quantiles. Here it is divided by the standard deviation of the training targets.
"""
import math

import numpy as np

from methods import COVERAGES, METHODS, gaussian_log_likelihood

SCORED = 0.9  # the coverage of the interval score


def mean_and_error(values):
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def interval_score(bounds, targets, coverage=SCORED):
    lower, upper = bounds.T
    outside = np.maximum(lower - targets, 0) + np.maximum(targets - upper, 0)
    return float(np.mean(upper - lower + 2 / (1 - coverage) * outside))


def share_held(bounds, targets):
    return float(np.mean((bounds[:, 0] <= targets) & (targets <= bounds[:, 1])))


def mean_only(table):
    """Mean log-likelihood of the test targets for whoever knows only the training targets' mean and standard deviation, or their shares."""
    if table.design.classes:
        counts = np.bincount(table.targets, minlength=table.design.classes)
        return float(np.mean(np.log(np.maximum(counts, 1)[table.test_targets] / len(table.targets))))
    return float(np.mean(gaussian_log_likelihood(table.targets.mean(), table.targets.std(), table.test_targets)))


def facts(table):
    design = table.design
    noise = design.noise if not design.classes else "none" if design.truth == "nothing" else "probit" if design.classes == 2 else "softmax"
    found = {"name": design.name, "rows": design.rows, "columns": design.columns, "kind": design.kind, "truth": design.truth, "noise": noise, "ratio": design.ratio}
    return found | ({"classes": design.classes} if design.classes else {})


def measure(method, table):
    """Fits one table; the entry of the result file."""
    fitted = METHODS[method][0](table)
    test, test_error = None, None
    if fitted.log_likelihood:
        test, test_error = mean_and_error(fitted.log_likelihood(table.test_inputs, table.test_targets))
    coverage, width_and_misses = None, None
    if fitted.intervals:
        bounds = fitted.intervals(table.test_inputs)
        coverage = {f"{wanted:g}": share_held(bounds[:, place], table.test_targets) for place, wanted in enumerate(COVERAGES)}
        width_and_misses = interval_score(bounds[:, COVERAGES.index(SCORED)], table.test_targets) / float(table.targets.std())
    return facts(table) | {
        "score": fitted.score, "score_error": fitted.score_error, "test": test, "test_error": test_error, "best_possible": table.best_possible(),
        "mean_only": mean_only(table), "coverage": coverage, "interval_score": width_and_misses, "seconds": fitted.seconds}
