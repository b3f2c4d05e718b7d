#!/usr/bin/env python3
"""Regression from 30, 100 and 300 rows: ours, a Gaussian process and CatBoost, on ten draws of the rows of each of four sets.

Needs what experiments/peers-env installs and, for `--methods postrider`, the Python package. Usage:
  build/peers/venv/bin/python experiments/uci/few_rows.py --data DIR [--sets NAME ...] [--rows N ...] [--methods NAME ...] [--draws N] [--again]
Writes results/few_rows.json after every run, and a run that is there is not repeated. --again forgets what the file has of the sets,
rows and methods named. A method whose package is missing is left out, so that ours may be run in an environment of its own.
"""
import argparse
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import one_thread  # noqa: E402, F401
from data_sets import few_rows_parts, read_uci  # noqa: E402
from regression_runs import METHODS, open_runs, tell, test, versions_of  # noqa: E402

SETS = ("energy", "concrete", "kin8nm", "power-plant")
ROWS = (30, 100, 300)
DRAWS = 10
COMPARED = ("gaussian_process", "catboost", "postrider")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--rows", nargs="+", type=int, choices=ROWS, default=ROWS)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=COMPARED)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def key_of(name, rows):
    return f"{name}, {rows} rows"


def run_draw(runs, name, found, rows, draw, versions):
    training, testing = few_rows_parts(len(found.targets), rows, max(ROWS), draw)
    for method, version in versions.items():
        if runs.has(key_of(name, rows), method, draw):
            continue
        run = test(method, (found.inputs[training], found.targets[training]), (found.inputs[testing], found.targets[testing]), draw)
        runs.put(key_of(name, rows), method, draw, run, version)
        tell(key_of(name, rows), method, draw, run)


def against(ours, other):
    """Ratio of errors and difference of log-likelihoods, of the means over the draws that both have."""
    both = [draw for draw in ours["runs"] if draw in other["runs"]]

    def mean(entry, key):
        return sum(entry["runs"][draw][key] for draw in both) / len(both)
    return {"draws": len(both), "rmse_ratio": mean(ours, "rmse") / mean(other, "rmse"), "ll_difference": mean(ours, "ll") - mean(other, "ll")}


def compare(runs):
    for key, found in runs.found.items():
        for other in ("gaussian_process", "catboost"):
            if "postrider" in found and other in found:
                runs.describe(key, {f"postrider_against_{other}": against(found["postrider"], found[other])})
    runs.write()


def main():
    options = parse()
    runs, versions = open_runs(options.results / "few_rows.json"), versions_of(options.methods)
    sets = {name: read_uci(options.data, name) for name in options.sets}
    cases = [(name, rows) for name in sets for rows in options.rows]
    for name, rows in cases:
        runs.describe(key_of(name, rows), {"rows": rows, "inputs": sets[name].inputs.shape[1]})
        for method in options.methods if options.again else ():
            runs.forget(key_of(name, rows), method)
    for draw in range(options.draws):
        for name, rows in cases:
            run_draw(runs, name, sets[name], rows, draw, versions)
    compare(runs)
    print(runs.path)


if __name__ == "__main__":
    main()
