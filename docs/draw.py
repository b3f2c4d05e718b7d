#!/usr/bin/env python3
"""Writes what README.md and the first pages quote: how Postrider compares, and what the command line prints.

The peers' scores and ours come from experiments/uci/results and experiments/tabular/results, as those of docs/real-data.md do;
the lines of the command line from docs/tour.md, which a test compares with the program. Run it after these have changed.
Usage: docs/draw.py
"""
import json
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "experiments" / part) for part in ("common", "uci")]
from pages import write_page  # noqa: E402
from peer_tables import better, comparable  # noqa: E402

COMPARED = ("README.md", "docs/index.md", "docs/is-it-for-me.md")
FIRST = ("README.md", "docs/index.md")
# How the lines of docs/tour.md begin that the first pages show.
SHOWN = ("  learned ", "  network ", "  score ", "  noise ", "  root mean square error ", "  CRPS ", "  log-likelihood ",
         "  interval ", "  90 % ")
PUBLISHED = {"pbp": "PBP", "tagi": "TAGI (cuTAGI's method)", "dropout_2018": "MC dropout, tuned", "ensembles": "deep ensembles"}
BOOSTED = {"catboost": "CatBoost", "light_gbm": "LightGBM", "xgboost": "XGBoost", "random_forest": "random forest", "ngboost": "NGBoost"}
CLASSIFIERS = {"mlp_classifier": "scikit-learn's MLPClassifier", "random_forest": "random forest", "light_gbm": "LightGBM"}


def read(name):
    return json.loads((ROOT / "experiments" / name).read_text())


def published(summary):
    for key, title in PUBLISHED.items():
        pairs = [(found, found["anchors"][key]) for found in summary.values()]
        likelier = sum(ours["ll"] > theirs["ll"] for ours, theirs in pairs)
        closer = sum(ours["rmse"] < theirs["rmse"] for ours, theirs in pairs)
        yield f"| regression: {title}, as published | {likelier} of {len(pairs)} | {closer} of {len(pairs)} | - |"


def slower(pairs):
    """The median of our processor seconds to theirs."""
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    return f"{ratio:.{1 if ratio < 10 else 0}f} times"


def boosted(sets):
    for key, title in BOOSTED.items():
        both = [found for _, found in sets.values() if key in found and "postrider" in found]
        times = slower([(found["postrider"]["seconds"], found[key]["seconds"]) for found in both])
        yield f"| regression: {title}, defaults | {better(sets, key, 'll')} | {better(sets, key, 'rmse')} | {times} |"


def process(few_rows):
    against = [found["postrider_against_gaussian_process"] for found in few_rows.values()]
    likelier = sum(one["ll_difference"] > 0 for one in against)
    closer = sum(one["rmse_ratio"] < 1 for one in against)
    yield f"| regression from 30 to 300 rows: a Gaussian process | {likelier} of {len(against)} | {closer} of {len(against)} | - |"


def classifiers(summary):
    for key, title in CLASSIFIERS.items():
        both = [found for found in summary.values() if key in found and "postrider" in found]
        likelier = sum(found["postrider"]["log_loss"] < found[key]["log_loss"] for found in both)
        closer = sum(found["postrider"]["accuracy"] > found[key]["accuracy"] for found in both)
        times = slower([(found["postrider"]["seconds_per_fold"], found[key]["seconds_per_fold"]) for found in both])
        yield f"| classification: {title}, defaults | {likelier} of {len(both)} | {closer} of {len(both)} | {times} |"


def table():
    summary = read("uci/results/summary.json")
    return ["| Postrider with its defaults, against | log-likelihood better on | error lower on | processor time of training, ours to theirs |",
            "|---|---|---|---|",
            *published(summary), *boosted(comparable(read("uci/results/peers.json"), summary)),
            *process(read("uci/results/few_rows.json")), *classifiers(read("tabular/results/summary.json"))]


def excerpt():
    """The first line of the tour for each beginning, in the order of the tour."""
    lines = (ROOT / "docs" / "tour.md").read_text().splitlines()
    places = [next(place for place, line in enumerate(lines) if line.startswith(start)) for start in SHOWN]
    return ["```text", *(lines[place] for place in sorted(places)), "```"]


def main():
    for page in COMPARED:
        write_page(ROOT / page, {"compared": table()})
    for page in FIRST:
        write_page(ROOT / page, {"tour": excerpt()})


if __name__ == "__main__":
    main()
