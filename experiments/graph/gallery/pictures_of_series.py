"""Pictures of docs/graph/gallery: likelihoods, persons and players, series. Each takes the names of its page's program."""

import numpy as np
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE
from pictures_of_lines import band, panels
from scipy.special import expit


def logistic(n):
    figure, axis = panels()
    grid = np.linspace(0, 6, 61)
    low, high = n["score"].interval(0.9)
    band(axis, grid, (expit(low), expit(high)), mean=expit(n["score"].mean))
    axis.plot(grid, expit(1.5 * (grid - 3)), color=BLACK, lw=1, label="truth")
    axis.plot(n["hours"], n["passed"], "|", color=ORANGE, ms=12, label="who passed, and who did not")
    axis.set(xlabel="hours of learning", ylabel="probability to pass")
    axis.legend(loc="upper left", bbox_to_anchor=(0, 0.9))
    return figure


def binomial(n):
    figure, axis = panels()
    grid = np.linspace(-1.2, 1.0, 101)
    for k, (level, slope) in enumerate(n["draws"][:60]):
        axis.plot(grid, expit(level + slope * grid), color=BLUE, lw=0.6, alpha=0.35, label="" if k else "draws of the belief")
    axis.plot(n["dose"], n["died"] / 5, "o", color=ORANGE, ms=7, label="share that died")
    axis.set(xlabel="logarithm of the dose", ylabel="probability to die")
    axis.legend(loc="upper left")
    return figure


def counts_regression(n):
    figure, (left, right) = panels(2)
    grid = np.linspace(-2.5, 2.5, 61)
    left.plot(n["x"], n["y"], ".", color=ORANGE, ms=6, label="counts")
    left.plot(grid, np.exp(1 + 0.5 * grid), color=BLACK, lw=1, label="true mean")
    left.set(xlabel="x", ylabel="count")
    left.legend(loc="upper left")
    for place, (slope, _) in enumerate(n["found"].values()):
        right.errorbar(slope.mean, place, xerr=1.64 * slope.sd, fmt="o", color=BLUE, lw=2, label="" if place else "belief, 90 %")
    right.axvline(0.5, color=BLACK, lw=1, ls="--", label="truth")
    right.set(xlabel="slope", yticks=[0, 1], yticklabels=["Poisson", "negative\nbinomial"], ylim=(-0.5, 2.0))
    right.legend(loc="upper right")
    return figure


def student_t(n):
    figure, axis = panels()
    axis.plot(n["x"], n["y"], ".", color=BLACK, ms=6, label="rows")
    for (name, belief), colour in zip(n["lines"].items(), (GREY, BLUE), strict=True):
        band(axis, n["x"], belief, colour=colour, label=f"{name}, 90 % interval")
    axis.set(xlabel="x", ylabel="y")
    axis.legend(loc="upper right")
    return figure


def ordinal(n):
    figure, axis = panels()
    edges = np.concatenate([np.zeros((1, 101)), n["below"], np.ones((1, 101))])
    for level, colour in enumerate((GREY, ORANGE, GREEN, BLUE)):
        axis.plot(n["grid"], edges[level + 1] - edges[level], color=colour, label=f"level {level}")
    axis.set(xlabel="x", ylabel="probability of the level", ylim=(0, 1))
    axis.legend(loc="upper center", ncols=2)
    return figure


def items(n):
    figure, axes = panels(2)
    for axis, belief, truth, name in zip(axes, (n["person"], n["item"]), (n["ability"], n["difficulty"]), ("ability", "difficulty"),
                                         strict=True):
        axis.errorbar(truth, belief.mean, yerr=1.64 * belief.sd, fmt=".", color=BLUE, lw=0.7, label="belief, 90 %")
        ends = [truth.min(), truth.max()]
        axis.plot(ends, ends, color=BLACK, lw=1, label="equal")
        axis.set(xlabel=f"true {name}", ylabel=f"believed {name}")
        axis.legend(loc="upper left")
    return figure


def factors(n):
    figure, axes = panels(3, sharey=True)
    ends = {"vmin": -4, "vmax": 4, "cmap": "RdBu_r", "aspect": "auto"}
    shown = (n["truth"], np.where(n["seen"], n["y"], np.nan), n["guess"])
    for axis, values, title in zip(axes, shown, ("truth", "what was seen", "belief"), strict=True):
        image = axis.imshow(values, **ends)
        axis.set(title=title, xlabel="column")
        axis.grid(False)
    axes[0].set(ylabel="row", yticks=[0, 5, 10, 15])
    figure.colorbar(image, ax=axes, label="value")
    return figure


def skills(n):
    figure, axis = panels()
    order = np.argsort(-n["skill"].mean(axis=0))
    for player, colour, name in zip(order[[0, 7, 14]], (BLUE, GREEN, ORANGE), ("strong", "middling", "weak"), strict=True):
        mean, sd = n["belief"].mean[:, player], n["belief"].sd[:, player]
        band(axis, np.arange(10), (mean - 1.64 * sd, mean + 1.64 * sd), colour=colour, label="", mean=mean)
        axis.plot(n["skill"][:, player], color=colour, lw=1, ls="--", label=f"a {name} player: truth dashed, belief")
    axis.set(xlabel="week", ylabel="skill")
    axis.set_ylim(top=axis.get_ylim()[1] + 2)
    axis.legend(loc="upper left")
    return figure


def groups(n):
    figure, axis = panels()
    belief = n["belief"]
    place = np.arange(12)
    axis.errorbar(place, belief.mean, yerr=1.64 * belief.sd, fmt=".", color=BLUE, lw=1.2, label="belief, 90 %")
    axis.plot(place, n["effect"], "x", color=ORANGE, mew=2, label="truth")
    axis.set(xlabel="rows of the group", ylabel="effect", xticks=place, xticklabels=n["size"])
    axis.legend(loc="best", ncols=2)
    return figure


def counts(n):
    figure, axis = panels()
    series(axis, (np.exp(n["low"]), np.exp(n["high"])), np.exp(n["log_rate"]), None, n["y"],
           ("true rate", "counts", "step", "count"), label="rate, 90 % interval")
    return figure


def volatility(n):
    figure, axis = panels()
    series(axis, (n["low"], n["high"]), np.exp(0.5 * n["log_variance"]), None, np.abs(n["returns"]),
           ("true standard deviation", "absolute returns", "day", "size of returns"), label="standard deviation, 90 % interval")
    return figure


def hidden_markov(n):
    figure, (top, bottom) = panels_above_each_other()
    top.plot(n["y"], ".", color=ORANGE, ms=4, label="vibration")
    top.set(ylabel="vibration")
    top.legend(loc="upper right", ncols=2)
    top.set_ylim(top=7)
    bottom.fill_between(np.arange(150), n["state"], step="mid", color=GREY, alpha=0.3, lw=0, label="truly worn")
    bottom.plot(n["belief"].probabilities[:, 1], color=BLUE, lw=1.5, label="probability of worn")
    bottom.set(xlabel="step", ylabel="probability", ylim=(0, 1.5), yticks=[0, 0.5, 1])
    bottom.legend(loc="upper right", ncols=2)
    return figure


def panels_above_each_other():
    from figures import plt

    return plt.subplots(2, 1, figsize=(7.0, 3.8), sharex=True)


def change_point(n):
    figure, axis = panels()
    axis.bar(n["years"], n["y"], color=GREY, width=0.8, label="disasters")
    rate = n["posterior"][n["before"]].mean * (1 - n["passed"]) + n["posterior"][n["after"]].mean * n["passed"]
    axis.plot(n["years"], rate, color=BLUE, lw=1.5, label="believed rate")
    other = axis.twinx()
    other.plot(n["years"], n["passed"], color=PURPLE, lw=1.2, ls="--", label="probability that it is over")
    other.set(ylabel="probability", ylim=(0, 1.05))
    other.grid(False)
    axis.set(xlabel="year", ylabel="disasters in a year")
    handles = [*axis.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
    axis.legend(handles, [handle.get_label() for handle in handles], loc="upper right", bbox_to_anchor=(1, 0.9))
    return figure


def switching_noise(n):
    figure, axis = panels()
    t = np.arange(120)
    band(axis, t, n["belief"])
    axis.plot(t, n["level"], color=BLACK, lw=1, label="the level")
    points = axis.scatter(t, n["y"], c=n["bad"], cmap="YlOrRd", s=14, edgecolors=GREY, linewidths=0.4, label="readings")
    axis.set(xlabel="step", ylabel="level")
    axis.legend(ncols=3, loc="best")
    figure.colorbar(points, ax=axis, label="probability of bad")
    return figure
