#!/usr/bin/env python3
"""Writes the table of docs/results/drift.md from the result of bench/drift.

Usage: bench/drift/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "experiments" / "common"))
from pages import parser_of, write_page  # noqa: E402


def table(data):
    lines = [f"{data['splits'] - data['false_alarms']} of {data['splits']} random splits, ten of each set, have no warning "
             f"({100 * data['share_without_alarm']:.0f} %). {data['changes_named']} of {data['changes']} changes are named by their column.", "",
             "| random splits of | rows | with a warning | rows called far |", "|---|---|---|---|"]
    for one in data["sets"]:
        lines.append(f"| {one['name']} | {one['rows']:,} | {one['false_alarms']} of {one['splits']} | {100 * one['share_far']:.2f} % |")
    lines += ["", "| change | rows | warned of | rows called far |", "|---|---|---|---|"]
    for one in data["cases"]:
        lines.append(f"| {one['case']} | {one['rows']:,} | {one['warnings']} | {100 * one['share_far']:.0f} % |")
    return lines


if __name__ == "__main__":
    parser = parser_of(HERE, __doc__)
    parser.set_defaults(results=ROOT / "bench" / "results")
    options = parser.parse_args()
    write_page(options.docs / "results" / "drift.md", {"drift": table(json.loads((options.results / "drift.json").read_text()))})
