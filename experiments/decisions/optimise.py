#!/usr/bin/env python3
"""Bayesian optimisation beside a Gaussian process, BoTorch, Optuna's TPE and random search.

    POSTRIDER_DATA=... experiments/decisions/optimise.py [--seeds 20] [--only METHOD,...] [--on FUNCTION,...] [--anew] [--times]

Writes results/optimise.json after each run, and goes on from it: what is there is not run again but with --anew. Simple regret is
the least true value tried less the least there is; of noisy functions the values told have noise, the regret has none. Pools
are tables of which the row with the largest target is looked for, 200 rows are tried; TPE's suggestions go to the nearest row.
One thread.
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

from data_sets import text_of
from postrider.experimental.optimize import Optimizer, Space
from postrider.experimental.optimize._acquisition import log_expected_improvement
from postrider.experimental.optimize._process import GaussianProcess
from postrider.experimental.optimize._surrogates import Surrogate, default_model

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


POOLS = {"concrete pool": "concrete", "kin8nm pool": "kin8nm", "protein pool": "protein-tertiary-structure"}
POOL_CALLS = 200


def pool_of(name):
    """Rows in the unit cube, and targets with the sign changed: the largest is looked for."""
    folder = pathlib.Path(os.environ["POSTRIDER_DATA"]) / "uci" / POOLS[name]
    table = np.genfromtxt(text_of(folder / "data.csv").splitlines(), delimiter=",", skip_header=1)
    X, y = table[:, :-1], -table[:, -1]
    low, high = X.min(axis=0), X.max(axis=0)
    X, first = np.unique((X - low) / np.where(high > low, high - low, 1), axis=0, return_index=True)
    return X, y[first]


def postrider(tell, dimensions, seed, noise, pool=None):
    optimizer = Optimizer([(0.0, 1.0)] * dimensions, noise_std=noise, random_state=seed)
    if pool is None:
        for _ in range(CALLS):
            point = optimizer.ask()
            optimizer.tell(point, tell(point))
        return
    left = np.arange(len(pool))
    for _ in range(POOL_CALLS):
        place = optimizer.ask_among(pool[left])
        optimizer.tell(list(pool[left[place]]), tell(left[place]))
        left = np.delete(left, place)


class Process:
    """scikit-learn's Gaussian process, Matern 5/2 with a length for each column."""

    def __init__(self, dimensions, seed, noise):
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        self.seed, self.noise = seed, noise
        kernel = ConstantKernel(1.0) * Matern(np.ones(dimensions), nu=2.5)
        self.kernel = self.found = kernel if noise == 0 else kernel + WhiteKernel(0.01)

    def fit(self, X, y, again=True):
        """With lengths found again, or those that were found."""
        from sklearn.gaussian_process import GaussianProcessRegressor

        again = again or self.found is self.kernel
        self.model = GaussianProcessRegressor(
            self.kernel if again else self.found, normalize_y=True, alpha=1e-6, random_state=self.seed,
            n_restarts_optimizer=1, optimizer="fmin_l_bfgs_b" if again else None).fit(X, y)
        self.found = self.model.kernel_
        return self

    def merit(self, rows, best):
        mean, std = self.model.predict(rows, return_std=True)
        return log_expected_improvement(best, mean, std + 1e-12)

    def suggested(self, X, y, space, rng):
        """Candidates of the same kind as ours, without the box and refined less often."""
        values_told = self.model.predict(X) if self.noise else y
        best = float(values_told.min())
        near = [space.near(row, 60, step, rng) for row in X[np.argsort(values_told)[:3]] for step in (0.2, 0.05, 0.01)]
        rows, step = np.vstack([space.random(600, rng), *near]), 0.1
        values = self.merit(rows, best)
        for _ in range(5):
            top = rows[np.argsort(-values)[:4]]
            rows = np.vstack([top, *(space.near(row, 50, step, rng) for row in top)])
            values, step = self.merit(rows, best), step / 2
        return rows[np.argmax(values)]


def gaussian_process(tell, dimensions, seed, noise, pool=None):
    """Expected improvement of that process."""
    space, rng = Space([(0.0, 1.0)] * dimensions), np.random.default_rng(seed)
    process = Process(dimensions, seed, noise)
    if pool is not None:
        tried = list(rng.choice(len(pool), min(2 + dimensions, 12), replace=False))
        y = [tell(place) for place in tried]
        while len(y) < POOL_CALLS:
            # Lengths of pools are found at each tenth row: twenty times the time would find little else.
            process.fit(pool[tried], np.array(y), len(y) % 10 == 0)
            best = float(process.model.predict(pool[tried]).min()) if noise != 0 else min(y)
            values = process.merit(pool, best)
            values[tried] = -np.inf
            tried.append(int(np.argmax(values)))
            y.append(tell(tried[-1]))
        return
    X = space.spread(min(2 + dimensions, 12), rng)
    y = np.array([tell(list(row)) for row in X])
    while len(y) < CALLS:
        chosen = process.fit(X, y).suggested(X, y, space, rng)
        X, y = np.vstack([X, chosen]), np.append(y, tell(list(chosen)))


def botorch(tell, dimensions, seed, noise, pool=None):
    """Its default: SingleTaskGP, and the logarithm of expected improvement, noisy or not. On pools the improvement is over the best
    mean: the noisy one takes far longer with thousands of rows."""
    import torch
    from botorch.acquisition import LogExpectedImprovement, qLogNoisyExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng, first = np.random.default_rng(seed), min(2 + dimensions, 12)
    tried = list(rng.choice(len(pool), first, replace=False)) if pool is not None else []
    X = pool[tried] if pool is not None else Space([(0.0, 1.0)] * dimensions).spread(first, rng)
    y = np.array([tell(each) for each in (tried if pool is not None else [list(row) for row in X])])
    while len(y) < (CALLS if pool is None else POOL_CALLS):
        told = torch.tensor(-y[:, None])
        model = SingleTaskGP(torch.tensor(X), (told - told.mean()) / told.std())
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        if noise == 0:
            merit = LogExpectedImprovement(model, float(model.train_targets.max()))
        elif pool is None:
            merit = qLogNoisyExpectedImprovement(model, torch.tensor(X), prune_baseline=True)
        else:
            merit = LogExpectedImprovement(model, float(model.posterior(torch.tensor(X)).mean.max()))
        if pool is None:
            bounds = torch.tensor([[0.0] * dimensions, [1.0] * dimensions], dtype=torch.double)
            chosen = optimize_acqf(merit, bounds, q=1, num_restarts=5, raw_samples=128)[0].numpy()[0]
            X, y = np.vstack([X, chosen]), np.append(y, tell(list(chosen)))
        else:
            left = np.setdiff1d(np.arange(len(pool)), tried)
            with torch.no_grad():
                values = [merit(part[:, None]) for part in torch.tensor(pool[left]).split(4096)]
            tried.append(int(left[int(torch.cat(values).argmax())]))
            X, y = pool[tried], np.append(y, tell(tried[-1]))


def tpe(tell, dimensions, seed, noise, pool=None):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    left = None if pool is None else np.arange(len(pool))

    def evaluated(trial):
        nonlocal left
        point = [trial.suggest_float(f"x{k}", 0, 1) for k in range(dimensions)]
        if pool is None:
            return tell(point)
        place = int(np.argmin(((pool[left] - point) ** 2).sum(axis=1)))
        value, left = tell(left[place]), np.delete(left, place)
        return value

    study.optimize(evaluated, n_trials=CALLS if pool is None else POOL_CALLS)


def random_search(tell, dimensions, seed, noise, pool=None):
    rng = np.random.default_rng(seed)
    for each in rng.random((CALLS, dimensions)) if pool is None else rng.permutation(len(pool))[:POOL_CALLS]:
        tell(each)


METHODS = {"postrider": postrider, "gaussian process": gaussian_process, "botorch": botorch, "tpe": tpe, "random": random_search}


def run_pool(method, name, seed):
    """The same of a table; its targets have noise that nobody knows."""
    pool, values = pool_of(name)
    found = []

    def tell(place):
        found.append(float(values[place]))
        return found[-1]

    begin = time.perf_counter()
    METHODS[method](tell, pool.shape[1], seed, None, pool)
    regret = np.minimum.accumulate(found) - values.min()
    return {"regret": [round(float(r), 6) for r in regret[9::10]], "seconds": round(time.perf_counter() - begin, 2)}


def run(method, name, seed):
    """The regret after each fifth evaluation, and seconds."""
    if name in POOLS:
        return run_pool(method, name, seed)
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


def timed(function):
    begin = time.perf_counter()
    function()
    return round(time.perf_counter() - begin, 3)


def seconds_per_suggestion(results):
    """At so many observations of a function of six columns: one suggestion with a fit, and one after it, of which a Gaussian process
    has lengths that are known. With 10,000 its fit is left out; the lengths are then its first ones."""
    rng = np.random.default_rng(0)
    for count in (100, 1000, 10000):
        X = rng.random((count, 6))
        y = np.array([hartmann(row, _A6, _P6) for row in X])
        found = results["seconds"].setdefault(str(count), {})
        if "suggestion" not in found:
            optimizer = Optimizer([(0.0, 1.0)] * 6, random_state=0, n_initial=1)
            optimizer.ask()
            optimizer.tell([list(row) for row in X], list(y))
            found["with a fit"] = timed(optimizer.ask)
            point = optimizer.ask()
            optimizer.tell(point, hartmann(point, _A6, _P6))
            found["suggestion"] = timed(optimizer.ask)
            write(results)
        if "gaussian process" not in found:
            space, process = Space([(0.0, 1.0)] * 6), Process(6, 0, 0.0)
            theirs = {}
            if count < 10000:
                theirs["with a fit"] = timed(lambda: process.fit(X, y).suggested(X, y, space, rng))
            else:
                process.found = process.found.clone_with_theta(process.found.theta)
            theirs["suggestion"] = timed(lambda: process.fit(X, y, False).suggested(X, y, space, rng))
            found["gaussian process"] = theirs
            write(results)


COUNTS, TEST = (100, 200, 500, 1000, 2000), 500


def beliefs(results):
    """On rows drawn from the pools: how well the process and the networks predict others, and their seconds."""
    for name in POOLS:
        X, y = pool_of(name)
        y = (y - y.mean()) / y.std()
        for seed in range(3):
            order = np.random.default_rng(seed).permutation(len(y))
            for count in COUNTS:
                rows, test = order[:count], order[-TEST:]
                key = f"{name}/{count}/{seed}"
                if key in results["beliefs"] or count > len(y) - TEST:
                    continue
                found = {}
                for kind in ("process", "networks"):
                    begin = time.perf_counter()
                    if kind == "process":
                        belief = GaussianProcess(X[rows], y[rows], None)
                    else:
                        belief = Surrogate(None, default_model(seed), 64, seed).believed(X[rows], y[rows], seed)
                    mean, std = belief.moments(X[test])
                    found[kind] = {"error": round(float(np.sqrt(np.mean((mean - y[test]) ** 2))), 4),
                                   "seconds": round(time.perf_counter() - begin, 2)}
                results["beliefs"][key] = found
                write(results)


def write(results):
    """With what others have written meanwhile: runs may go on side by side."""
    RESULTS.parent.mkdir(exist_ok=True)
    there = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in ("runs", "seconds", "beliefs"):
        results[part] = {**there.get(part, {}), **results[part]}
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", default=",".join(METHODS))
    parser.add_argument("--on", default=",".join([*FUNCTIONS, *(f"{name} noisy" for name in FUNCTIONS), *POOLS]))
    parser.add_argument("--anew", action="store_true", help="run again what is there, where a method has changed")
    parser.add_argument("--times", action="store_true", help="seconds per suggestion, nothing else")
    parser.add_argument("--beliefs", action="store_true", help="process and networks on rows of the pools, nothing else")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    results = {"runs": {}, "seconds": {}, "beliefs": {}, "calls": CALLS}
    if RESULTS.exists():
        results.update(json.loads(RESULTS.read_text()))
    if options.beliefs:
        beliefs(results)
        return
    if options.times:
        seconds_per_suggestion(results)
        return
    for seed in range(options.seeds):
        for name in options.on.split(","):
            for method in options.only.split(","):
                key = f"{name}/{method}/{seed}"
                if options.anew or key not in results["runs"]:
                    results["runs"][key] = run(method, name, seed)
                    write(results)


if __name__ == "__main__":
    main()
