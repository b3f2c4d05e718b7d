#!/usr/bin/env python3
"""Writes the tables of the tabular sets in docs/real-data.md from results/ours.json and results/peers.json.

Needs numpy. Usage: experiments/tabular/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from data_sets import TABULAR  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

METHODS = {"postrider": "Postrider, defaults", "logistic_regression": "LogisticRegression", "mlp_classifier": "MLPClassifier",
           "random_forest": "RandomForest", "hist_gradient_boosting": "HistGradientBoosting", "light_gbm": "LightGBM", "xgboost": "XGBoost",
           "catboost": "CatBoost"}
FOLDS = 5


def joined(ours, peers):
    """By set: its size, ours, and the peers that have all folds; others are not comparable."""
    summary = {}
    for name in (name for name in TABULAR if name in peers):
        done = {key: one for key, one in peers[name].items() if not isinstance(one, dict) or one["splits"] == FOLDS}
        summary[name] = done | ({"postrider": ours[name]} if name in ours else {})
    return summary


def losses(summary):
    lines = ["| log-loss | rows, columns, classes | " + " | ".join(METHODS.values()) + " |", "|---|---|" + "---|" * len(METHODS)]
    for name, found in summary.items():
        texts = {method: f"{found[method]['log_loss']:.3f}" for method in METHODS if method in found}
        least = min((found[method]["log_loss"] for method in texts), default=None)
        cells = ["-" if method not in texts else f"**{texts[method]}**" if found[method]["log_loss"] == least else texts[method]
                 for method in METHODS]
        lines.append(f"| {name} | {found['rows']:,}, {found['columns']}, {found['classes']} | " + " | ".join(cells) + " |")
    return lines


def detail(one):
    area = f"{one['auc']:.3f}" if "auc" in one else "-"
    return f"{one['accuracy']:.3f} / {area} / {one['ece']:.3f}; {one['seconds_per_fold']:.1f}"


def details(summary):
    lines = ["| accuracy / area / calibration error; s | " + " | ".join(METHODS.values()) + " |", "|---|" + "---|" * len(METHODS)]
    for name, found in summary.items():
        lines.append(f"| {name} | " + " | ".join(detail(found[method]) if method in found else "-" for method in METHODS) + " |")
    return lines


def verdict(summary):
    counts = []
    for method, title in list(METHODS.items())[1:]:
        both = [found for found in summary.values() if method in found and "postrider" in found]
        if both:
            lower = sum(found["postrider"]["log_loss"] < found[method]["log_loss"] for found in both)
            counts.append(f"{title}'s on {lower} of {len(both)}")
    worst = max(found["postrider"]["ece"] for found in summary.values() if "postrider" in found)
    return ["", f"Our log-loss is lower than {', '.join(counts)} sets; our largest calibration error is {worst:.3f}."]


def main():
    options = parser_of(HERE, __doc__).parse_args()
    ours, peers = (json.loads((options.results / f"{name}.json").read_text()) for name in ("ours", "peers"))
    summary = joined(ours, peers)
    write_page(options.docs / "real-data.md", {"tabular": [*losses(summary), "", *details(summary), *verdict(summary)]})


if __name__ == "__main__":
    main()
