"""Runs of regressors on splits, scored and stored: what uci/peers.py, uci/few_rows.py and bench/time_to_model share."""
import warnings

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
