#!/usr/bin/env python3
"""Writes the tables of the images in docs/results/classification.md and docs/design/trials.md from the result files.

Usage: experiments/images/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import parser_of, write_page  # noqa: E402

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
    lines += ["", f"Out-of-distribution detection: the entropy that a network trained on MNIST predicts distinguishes test images of Fashion-MNIST "
              f"from those of MNIST with an AUROC of {summary['mnist']['fashion_auroc']:.4f}."]
    return lines


def trials_table(trials):
    lines = ["| MNIST, last of five epochs | power | test error | log-loss | calibration error | temperature | AUROC of Fashion-MNIST |",
             "|---|---|---|---|---|---|---|"]
    for name, found in trials.items():
        lines.append(f"| {name} | {found['power']:.1f} | {100 * found['error']:.2f} % | {found['log_loss']:.4f} | {found['ece']:.4f} "
                     f"| {found['temperature']:.2f} | {found['fashion_auroc']:.4f} |")
    return lines


def main():
    options = parser_of(HERE, __doc__).parse_args()
    read = lambda name: json.loads((options.results / f"{name}.json").read_text())  # noqa: E731
    write_page(options.docs / "results" / "classification.md", {"images": table(read("summary"))})
    write_page(options.docs / "design" / "trials.md", {"images": trials_table(read("trials"))})


main()
