#!/usr/bin/env python3
"""Draws the validation figures from the result files and writes the numbers into docs/validation.md.

Needs numpy and matplotlib. Usage: experiments/validation/draw.py [--results DIR] [--docs DIR]
"""
import json
import math
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from figures import BLACK, BLUE, GREY, ORANGE, panels, save  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

EXACT, DIRECT, CONDITIONED, BOUND = GREY, BLUE, ORANGE, BLACK


def gaussian(x, mean, deviation):
    return np.exp(-0.5 * ((x - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def master_theorem(data):
    figure, ((left, right),) = panels(2)
    delta, marginal = np.array(data["message_kl"]), np.array(data["marginal_kl"])
    left.loglog(delta, data["bound"], "x", color=BOUND, ms=4, label="bound of the configuration")
    points = left.scatter(delta, marginal, c=data["snr"], s=16, cmap="viridis", zorder=3,
                          label="marginal KL")
    figure.colorbar(points, ax=left, label="signal-to-noise ratio r")
    left.set(xlabel="message KL  $\\delta$", ylabel="KL", title="Every marginal stays under its bound")
    left.legend(loc="lower right")
    order = np.argsort(data["ratio"])
    right.plot(np.array(data["ratio"])[order], ".", color=DIRECT, ms=4)
    right.axhline(1, color=BOUND, ls="--", lw=1)
    right.set(xlabel="configuration, sorted", ylabel="marginal KL / bound", ylim=(0, 1.08),
              title=f"{data['configurations']} ratios, largest {data['max_ratio']:.2f}")
    return figure


def tightness(data):
    figure, (axes,) = panels(3, height=3.2)
    for axis, (name, key, label) in zip(axes, [
            ("snr_sweep", "snr", "signal-to-noise ratio r"), ("slope_sweep", "slope", "slope a"),
            ("width_sweep", "width_x", "width of the message from X")]):
        sweep = data[name]
        axis.semilogy(sweep[key], sweep["bound"], "--", color=BOUND, label="bound")
        axis.semilogy(sweep[key], sweep["marginal_kl"], color=DIRECT, label="marginal KL")
        axis.set(xlabel=label, title=f"largest ratio {sweep['max_ratio']:.2f}")
    axes[0].set_ylabel("KL")
    axes[0].legend()
    return figure


def snr(data):
    figure, ((left, right),) = panels(2, height=3.8)
    for axis, key, title in ((left, "product", "product, to x"),
                             (right, "relu", "leaky ReLU, to x")):
        curve = data[key]
        r = np.array(curve["snr"])
        conditioned = np.maximum(np.array(curve["conditioned_kl"]), 1e-9)
        axis.loglog(r, curve["direct_kl"], color=DIRECT, label="direct, quadrature")
        axis.loglog(r, conditioned, color=CONDITIONED, label="conditioned, quadrature")
        axis.loglog(r, curve["sampled_direct_kl"], "o", color=EXACT, ms=3.5,
                    label="direct, importance sampling")
        axis.loglog(r, curve["sampling_floor"], ":", color=EXACT, label="floor of the sampling")
        level = data[f"{key}_level"]
        axis.loglog(r, level / r**2, "--", color=BOUND, lw=1, label=f"{level:.3g}$/r^2$")
        exponent = data[f"{key}_exponent"]
        axis.set(xlabel="signal-to-noise ratio r", ylim=(1e-7, 1),
                 title=f"{title}: $r^{{{exponent:.2f}}}$ for r in [12, 100]")
    left.set_ylabel("KL of the marginal")
    left.legend(fontsize=8, loc="lower left")
    right.legend(right.get_lines()[-1:], [f"{data['relu_level']:.3g}$/r^2$"], fontsize=8,
                 loc="lower left")
    return figure


def copy(data):
    figure, ((left, right),) = panels(2, height=3.6)
    for axis, key, labels in ((left, "step_one", ("mean of log y", "deviation of log y")),
                              (right, "step_two", ("mean of x", "deviation of x"))):
        step = data[key]
        x, y = np.array(step["mean"]), np.array(step["deviation"])
        kl = np.array(step["kl"]).reshape(len(y), len(x))
        axis.grid(False)
        mesh = axis.pcolormesh(x, y, np.log10(kl), cmap="magma", shading="auto")
        figure.colorbar(mesh, ax=axis, label="$\\log_{10}$ KL")
        axis.set(xlabel=labels[0], ylabel=labels[1])
    left.set_title("step 1: log-normal to Gaussian")
    right.set_title("step 2: Gaussian to log-normal")
    grid_x, grid_y = np.meshgrid(x, y)
    lines = right.contour(grid_x, grid_y, grid_x / grid_y, levels=[2, 4, 8, 16, 32], colors="white",
                          linestyles="--", linewidths=0.8)
    right.clabel(lines, fmt="r = %g", fontsize=7)
    return figure


def draw_marginal(axis, marginal, name):
    edges, density = np.array(marginal["bin_edges"]), np.array(marginal["sampled_density"])
    axis.stairs(density, edges, fill=True, color=EXACT, alpha=0.6, label="exact (sampled)")
    spread = edges[-1] - edges[0]
    x = np.linspace(edges[0] - 0.1 * spread, edges[-1] + 0.1 * spread, 400)
    for rule, color in (("direct", DIRECT), ("conditioned", CONDITIONED)):
        if rule in marginal:
            belief = marginal[rule]
            axis.plot(x, gaussian(x, belief["mean"], belief["deviation"]), color=color,
                      label=f"{rule}, KL {belief['kl']:.3f}")
    top = max(density.max(), *(gaussian(0, 0, marginal[rule]["deviation"]) for rule in
                               ("direct", "conditioned") if rule in marginal))
    axis.set(xlabel=name, ylim=(0, 1.5 * top), yticks=[])  # room for the legend
    axis.legend(fontsize=8, loc="upper left")


def product_marginals(data):
    figure, axes = panels(3, rows=2, height=2.9)
    for row, scenario in zip(axes, ("nominal", "stress")):
        for axis, name in zip(row, "xyz"):
            draw_marginal(axis, data[scenario][name], name)
        row[0].set_ylabel(scenario)
    return figure


def relu_marginals(data):
    figure, ((left, right),) = panels(2, height=3.2)
    draw_marginal(left, data["nominal"]["x"], "x")
    draw_marginal(right, data["nominal"]["y"], "y")
    left.set_title("backward marginal")
    right.set_title(f"forward marginal, slope {data['slope']}")
    return figure


FIGURES = [master_theorem, tightness, snr, copy, product_marginals, relu_marginals]
EVENTS = ["linearised", "vanished", "overflowed", "contradicted", "held"]


def claims_table(results):
    master, tight, rate, step, proper = (
        results[name] for name in ("master_theorem", "tightness", "snr", "copy", "properness"))
    rows = [
        ("master theorem, violations in " + str(master["configurations"]), "0",
         str(master["violations"])),
        ("master theorem, largest ratio", "0.97", f"{master['max_ratio']:.3f}"),
        ("tightness, largest ratio of the three sweeps", "0.68", f"{tight['max_ratio']:.3f}"),
        ("product to x, exponent of r in [12, 100]", "-2", f"{rate['product_exponent']:.3f}"),
        ("product to x, KL r² levels off at", "-", f"{rate['product_level']:.3f}"),
        ("leaky ReLU to x, exponent of r in [12, 100]", "-2", f"{rate['relu_exponent']:.3f}"),
        ("sampling against quadrature, where it resolves", "-",
         f"within {100 * max(rate['product_sampling_gap'], rate['relu_sampling_gap']):.1f} %"),
        ("copy factor, leading constant", "0.75", f"{step['leading_constant']:.6f}"),
        ("messages tried for properness", "-", f"{proper['evaluations']:,}"),
        ("negative precisions among them", "0", str(proper["negative_precisions"])),
        ("NaN among them", "-", str(proper["nans"])),
    ]
    lines = ["| quantity | paper | here |", "|---|---|---|"]
    return lines + [f"| {name} | {paper} | {here} |" for name, paper, here in rows]


def guards_table(results):
    lines = ["| factor | messages | " + " | ".join(EVENTS) + " |", "|---|---|" + "---|" * len(EVENTS)]
    for name, counts in results["properness"]["guards"].items():
        shares = [f"{100 * counts.get(event, 0) / counts['evaluations']:.3g} %" for event in EVENTS]
        lines.append(f"| {name} | {counts['evaluations']:,} | " + " | ".join(shares) + " |")
    return lines


def main():
    options = parser_of(HERE, __doc__).parse_args()
    results = {path.stem: json.loads(path.read_text()) for path in options.results.glob("*.json")}
    for draw in FIGURES:
        save(draw(results[draw.__name__]), options.docs / "figures" / f"{draw.__name__}.png")
    write_page(options.docs / "validation.md", {"claims": claims_table(results), "guards": guards_table(results)})


main()
