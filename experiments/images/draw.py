#!/usr/bin/env python3
"""Writes the table of the images in docs/real-data.md from results/summary.json.

Usage: experiments/images/draw.py [--results DIR] [--docs DIR]
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import write_block  # noqa: E402

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs")
    options = parser.parse_args()
    page = options.docs / "real-data.md"
    summary = json.loads((options.results / "summary.json").read_text())
    page.write_text(write_block(page.read_text(), "images", table(summary)))
    print(page)


main()
