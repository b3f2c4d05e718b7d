#!/usr/bin/env python3
"""Writes the table of streams in docs/real-data.md from results/cuts.json.

Usage: experiments/streams/draw.py [--results DIR] [--docs DIR]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import fill_block  # noqa: E402

PARTS = {"regression": "kin8nm, after a fit", "regression_from_nothing": "kin8nm, from nothing",
         "classification": "letter, after a fit", "classification_from_nothing": "letter, from nothing"}


def table(cuts):
    calls = [row["cut"] for row in cuts["regression"]]
    lines = ["| 1000 rows in so many calls | " + " | ".join(calls) + " |", "|---|" + "---|" * len(calls)]
    for part, name in PARTS.items():
        cells = [f"{row['ll']:.3f} ± {row['ll_se']:.3f}, {100 * row['coverage']:.1f} %" for row in cuts[part]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


fill_block(HERE, __doc__, "real-data.md", "streams", table, "cuts.json")
