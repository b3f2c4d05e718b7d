#!/usr/bin/env python3
"""Writes the tables and pictures of docs/decisions and docs/results/optimisation.md from the result files. Needs numpy and matplotlib.

    experiments/decisions/draw.py
"""

import json
import pathlib
import sys

import matplotlib.ticker
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, panels, save  # noqa: E402

FIGURES = HERE.parents[1] / "docs" / "figures"
PAGES = HERE.parents[1] / "docs"


def put(page, marker, lines):
    path = PAGES / page
    begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
    text = path.read_text()
    before, rest = text.split(begin)
    path.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def optimise():
    results = json.loads((HERE / "results" / "optimise.json").read_text())
    runs, methods = results["runs"], ("postrider", "gaussian process", "botorch", "tpe", "random")
    names = list(dict.fromkeys(key.split("/")[0] for key in runs))
    found = {(name, method): np.array([run["regret"] for key, run in runs.items() if key.startswith(f"{name}/{method}/")])
             for name in names for method in methods}
    lines = [f"Simple regret after {results['calls']} evaluations, of pools after 200: the mean over seeds and its standard error (number of seeds in brackets).",
             "", "| function | " + " | ".join(methods) + " |", "|---" * (1 + len(methods)) + "|"]
    for name in names:
        cells = []
        for method in methods:
            ends = found[name, method][:, -1] if len(found[name, method]) else []
            error = f" ± {np.std(ends, ddof=1) / np.sqrt(len(ends)):.2g}" if len(ends) > 1 else ""
            cells.append(f"{np.mean(ends):.3g}{error} ({len(ends)})" if len(ends) else "-")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    if results["seconds"]:
        lines += ["", "Seconds of a suggestion, and of one with a fit; of scikit-learn's Gaussian process, the first with lengths that are known.", "",
                  "| observations | suggestion | with a fit | gaussian process | with a fit |", "|---|---|---|---|---|"]
        for n, ours in sorted(results["seconds"].items(), key=lambda each: int(each[0])):
            theirs = ours.get("gaussian process", {})
            lines.append(f"| {n} | {ours['suggestion']} | {ours['with a fit']} | {theirs.get('suggestion', '-')} | {theirs.get('with a fit', '-')} |")
    if results.get("beliefs"):
        lines += beliefs_of(results["beliefs"])
    put("results/optimisation.md", "optimise", lines)
    colours = dict(zip(methods, (BLUE, ORANGE, GREEN, BLACK, GREY), strict=True))
    figure, axes = panels(3, 4, 2.4)
    for axis, name in zip(np.ravel(axes), names, strict=False):
        for method in methods:
            curves = found[name, method]
            if len(curves):
                steps = np.arange(1, curves.shape[1] + 1) * (10 if name.endswith("pool") else 5)
                axis.plot(steps, np.maximum(curves.mean(axis=0), 1e-6), color=colours[method], label=method, lw=1.6)
        axis.set(title=name, yscale="log", xlabel="evaluations")
    for axis in np.ravel(axes)[len(names):]:
        axis.axis("off")
    np.ravel(axes)[0].set_ylabel("regret")
    np.ravel(axes)[0].legend(fontsize=7)
    save(figure, FIGURES / "decisions_optimisation.png")


def beliefs_of(found):
    """From how many observations on the networks are the better choice."""
    counts = sorted({int(key.split("/")[1]) for key in found})
    lines = ["", "Error on 500 other rows, in standard deviations of the target, and seconds on a core that had other work: the process / networks, as the optimiser uses them.", "",
             "| pool | " + " | ".join(f"{n} rows" for n in counts) + " |", "|---" * (1 + len(counts)) + "|"]
    for name in dict.fromkeys(key.split("/")[0] for key in found):
        cells = []
        for count in counts:
            runs = [run for key, run in found.items() if key.startswith(f"{name}/{count}/")]
            if not runs:
                cells.append("-")
                continue
            both = [(np.mean([run[kind]["error"] for run in runs]), np.mean([run[kind]["seconds"] for run in runs]))
                    for kind in ("process", "networks")]
            cells.append(f"{both[0][0]:.3f} / {both[1][0]:.3f}; {both[0][1]:.1f} / {both[1][1]:.1f} s")
        lines.append(f"| {name.removesuffix(' pool')} | " + " | ".join(cells) + " |")
    return lines


def draws():
    results = json.loads((HERE / "results" / "draws.json").read_text())
    names = dict.fromkeys(key.split("/")[0] for key in results["sets"])
    sets = len(results["sets"]) // len(names)
    lines = [f"Share of {sets} sets of rows for each function whose truth lay within the central 90 % of 200 drawn functions.", "",
             "| function | drawn | maximum over a grid | difference of two rows |", "|---|---|---|---|"]
    for key, found in results["coverage"].items():
        name, way = key.split(", ")
        lines.append(f"| {name} | {way} | {found['maximum']:.2f} | {found['difference']:.2f} |")
    put("decisions/functions.md", "draws", lines)


def active():
    results = json.loads((HERE / "results" / "active.json").read_text())
    ways, runs, median = results["ways"], results["runs"], results["median share of rows"]
    sets = list(ways["random"])
    told = lambda each: "never" if each["rows"] is None else str(each["rows"])  # noqa: E731
    lines = ["Labelled rows needed to reach the error that the same learner reaches with 400 rows at random, by the mean error over seeds "
             "(their number in brackets).", "", "| rows chosen by | " + " | ".join(sets) + " | median share |", "|---" * (2 + len(sets)) + "|"]
    for way, found in ways.items():
        cells = [f"{told(found[name])} ({found[name]['seeds']})" if name in found else "-" for name in sets]
        lines.append(f"| {way} | " + " | ".join(cells) + f" | {median[way]:.2f} |")
    put("decisions/active.md", "active", lines)
    colours = {"random": GREY, "largest std": ORANGE, "select_rows": BLUE, "gaussian process, variance": GREEN}
    figure, axes = panels(len(sets))
    for name, axis in zip(sets, np.ravel(axes), strict=True):
        for way, colour in colours.items():
            found = [run["errors"] for key, run in runs.items() if key.startswith(f"{name}/{way}/")]
            if found:
                errors = np.mean(found, axis=0)
                axis.plot(results["batch"] * np.arange(1, len(errors) + 1), errors, color=colour, label=way.removesuffix(", variance"))
        axis.axhline(ways["random"][name]["error of random rows"], color=BLACK, linewidth=0.6, linestyle=":")
        axis.set(title=name, xlabel="labelled rows", yscale="log")
        # Few numbers as people write them, not powers of ten.
        axis.yaxis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 3, 5)))
        axis.yaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
        axis.yaxis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    np.ravel(axes)[0].set_ylabel("root mean square error")
    np.ravel(axes)[0].legend(fontsize=7, loc="upper right", handlelength=0.8, borderaxespad=0)
    save(figure, FIGURES / "decisions_active.png")


def bandits():
    results = json.loads((HERE / "results" / "bandits.json").read_text())
    ways, sets = ("thompson", "greedy", "linear thompson"), results["sets"]
    lines = [f"Regret after {results['steps']} decisions, mean over seeds and its standard error (number of seeds in brackets).", "",
             "| set | " + " | ".join(ways) + " | thompson / greedy | thompson / linear |", "|---" * (3 + len(ways)) + "|"]
    for name, found in sets.items():
        cells = [f"{found[way]['regret']:g} ± {found[way]['std error']} ({found[way]['seeds']})" for way in ways]
        ratios = [f"{found[f'thompson over {other}']:.2f}" for other in ways[1:]]
        lines.append(f"| {name} | " + " | ".join(cells + ratios) + " |")
    put("decisions/bandits.md", "bandits", lines)
    figure, axes = panels(len(sets))
    for name, axis in zip(sets, np.ravel(axes), strict=True):
        for way, colour in zip(ways, (BLUE, GREY, ORANGE), strict=True):
            found = np.mean([run["regret"] for key, run in results["runs"].items() if key.startswith(f"{name}/{way}/")], axis=0)
            axis.plot(results["steps"] / len(found) * np.arange(1, len(found) + 1), found, color=colour, label=way)
        axis.set(title=name, xlabel="decisions")
    np.ravel(axes)[0].set_ylabel("regret")
    np.ravel(axes)[0].legend(fontsize=7)
    save(figure, FIGURES / "decisions_bandits.png")


if __name__ == "__main__":
    for page in (optimise, draws, active, bandits):
        if (HERE / "results" / (page.__name__ + ".json")).exists():
            page()
