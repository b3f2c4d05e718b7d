#!/usr/bin/env python3
"""Draws the figures of the paper's experiments and writes the tables of docs/paper.md.

Needs numpy and matplotlib. Usage: experiments/paper/draw.py [--results DIR] [--docs DIR]
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import save  # noqa: E402
from pages import write_block  # noqa: E402
import ep_tables  # noqa: E402
from ep_figures import propagation  # noqa: E402
from paper_figures import calibration, channels, convergence, hinton, predictions  # noqa: E402
from paper_tables import STUDIES, large_curve, properness, study_table, summary_table  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=HERE.parents[1] / "docs")
    options = parser.parse_args()

    def read(name):
        return json.loads((options.results / f"{name}.json").read_text())

    results = {name: read(name) for name in STUDIES}
    figures = options.docs / "figures"
    save(predictions(results), figures / "paper_predictions.png")
    save(channels(results["large"]), figures / "paper_channels.png")
    save(calibration(results), figures / "paper_calibration.png")
    save(convergence(results), figures / "paper_convergence.png")
    save(hinton(results["small"]), figures / "paper_hinton.png")
    ep = read("ep")
    save(propagation(ep, results), figures / "paper_ep.png")

    blocks = {"summary": summary_table(read("summary")), "properness": properness(results),
              "large curve": large_curve(results["large"])}
    for name, result in results.items():
        for seeds in ("many", "few"):
            blocks[f"{name} {seeds}"] = study_table(result, seeds)
    blocks.update(ep_tables.blocks(ep))
    page = options.docs / "paper.md"
    text = page.read_text()
    for name, lines in blocks.items():
        text = write_block(text, name, lines)
    page.write_text(text)
    print(page)


main()
