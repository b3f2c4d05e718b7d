#!/usr/bin/env python3
"""Contextual bandits: Thompson sampling and greedy choices of networks beside exact linear Thompson sampling.

    POSTRIDER_DATA=... experiments/decisions/bandits.py [--seeds 10] [--only WAY,...] [--on SET,...] [--develop]

Sets of classes become bandits: an arm for each class, reward 1 if it is the row's, else 0. Mushroom-like rows are made: eating pays
5, but a poisonous one costs 35 half of the time; not eating pays nothing. Contexts come in calls of 40, rewards after
each. Regret is the mean reward of the best arm less that of the arms taken, summed over all decisions. Settings were compared with
--develop, on made rows that are not in the table. Writes results/bandits.json after each run, and goes on from it. One thread.
"""

import argparse
import csv
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
from postrider.experimental.bandit import ContextualBandit, default_model

RESULTS = pathlib.Path(__file__).parent / "results" / "bandits.json"
STEPS, CALL = 2000, 40


def table_of(name):
    """Inputs, numbers standardised and categories as columns of 0 and 1, and classes."""
    folder = pathlib.Path(os.environ["POSTRIDER_DATA"]) / "tabular" / name
    rows = list(csv.DictReader(text_of(folder / "data.csv").splitlines()))
    columns = []
    for each in csv.DictReader((folder / "columns.csv").read_text().splitlines()):
        cells = [row[each["name"]] for row in rows]
        if each["kind"] == "categorical":
            columns += [np.array([cell == level for cell in cells], dtype=float) for level in sorted(set(cells))]
        else:
            numbers = np.array(cells, dtype=float)
            if numbers.std() > 0:
                columns.append((numbers - numbers.mean()) / numbers.std() if each["kind"] == "numeric" else numbers)
    return np.stack(columns, axis=1), np.array([int(row["y"]) for row in rows])


def classes(name, rng):
    X, y = table_of(name)
    order = rng.permutation(len(y))[:STEPS]
    means = np.eye(y.max() + 1)[y[order]]
    return X[order], means, means


def mushrooms(rng):
    """Ten columns of five categories and, as of the real ones, an odour of seven: three mean poison, three do not, one (half of all
    mushrooms) says nothing, and then the first two columns decide."""
    odour = rng.choice(7, size=STEPS, p=[0.5] + [0.5 / 6] * 6)
    columns = rng.integers(5, size=(STEPS, 10))
    poisonous = np.where(odour == 0, (columns[:, 0] == 0) | (columns[:, 1] == 0), odour % 2 == 1)
    X = np.hstack([np.eye(7)[odour], *(np.eye(5)[columns[:, k]] for k in range(10))])
    means = np.stack([np.zeros(STEPS), np.where(poisonous, -15.0, 5.0)], axis=1)
    eaten = np.where(poisonous & (rng.random(STEPS) < 0.5), -35.0, 5.0)
    return X, means, np.stack([np.zeros(STEPS), eaten], axis=1)


def rings(rng, arms=4):
    """For choosing settings: the class is the distance from the middle, with a tenth at random."""
    X = rng.normal(size=(STEPS, 6))
    far = np.argsort(np.argsort((X[:, :3] ** 2).sum(axis=1))) * arms // STEPS
    y = np.where(rng.random(STEPS) < 0.1, rng.integers(arms, size=STEPS), far)
    return X, np.eye(arms)[y], np.eye(arms)[y]


SETS = {"adult": lambda rng: classes("adult", rng), "covertype-15k": lambda rng: classes("covertype-15k", rng),
        "mushroom-like": mushrooms}


class LinearThompson:
    """Exact: rewards of an arm are w x + noise, w ~ N(0, noise^2 / 0.25), noise^2 ~ inverse gamma(6, 6)."""

    def __init__(self, arms, columns, seed):
        self.rng = np.random.default_rng(seed)
        self.precision = [0.25 * np.eye(columns + 1) for _ in range(arms)]
        self.told = [np.zeros(columns + 1) for _ in range(arms)]
        self.squares, self.count = np.zeros(arms), np.zeros(arms)

    def choose(self, contexts):
        X = np.column_stack([contexts, np.ones(len(contexts))])
        values = []
        for precision, told, squares, count in zip(self.precision, self.told, self.squares, self.count, strict=True):
            root = np.linalg.cholesky(precision)
            mean = np.linalg.solve(precision, told)
            scale = 6 + 0.5 * max(0.0, squares - told @ mean)
            noise = np.sqrt(scale / self.rng.gamma(6 + count / 2, size=len(X)))
            away = np.linalg.solve(root.T, self.rng.normal(size=(X.shape[1], len(X)))).T * noise[:, None]
            values.append((X * (mean + away)).sum(axis=1))
        return np.argmax(values, axis=0)

    def learn(self, contexts, arms, rewards):
        X = np.column_stack([contexts, np.ones(len(contexts))])
        for x, arm, reward in zip(X, arms, rewards, strict=True):
            self.precision[arm] += np.outer(x, x)
            self.told[arm] += reward * x
            self.squares[arm] += reward**2
            self.count[arm] += 1


class Networks:
    def __init__(self, arms, seed, **options):
        model = default_model(seed).set_params(n_jobs=1)
        self.bandit = ContextualBandit(arms, model=model, random_state=seed, n_functions=8, **options)

    def choose(self, contexts):
        arms, self.ids = self.bandit.choose(contexts)
        return arms

    def learn(self, contexts, arms, rewards):
        self.bandit.update(self.ids, rewards)


SETTINGS = {"noise_std": "pooled"}
WAYS = {
    "thompson": lambda arms, columns, seed: Networks(arms, seed, policy="thompson", **SETTINGS),
    "greedy": lambda arms, columns, seed: Networks(arms, seed, policy="greedy", **SETTINGS),
    "linear thompson": LinearThompson,
    "uniform": lambda arms, columns, seed: Networks(arms, seed, policy="uniform"),
}


def run(way, make, seed):
    X, means, rewards = make(np.random.default_rng(1000 + seed))
    learner, begin, lost = way(means.shape[1], X.shape[1], seed), time.perf_counter(), []
    for first in range(0, len(X), CALL):
        rows = np.arange(first, min(first + CALL, len(X)))
        arms = learner.choose(X[rows])
        learner.learn(X[rows], arms, rewards[rows, arms])
        lost.append(float((means[rows].max(axis=1) - means[rows, arms]).sum()))
    total = np.cumsum(lost)
    return {"regret": [round(float(each), 1) for each in total[4::5]], "seconds": round(time.perf_counter() - begin, 1)}


def summary(runs):
    """Mean regret at the end, its standard error, and ratios of means."""
    found = {}
    for key, each in runs.items():
        name, way, _ = key.split("/")
        found.setdefault(name, {}).setdefault(way, []).append(each["regret"][-1])
    out = {}
    for name, ways in found.items():
        out[name] = {way: {"regret": round(float(np.mean(each)), 1), "seeds": len(each), "std error": round(
            float(np.std(each, ddof=1) / np.sqrt(len(each))), 1) if len(each) > 1 else None} for way, each in ways.items()}
        for other in ("greedy", "linear thompson"):
            if "thompson" in ways and other in ways:
                out[name][f"thompson over {other}"] = round(float(np.mean(ways["thompson"]) / np.mean(ways[other])), 3)
    return out


def develop(seeds):
    """Settings on rings, and on mushrooms of other seeds than those of the table."""
    def tried(name, **options):
        for make in (rings, mushrooms):
            for policy in ("thompson", "greedy"):
                ends = [run(lambda a, c, s: Networks(a, s, policy=policy, **options), make, 50 + seed) for seed in range(seeds)]
                print(name, make.__name__, policy, np.mean([each["regret"][-1] for each in ends]),
                      sum(each["seconds"] for each in ends), flush=True)

    for make in (rings, mushrooms):
        print("linear", make.__name__, np.mean([run(LinearThompson, make, 50 + seed)["regret"][-1] for seed in range(seeds)]))
    tried("functions, pooled noise", noise_std="pooled")
    tried("predictions", draws="predictions")
    tried("functions, learned noise")
    tried("joint", layout="joint", draws="predictions")
    tried("stream", learning="stream")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", default=",".join(WAYS))
    parser.add_argument("--on", default=",".join(SETS))
    parser.add_argument("--develop", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if options.develop:
        develop(options.seeds)
        return
    runs = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else {}
    for seed in range(options.seeds):
        for name in options.on.split(","):
            for way in options.only.split(","):
                key = f"{name}/{way}/{seed}"
                if key not in runs:
                    runs[key] = run(WAYS[way], SETS[name], seed)
                    RESULTS.write_text(json.dumps({"steps": STEPS, "call": CALL, "runs": runs, "sets": summary(runs)},
                                                  indent=1, sort_keys=True) + "\n")
    print(json.dumps(summary(runs), indent=1))


if __name__ == "__main__":
    main()
