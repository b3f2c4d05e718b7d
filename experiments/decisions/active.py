#!/usr/bin/env python3
"""Active learning beside rows at random, the largest standard deviation and a Gaussian process.

    POSTRIDER_DATA=... experiments/decisions/active.py [--seeds 5] [--only WAY,...] [--on SET,...] [--held-out]

Of each set a fifth, at most 1000 rows, is for tests, the same for all seeds; up to 2000 of the others, drawn by the
seed, are the pool. Twenty rows at random are labelled first, then batches of twenty until 400. Writes the root mean square
error of the test rows after each batch to results/active.json, after each run, and goes on from it.

The criterion and the model were compared with --held-out: it evaluates on another fifth, leaves the test rows out, and
writes nothing. One thread.
"""

import argparse
import json
import os
import pathlib
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import one_thread  # noqa: E402, F401

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from postrider import BayesianMLPRegressor
from postrider.experimental.active import select_rows

RESULTS = pathlib.Path(__file__).parent / "results" / "active.json"
FOLDERS = {"concrete": "concrete", "energy": "energy", "kin8nm": "kin8nm", "power": "power-plant"}
BATCH, ROWS, POOL, TEST, FUNCTIONS = 20, 400, 2000, 1000, 200
# Smaller than the defaults, which try encodings and scales of the target before each fit.
MODEL = dict(hidden_layer_sizes=(50, 50), ensemble_size=8, encoding="standard", target_scale="plain",
             varying_noise=False, max_epochs=150, n_jobs=1)


def rows_of(name, seed, held_out):
    """Rows and targets of the pool, in random order, and of the test."""
    table = np.genfromtxt(pathlib.Path(os.environ["POSTRIDER_DATA"]) / "uci" / FOLDERS[name] / "data.csv",
                          delimiter=",", skip_header=1)
    order = np.random.default_rng(0).permutation(len(table))
    size = min(TEST, len(table) // 5)
    parts = order[:size], order[size:2 * size], order[2 * size:]
    test = parts[1] if held_out else parts[0]
    others = parts[2] if held_out else np.concatenate(parts[1:])
    pool = np.random.default_rng(100 + seed).permutation(others)[:POOL]
    return table[pool, :-1], table[pool, -1], table[test, :-1], table[test, -1]


class Networks:
    """Ours, with a criterion."""

    def __init__(self, choose):
        self.choose = choose

    def fit(self, X, y, seed):
        self.labelled, self.seed = (X, y), seed
        self.model = BayesianMLPRegressor(random_state=seed, **MODEL).fit(X, y)

    def predict(self, X):
        return self.model.predict(X)

    def select(self, pool):
        if self.choose == "random":
            return np.arange(BATCH)  # the pool is in random order
        if self.choose == "largest std":
            return np.argsort(-self.model.predict(pool, return_std="parts")[1])[:BATCH]
        return select_rows(self.model, pool, BATCH, *self.labelled, n_functions=FUNCTIONS, random_state=self.seed)[0]


class Process:
    """A Gaussian process with a length for each column; its lengths are found anew at each second batch."""

    def __init__(self, choose):
        self.choose, self.kernel = choose, None

    def fit(self, X, y, seed):
        self.mean, self.std = X.mean(axis=0), X.std(axis=0) + 1e-9
        again = self.kernel is None or len(y) % (2 * BATCH) == 0
        # From the same start each time: lengths found with twenty rows may say that all is noise, and stay so.
        fresh = ConstantKernel(1.0) * Matern(np.full(X.shape[1], 2.0), nu=2.5) + WhiteKernel(0.05)
        kernel = fresh if again else self.kernel
        self.model = GaussianProcessRegressor(kernel, normalize_y=True, optimizer="fmin_l_bfgs_b" if again else None)
        self.model.fit((X - self.mean) / self.std, y)
        self.kernel = self.model.kernel_

    def predict(self, X):
        return self.model.predict((X - self.mean) / self.std)

    def select(self, pool):
        if self.choose == "random":
            return np.arange(BATCH)
        return np.argsort(-self.model.predict((pool - self.mean) / self.std, return_std=True)[1])[:BATCH]


WAYS = {
    "random": lambda: Networks("random"),
    "select_rows": lambda: Networks("select_rows"),
    "largest std": lambda: Networks("largest std"),
    "gaussian process, random": lambda: Process("random"),
    "gaussian process, variance": lambda: Process("variance"),
}


def run(way, name, seed, held_out):
    """Errors with 20, 40, ... 400 labels, and seconds."""
    X, y, test_X, test_y = rows_of(name, seed, held_out)
    learner, begin, errors = WAYS[way](), time.perf_counter(), []
    labelled, free = np.arange(BATCH), np.arange(BATCH, len(y))
    while True:
        learner.fit(X[labelled], y[labelled], seed)
        errors.append(float(np.sqrt(np.mean((learner.predict(test_X) - test_y) ** 2))))
        if len(labelled) >= ROWS:
            return {"errors": [round(e, 5) for e in errors], "seconds": round(time.perf_counter() - begin, 1)}
        chosen = learner.select(X[free])
        labelled, free = np.concatenate([labelled, free[chosen]]), np.delete(free, chosen)


def rows_needed(errors, aim):
    """Rows at which the error, on straight lines between batches, first reaches the aim; None if it never does."""
    for k, error in enumerate(errors):
        if error <= aim:
            back = 0.0 if k == 0 else (aim - error) / (errors[k - 1] - error)
            return BATCH * (k + 1 - back)
    return None


def summary(runs):
    """Rows needed, by the mean errors over seeds, for the error that random rows reach with all."""
    found = {}
    for name in FOLDERS:
        for way in WAYS:
            against = "gaussian process, random" if way.startswith("gaussian") else "random"
            pairs = [(each["errors"], runs[key.replace(f"/{way}/", f"/{against}/")]["errors"])
                     for key, each in runs.items()
                     if key.startswith(f"{name}/{way}/") and key.replace(f"/{way}/", f"/{against}/") in runs]
            if pairs:
                ours, theirs = np.mean([p[0] for p in pairs], axis=0), np.mean([p[1] for p in pairs], axis=0)
                needed = rows_needed(list(ours), theirs[-1])
                found.setdefault(way, {})[name] = {
                    "seeds": len(pairs), "error of random rows": round(float(theirs[-1]), 4),
                    "rows": None if needed is None else round(needed), "error with all": round(float(ours[-1]), 4)}
    shares = {way: [each["rows"] / ROWS if each["rows"] else 1.0 for each in sets.values()] for way, sets in found.items()}
    return {"ways": found, "median share of rows": {way: round(float(np.median(each)), 3) for way, each in shares.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default=";".join(WAYS), help="ways, with ; between them")
    parser.add_argument("--on", default=",".join(FOLDERS))
    parser.add_argument("--held-out", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    runs = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() and not options.held_out else {}
    for seed in range(options.seeds):
        for name in options.on.split(","):
            for way in options.only.split(";"):
                key = f"{name}/{way}/{seed}"
                if key in runs:
                    continue
                runs[key] = run(way, name, seed, options.held_out)
                if not options.held_out:
                    RESULTS.write_text(json.dumps({"batch": BATCH, "pool": POOL, "runs": runs, **summary(runs)},
                                                  indent=1, sort_keys=True) + "\n")
    print(json.dumps(summary(runs), indent=1))


if __name__ == "__main__":
    main()
