#!/usr/bin/env python3
"""Writes the tables about made data in docs/results/known-truth.md and docs/design/made-tables.md from results/made.json and results/streams.json; prints them if there are no such pages.

Needs numpy. Usage: experiments/calibration/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
from goals import COVERAGE, averages  # noqa: E402
from methods import OURS, TITLES  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

PAGE, EVERY_TABLE = "results/known-truth.md", "design/made-tables.md"
COLUMNS = {"held by 0.5": "in 50 %", "held by 0.8": "in 80 %", "held by 0.9": "in 90 %", "held by 0.95": "in 95 %", "interval score": "interval score",
           "nats lost": "nats lost, numbers", "nats lost, classes": "nats lost, classes", "seconds": "processor seconds"}
MISSING = ["Not measured yet."]


def cell(key, value):
    if value is None:
        return "-"
    if key.startswith("held"):
        return f"{100 * value:.1f} %"
    return f"{value:.0f}" if key == "seconds" else f"{value:.3f}"


def methods_table(made):
    lines = ["| method | tables | " + " | ".join(COLUMNS.values()) + " |", "|---|---|" + "---|" * len(COLUMNS)]
    for name, entries in {OURS: made["tables"], **made["peers"]}.items():
        if entries:
            found = averages(entries)
            lines.append(f"| {TITLES[name]} | {found['tables']} | " + " | ".join(cell(key, found.get(key)) for key in COLUMNS) + " |")
    return lines


def value_of(each):
    value = each["value"]
    if isinstance(value, dict):
        return "; ".join(f"{pair['ours']:.3f} against {pair['theirs']:.3f} of {TITLES[name]}" for name, pair in value.items())
    return f"{value:.3f}"


def goals_table(goals):
    lines = ["| goal | found | wanted | |", "|---|---|---|---|"]
    for name, each in goals.items():
        verdict = "reached" if each["met"] else f"missed on {len(each['failing'])}" if each["failing"] else "missed"
        lines.append(f"| {name} | {value_of(each)} | {each['goal'].replace('|', chr(92) + '|')} | {verdict} |")
    return lines


def number(value):
    return "-" if value is None else f"{value:.3f}"


def tables_table(entries):
    lines = ["| table | held by 90 % | interval score | own score | on test rows | best possible | seconds |", "|---|---|---|---|---|---|---|"]
    for entry in entries:
        held = cell("held", entry["coverage"][COVERAGE]) if entry["coverage"] else "-"
        lines.append(f"| {entry['name']} | {held} | {number(entry['interval_score'])} | {number(entry['score'])} | {number(entry['test'])} "
                     f"| {number(entry['best_possible'])} | {entry['seconds']:.1f} |")
    return lines


def streams_table(entries):
    parts = max(len(entry["coverage_by_thousand"]) for entry in entries)
    lines = ["| table | " + " | ".join(f"thousand {part + 1}" for part in range(parts)) + " |", "|---|" + "---|" * parts]
    return lines + [f"| {entry['name']} | " + " | ".join(cell("held", share) for share in entry["coverage_by_thousand"]) + " |" for entry in entries]


def main():
    options = parser_of(HERE, __doc__).parse_args()
    made, streams = (json.loads(path.read_text()) if path.exists() else None for path in (options.results / "made.json", options.results / "streams.json"))
    pages = {PAGE: {"made methods": methods_table(made) if made else MISSING, "made goals": goals_table(made["goals"]) if made else MISSING,
                    "made streams": [*goals_table(streams["goals"]), "", *streams_table(streams["tables"])] if streams else MISSING},
             EVERY_TABLE: {"made tables": tables_table(made["tables"]) if made else MISSING}}
    for page, blocks in pages.items():
        if (options.docs / page).exists():
            write_page(options.docs / page, blocks)
        else:
            print("\n\n".join("\n".join(lines) for lines in blocks.values()))


if __name__ == "__main__":
    main()
