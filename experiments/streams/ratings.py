#!/usr/bin/env python3
"""Ratings of films by latent vectors of users and films with beliefs: writes results/ratings.json.

Usage: experiments/streams/ratings.py --data DIR [--out DIR]

Five folds of movielens-latest-small: root mean squared error, and how often 90 % intervals hold the rating. The size of the vectors, the
number of passes and the priors were chosen on a part of the first fold's training rows: see docs/design/trials-streams.md.
"""
import argparse
import csv
import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from data_sets import rows_of  # noqa: E402

from postrider.experimental.sparse_model import SparseModel  # noqa: E402

csv.field_size_limit(10**9)

LATENT, PASSES = 16, 30
ORDER_SEED = 20240601
DEVIATIONS = 1.6448536269514722  # of a 90 % interval
LOWEST, HIGHEST = 0.5, 5


def scores(model, rows, ratings):
    mean, std = model.predict(rows, return_std=True)
    inside = np.abs(ratings - mean) <= DEVIATIONS * std
    density = -0.5 * ((ratings - mean) / std) ** 2 - np.log(std * np.sqrt(2 * np.pi))
    return {"rmse": float(np.sqrt(np.mean((np.clip(mean, LOWEST, HIGHEST) - ratings) ** 2))), "coverage": float(inside.mean()),
            "log_likelihood": float(density.mean())}


def mean_of(found):
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--out", default=str(HERE / "results"))
    arguments = parser.parse_args()
    if not arguments.data:
        parser.error("--data: say where the data sets are, or set POSTRIDER_DATA")
    folder = pathlib.Path(arguments.data) / "ratings/movielens-latest-small"
    table = rows_of(folder / "ratings.csv")
    rows = [{"user": user, "movie": movie} for user, movie, _, _ in table]
    ratings = np.array([float(row[2]) for row in table])
    folds, linear = [], []
    for _, indices in rows_of(folder / "splits.csv"):
        test = np.array(indices.split(), dtype=int)
        train = np.random.default_rng(ORDER_SEED).permutation(np.setdiff1d(np.arange(len(rows)), test))
        for latent, found in ((LATENT, folds), (0, linear)):
            model = SparseModel(target="number", latent=latent, passes=PASSES)
            model.fit([rows[row] for row in train], ratings[train])
            found.append(scores(model, [rows[row] for row in test], ratings[test]))
            print(latent, found[-1], flush=True)
    result = {**mean_of(folds), "latent": LATENT, "passes": PASSES, "folds": folds, "without_latent_vectors": mean_of(linear)}
    (pathlib.Path(arguments.out) / "ratings.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print({name: result[name] for name in ("rmse", "coverage", "log_likelihood")})


if __name__ == "__main__":
    main()
