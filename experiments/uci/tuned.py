#!/usr/bin/env python3
"""Trains regressors as careful users have them, beside ours with its defaults, on the same splits in one run: RMSE, log-likelihood, CRPS, 90 % intervals.

Needs what `experiments/peers-env --with-postrider` installs. Usage:
  build/peers/venv/bin/python experiments/uci/tuned.py --data DIR [--sets NAME ...] [--methods NAME ...] [--splits N] [--again]
Writes results/tuned.json after every run, as peers.py its own file. Boosted trees take 50 trials of Optuna, each of five folds.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import one_thread  # noqa: E402, F401
import numpy as np  # noqa: E402
from regression_runs import compare, options_of  # noqa: E402
from runs import Runs, installed  # noqa: E402
from scores import gaussian_crps, gaussian_log_likelihood, mean_and_error, quantiles_crps, root_mean_square_error  # noqa: E402
from tuned_regressors import DEVIATIONS_APART, LEVELS, TUNED  # noqa: E402

FIGURES = ("rmse", "ll", "crps", "held_90", "width_90")


def summarise(runs):
    out = {}
    for figure in FIGURES:
        out[figure], out[f"{figure}_se"] = mean_and_error([run[figure] for run in runs])
    return out | {"seconds_per_split": mean_and_error([run["seconds"] for run in runs])[0]}


def figures_of(model, inputs, targets):
    mean, deviation = model.forecast(inputs)
    if hasattr(model, "crps"):
        crps = model.crps(inputs, targets)
    elif hasattr(model, "quantiles"):
        crps = quantiles_crps(model.quantiles(inputs), LEVELS, targets)
    else:
        crps = gaussian_crps(mean, deviation, targets)
    low, high = model.interval(inputs) if hasattr(model, "interval") else (mean - DEVIATIONS_APART * deviation, mean + DEVIATIONS_APART * deviation)
    own = getattr(model, "log_likelihood", None)
    return {"rmse": root_mean_square_error(mean, targets), "ll": float(own(inputs, targets)) if own else gaussian_log_likelihood(mean, deviation, targets),
            "crps": crps, "held_90": float(np.mean((low <= targets) & (targets <= high))), "width_90": float(np.mean(high - low)), "seconds": model.seconds}


def test(method, training, testing, split):
    return figures_of(TUNED[method][0](*training, split), *testing)


def main():
    options = options_of(__doc__, HERE / "results", TUNED, list(TUNED))
    compare(options, Runs(options.results / "tuned.json", summarise), installed({method: TUNED[method][1] for method in options.methods}), test)


if __name__ == "__main__":
    main()
