#!/usr/bin/env python3
"""Writes the tables of streams in docs/real-data.md and docs/sparse-model.md from the result files.

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


def table(cuts):
    calls = [row["cut"] for row in cuts["regression"]]
    lines = ["| 1000 rows in so many calls | " + " | ".join(calls) + " |", "|---|" + "---|" * len(calls)]
    for part, name in PARTS.items():
        cells = [f"{row['ll']:.3f} ± {row['ll_se']:.3f}, {100 * row['coverage']:.1f} %" for row in cuts[part]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


SETS = ("a9a", "w8a", "farm-ads")


def sparse_table(sparse):
    lines = ["| set | ours, one pass | Vowpal Wabbit, one pass | orders in which ours is lower | ours, 30 passes | logistic regression |",
             "|---|---|---|---|---|---|"]
    for name in SETS:
        found = sparse[name]
        lines.append(f"| {name} | {found['ours']:.4f} | {found['vw']:.4f} | {found['orders_won']} of {len(found['orders'])} | "
                     f"{found['ours_passes']:.4f} | {found['logistic']:.4f} |")
    return lines


def order_table(sparse):
    lines = ["| set, one pass in the file's order | ours | Vowpal Wabbit |", "|---|---|---|"]
    for name in SETS:
        found = sparse[name]["in_file_order"]
        lines.append(f"| {name} | {found['ours']:.4f} | {found['vw']:.4f} |")
    return lines


def speed_lines(sparse):
    rate, peak = sparse["a9a"]["rows_per_second"], sparse["farm-ads"]["peak_bytes"]
    return [f"From text files of a9a's rows on one core, in processor time: {rate['ours'] / 1e6:.2f} million rows a second of LIBSVM text, "
            f"{rate['ours_of_vw_text'] / 1e6:.2f} of Vowpal Wabbit's; Vowpal Wabbit itself {rate['vw'] / 1e6:.2f}. farm-ads takes "
            f"{peak['one_pass'] / 1e6:.0f} MB in one pass and {peak['passes'] / 1e6:.0f} MB in thirty, all of the program counted."]


def growth_table(growth):
    lines = ["| weights | models side by side | bytes, at most | bytes per weight | ns per weight | ns per new weight |", "|---|---|---|---|---|---|"]
    for row in growth:
        lines.append(f"| {row['weights']:,} | {row['models_side_by_side']} | {row['bytes'] / 1e6:,.0f} MB | {row['bytes'] / row['weights']:.1f} | "
                     f"{row['ns_per_weight']:.0f} | {row['ns_per_new_weight']:.0f} |")
    return lines


def ratings_table(ratings):
    lines = ["| model | RMSE | 90 % intervals hold | log-likelihood |", "|---|---|---|---|"]
    for name, found in ((f"{ratings['latent']} latent numbers each", ratings), ("weights alone", ratings["without_latent_vectors"])):
        lines.append(f"| {name} | {found['rmse']:.4f} | {100 * found['coverage']:.1f} % | {found['log_likelihood']:.3f} |")
    return lines


options = parser_of(HERE, __doc__).parse_args()
read = lambda name: json.loads((options.results / name).read_text())  # noqa: E731
write_page(options.docs / "real-data.md", {"streams": table(read("cuts.json"))})
of_sparse = read("sparse.json")
write_page(options.docs / "sparse-model.md",
           {"sparse": sparse_table(of_sparse), "order": order_table(of_sparse), "speed": speed_lines(of_sparse),
            "growth": growth_table(read("scale.json")), "ratings": ratings_table(read("ratings.json"))})
