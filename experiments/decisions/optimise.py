#!/usr/bin/env python3
"""Bayesian optimisation beside a Gaussian process, Optuna's TPE and random search.

    experiments/decisions/optimise.py [--seeds 20] [--only METHOD,...] [--on FUNCTION,...] [--times]

Writes results/optimise.json after each run, and goes on from it: what is there is not run again. Simple regret is
the least true value tried less the least there is; of noisy functions the values told have noise, the regret has none.
"""

import argparse
import json
import pathlib
import time
import warnings

import numpy as np

from postrider.optimize import Optimizer, Space
from postrider.optimize._optimizer import _log_expected_improvement

RESULTS = pathlib.Path(__file__).parent / "results" / "optimise.json"
CALLS = 50
NOISE = 0.1  # of the standard deviation of the function over its space


def branin(x):
    a, b = 15 * x[0] - 5, 15 * x[1]
    return (b - 5.1 / (4 * np.pi**2) * a * a + 5 / np.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10


_WEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
_A3 = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_P3 = 1e-4 * np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]])
_A6 = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
_P6 = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                       [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])


def hartmann(x, a, p):
    return -float(_WEIGHTS @ np.exp(-(a * (np.asarray(x) - p) ** 2).sum(axis=1)))


def ackley(x):
    z = 65.536 * np.asarray(x) - 32.768
    return float(-20 * np.exp(-0.2 * np.sqrt(np.mean(z * z))) - np.exp(np.mean(np.cos(2 * np.pi * z))) + 20 + np.e)


# For each: the function on the unit cube, its dimensions, its least value.
FUNCTIONS = {
    "branin": (branin, 2, 0.397887),
    "hartmann 3": (lambda x: hartmann(x, _A3, _P3), 3, -3.86278),
    "hartmann 6": (lambda x: hartmann(x, _A6, _P6), 6, -3.32237),
    "ackley 10": (ackley, 10, 0.0),
}


def postrider(tell, dimensions, seed, noise):
    optimizer = Optimizer([(0.0, 1.0)] * dimensions, noise_std=noise, random_state=seed)
    for _ in range(CALLS):
        point = optimizer.ask()
        optimizer.tell(point, tell(point))


def gaussian_process(tell, dimensions, seed, noise):
    """scikit-learn's, Matern 5/2 with a length for each column, expected improvement over the same candidates."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    space, rng = Space([(0.0, 1.0)] * dimensions), np.random.default_rng(seed)
    X = space.spread(min(2 + dimensions, 12), rng)
    y = np.array([tell(list(row)) for row in X])
    while len(y) < CALLS:
        kernel = ConstantKernel(1.0) * Matern(np.ones(dimensions), nu=2.5)
        if noise:
            kernel = kernel + WhiteKernel(0.01)
        model = GaussianProcessRegressor(kernel, normalize_y=True, alpha=1e-6, n_restarts_optimizer=1, random_state=seed)
        model.fit(X, y)
        told = model.predict(X) if noise else y
        best = float(told.min())

        def merit(rows, model=model, best=best):
            mean, std = model.predict(rows, return_std=True)
            return _log_expected_improvement(best, mean, std + 1e-12)

        near = [space.near(row, 60, step, rng) for row in X[np.argsort(told)[:3]] for step in (0.2, 0.05, 0.01)]
        rows, step = np.vstack([space.random(600, rng), *near]), 0.1
        values = merit(rows)
        for _ in range(5):
            top = rows[np.argsort(-values)[:4]]
            rows = np.vstack([top, *(space.near(row, 50, step, rng) for row in top)])
            values, step = merit(rows), step / 2
        chosen = rows[np.argmax(values)]
        X, y = np.vstack([X, chosen]), np.append(y, tell(list(chosen)))


def tpe(tell, dimensions, seed, noise):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(lambda t: tell([t.suggest_float(f"x{k}", 0, 1) for k in range(dimensions)]), n_trials=CALLS)


def random_search(tell, dimensions, seed, noise):
    rng = np.random.default_rng(seed)
    for _ in range(CALLS):
        tell(list(rng.random(dimensions)))


METHODS = {"postrider": postrider, "gaussian process": gaussian_process, "tpe": tpe, "random": random_search}


def run(method, name, seed):
    """The regret after each evaluation, and seconds."""
    plain = name.removesuffix(" noisy")
    function, dimensions, least = FUNCTIONS[plain]
    spread = np.std([function(x) for x in np.random.default_rng(0).random((2000, dimensions))])
    noise = NOISE * float(spread) if name != plain else 0.0
    rng, found = np.random.default_rng(1000 + seed), []

    def tell(point):
        value = float(function(np.asarray(point, dtype=float)))
        found.append(value)
        return value + noise * rng.normal()

    begin = time.perf_counter()
    METHODS[method](tell, dimensions, seed, noise)
    regret = np.minimum.accumulate(found) - least
    return {"regret": [round(float(r), 6) for r in regret[4::5]], "seconds": round(time.perf_counter() - begin, 2)}


def seconds_per_suggestion(results):
    """At so many observations of a function of six columns: one suggestion after a fit, and the fit."""
    rng = np.random.default_rng(0)
    for count in (100, 1000, 10000):
        if str(count) in results["seconds"]:
            continue
        X = rng.random((count, 6))
        optimizer = Optimizer([(0.0, 1.0)] * 6, random_state=0, n_initial=1)
        optimizer.ask()
        optimizer.tell([list(row) for row in X], [hartmann(row, _A6, _P6) for row in X])
        begin = time.perf_counter()
        optimizer.ask()
        with_fit = time.perf_counter() - begin
        point = optimizer.ask()
        optimizer.tell(point, hartmann(point, _A6, _P6))
        begin = time.perf_counter()
        optimizer.ask()
        results["seconds"][str(count)] = {
            "with a fit": round(with_fit, 3), "suggestion": round(time.perf_counter() - begin, 3)}
        write(results)


def write(results):
    """With what others have written meanwhile: runs may go on side by side."""
    RESULTS.parent.mkdir(exist_ok=True)
    there = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": {}, "seconds": {}}
    for part in ("runs", "seconds"):
        results[part] = {**there[part], **results[part]}
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default=",".join(METHODS))
    parser.add_argument("--on", default=",".join([*FUNCTIONS, *(f"{name} noisy" for name in FUNCTIONS)]))
    parser.add_argument("--times", action="store_true", help="seconds per suggestion, nothing else")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": {}, "seconds": {}, "calls": CALLS}
    if options.times:
        seconds_per_suggestion(results)
        return
    for seed in range(options.seeds):
        for name in options.on.split(","):
            for method in options.only.split(","):
                key = f"{name}/{method}/{seed}"
                if key not in results["runs"]:
                    results["runs"][key] = run(method, name, seed)
                    write(results)


if __name__ == "__main__":
    main()
