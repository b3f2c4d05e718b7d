"""The figures of the paper's experiments, from result files."""
import pathlib
import sys

import numpy as np
from matplotlib.patches import Rectangle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from figures import BLACK, BLUE, GREY, ORANGE, panels  # noqa: E402

COLOURS = {"direct": ORANGE, "conditioned": BLUE}
LABELS = {"direct": "direct, the paper's", "conditioned": "conditioned"}


def band(axis, shown, rule, output="0"):
    colour = COLOURS[rule]
    x, mean, deviation = (np.array(values) for values in
                          (shown["x"], shown[rule]["mean"][output], shown[rule]["deviation"][output]))
    axis.fill_between(x, mean - 2 * deviation, mean + 2 * deviation, color=colour, alpha=0.2, lw=0)
    axis.plot(x, mean, color=colour, lw=1.8, label="mean, two deviations")
    axis.plot(x, shown["truth"][output], color=BLACK, lw=1.2, ls="--", label="true function")
    axis.plot(shown["training_x"], shown["training_y"][output], "x", color=GREY, ms=3, zorder=0,
              label="training examples")
    for edge in (shown["low"], shown["high"]):
        axis.axvline(edge, color=GREY, lw=1, ls=":")
    axis.set(xlim=(x[0], x[-1]))


def limits(shown, output="0"):
    """From the truth and the examples: one wide band must not flatten the rest."""
    values = shown["truth"][output] + shown["training_y"][output]
    room = 0.3 * (max(values) - min(values))
    return min(values) - room, max(values) + room


def predictions(results):
    """The network of 83 weights and the mismatch, both rules side by side."""
    figure, axes = panels(2, rows=2, height=3.0)
    for row, (result, title) in zip(axes, ((results["small"], "83 weights"),
                                           (results["mismatch"], "mismatch"))):
        shown = result["shown"]
        for axis, rule in zip(row, COLOURS):
            band(axis, shown, rule)
            axis.set(title=f"{title}; {LABELS[rule]}; {shown[rule]['epochs']} epochs", ylim=limits(shown))
        row[0].set_ylabel("y")
    for axis in axes[1]:
        axis.set_xlabel("x")
    axes[0][0].legend(fontsize=8, loc="lower left")
    return figure


def channels(large):
    shown = large["shown"]
    outputs = sorted(shown["truth"])
    figure, axes = panels(len(outputs), rows=2, height=2.6)
    for row, rule in zip(axes, COLOURS):
        for axis, output in zip(row, outputs):
            band(axis, shown, rule, output)
            axis.set(ylim=limits(shown, output))
            if rule == "direct":
                axis.set_title(f"output {int(output) + 1}")
        row[0].set_ylabel(f"{LABELS[rule]}\n{shown[rule]['epochs']} epochs")
    for axis in axes[-1]:
        axis.set_xlabel("x")
    return figure


def calibration(results):
    figure, axes = panels(3, height=3.3)
    titles = {"small": "83 weights", "mismatch": "mismatch", "large": "1932 weights"}
    for axis, (name, title) in zip(axes[0], titles.items()):
        result = results[name]
        axis.plot((0, 1), (0, 1), color=GREY, lw=1, ls="--")
        for rule, colour in COLOURS.items():
            cover = result[f"fresh_{rule}_paper"]["coverage"]
            axis.fill_between(result["levels"], cover["lower_quartile"], cover["upper_quartile"], color=colour,
                              alpha=0.15, lw=0)
            axis.plot(result["levels"], cover["pooled"], color=colour, label=LABELS[rule])
        axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=f"{title}, {result['many_seeds']} seeds",
                 xlabel="probability of the interval")
    axes[0][0].set_ylabel("share of true values inside")
    axes[0][0].legend(fontsize=8, loc="upper left")
    return figure


def convergence(results):
    figure, axes = panels(3, height=3.2)
    titles = {"small": "83 weights", "mismatch": "mismatch", "large": "1932 weights"}
    for axis, (name, title) in zip(axes[0], titles.items()):
        result = results[name]
        for rule, colour in COLOURS.items():
            curve = result[f"fresh_{rule}_paper"]["curve"]
            epochs = np.arange(1, len(curve["median"]) + 1)
            axis.fill_between(epochs, curve["lower_quartile"], curve["upper_quartile"], color=colour, alpha=0.2, lw=0)
            axis.plot(epochs, curve["median"], color=colour, label=LABELS[rule])
        floor = result["training_floor"]
        axis.axhline(floor, color=BLACK, lw=1, ls="--", label="lowest possible")
        published = result["published"].get("training_nll")
        if published:
            axis.axhline(published["value"], color=GREY, lw=1, ls="-.", label="the paper, at its end")
        top = max(max(result[f"fresh_{rule}_paper"]["curve"]["upper_quartile"][2:]) for rule in COLOURS)
        axis.set(title=f"{title}, {result['few_seeds']} seeds", xlabel="epoch", xlim=(1, epochs[-1]),
                 ylim=(floor - 0.05 * (top - floor), top))
    axes[0][0].set_ylabel("training NLL")
    low, high = axes[0][2].get_ylim()
    axes[0][2].set_ylim(low, high + 0.4 * (high - low))  # room for the legend
    axes[0][2].legend(fontsize=8, loc="upper right")
    return figure


def hinton(small):
    """One square per weight: its area the mean's size, its opacity how certain the weight is."""
    shown = small["shown"]
    widths = [int(width) for width in shown["widths"]]
    largest = max(max(map(abs, shown[rule]["weight_mean"])) for rule in COLOURS)
    widest = max(max(shown[rule]["weight_deviation"]) for rule in COLOURS)
    figure, axes = panels(len(widths) - 1, rows=2, height=2.7)
    axes[0][0].get_gridspec().set_width_ratios(widths[:-1])
    for row, rule in zip(axes, COLOURS):
        start = 0
        for layer, axis in enumerate(row):
            inputs, units = widths[layer], widths[layer + 1]
            for k in range(inputs * units):
                mean, deviation = (shown[rule][key][start + k] for key in ("weight_mean", "weight_deviation"))
                side = np.sqrt(abs(mean) / largest)
                unit, place = divmod(k, inputs)
                axis.add_patch(square(place, unit, side, ORANGE if mean < 0 else BLUE,
                                                 1 - 0.85 * deviation / widest))
            start += inputs * units
            axis.set(xlim=(-0.7, inputs - 0.3), ylim=(units - 0.3, -0.7), aspect="equal", xticks=range(inputs),
                     yticks=range(units), title=f"layer {layer + 1}" if rule == "direct" else "")
            axis.grid(False)
            axis.set_xlabel("input" if rule == "conditioned" else "")
        row[0].set_ylabel(f"{LABELS[rule]}\nunit")
    return figure


def square(x, y, side, colour, opacity):
    return Rectangle((x - side / 2, y - side / 2), side, side, facecolor=colour, alpha=opacity, lw=0)
