#!/usr/bin/env python3
"""Writes the tables of streams in docs/real-data.md and docs/streams.md from the results.

Usage: experiments/streams/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import parser_of, write_page  # noqa: E402

PARTS = {"regression": "kin8nm, after a fit", "regression_from_nothing": "kin8nm, from nothing",
         "classification": "letter, after a fit", "classification_from_nothing": "letter, from nothing"}
DAYS = {"": "drift, `horizon` 24, square roots of the targets", "plain_targets": "the same, plain targets",
        "former": "no drift, `horizon` 1: streams before", "refitted": "fitted anew every week on all days before (one network, 20 epochs, square roots)"}
METHODS = {"ours": "ours", "without_drift": "ours without drift, one network", "last_label": "the last label again",
           "river_logistic": "river: logistic regression, standardised", "river_hoeffding_adaptive_tree": "river: adaptive Hoeffding tree",
           "river_adaptive_random_forest": "river: adaptive random forest"}
PASSES = {"plain": "one pass without drift, one network", "ours": "one pass with drift", "epochs": "five epochs, one network"}


def cuts_table(cuts):
    calls = [row["cut"] for row in cuts["regression"]]
    lines = ["| 1000 rows in so many calls | " + " | ".join(calls) + " |", "|---|" + "---|" * len(calls)]
    for part, name in PARTS.items():
        cells = [f"{row['ll']:.3f} ± {row['ll_se']:.3f}, {100 * row['coverage']:.1f} %" for row in cuts[part]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def bike_table(bike):
    lines = ["| | log-likelihood | rows in 90 % intervals | of a thousand, least | most |", "|---|---|---|---|---|"]
    for key, name in DAYS.items():
        one = bike[key] if key else bike
        windows = one["windows"]["coverage"]
        lines.append(f"| {name} | {one['log_likelihood']:.3f} | {100 * one['coverage']:.1f} % | "
                     f"{100 * min(windows):.1f} % | {100 * max(windows):.1f} % |")
    return lines


def classes_table(sets):
    lines = ["| log-loss (share right) | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets)]
    for key, name in METHODS.items():
        cells = [f"{one[key]['log_loss']:.3f} ({100 * one[key]['accuracy']:.1f} %)" if key in one else "" for one in sets.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def changes_table(changes):
    """Of the generated stream, change by change."""
    lines = ["| change at row | back after, rows | before | told after, rows |", "|---|---|---|---|"]
    now, before = changes["generated"], changes["generated_former"]
    for at, delay, former, told in zip(now["at"], now["delay"], before["delay"], now["told_after"], strict=True):
        when = f"{told + 1:.0f}" if told >= 0 else "not told"
        lines.append(f"| {at:.0f} | {delay:.0f} | {former:.0f} | {when} |")
    return lines


def onepass_table(onepass):
    lines = ["| | RMSE | log-likelihood | seconds |", "|---|---|---|---|"]
    for key, name in PASSES.items():
        one = onepass[key]
        lines.append(f"| {name} | {one['rmse']:.4f} | {one['log_likelihood']:.3f} | {one['seconds']:.1f} |")
    return lines


def main():
    options = parser_of(HERE, __doc__).parse_args()

    def read(name):
        return json.loads((options.results / f"{name}.json").read_text())

    write_page(options.docs / "real-data.md", {"streams": cuts_table(read("cuts"))})
    write_page(options.docs / "streams.md", {
        "bike": bike_table(read("bike")),
        "classes": classes_table({name: read(name) for name in ("elec2", "weather")}),
        "changes": changes_table(read("changes")),
        "onepass": onepass_table(read("onepass"))})


if __name__ == "__main__":
    main()
