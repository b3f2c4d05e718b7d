#!/usr/bin/env python3
"""Whether drawn functions are as uncertain as they should be: not of single rows, but of maxima and differences.

    experiments/decisions/draws.py [--sets 40]

Of each synthetic function many small sets of noisy rows are learned. Functions are drawn with the rows and without, and the
central 90 % of what they say of the maximum over a grid, and of the difference of two rows, should hold the truth in 90 % of
the cases. Writes results/draws.json, and goes on from it.
"""

import argparse
import json
import pathlib

import numpy as np

from postrider import BayesianMLPRegressor

RESULTS = pathlib.Path(__file__).parent / "results" / "draws.json"
ROWS, DRAWS, PAIRS, NOISE = 60, 200, 20, 0.1

FUNCTIONS = {
    "sine": (lambda X: np.sin(4 * X[:, 0]), 1),
    "bump": (lambda X: np.exp(-4 * (X**2).sum(axis=1)), 2),
    "product": (lambda X: X[:, 0] * X[:, 1] + 0.5 * X[:, 2], 3),
    "waves": (lambda X: np.sin(3 * X[:, 0]) + np.cos(2 * X[:, 1]), 2),
}


def held(function, columns, seed):
    """For each way to draw: whether the maximum, and the share of the differences, lay within."""
    rng = np.random.default_rng(seed)
    X, grid = rng.uniform(-1, 1, size=(ROWS, columns)), rng.uniform(-1, 1, size=(400, columns))
    truth = function(grid)
    y = function(X) + NOISE * rng.normal(size=ROWS)
    model = BayesianMLPRegressor(random_state=seed, n_jobs=1).fit(X, y)
    out = {}
    for way, rows in (("with rows", (X, y)), ("without rows", ())):
        values = np.array([f(grid) for f in model.sample_functions(DRAWS, *rows, random_state=seed)])
        low, high = np.quantile(values.max(axis=1), [0.05, 0.95])
        first, second = rng.integers(400, size=(2, PAIRS))
        ends = np.quantile(values[:, first] - values[:, second], [0.05, 0.95], axis=0)
        differences = truth[first] - truth[second]
        out[way] = {
            "maximum": bool(low <= truth.max() <= high),
            "difference": float(np.mean((ends[0] <= differences) & (differences <= ends[1]))),
        }
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=40)
    options = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"sets": {}}
    for seed in range(options.sets):
        for name, (function, columns) in FUNCTIONS.items():
            if f"{name}/{seed}" not in results["sets"]:
                results["sets"][f"{name}/{seed}"] = held(function, columns, seed)
        results["coverage"] = {
            f"{name}, {way}": {
                what: round(float(np.mean([found[way][what] for key, found in results["sets"].items() if key.split("/")[0] == name])), 3)
                for what in ("maximum", "difference")
            }
            for name in FUNCTIONS
            for way in ("with rows", "without rows")
        }
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
