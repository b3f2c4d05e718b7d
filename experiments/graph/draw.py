#!/usr/bin/env python3
"""Writes the graph engine's measured numbers into docs/graph/schedules.md and experiments/README.md.

Usage: experiments/graph/draw.py [--results DIR] [--docs DIR] [--readme FILE]
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


NETWORKS = {
    "w1932_fresh": "1932 weights",
    "w83_fresh": "83 weights",
    "w83_same": "83 weights, prior means those of the data",
}
METHODS = {
    "direct": "direct, the paper's",
    "conditioned": "conditioned",
    "conditioned_longer": "conditioned, to a change of 0.01",
}


def score(column, prefix=""):
    median, error, iqr = (column[prefix + name] for name in ("median", "standard_error", "iqr"))
    return f"{median:.2f} ({error:.2f}) [{iqr:.2f}]"


def networks_table(networks):
    many = networks["w83_fresh"]["direct"]["plain_many_seeds"]["seeds"]
    lines = [
        f"| network | rules | training NLL | other seeds | extrapolation NLL | other seeds | {many} seeds | epochs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for network, methods in networks.items():
        for method, found in methods.items():
            training, beyond = found["training_nll"], found["extrapolation_nll"]
            more = found.get("plain_many_seeds")
            lines.append(
                f"| {NETWORKS[network]} | {METHODS[method]} "
                f"| {score(training)} | {score(training, 'other_seeds_')} "
                f"| {score(beyond)} | {score(beyond, 'other_seeds_')} "
                f"| {score(more['extrapolation_nll']) if more else ''} | {found['epochs']['median']:g} |")
        floors = next(iter(methods.values()))
        lines.append(f"| {NETWORKS[network]} | lowest possible | {floors['training_floor']:.2f} | "
                     f"| {floors['extrapolation_floor']:.2f} | | | |")
    return lines


def networks_agree(networks):
    lines = ["| network | rules | after a batch | after an epoch | the same after a nudge of 1e-14 | training NLL at the end "
             "| extrapolation NLL at the end |", "|---|---|---|---|---|---|---|"]
    for network, methods in networks.items():
        for method, found in methods.items():
            gaps = [max(abs(a - b) for a, b in zip(found[name]["by_seed"], found[name]["plain_by_seed"]))
                    for name in ("training_nll", "extrapolation_nll")]
            work = found.get("work") or methods["conditioned_longer"]["work"]
            distances = (work[name] for name in ("distance_after_batch", "distance_after_epoch",
                                                 "distance_of_nudged_after_epoch"))
            lines.append(f"| {NETWORKS[network]} | {METHODS[method]} | "
                         + " | ".join(f"{x:.0e}" for x in (*distances, *gaps)) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs")
    parser.add_argument("--readme", type=pathlib.Path, default=HERE.parent / "README.md")
    options = parser.parse_args()
    trees, chain, networks = (json.loads((options.results / f"{name}.json").read_text())
                              for name in ("trees", "chain", "networks"))
    page = options.docs / "graph" / "schedules.md"
    page.write_text(write_block(page.read_text(), "measured", measured(trees, chain)))
    print(page)
    readme = options.readme
    text = write_block(readme.read_text(), "networks", networks_table(networks))
    readme.write_text(write_block(text, "agreement", networks_agree(networks)))
    print(readme)


main()
