#!/usr/bin/env python3
"""Writes the tables of docs/decisions from the result files.

    experiments/decisions/draw.py
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
PAGES = HERE.parents[1] / "docs" / "decisions"


def put(page, marker, lines):
    path = PAGES / page
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    text = path.read_text()
    before, rest = text.split(begin)
    path.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def optimise():
    results = json.loads((HERE / "results" / "optimise.json").read_text())
    runs, methods = results["runs"], ("postrider", "gaussian process", "tpe", "random")
    lines = [f"Simple regret after {results['calls']} evaluations, mean over seeds (their number in brackets).", "",
             "| function | " + " | ".join(methods) + " |", "|---" * (1 + len(methods)) + "|"]
    for name in dict.fromkeys(key.split("/")[0] for key in runs):
        cells = []
        for method in methods:
            found = [run["regret"][-1] for key, run in runs.items() if key.startswith(f"{name}/{method}/")]
            cells.append(f"{np.mean(found):.3g} ({len(found)})" if found else "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    if results["seconds"]:
        lines += ["", "| observations | seconds of a suggestion | seconds of one with a fit |", "|---|---|---|"]
        lines += [f"| {n} | {s['suggestion']} | {s['with a fit']} |" for n, s in
                  sorted(results["seconds"].items(), key=lambda each: int(each[0]))]
    put("optimisation.md", "optimise", lines)


def draws():
    results = json.loads((HERE / "results" / "draws.json").read_text())
    names = dict.fromkeys(key.split("/")[0] for key in results["sets"])
    sets = len(results["sets"]) // len(names)
    lines = [f"Share of {sets} sets of rows for each function whose truth lay within the central 90 % of 200 drawn functions.", "",
             "| function | drawn | maximum over a grid | difference of two rows |", "|---|---|---|---|"]
    for key, found in results["coverage"].items():
        name, way = key.split(", ")
        lines.append(f"| {name} | {way} | {found['maximum']:.2f} | {found['difference']:.2f} |")
    put("functions.md", "draws", lines)


if __name__ == "__main__":
    for page in (optimise, draws):
        if (HERE / "results" / (page.__name__ + ".json")).exists():
            page()
