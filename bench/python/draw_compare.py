#!/usr/bin/env python3
"""Writes the tables of docs/python/comparison.md from bench/results/python_compare.json.

Usage: bench/python/draw_compare.py [--results FILE] [--page FILE]
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments" / "common"))
from counting import chosen_by_hand, lines_of_code  # noqa: E402
from methods import METHODS  # noqa: E402
from pages import write_page  # noqa: E402


def with_error(found, digits):
    if found["error"] is None:
        return f"{found['mean']:.{digits}f}"
    return f"{found['mean']:.{digits}f} ({found['error']:.{digits}f})"


def missing(data, name):
    """Why there are no numbers of a method, or None."""
    return data["methods"][name]["missing"] if name in data["methods"] else "not measured yet"


def effort(data):
    lines = ["| method | library | lines | chosen by hand |", "|---|---|---|---|"]
    for name, (function, library) in METHODS.items():
        version = data["methods"].get(name, {}).get("version", "")
        chosen = [word.replace("_", " ") for word in chosen_by_hand(function)]
        names = f": {', '.join(chosen)}" if chosen else ""
        lines.append(f"| {name} | {library} {version} | {lines_of_code(function)} | {len(chosen)}{names} |")
    return lines


def table(data, task):
    lines = ["| method | splits | RMSE | log-likelihood | inside 90 % | processor seconds |", "|---|---|---|---|---|---|"]
    for name in METHODS:
        if missing(data, name):
            lines.append(f"| {name} | | {missing(data, name)} | | | |")
            continue
        method = data["methods"][name]
        found = method["tasks"][task]
        lines.append(f"| {name} | {method['splits']} | {with_error(found['rmse'], 2)} | "
                     f"{with_error(found['log_likelihood'], 2)} | {100 * found['coverage']['mean']:.0f} % | "
                     f"{found['seconds']['mean']:.2g} |")
    rows, inputs = data["tasks"][task]["rows"], data["tasks"][task]["inputs"]
    return lines + ["", f"{rows} rows, {inputs} inputs; means over splits (standard error)."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench/results/python_compare.json")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/python/comparison.md")
    options = parser.parse_args()
    data = json.loads(options.results.read_text(encoding="utf-8"))
    write_page(options.page, {"effort": effort(data)} | {task: table(data, task) for task in data["tasks"]})


main()
