#!/usr/bin/env python3
"""Writes the numbers of docs/python/gallery.md from those that the scripts left beside their figures.

  for script in first_prediction regression_bands classification_calibration active_learning thompson_bandit; do
    examples/python/$script.py --out docs/figures/python
  done
  examples/python/page.py
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures" / "python"
sys.path.insert(0, str(ROOT / "experiments" / "common"))
from pages import write_page  # noqa: E402


def regression(data):
    lines = ["| x | standard deviation stated | noise of the data |", "|---|---|---|"]
    lines += [f"| {place} | {deviation:.2f} | {data['noise_at'][place]:.2f} |"
              for place, deviation in data["deviation_at"].items()]
    return lines + ["", f"Of 2000 new observations where there were rows, {100 * data['coverage_of_90']:.1f} % lie in the interval of 90 %."]


def classification(data):
    lines = ["| classifier | accuracy | log-loss | calibration error |", "|---|---|---|---|"]
    return lines + [f"| {name} | {row['accuracy']:.3f} | {row['log_loss']:.3f} | {row['calibration_error']:.3f} |"
                    for name, row in data.items()]


def active(data):
    lines = ["| labels chosen | RMSE before | half-way | at the end |", "|---|---|---|---|"]
    for name in ("select_rows", "largest deviation", "at random"):
        row = data[name]
        middle = len(row["rmse"]) // 2
        cells = " | ".join(f"{row['rmse'][i]:.3f} ({row['error'][i]:.3f})" for i in (0, middle, -1))
        lines.append(f"| {name.replace('deviation', 'standard deviation').replace('select_rows', '`select_rows`')} | {cells} |")
    return lines + ["", f"Means over {data['seeds']} seeds (standard error), {data['labels']} labels at the end."]


def bandit(data):
    lines = ["| player | regret |", "|---|---|"]
    lines += [f"| {name} | {row['mean']:.0f} ({row['error']:.0f}) |" for name, row in data["regret"].items()]
    return lines + ["", f"After {data['steps']} choices; means over {data['seeds']} seeds (standard error)."]


def main():
    parts = {"regression_bands": regression, "classification_calibration": classification,
             "active_learning": active, "thompson_bandit": bandit}
    write_page(ROOT / "docs/python/gallery.md",
               {name: table(json.loads((FIGURES / f"{name}.json").read_text())) for name, table in parts.items()})


main()
