#!/usr/bin/env python3
"""Draws the figures of the paper's experiments and writes the tables of docs/paper.md.

Needs numpy and matplotlib. Usage: experiments/paper/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import baseline_figures  # noqa: E402
import baseline_tables  # noqa: E402
from figures import save  # noqa: E402
from pages import parser_of, write_page  # noqa: E402
import ep_tables  # noqa: E402
from ep_figures import propagation  # noqa: E402
from paper_figures import calibration, channels, convergence, hinton, predictions  # noqa: E402
from paper_tables import STUDIES, large_curve, properness, study_table, summary_table  # noqa: E402


BASELINES = ("adam", "mismatch_adam", "large_adam", "laplace", "ivon_sweep", "ivon")


def draw_baselines(results, figures):
    save(baseline_figures.adam(results, baseline_figures.RATES, ("adam_0.1", "Adam 0.1")), figures / "paper_adam.png")
    save(baseline_figures.adam(results, baseline_figures.DECAYS, ("adamw_0.1_0.1", "AdamW 0.1, decay 0.1")),
         figures / "paper_adamw.png")
    save(baseline_figures.mismatch(results), figures / "paper_mismatch_adam.png")
    save(baseline_figures.large_curves(results), figures / "paper_large_adam.png")
    save(baseline_figures.large_channels(results), figures / "paper_large_adam_channels.png")
    save(baseline_figures.laplace(results), figures / "paper_laplace.png")
    save(baseline_figures.ivon_sweep(results["ivon_sweep"]), figures / "paper_ivon_sweep.png")
    save(baseline_figures.ivon(results), figures / "paper_ivon.png")


def baseline_blocks(results):
    summary = {name: results[name]["summary"] for name in BASELINES if "summary" in results[name]}
    return {
        "baseline summary": baseline_tables.baseline_summary(summary),
        "methods": baseline_tables.method_table(results),
        "adam": baseline_tables.adam_table(results["adam"], summary["adam"], results["small"], "extrapolation_nll"),
        "mismatch adam": baseline_tables.adam_table(results["mismatch_adam"], summary["mismatch_adam"], results["mismatch"],
                                                    "extrapolation_nll", mean=True),
        "large adam": baseline_tables.adam_table(results["large_adam"], summary["large_adam"], results["large"], "training_nll",
                                                 extra=("extrapolation_nll", "extrapolation NLL")),
        "laplace": baseline_tables.laplace_table(results["laplace"], results["small"]),
        "ivon sweep": baseline_tables.sweep_lines(results["ivon_sweep"]),
        "ivon": baseline_tables.ivon_table(results["ivon"]),
    }


def main():
    options = parser_of(HERE, __doc__).parse_args()

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
    results.update({name: read(name) for name in BASELINES})
    results["ep"] = ep
    draw_baselines(results, figures)
    blocks.update(baseline_blocks(results))
    write_page(options.docs / "paper.md", blocks)


main()
