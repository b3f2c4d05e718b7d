#!/usr/bin/env python3
"""Writes the table of the images in docs/real-data.md from results/summary.json.

Usage: experiments/images/draw.py [--results DIR] [--docs DIR]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import fill_block  # noqa: E402

NAMES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}


def table(summary):
    lines = ["| images | epoch | test error | log-loss | calibration error | seconds |", "|---|---|---|---|---|---|"]
    for key, name in NAMES.items():
        found = summary[key]
        last = len(found["error"])
        for epoch in [epoch for epoch in (1, 2, 3, 4, 5) if epoch < last] + [last]:
            at = epoch - 1
            lines.append(f"| {name} | {epoch} | {100 * found['error'][at]:.2f} % | {found['log_loss'][at]:.4f} | {found['ece'][at]:.4f} "
                         f"| {found['seconds_per_epoch'][at]:.1f} |")
    lines += ["", f"Test images of Fashion-MNIST told from those of MNIST by the entropy that a network trained on MNIST predicts: area under the "
              f"curve {summary['mnist']['fashion_auroc']:.4f}."]
    return lines


fill_block(HERE, __doc__, "real-data.md", "images", table)
