"""Runs of regressors on splits, scored and stored: what uci/peers.py, uci/tuned.py, uci/few_rows.py and bench/time_to_model share."""
import argparse
import os
import pathlib
import warnings

from data_sets import REGRESSION, parts_of, read_regression
from regressors import METHODS
from runs import Runs, installed
from scores import gaussian_log_likelihood, mean_and_error, root_mean_square_error


def summarise(runs):
    rmse, rmse_error = mean_and_error([run["rmse"] for run in runs])
    likelihood, likelihood_error = mean_and_error([run["ll"] for run in runs])
    return {"rmse": rmse, "rmse_se": rmse_error, "ll": likelihood, "ll_se": likelihood_error,
            "seconds_per_split": mean_and_error([run["seconds"] for run in runs])[0]}


def open_runs(path):
    return Runs(path, summarise)


def versions_of(methods):
    return installed({method: METHODS[method][1] for method in methods})


def fit(method, training, seed):
    """`training` is inputs and targets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence
        return METHODS[method][0](*training, seed)


def score(model, testing):
    """`testing` is inputs and targets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that columns lack
        inputs, targets = testing
        mean, deviation = model.forecast(inputs)
        own = getattr(model, "log_likelihood", None)
        likelihood = float(own(inputs, targets)) if own else gaussian_log_likelihood(mean, deviation, targets)
    return {"rmse": root_mean_square_error(mean, targets), "ll": likelihood, "seconds": model.seconds}


def test(method, training, testing, seed):
    return score(fit(method, training, seed), testing)


def tell(name, method, split, run):
    print(f"  {name} {method} {split}: RMSE {run['rmse']:.4f}, LL {run['ll']:.3f}, {run['seconds']:.2f} s", flush=True)


def options_of(description, results, methods, compared):
    """What a comparison on the splits of regression sets is asked for; `compared` of the methods, unless others are named."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--results", type=pathlib.Path, default=results)
    parser.add_argument("--sets", nargs="+", choices=REGRESSION, default=REGRESSION)
    parser.add_argument("--methods", nargs="+", choices=list(methods), default=compared)
    parser.add_argument("--splits", type=int, default=20, help="at most")
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def compare(options, runs, versions, run):
    """The runs that `runs` lacks: run(method, training, testing, split), the first split of all sets before the second of any."""
    sets = {name: read_regression(options.data, name) for name in options.sets}
    for name, found in sets.items():
        runs.describe(name, {"rows": len(found.targets), "inputs": found.inputs.shape[1]})
        for method in options.methods if options.again else ():
            runs.forget(name, method)
    for split in range(options.splits):
        for name, found in sets.items():
            if split < len(found.splits):
                training, testing = ((found.inputs[rows], found.targets[rows]) for rows in parts_of(found.splits[split], len(found.targets)))
                for method in (each for each in versions if not runs.has(name, each, split)):
                    made = run(method, training, testing, split)
                    runs.put(name, method, split, made, versions[method])
                    tell(name, method, split, made)
    print(runs.path)
