"""Pictures of docs/graph/gallery/conjugate.md. Each takes the names of its section's program."""

import numpy as np
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, plt
from pictures_of_lines import panels


def pages_alike(n):
    figure, axis = panels()
    order = np.argsort(n["shown"])
    low, high = n["posterior"][n["p"]].interval(0.9)
    at = np.arange(len(order))
    axis.vlines(at, low[order], high[order], color=BLUE, lw=3, alpha=0.4, label="belief, 90 %")
    axis.plot(at, n["posterior"][n["p"]].mean[order], "o", color=BLUE, ms=4)
    axis.plot(at, (n["ordered"] / n["shown"])[order], "x", color=ORANGE, ms=6, label="share that ordered")
    axis.plot(at, n["truth"][order], "_", color=BLACK, ms=9, mew=1.5, label="truth")
    axis.axhline(float(n["posterior"][n["mean"]].mean), color=GREY, lw=1, ls="--", label="what pages have in common")
    axis.set(xlabel="pages, from those that were shown least", ylabel="probability of an order", xticks=[], ylim=(-0.02, 1.3 * high.max()))
    axis.legend(loc="upper right", ncol=2)
    return figure


def symbols(n):
    figure, axis = panels()
    belief = n["posterior"][n["q"]]
    for answer, colour in enumerate((BLUE, ORANGE, GREEN, PURPLE)):
        at = np.arange(6) + 0.15 * (answer - 1.5)
        axis.vlines(at, n["low"][:, answer], n["high"][:, answer], color=colour, lw=3, alpha=0.4)
        axis.plot(at, belief.mean[:, answer], "o", color=colour, ms=5, label=f"answer {answer + 1}")
    names = [f"group {k + 1}\n{total} asked" for k, total in enumerate(n["answers"].sum(axis=1))]
    axis.set(ylabel="probability, 90 % interval", xticks=range(6), xticklabels=names, ylim=(0, 1))
    axis.legend(loc="upper right", ncol=4)
    return figure


def accidents(n):
    figure, axis = panels()
    order = np.argsort(n["years"])
    at = np.arange(len(order))
    axis.vlines(at, n["low"][order], n["high"][order], color=BLUE, lw=3, alpha=0.4, label="belief, 90 %")
    axis.plot(at, n["posterior"][n["rate"]].mean[order], "o", color=BLUE, ms=4)
    axis.plot(at, (n["seen"] / n["years"])[order], "x", color=ORANGE, ms=6, label="accidents per year seen")
    axis.plot(at, n["truth"][order], "_", color=BLACK, ms=9, mew=1.5, label="truth")
    axis.set(xlabel="roads, from those that were watched least", ylabel="accidents per year", xticks=[], ylim=(0, 1.15 * n["high"].max()))
    axis.legend(loc="upper right", ncol=3)
    return figure


def topics(n):
    figure, axes = plt.subplots(2, 10, figsize=(9.0, 2.4))
    # Rows first, then columns: by which line of the picture each topic is nearest to.
    order = np.argsort((n["words"] @ n["lines"].T).argmax(axis=1), kind="stable")
    for k, (above, below) in enumerate(axes.T):
        for axis, values in ((above, n["words"][order[k]]), (below, n["counts"][k])):
            axis.imshow(values.reshape(5, 5), cmap="Blues", vmin=0)
            axis.set(xticks=[], yticks=[])
            axis.grid(visible=False)
    axes[0, 0].set_ylabel("topics")
    axes[1, 0].set_ylabel("documents")
    return figure
