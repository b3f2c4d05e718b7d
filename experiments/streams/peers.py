#!/usr/bin/env python3
"""Other methods on the streams of classes: each row is predicted, then learned, by the library river.

Adds river's logistic regression with standardised inputs, its adaptive Hoeffding tree and its adaptive random forest, all with their defaults, to
results/elec2.json and results/weather.json, which the program streams writes: same rows, same order, probabilities kept within 1e-6 and 1 - 1e-6.
Needs the environment of experiments/peers-env. Usage:
  build/peers/venv/bin/python experiments/streams/peers.py --data DIR [--results DIR] [--sets NAME ...] [--rows N]
"""
import argparse
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import time

# river 0.26 says which keys its own subclass of DictReader has, which Python before 3.12 does not know.
if not hasattr(csv.DictReader, "__class_getitem__"):
    csv.DictReader.__class_getitem__ = classmethod(lambda cls, _: cls)

from river import forest, linear_model, preprocessing, tree  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LEAST = 1e-6
METHODS = {
    "river_logistic": lambda: preprocessing.StandardScaler() | linear_model.LogisticRegression(),
    "river_hoeffding_adaptive_tree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=1),
    "river_adaptive_random_forest": lambda: forest.ARFClassifier(seed=1),
}


def rows_of(data, name):
    path = data / "stream" / name / f"{name}.csv"
    if path.exists():
        text = path.read_text()
    else:
        text = subprocess.run(["zstd", "-dc", f"{path}.zst"], check=True, capture_output=True, text=True).stdout
    for row in csv.DictReader(io.StringIO(text)):
        target = int(float(row.pop("y")))
        yield {key: float(value) for key, value in row.items()}, target


def probability_of_one(model, inputs):
    """Peers say nothing of a class that they have not seen yet: all classes that are not 0 are 1, and none is a half."""
    found = model.predict_proba_one(inputs)
    if not found:
        return 0.5
    return found.get(1, found.get(True, 1 - sum(found.values())))


def tried(model, rows):
    start, loss, right, count = time.perf_counter(), 0.0, 0, 0
    for inputs, target in rows:
        p = min(max(probability_of_one(model, inputs), LEAST), 1 - LEAST)
        loss -= math.log(p if target == 1 else 1 - p)
        right += (p > 0.5) == (target == 1)
        count += 1
        model.learn_one(inputs, target)
    return {"log_loss": loss / count, "accuracy": right / count, "seconds": time.perf_counter() - start}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--sets", nargs="+", default=["elec2", "weather"], choices=["elec2", "weather"])
    parser.add_argument("--rows", type=int, default=0, help="only so many, for a trial; writes nothing")
    options = parser.parse_args()
    for name in options.sets:
        path = options.results / f"{name}.json"
        for key, make in METHODS.items():
            rows = list(rows_of(options.data, name))
            found = tried(make(), rows[:options.rows] if options.rows else rows)
            print(f"{name}: {key}: log-loss {found['log_loss']:.4f}, {found['accuracy']:.4f} right, {found['seconds']:.0f} s", flush=True)
            if options.rows:
                continue
            result = json.loads(path.read_text())
            result[key] = found
            path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
