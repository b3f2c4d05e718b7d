"""The sets of the comparison and how a method is run on a split of one. Needs numpy alone until a method is run."""
import pathlib
import sys

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
sys.path[:0] = [str(EXPERIMENTS / "tabular"), str(EXPERIMENTS / "common")]
import classification_runs  # noqa: E402
import classifiers  # noqa: E402
import regression_runs  # noqa: E402
from data_sets import TABULAR, parts_of, read_regression, read_tabular  # noqa: E402
from regressors import METHODS as REGRESSORS  # noqa: E402
from runs import installed  # noqa: E402

OURS, RIVAL = "postrider", "catboost"
METHODS = (OURS, RIVAL, "light_gbm", "hist_gradient_boosting", "ngboost", "random_forest")
# How many splits of each are run: large sets take longer, and their seconds vary less.
SPLITS = {"yacht": 5, "bostonHousing": 5, "energy": 5, "concrete": 5, "wine-quality-red": 5,
          "kin8nm": 1, "power-plant": 1, "naval-propulsion-plant": 1, "protein-tertiary-structure": 1,
          "german-credit": 1, "spambase": 1, "adult": 1, "letter": 1, "covertype-15k": 1}
# NGBoost grows one tree less than there are classes in each of its 500 steps: 12,500 for the letters, and 3,000 of 54 columns for covertype.
LEFT_OUT = {("letter", "ngboost"), ("covertype-15k", "ngboost")}


def read(data, name):
    return read_tabular(data, name) if name in TABULAR else read_regression(data, name)


def rows_of(name, found):
    return len(found.labels if name in TABULAR else found.targets)


def versions_of(methods):
    return installed({method: REGRESSORS[method][1] for method in methods})


def seconds_of_parts(estimator, seconds):
    """The parts of a fit of ours that took so long: the epochs of the networks that the model has, and all else, which is mostly the ways to prepare columns that
    lost their race, and in the end the judging of the ensemble. Others have no parts."""
    if not hasattr(estimator, "history_"):
        return {}
    epochs = sum(float(epoch["seconds"]) for epoch in estimator.history_)
    return {"epochs": epochs, "choosing_and_judging": max(0.0, seconds - epochs)}


def run_regression(method, found, split):
    training, testing = parts_of(found.splits[split], len(found.targets))
    model = regression_runs.fit(method, (found.inputs[training], found.targets[training]), split)
    run = regression_runs.score(model, (found.inputs[testing], found.targets[testing]))
    return {"seconds": run["seconds"], "log_likelihood": run["ll"], "rmse": run["rmse"]}, model.model


def run_classification(method, found, split):
    form, _, make = classifiers.METHODS[method]
    model = make(found, 0)
    run = classification_runs.test(model, form(found), found.labels, found.splits[split])
    return {"seconds": run["seconds"], "log_loss": run["log_loss"], "error": 1 - run["accuracy"]}, model


def run(name, method, found, split):
    measured, model = (run_classification if name in TABULAR else run_regression)(method, found, split)
    parts = seconds_of_parts(model, measured["seconds"])
    return measured | ({"parts": parts} if parts else {})
