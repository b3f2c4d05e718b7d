#!/usr/bin/env python3
"""Writes the UCI tables of docs/real-data.md, docs/results and docs/design/trials.md, and their figures, from the result files.

Needs numpy and matplotlib. Usage: experiments/uci/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, panels, save  # noqa: E402
from pages import parser_of, write_page  # noqa: E402
from peer_tables import few_rows_table, peers_table, peers_verdict, seconds_table, tuned_table  # noqa: E402

NAMES = {"bostonHousing": "boston", "naval-propulsion-plant": "naval", "power-plant": "power",
         "protein-tertiary-structure": "protein", "wine-quality-red": "wine",
         "bike-random": "bike, random rows", "bike-time": "bike, last fifth in time"}
OTHERS = {"pbp": "PBP", "tagi": "TAGI", "dropout_2016": "MC dropout '16", "dropout_2018": "MC dropout '18",
          "ensembles": "deep ensembles"}


MISSING = ["Not measured yet."]


def name_of(key):
    return NAMES.get(key, key)


def digits(value):
    return 4 if abs(value) < 0.2 else 3


def pair(found, error=True):
    rmse, ll = found["rmse"], found["ll"]
    places = digits(rmse)
    if not error:
        return f"{rmse:.{places}f} / {ll:.2f}"
    return f"{rmse:.{places}f} ({found['rmse_se']:.{places}f}) / {ll:.3f} ({found['ll_se']:.3f})"


def comparison(summary):
    lines = ["| set | rows | Postrider, defaults | constant noise | plain | one layer of 50 | " + " | ".join(OTHERS.values()) + " | DVI, LL |",
             "|---|---|---|---|---|---|" + "---|" * (len(OTHERS) + 1)]
    for key, found in summary.items():
        anchors = found["anchors"]
        others = " | ".join(f"{anchors[other]['rmse']:g} / {anchors[other]['ll']:g}" for other in OTHERS)
        tried = " | ".join(pair(found[other]) if other in found else "-" for other in ("constant_noise", "plain", "one_layer"))
        lines.append(f"| {name_of(key)} | {found['rows']:,} | **{pair(found)}** | {tried} | {others} "
                     f"| {anchors['dvi_ll']:g} |")
    return lines


def verdicts(summary):
    def count(holds):
        texts = []
        for pick in (lambda found: found, lambda found: found.get("plain")):
            tried = {key: found for key, found in summary.items() if pick(found)}
            sets = [name_of(key) for key, found in tried.items() if holds(pick(found), found["anchors"])]
            texts.append(f"{len(sets)} of {len(tried)} ({', '.join(sets) or 'none'})")
        return " | ".join(texts)
    lines = ["| better in | than | defaults, on | plain, on |", "|---|---|---|---|"]
    for other, name in OTHERS.items():
        lines.append(f"| RMSE and LL | {name} | " + count(
            lambda found, anchors, other=other: found["rmse"] < anchors[other]["rmse"] and found["ll"] > anchors[other]["ll"]) + " |")
        lines.append(f"| LL | {name} | " + count(lambda found, anchors, other=other: found["ll"] > anchors[other]["ll"]) + " |")
    lines.append("| LL | DVI | " + count(lambda found, anchors: found["ll"] > anchors["dvi_ll"]) + " |")
    lines.append("| LL | DVI, homoscedastic | " + count(lambda found, anchors: found["ll"] > anchors["dvi_homoscedastic_ll"]) + " |")
    return lines


def details(summary):
    lines = ["| set | networks, weights | epochs, kept | after 1 epoch | after 5 | CRPS | calibration error | processor seconds per split |",
             "|---|---|---|---|---|---|---|---|"]
    for key, found in summary.items():
        lines.append(f"| {name_of(key)} | {found['members']:.0f}, {found['weights']:.0f} | {found['epochs']:.0f}, {found['best_epoch']:.0f} "
                     f"| {pair(found['epochs_1'], False)} | {pair(found['epochs_5'], False)} | {found['crps']:.{digits(found['crps'])}f} "
                     f"| {found['calibration_error']:+.3f} | {found['seconds_per_split']:.2f} |")
    return lines


def shapes_table(shapes):
    lines = ["| set | layers | 10 units | 50 | 200 | 1000 |", "|---|---|---|---|---|---|"]
    for key, found in shapes.items():
        for depth in (1, 2, 3, 4):
            cells = []
            for width in (10, 50, 200, 1000):
                one = found[f"{depth}_layers_of_{width}"]
                cells.append(f"{one['rmse']:.2f} / {one['ll']:.2f} ({one['ll_se']:.2f}); {one['weights']:.0f}")
            lines.append(f"| {name_of(key)} | {depth} | " + " | ".join(cells) + " |")
    return lines


def trials_table(trials):
    sets = list(next(iter(trials.values())))
    base = trials["defaults"]
    lines = ["| change | " + " | ".join(name_of(key) for key in sets) + " | s per split, all |", "|---|" + "---|" * (len(sets) + 1)]
    for name, found in trials.items():
        cells = []
        for key in sets:
            one = found[key]
            text = f"{one['rmse']:.{digits(one['rmse'])}f} / {one['ll']:.3f}"
            if name != "defaults":
                text += f" ({one['ll'] - base[key]['ll']:+.3f})"
            cells.append(text)
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {sum(found[key]['seconds_per_split'] for key in sets):.1f} |")
    return lines


def missing_table(missing):
    names = {"vague": "vague", "mean": "mean", "vague_indicators": "vague, indicators", "mean_indicators": "mean, indicators"}
    lines = ["| set | " + " | ".join(names.values()) + " |", "|---|" + "---|" * len(names)]
    for key, found in missing.items():
        if key != "share":
            lines.append(f"| {name_of(key)} | " + " | ".join(pair(found[name]) for name in names) + " |")
    return lines


def coverage_table(coverage):
    lines = ["| set | splits | conformal: rows held | width | beliefs: rows held | width |", "|---|---|---|---|---|---|"]
    for key, found in coverage.items():
        cells = [f"{100 * found[way]['0.9']['coverage']:.1f} % | {found[way]['0.9']['width']:.3f}" for way in ("conformal", "beliefs")]
        lines.append(f"| {name_of(key)} | {found['splits']} | " + " | ".join(cells) + " |")
    return lines


LEAST_ROWS, LOW, HIGH = 200, 0.86, 0.94  # of test rows in a category, and of the share that its intervals of 90 % should hold


def groups_table(groups):
    lines = ["| set | narrowest third | middle | widest | categories of at least 200 test rows | of them between 86 and 94 % | lowest, highest |", "|---|---|---|---|---|---|---|"]
    inside = counted = 0
    for key, found in groups.items():
        thirds = [one["coverage"] for one in found if one["group"].endswith(" third")]
        shares = [one["coverage"] for one in found if not one["group"].endswith(" third") and one["rows"] >= LEAST_ROWS]
        held = sum(LOW <= share <= HIGH for share in shares)
        inside, counted = inside + held + sum(LOW <= share <= HIGH for share in thirds), counted + len(shares) + len(thirds)
        ends = f"{100 * min(shares):.1f} %, {100 * max(shares):.1f} %" if shares else "-"
        lines.append(f"| {name_of(key)} | " + " | ".join(f"{100 * share:.1f} %" for share in thirds) + f" | {len(shares)} | {held} | {ends} |")
    return [*lines, "", f"Of these {counted} groups {inside} are between 86 and 94 %."]


def widening_figure(widening):
    figure, axes = panels(1, height=3.6)
    axis = axes[0][0]
    for (key, found), colour in zip(((k, v) for k, v in widening.items() if k != "factors"), (BLUE, ORANGE, GREEN, PURPLE)):
        axis.fill_between(widening["factors"], found["lower_quartile"], found["upper_quartile"], color=colour, alpha=0.15, lw=0)
        axis.plot(widening["factors"], found["median"], color=colour, marker="o", ms=3, label=name_of(key))
    axis.axhline(1, color=GREY, lw=1, ls=":")
    axis.set(yscale="log", xlabel="distance of the rows from the centre of the training rows, in their own",
             ylabel="predictive deviation, in that of the test rows")
    axis.legend()
    return figure


def likelihood_figure(summary):
    """Log-likelihoods against PBP's, in nats."""
    figure, axes = panels(1, height=3.8)
    axis = axes[0][0]
    sets = list(summary)
    marks = {"tagi": ("v", GREY), "dropout_2016": ("s", ORANGE), "dropout_2018": ("D", PURPLE), "ensembles": ("^", GREEN)}
    for other, (mark, colour) in marks.items():
        axis.plot([summary[key]["anchors"][other]["ll"] - summary[key]["anchors"]["pbp"]["ll"] for key in sets], mark,
                  color=colour, ms=6, label=OTHERS[other], alpha=0.8)
    axis.errorbar(range(len(sets)), [summary[key]["ll"] - summary[key]["anchors"]["pbp"]["ll"] for key in sets],
                  yerr=[summary[key]["ll_se"] for key in sets], fmt="o", color=BLUE, ms=7, capsize=3, label="Postrider, defaults")
    plain = [key for key in sets if "plain" in summary[key]]
    axis.errorbar([sets.index(key) + 0.15 for key in plain],
                  [summary[key]["plain"]["ll"] - summary[key]["anchors"]["pbp"]["ll"] for key in plain],
                  yerr=[summary[key]["plain"]["ll_se"] for key in plain], fmt="o", color=BLUE, mfc="white", ms=7, capsize=3,
                  label="Postrider, plain")
    axis.axhline(0, color=BLACK, lw=1)
    axis.set(xticks=range(len(sets)), ylabel="log-likelihood above PBP's, nats")
    axis.set_xticklabels([name_of(key) for key in sets], rotation=20)
    axis.legend(fontsize=8)
    return figure


def main():
    options = parser_of(HERE, __doc__).parse_args()

    def read(name):
        path = options.results / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def lines(table, result):
        return table(result) if result else MISSING

    summary, shapes, widening, missing, coverage, trials, peers, tuned, few_rows, groups = (
        read(name) for name in ("summary", "shapes", "widening", "missing", "coverage", "trials", "peers", "tuned", "few_rows", "groups"))
    save(likelihood_figure(summary), options.docs / "figures" / "uci_likelihood.png")
    save(widening_figure(widening), options.docs / "figures" / "uci_widening.png")
    write_page(options.docs / "real-data.md",
               {"uci": comparison(summary), "uci verdicts": verdicts(summary), "uci details": details(summary)})
    write_page(options.docs / "results" / "conditions.md",
               {"uci shapes": lines(shapes_table, shapes), "uci missing": lines(missing_table, missing)})
    write_page(options.docs / "results" / "boosted-trees.md",
               {"uci peers": lines(lambda found: [*peers_table(found, summary, name_of), "", *peers_verdict(found, summary, name_of)], peers),
                "uci peers seconds": lines(lambda found: seconds_table(found, summary, name_of), peers),
                "uci tuned": lines(lambda found: tuned_table(found, name_of), tuned),
                "uci few rows": lines(lambda found: few_rows_table(found, name_of), few_rows)})
    write_page(options.docs / "network" / "intervals.md", {"uci coverage": lines(coverage_table, coverage), "uci groups": lines(groups_table, groups)})
    write_page(options.docs / "design" / "trials.md", {"trials": lines(trials_table, trials)})


main()
