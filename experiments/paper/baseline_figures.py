"""The figures of the gradient baselines, from result files."""
import numpy as np
from matplotlib.colors import Normalize

from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, panels
from paper_figures import COLOURS, LABELS, band, limits

RATES = {"adam_0.001": ("Adam 0.001", GREEN), "adam_0.01": ("Adam 0.01", ORANGE), "adam_0.1": ("Adam 0.1", PURPLE),
         "adam_1": ("Adam 1", GREY)}
DECAYS = {"adam_0.1": ("Adam 0.1", GREY), "adamw_0.1_0.01": ("AdamW 0.1, decay 0.01", GREEN),
          "adamw_0.1_0.1": ("decay 0.1", PURPLE), "adamw_0.1_1": ("decay 1", ORANGE), "adamw_0.1_10": ("decay 10", BLACK),
          "adamw_0.01_1": ("AdamW 0.01, decay 1", ORANGE), "adamw_1_1": ("AdamW 1, decay 1", BLACK)}
LARGE = {**RATES, "adamw_0.1_0.1": ("AdamW 0.1, decay 0.1", BLACK)}
CLIP = 8.0  # as in the paper's figures


def curves(axis, arms, names, steps, study, title):
    """Medians over seeds, and DMA's; values above CLIP are drawn there."""
    for key, (label, colour) in names.items():
        curve = arms[f"{steps}_{key}"]["curve"]["median"]
        dotted = key in ("adamw_0.01_1", "adamw_1_1")
        axis.plot(np.arange(1, len(curve) + 1), np.minimum(curve, CLIP), color=colour, ls=":" if dotted else "-", lw=1.5, label=label)
    mine = study["fresh_conditioned_paper"]["curve"]["median"]
    axis.plot(np.arange(1, len(mine) + 1), np.minimum(mine, CLIP), color=BLUE, lw=2.2, label="DMA, conditioned")
    axis.axhline(study["training_floor"], color=BLACK, lw=1, ls="--")
    axis.set(title=title, xlabel="epoch", xscale="log", yscale="symlog", ylim=(study["training_floor"] - 0.1, 1.1 * CLIP))
    axis.set_yticks([-0.5, 0, 0.5, 1, 2, 4, 8], ["-0.5", "0", "0.5", "1", "2", "4", "8"])


def point(axis, shown, arm, colour, label, output="0"):
    x, mean, deviation = (np.array(values) for values in (shown["x"], arm["mean"][output], arm["deviation"][output]))
    axis.fill_between(x, mean - 2 * deviation, mean + 2 * deviation, color=colour, alpha=0.2, lw=0)
    axis.plot(x, mean, color=colour, lw=1.8, label=label)


def background(axis, shown, output="0"):
    axis.plot(shown["x"], shown["truth"][output], color=BLACK, lw=1.2, ls="--", label="true function")
    axis.plot(shown["training_x"], shown["training_y"][output], "x", color=GREY, ms=3, zorder=0, label="training examples")
    for edge in (shown["low"], shown["high"]):
        axis.axvline(edge, color=GREY, lw=1, ls=":")
    axis.set(xlim=(shown["x"][0], shown["x"][-1]), ylim=limits(shown, output), xlabel="x")


def adam(results, names, prediction):
    """Training curves by both readings, and the point prediction on the first seed."""
    figure, axes = panels(3, height=3.4)
    result, study = results["adam"], results["small"]
    curves(axes[0][0], result["arms"], names, "batches", study, f"batches of 20, {result['few_seeds']} seeds")
    curves(axes[0][1], result["arms"], names, "full", study, f"all rows at once, {result['few_seeds']} seeds")
    axes[0][0].set_ylabel("training NLL")
    axes[0][0].legend(fontsize=7, loc="upper right")
    background(axes[0][2], study["shown"])
    key, label = prediction
    point(axes[0][2], study["shown"], result["arms"][f"batches_{key}"]["shown"], PURPLE, label)
    axes[0][2].set_title("first seed, batches")
    axes[0][2].legend(fontsize=7, loc="lower left")
    return figure


def mismatch(results):
    figure, axes = panels(2, height=3.2)
    shown, arms = results["mismatch"]["shown"], results["mismatch_adam"]["arms"]
    band(axes[0][0], shown, "conditioned")
    axes[0][0].set(title="DMA, conditioned", ylim=limits(shown), xlabel="x", ylabel="y")
    background(axes[0][1], shown)
    point(axes[0][1], shown, arms["batches_adam_0.1"]["shown"], ORANGE, "Adam 0.1")
    point(axes[0][1], shown, arms["batches_adamw_0.1_0.1"]["shown"], PURPLE, "AdamW 0.1, decay 0.1")
    axes[0][1].set_title("point estimates, two deviations of the noise")
    axes[0][1].legend(fontsize=8)
    return figure


def large_curves(results):
    figure, axes = panels(2, height=3.4)
    result, study = results["large_adam"], results["large"]
    curves(axes[0][0], result["arms"], LARGE, "batches", study, f"batches of 15, {result['few_seeds']} seeds")
    curves(axes[0][1], result["arms"], LARGE, "full", study, f"all rows at once, {result['few_seeds']} seeds")
    axes[0][0].set_ylabel("training NLL per output")
    axes[0][0].set_ylim(study["training_floor"] - 0.15, 1.1 * CLIP)
    axes[0][1].set_ylim(study["training_floor"] - 0.15, 1.1 * CLIP)
    axes[0][0].legend(fontsize=7, loc="upper left", bbox_to_anchor=(0, 0.95))
    return figure


def large_channels(results):
    shown, arms = results["large"]["shown"], results["large_adam"]["arms"]
    outputs = sorted(shown["truth"])
    figure, axes = panels(len(outputs), rows=2, height=2.6)
    for axis, output in zip(axes[0], outputs):
        band(axis, shown, "conditioned", output)
        axis.set(ylim=limits(shown, output), title=f"output {int(output) + 1}")
    for axis, output in zip(axes[1], outputs):
        background(axis, shown, output)
        point(axis, shown, arms["batches_adam_0.01"]["shown"], PURPLE, "Adam 0.01", output)
    axes[0][0].set_ylabel("DMA, conditioned")
    axes[1][0].set_ylabel("Adam 0.01, batches")
    return figure


def laplace(results):
    figure, axes = panels(3, height=3.3)
    study, result = results["small"], results["laplace"]
    shown = study["shown"]
    band(axes[0][0], shown, "conditioned")
    axes[0][0].set(title="DMA, conditioned", ylim=limits(shown), xlabel="x", ylabel="y")
    background(axes[0][1], shown)
    point(axes[0][1], shown, result["arms"]["printed_prior"]["shown"], PURPLE, "mean, two deviations")
    axes[0][1].set_title("diagonal Laplace, printed prior")
    coverage(axes[0][2], study, {"diagonal Laplace, printed prior": (result["arms"]["printed_prior"], PURPLE),
                                 "diagonal Laplace, DMA's prior": (result["arms"]["own_prior"], GREEN)})
    return figure


def coverage(axis, study, arms):
    axis.plot((0, 1), (0, 1), color=GREY, lw=1, ls="--")
    for rule, colour in COLOURS.items():
        axis.plot(study["levels"], study[f"fresh_{rule}_paper"]["coverage"]["pooled"], color=colour, label=f"DMA, {LABELS[rule]}")
    for label, (arm, colour) in arms.items():
        axis.plot(study["levels"], arm["coverage"]["pooled"], color=colour, label=label)
        axis.plot(study["levels"], arm["first_seed"]["coverage"], color=colour, lw=0.8, ls=":")
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title="all seeds; dotted: first seed", xlabel="probability of the interval",
             ylabel="share of true values inside")
    axis.legend(fontsize=7, loc="upper left")


def ivon_sweep(sweep):
    """Lowest training NLL of each setting: rates downwards, one block of columns per delta."""
    runs = list(sweep["by_curvature"][f"{sweep['default_curvature']:g}"]["runs"].values())
    rates, betas, deltas = (sorted({run[key] for run in runs}) for key in ("rate", "beta2", "delta"))
    figure, axes = panels(len(deltas), height=3.6)
    for axis, delta in zip(axes[0], deltas):
        grid = np.full((len(rates), len(betas)), np.nan)
        for run in runs:
            if run["delta"] == delta and run["least_nll"] is not None:
                grid[rates.index(run["rate"]), betas.index(run["beta2"])] = run["least_nll"]
        image = axis.imshow(grid, cmap="viridis_r", norm=Normalize(-0.4, 3), aspect="auto")
        for run in runs:
            if run["delta"] == delta:
                place = (betas.index(run["beta2"]), rates.index(run["rate"]))
                low = run["least_nll"]
                text = "-" if low is None else f"{low:.1f}" if low < 100 else ">99"
                ends = run["final_nll"] is not None and run["final_nll"] < sweep["converged_below"]
                axis.text(*place, text, ha="center", va="center", fontsize=6.5, color="white" if low is not None and low > 1.3 else BLACK,
                          fontweight="bold" if ends else "normal")
        axis.set_xticks(range(len(betas)), [f"{beta:g}" for beta in betas], fontsize=6.5, rotation=30)
        axis.set_yticks(range(len(rates)), [f"{rate:g}" for rate in rates] if delta == deltas[0] else [])
        axis.set(title=f"δ = {delta:g}", xlabel="β₂")
        axis.grid(False)
    axes[0][0].set_ylabel("rate")
    figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8, label="lowest training NLL")
    return figure


def ivon(results):
    figure, axes = panels(3, height=3.3)
    sweep, study, result = results["ivon_sweep"], results["small"], results["ivon"]
    floor = study["training_floor"]
    lowest = min(min(value for value in run["curve"] if value is not None) for run in sweep["by_rate"].values())
    base = min(floor, lowest) - 0.05
    for (rate, run), colour in zip(sweep["by_rate"].items(), (GREEN, ORANGE, PURPLE)):
        values = np.array([np.nan if value is None else value for value in run["curve"]])
        axes[0][0].plot(np.arange(1, len(values) + 1), values - base, color=colour, lw=1.2,
                        label=f"rate {rate}, β₂ {run['beta2']:g}, δ {run['delta']:g}")
    mine = np.array(study["fresh_conditioned_paper"]["curve"]["median"])
    axes[0][0].plot(np.arange(1, len(mine) + 1), mine - base, color=BLUE, lw=2, label="DMA, conditioned, median seed")
    axes[0][0].axhline(floor - base, color=BLACK, lw=1, ls="--", label="the data's own")
    axes[0][0].set(yscale="log", xlabel="epoch", ylabel=f"training NLL + {-base:.2f}", title="IVON, first seed")
    axes[0][0].legend(fontsize=6.5)
    # The paper's setting diverges on this seed.
    for axis, key, title in ((axes[0][1], "best", "best of our sweep"), (axes[0][2], "best_long", "the same")):
        background(axis, study["shown"])
        point(axis, study["shown"], result["arms"][key]["shown"], PURPLE, "mean, two deviations")
        axis.set_title(f"{title}, {result['arms'][key]['epochs']} epochs")
    return figure
