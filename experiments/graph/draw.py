#!/usr/bin/env python3
"""Writes the graph engine's measured numbers into docs/graph/schedules.md.

Usage: experiments/graph/draw.py [--results DIR] [--docs DIR]
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import write_block  # noqa: E402


def measured(trees, chain):
    size = f"{trees['largest_size']:,.0f}"
    return [
        "| what | result |",
        "|---|---|",
        f"| {trees['graphs']} random Gaussian trees of up to {size} variables, against sparse Cholesky: "
        f"largest relative error of means, variances and log-evidence | {trees['max_relative_error']:.1e} |",
        f"| random walk of {chain['steps']:,} steps, smoothed, against the Kalman and RTS smoother: "
        f"largest relative error | {chain['max_error']:.1e} |",
        f"| time per step and direction, one core | {chain['ns_per_step_and_direction']:.0f} ns |",
        f"| time per message | {chain['ns_per_message']:.0f} ns |",
        f"| memory per variable, with its edges | {chain['bytes_per_variable']:.0f} bytes |",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs")
    options = parser.parse_args()
    trees, chain = (json.loads((options.results / f"{name}.json").read_text())
                    for name in ("trees", "chain"))
    page = options.docs / "graph" / "schedules.md"
    page.write_text(write_block(page.read_text(), "measured", measured(trees, chain)))
    print(page)


main()
