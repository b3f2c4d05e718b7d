#!/usr/bin/env python3
"""The constants of expected_seconds (src/estimator/expected_seconds.cc), by least squares over what was measured: time_to_model.json and made.json.

Prints them, and between which shares of the expected time four of five trainings ended. Writes nothing.
"""

import json
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_WEIGHTS = 2000
# Inputs and outputs of the networks: a category is an input, a class an output, a number has two outputs.
SHAPES = {"yacht": (6, 2), "bostonHousing": (13, 2), "energy": (8, 2), "concrete": (8, 2), "wine-quality-red": (11, 2), "kin8nm": (8, 2),
          "power-plant": (4, 2), "naval-propulsion-plant": (16, 2), "protein-tertiary-structure": (9, 2), "german-credit": (61, 1),
          "spambase": (57, 1), "adult": (105, 1), "letter": (16, 26), "covertype-15k": (54, 7)}
LARGE = (60, 2)
SHARE_LEARNED = 0.9  # of the sets; the others are for tests
SETS_WEIGH = 16  # as many made tables: there are few sets


def weights(inputs, hidden, outputs):
    layers = [inputs, *hidden, outputs]
    return sum((before + 1) * after for before, after in zip(layers, layers[1:], strict=False))


def network(inputs, outputs, rows):
    """Weights of the network that so many rows fill, as in src/estimator/capacity.cc."""
    hidden = [100] * 3 if 1.5 * weights(inputs, [100] * 3, outputs) <= rows else [50, 50]
    fitting = [units for units in range(4, hidden[0] + 1) if weights(inputs, [units] * len(hidden), outputs) <= rows]
    return weights(inputs, [max(fitting, default=4)] * len(hidden), outputs)


def measured():
    """Rows, weights, seconds and how much each counts."""
    times = json.loads((ROOT / "bench/results/time_to_model.json").read_text())
    made = json.loads((ROOT / "experiments/calibration/results/made.json").read_text())["tables"]
    for name, each in times["sets"].items():
        rows = SHARE_LEARNED * each["rows"]
        yield rows, network(*SHAPES[name], rows), each["seconds"]["postrider"], SETS_WEIGH
    for each in times["large"].values():
        yield each["rows"], network(*LARGE, each["rows"]), each["processor_seconds"]["postrider"], SETS_WEIGH
    for each in made:
        yield each["rows"], network(each["columns"], 2, each["rows"]), each["seconds"], 1


def main():
    rows, sizes, seconds, weigh = (np.array(each, float) for each in zip(*measured(), strict=True))
    work = np.log(rows * np.minimum(sizes, MOST_WEIGHTS))
    power, log = np.polyfit(work, np.log(seconds), 1, w=np.sqrt(weigh))
    ratio = seconds / np.exp(log + power * work)
    print(f"kLog = {log:.2f}, kPower = {power:.3f}")
    low, high = np.quantile(ratio, [0.1, 0.9])
    print(f"four of five of {len(ratio)} trainings took between {low:.2f} and {high:.2f} times that; all between {ratio.min():.2f} and {ratio.max():.2f}")


if __name__ == "__main__":
    main()
