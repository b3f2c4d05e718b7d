"""The figure on expectation propagation, from its result file."""
import numpy as np

from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, panels

PANELS = {"small_fresh": "83 weights", "mismatch_fresh": "mismatch", "large_fresh": "1932 weights"}
EDGES = {"product_to_weight": ("product to weight", GREEN), "product_to_input": ("product to input", PURPLE),
         "relu_to_input": ("ReLU to its input", BLACK)}
CURVES = {"direct": ("direct, the paper's", ORANGE, "-"), "conditioned": ("conditioned", BLUE, "-"),
          "keep": ("EP, keep", GREEN, "--"), "skip": ("EP, skip", BLACK, "--"),
          "skip_damped": ("EP, skip, damped", GREY, "--"), "clip": ("EP, clip to 1e-3", PURPLE, "--")}


def shares(axis, found):
    for method, style in (("keep", ":"), ("skip", "-")):
        for edge, (label, colour) in EDGES.items():
            values = 100 * np.array(found["methods"][method]["sites"][edge]["share_by_epoch"])
            axis.plot(np.arange(1, len(values) + 1), values, style, color=colour, label=f"{label}, {method}",
                      marker=".", ms=4)


def scores(axis, found, floor):
    for method, (label, colour, style) in CURVES.items():
        curve = np.array(found["methods"][method]["curve"]["median"])
        axis.semilogy(np.arange(1, len(curve) + 1), curve - floor, style, color=colour, label=label)
    axis.set(xlabel="epoch")


def propagation(ep, results):
    figure, axes = panels(len(PANELS), rows=2, height=3.3)
    for (problem, title), top, bottom in zip(PANELS.items(), *axes):
        shares(top, ep[problem])
        scores(bottom, ep[problem], results[problem.split("_")[0]]["training_floor"])
        top.set(title=f"{title}, {ep[problem]['seeds']} seeds")
        for axis in (top, bottom):
            axis.set_xlim(1, ep[problem]["epochs_run"])
        top.set_ylim(bottom=0)
    axes[0][0].set_ylabel("negative precision, % of messages")
    axes[1][0].set_ylabel("training NLL above the lowest possible")
    low, high = axes[0][-1].get_ylim()
    axes[0][-1].set_ylim(low, 1.9 * high)  # room for the legend
    axes[0][-1].legend(fontsize=7, loc="upper right")
    axes[1][1].legend(fontsize=7, loc="upper right")
    return figure
