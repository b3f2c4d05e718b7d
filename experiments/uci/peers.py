#!/usr/bin/env python3
"""Trains the regressors that people use today, with their defaults, on the splits of the UCI sets and on bike sharing.

Needs what experiments/peers-env installs. Usage:
  build/peers/venv/bin/python experiments/uci/peers.py --data DIR [--sets NAME ...] [--methods NAME ...] [--splits N] [--again]
Writes results/peers.json after every run, and a run that is there is not repeated: cut off, the same command goes on. --splits takes the
first N splits of each set; all sets have their first split before any has its second. --again forgets what the file has of the sets and methods named.
`--methods postrider` runs ours through the Python package, with the defaults, where that is installed.
"""
import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import one_thread  # noqa: E402, F401
from data_sets import REGRESSION, parts_of, read_regression  # noqa: E402
from regression_runs import METHODS, open_runs, tell, test, versions_of  # noqa: E402

# Not ours, whose results on the nine sets the C++ program writes, and none whose work grows with the cube of the rows.
PEERS = [name for name in METHODS if name not in ("postrider", "gaussian_process")]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", nargs="+", choices=REGRESSION, default=REGRESSION)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=PEERS)
    parser.add_argument("--splits", type=int, default=20, help="at most")
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def run_split(runs, name, found, split, versions):
    training, testing = parts_of(found.splits[split], len(found.targets))
    for method, version in versions.items():
        if runs.has(name, method, split):
            continue
        run = test(method, (found.inputs[training], found.targets[training]), (found.inputs[testing], found.targets[testing]), split)
        runs.put(name, method, split, run, version)
        tell(name, method, split, run)


def main():
    options = parse()
    runs, versions = open_runs(options.results / "peers.json"), versions_of(options.methods)
    sets = {name: read_regression(options.data, name) for name in options.sets}
    for name, found in sets.items():
        runs.describe(name, {"rows": len(found.targets), "inputs": found.inputs.shape[1]})
        for method in options.methods if options.again else ():
            runs.forget(name, method)
    for split in range(options.splits):
        for name, found in sets.items():
            if split < len(found.splits):
                run_split(runs, name, found, split, versions)
    print(runs.path)


if __name__ == "__main__":
    main()
