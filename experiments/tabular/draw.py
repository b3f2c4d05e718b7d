#!/usr/bin/env python3
"""Writes the table of the tabular sets in docs/real-data.md from results/summary.json.

Usage: experiments/tabular/draw.py [--results DIR] [--docs DIR]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import fill_block  # noqa: E402

METHODS = {"postrider": "Postrider, defaults", "logistic_regression": "LogisticRegression", "mlp_classifier": "MLPClassifier",
           "hist_gradient_boosting": "HistGradientBoosting"}


def table(summary):
    lines = ["| set | rows, columns, classes | " + " | ".join(METHODS.values()) + " | s per fold |", "|---|---|" + "---|" * (len(METHODS) + 1)]
    for name, found in summary.items():
        best = min(METHODS, key=lambda method: found[method]["log_loss"])
        cells = []
        for method in METHODS:
            one = found[method]
            loss = f"{one['log_loss']:.3f}"
            cells.append(f"{'**' + loss + '**' if method == best else loss} / {one['accuracy']:.3f} / {one['ece']:.3f}")
        seconds = ", ".join(f"{found[method]['seconds_per_fold']:.1f}" for method in METHODS)
        lines.append(f"| {name} | {found['rows']:,}, {found['columns']}, {found['classes']} | " + " | ".join(cells) + f" | {seconds} |")
    better = [name for name, found in summary.items() if found["postrider"]["log_loss"] < found["mlp_classifier"]["log_loss"]]
    worst = max(found["postrider"]["ece"] for found in summary.values())
    lines += ["", f"The log-loss is lower than MLPClassifier's on {len(better)} of {len(summary)} sets ({', '.join(better)}); the largest "
              f"calibration error is {worst:.3f}."]
    return lines


fill_block(HERE, __doc__, "real-data.md", "tabular", table)
