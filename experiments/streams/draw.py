#!/usr/bin/env python3
"""Writes the tables of streams in docs/real-data.md, docs/streams.md and docs/sparse-model.md from the results.

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
    of_sparse = read("sparse")
    write_page(options.docs / "sparse-model.md", {
        "sparse": sparse_table(of_sparse), "order": order_table(of_sparse), "speed": speed_lines(of_sparse),
        "growth": growth_table(read("scale")), "ratings": ratings_table(read("ratings"))})


if __name__ == "__main__":
    main()
