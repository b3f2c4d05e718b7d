#!/usr/bin/env python3
"""The same regression tasks by this package and by what a Python user would take otherwise.

Writes bench/results/python_compare.json: per task and method root mean squared error, mean log-density of the test
targets, share of them inside the interval of 90 %, processor seconds to fit and predict, lines of code and values chosen
by hand. Methods that are not run keep what the file says of them, if the tasks are the same.

  bench/python/compare.py --data DIR [--methods NAME...] [--splits N] [--quick] [--out FILE]

Needs the package; the other libraries where they are installed. DIR holds uci/; without it, only the task that
scikit-learn brings is run.
"""
import argparse
import ast
import csv
import importlib.metadata
import inspect
import json
import os
import pathlib
import sys
import textwrap
import time
import warnings

# One thread for everyone, before any of the libraries starts its own.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
from methods import METHODS
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.model_selection import ShuffleSplit

ROOT = pathlib.Path(__file__).resolve().parents[2]
COVERAGE = 0.9  # of the interval


def read_uci(folder):
    """Inputs, targets and the test rows of each split."""
    table = np.loadtxt(folder / "data.csv", delimiter=",", skiprows=1)
    with open(folder / "splits.csv", encoding="utf-8") as file:
        splits = [np.array(row["test_indices"].split(), dtype=int) for row in csv.DictReader(file)]
    return table[:, :-1], table[:, -1], splits


def diabetes():
    inputs, targets = load_diabetes(return_X_y=True, scaled=False)
    splits = ShuffleSplit(20, test_size=0.1, random_state=1).split(inputs)
    return inputs, targets, [test for _, test in splits]


def tasks(data):
    found = {"diabetes": diabetes()}
    if data:
        found |= {name: read_uci(pathlib.Path(data) / "uci" / name) for name in ("concrete", "yacht")}
    return found


def lines_of_code(function):
    """Lines of the body that are not blank, comments or a docstring."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    source = textwrap.dedent(inspect.getsource(function)).splitlines()
    body = definition.body[1:] if ast.get_docstring(definition) else definition.body
    lines = source[body[0].lineno - 1:]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


def chosen_by_hand(function):
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def scores(targets, mean, deviation, interval=None):
    """Log-densities are those of a Gaussian with the stated mean and deviation, for every method alike."""
    half = norm.ppf(0.5 + COVERAGE / 2) * deviation
    low, high = (mean - half, mean + half) if interval is None else np.asarray(interval).T
    return {
        "rmse": float(np.sqrt(np.mean((targets - mean) ** 2))),
        "log_likelihood": float(np.mean(norm.logpdf(targets, mean, deviation))),
        "coverage": float(np.mean((low <= targets) & (targets <= high))),
    }


def run_split(function, inputs, targets, test, seed):
    train = np.setdiff1d(np.arange(len(targets)), test)
    begin = time.process_time()  # with one thread, and the same however busy the machine is
    prediction = function(inputs[train], targets[train], inputs[test], seed)
    seconds = time.process_time() - begin
    return scores(targets[test], *prediction) | {"seconds": seconds}


def summary(rows):
    """Mean and its standard error over splits."""
    found = {}
    for key in rows[0]:
        values = np.array([row[key] for row in rows])
        error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else None
        found[key] = {"mean": float(values.mean()), "error": None if error is None else float(error)}
    return found


def why_not(function):
    """Runs the method on a few rows: imports are paid for, and a library that is missing says so."""
    draw = np.random.default_rng(0)
    inputs = draw.normal(size=(40, 2))
    try:
        function(inputs, inputs[:, 0] + 0.1 * draw.normal(size=40), inputs[:5], 0)
    except ImportError as error:
        return f"not installed: {error.name}"
    return None


def run_method(function, found, splits):
    return {name: summary([run_split(function, inputs, targets, test, seed)
                           for seed, test in enumerate(tests[:splits])])
            for name, (inputs, targets, tests) in found.items()}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one split of one task, without the slow methods")
    parser.add_argument("--out", type=pathlib.Path, default=None)
    return parser.parse_args()


def measure(name, found, splits):
    function, library = METHODS[name]
    entry = {"library": library, "lines": lines_of_code(function), "chosen": chosen_by_hand(function)}
    entry["missing"] = why_not(function)
    if entry["missing"] is None:
        entry["version"] = importlib.metadata.version(library)
        entry["splits"] = splits
        entry["tasks"] = run_method(function, found, splits)
    return entry


def write(out, result):
    """Keeps the methods that the file has and this run has not, in the order of METHODS."""
    if out.is_file():
        before = json.loads(out.read_text(encoding="utf-8"))
        if before["tasks"] == result["tasks"]:
            result["methods"] = before["methods"] | result["methods"]
    result["methods"] = {name: result["methods"][name] for name in METHODS if name in result["methods"]}
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main():
    options = parse()
    if options.quick:
        options.splits, options.data, options.methods = 1, None, ["Postrider", "BayesianRidge"]
    default = ROOT / ("build/python_compare_quick.json" if options.quick else "bench/results/python_compare.json")
    out = options.out or default
    warnings.filterwarnings("ignore")
    found = tasks(options.data)
    sizes = {name: {"rows": len(targets), "inputs": inputs.shape[1]} for name, (inputs, targets, _) in found.items()}
    for name in options.methods:
        entry = measure(name, found, options.splits)
        print(name, json.dumps(entry), file=sys.stderr, flush=True)
        write(out, {"tasks": sizes, "methods": {name: entry}})
    print(out)


if __name__ == "__main__":
    main()
