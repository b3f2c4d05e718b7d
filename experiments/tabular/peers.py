#!/usr/bin/env python3
"""Trains the classifiers that people use today, with their defaults, on the folds of the tabular sets.

Needs what experiments/peers-env installs. Usage:
  build/peers/venv/bin/python experiments/tabular/peers.py --data DIR [--sets NAME ...] [--methods NAME ...] [--folds N] [--again]
Writes results/peers.json after every fold, and a fold that is there is not repeated: cut off, the same command goes on. All sets have their
first fold before any has its second. --again forgets what the file has of the sets and methods named. `run` calls this after our own program.
"""
import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import one_thread  # noqa: E402, F401
import numpy as np  # noqa: E402
from classification_runs import tell, test  # noqa: E402
from classifiers import METHODS  # noqa: E402
from data_sets import TABULAR, read_tabular  # noqa: E402
from runs import Runs, installed  # noqa: E402

# Neither ours, whose results the C++ program writes, nor NGBoost, which grows a tree for each class in every step.
PEERS = [name for name in METHODS if name not in ("postrider", "ngboost")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", nargs="+", choices=TABULAR, default=TABULAR)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=PEERS)
    parser.add_argument("--folds", type=int, default=5, help="at most")
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def summarise(runs):
    def mean(key):
        return float(np.mean([run[key] for run in runs]))
    # Over the rows of all folds together: a fold of few rows has a large calibration error by chance alone.
    excess = np.sum([run["excess_by_bin"] for run in runs], axis=0)
    return {"log_loss": mean("log_loss"), "accuracy": mean("accuracy"), "auc": mean("auc"),
            "ece": float(np.abs(excess).sum() / sum(run["rows"] for run in runs)), "seconds_per_fold": mean("seconds")}


def run_fold(runs, name, found, fold, versions):
    for method, version in versions.items():
        if runs.has(name, method, fold):
            continue
        form, _, make = METHODS[method]
        run = test(make(found, 0), form(found), found.labels, found.splits[fold])
        runs.put(name, method, fold, run, version)
        tell(name, method, fold, run)


def main():
    options = parse()
    runs = Runs(options.results / "peers.json", summarise)
    versions = installed({method: METHODS[method][1] for method in options.methods})
    sets = {name: read_tabular(options.data, name) for name in options.sets}
    for name, found in sets.items():
        runs.describe(name, {"rows": len(found.labels), "columns": found.one_hot().shape[1], "classes": int(found.labels.max()) + 1})
        for method in options.methods if options.again else ():
            runs.forget(name, method)
    for fold in range(options.folds):
        for name, found in sets.items():
            if fold < len(found.splits):
                run_fold(runs, name, found, fold, versions)
    print(runs.path)


if __name__ == "__main__":
    main()
