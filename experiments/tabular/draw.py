#!/usr/bin/env python3
"""Joins results/ours.json and results/peers.json in results/summary.json, and writes the tables of the tabular sets in
docs/results from it, from results/memory.json and from results/bike.json.

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
MISSING = ["Not measured yet."]
# Goals for the log-loss, and for the calibration error of every set.
AIMS = {"adult": 0.278, "spambase": 0.133, "letter": 0.115, "german-credit": 0.505, "covertype-15k": 0.365}
AIM_OF_CALIBRATION = 0.015


def whole(entry):
    """The figures of all folds together."""
    return {key: value for key, value in entry.items() if key != "runs"} if isinstance(entry, dict) else entry


def joined(ours, peers):
    """By set: its size, ours, and the peers that have all folds; others are not comparable."""
    summary = {}
    for name in (name for name in TABULAR if name in peers):
        done = {key: whole(one) for key, one in peers[name].items() if not isinstance(one, dict) or one["splits"] == FOLDS}
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
    return ["", f"Our log-loss is lower than {', '.join(counts)} sets."]


def aims(summary):
    lines = ["", "What we aimed at. The calibration error by chance is the mean of what labels drawn from our own probabilities would have.", "",
             "| set | log-loss | aim | calibration error | aim | by chance | processor time, to HistGradientBoosting's |", "|---|---|---|---|---|---|---|"]
    for name, found in ((name, found) for name, found in summary.items() if "ece_by_chance" in found.get("postrider", {})):
        ours, boosted = found["postrider"], found.get("hist_gradient_boosting")
        times = f"{ours['seconds_per_fold'] / boosted['seconds_per_fold']:.0f} times" if boosted else "-"
        loss = f"{ours['log_loss']:.4f} | {AIMS[name]}, {'reached' if ours['log_loss'] <= AIMS[name] else 'missed'}"
        calibration = f"{ours['ece']:.4f} | {AIM_OF_CALIBRATION}, {'reached' if ours['ece'] <= AIM_OF_CALIBRATION else 'missed'}"
        lines.append(f"| {name} | {loss} | {calibration} | {ours['ece_by_chance']:.4f} | {times} |")
    return lines


def memory_table(memory):
    lines = ["| set | largest resident set | goal | log-loss of the first fold |", "|---|---|---|---|"]
    for name, found in memory.items():
        loss = f"{found['log_loss']:.4f}" if "log_loss" in found else ""
        lines.append(f"| {name} | {found['peak_megabytes']:.0f} MB | {found['at_most_megabytes']} MB | {loss} |")
    return lines


def bike_table(bike):
    titles = {"random": "a fifth of the hours, drawn at random", "time": "the last fifth in time"}
    lines = ["| rows to predict | RMSE | aim | log-likelihood | held by intervals of 90 % | smallest prediction | smallest bound |",
             "|---|---|---|---|---|---|---|"]
    for key, found in bike.items():
        aim = f"{found['rmse_at_most']}, {'reached' if found['rmse'] <= found['rmse_at_most'] else 'missed'}"
        lines.append(f"| {titles[key]} | {found['rmse']:.1f} ± {found['rmse_se']:.1f} | {aim} | {found['log_likelihood']:.3f} "
                     f"| {100 * found['held_by_90']:.1f} % | {found['least_prediction']:.2f} | {found['least_bound']:.2f} |")
    return lines


def read(path):
    return json.loads(path.read_text()) if path.exists() else None


def main():
    options = parser_of(HERE, __doc__).parse_args()
    ours, peers, memory, bike = (read(options.results / f"{name}.json") for name in ("ours", "peers", "memory", "bike"))
    summary = joined(ours, peers)
    (options.results / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    pages = options.docs / "results"
    write_page(pages / "classification.md", {"tabular": [*losses(summary), "", *details(summary), *verdict(summary), *aims(summary)],
                                             "tabular memory": memory_table(memory)})
    write_page(pages / "boosted-trees.md", {"tabular bike": bike_table(bike) if bike else MISSING})


if __name__ == "__main__":
    main()
