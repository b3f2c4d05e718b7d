#!/usr/bin/env python3
"""Trains scikit-learn's classifiers, with their defaults, on the folds of the tabular sets, and joins their scores with ours.

Needs numpy and scikit-learn. Usage: experiments/tabular/scikit.py --data DIR [--results DIR] [--sets NAME ...] [--keep]
Reads results/ours.json, writes results/summary.json. With --keep, scores of scikit-learn that the summary has are kept, and only
ours are put in anew. `run` calls this after our own program.
"""
import argparse
import csv
import io
import json
import os
import pathlib
import subprocess
import time
import warnings

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = pathlib.Path(__file__).resolve().parent
METHODS = {
    # Scaled inputs, as a user would give them; everything else is the library's default.
    "logistic_regression": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "mlp_classifier": lambda: make_pipeline(StandardScaler(), MLPClassifier(random_state=0)),
    "hist_gradient_boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}
BINS, LEAST_PROBABILITY = 15, 1e-15


def rows_of(path):
    if path.exists():
        text = path.read_text()
    else:
        text = subprocess.run(["zstd", "-dc", f"{path}.zst"], check=True, capture_output=True, text=True).stdout
    return list(csv.reader(io.StringIO(text)))[1:]


def read_set(folder):
    """One column per number and per level, as in encoded.cc."""
    columns = [(kind, levels.split("|")) for _, kind, levels in rows_of(folder / "columns.csv")]
    rows = rows_of(folder / "data.csv")
    parts = []
    for k, (kind, levels) in enumerate(columns):
        values = [row[k] for row in rows]
        if kind == "categorical":
            parts.append(np.array(values)[:, None] == np.array(levels)[None, :])
        else:
            parts.append(np.array(values, float)[:, None])
    folds = [np.array(indices.split(), int) for _, indices in rows_of(folder / "splits.csv")]
    return np.hstack(parts).astype(float), np.array([int(row[-1]) for row in rows]), folds


def scores(probabilities, labels):
    rows = np.arange(len(labels))
    most, guess = probabilities.max(1), probabilities.argmax(1)
    bins = np.minimum((most * BINS).astype(int), BINS - 1)
    excess = np.bincount(bins, weights=most - (guess == labels), minlength=BINS)
    return {"log_loss": -np.mean(np.log(np.maximum(probabilities[rows, labels], LEAST_PROBABILITY))),
            "accuracy": np.mean(guess == labels), "ece": np.abs(excess).sum() / len(labels)}


def test(make, inputs, labels, folds):
    found = []
    pooled = np.zeros((len(labels), labels.max() + 1))  # each row is tested once
    for fold in folds:
        is_test = np.zeros(len(labels), bool)
        is_test[fold] = True
        model = make()
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(inputs[~is_test], labels[~is_test])
        seconds = time.perf_counter() - begin
        pooled[is_test] = model.predict_proba(inputs[is_test])
        found.append({**scores(pooled[is_test], labels[is_test]), "seconds_per_fold": seconds})
    out = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    # Of all folds together: a fold of few rows has a large calibration error by chance alone.
    out["ece"] = float(scores(pooled, labels)["ece"])
    out["log_loss_by_fold"] = [float(one["log_loss"]) for one in found]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("POSTRIDER_DATA"), required="POSTRIDER_DATA" not in os.environ)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    path = options.results / "summary.json"
    known = json.loads(path.read_text()) if options.keep and path.exists() else {}
    ours = json.loads((options.results / "ours.json").read_text())
    summary = {}
    for name in options.sets or ours:
        inputs, labels, folds = read_set(pathlib.Path(options.data) / "tabular" / name)
        summary[name] = {"rows": len(labels), "columns": inputs.shape[1], "classes": int(labels.max()) + 1,
                         "postrider": ours[name]}
        for method, make in METHODS.items():
            summary[name][method] = known.get(name, {}).get(method) or test(make, inputs, labels, folds)
            found = summary[name][method]
            print(f"  {name} {method}: log-loss {found['log_loss']:.4f}, accuracy {found['accuracy']:.4f}, "
                  f"calibration error {found['ece']:.4f}, {found['seconds_per_fold']:.1f} s per fold", flush=True)
    better = [name for name, found in summary.items()
              if found["postrider"]["log_loss"] < found["mlp_classifier"]["log_loss"]]
    print(f"  log-loss better than MLPClassifier's on {len(better)} of {len(summary)} sets: {', '.join(better)}")
    path.write_text(json.dumps(summary, indent=2) + "\n")
    print(path)


main()
