"""Pictures of docs/graph/gallery: lines, functions, places, and what hyperparameters are. Each takes the names of its page's program."""

import numpy as np
from figures import BLACK, BLUE, GREEN, GREY, ORANGE, plt

SIZE = (7.0, 3.2)


def panels(columns=1, **settings):
    figure, axes = plt.subplots(1, columns, figsize=SIZE, **settings)
    return figure, axes


def band(axis, x, belief_or_ends, colour=BLUE, label="90 % interval", mean=None):
    low, high = belief_or_ends.interval(0.9) if hasattr(belief_or_ends, "interval") else belief_or_ends
    mean = belief_or_ends.mean if hasattr(belief_or_ends, "interval") else mean
    axis.fill_between(x, np.ravel(low), np.ravel(high), color=colour, alpha=0.2, lw=0, label=label)
    if mean is not None:
        axis.plot(x, np.ravel(mean), color=colour, lw=1.5)


def series(axis, belief_or_ends, truth, seen, data, labels, **of_band):
    """A band over steps, the truth as a line, data as points at the steps `seen` (all of them: None); labels of these two, and of the axes."""
    steps = np.arange(len(data) if truth is None else len(truth))
    band(axis, steps, belief_or_ends, **of_band)
    line, points, x, y = labels
    if truth is not None:
        axis.plot(steps, truth, color=BLACK, lw=1, label=line)
    axis.plot(steps if seen is None else seen, data, ".", color=ORANGE, ms=4, label=points)
    axis.set(xlabel=x, ylabel=y)
    axis.legend(loc="best", fontsize=8)


def regression(n):
    figure, (left, right) = panels(2)
    left.plot(n["draws"][:, 1], n["draws"][:, 2], ".", ms=2, color=BLUE, alpha=0.5, label="draws of the belief")
    left.plot(2, -1, "x", color=ORANGE, ms=9, mew=2, label="truth")
    left.set(xlabel="first weight", ylabel="second weight")
    left.legend(loc="upper right")
    right.hist(n["draws"][:, 1], bins=30, color=GREY, alpha=0.6, label="first weight")
    right.hist(n["draws"][:, 1] + n["draws"][:, 2], bins=30, color=BLUE, alpha=0.6, label="sum of both")
    right.set(xlabel="value", ylabel="draws of 1000")
    right.legend(loc="upper right")
    return figure


def random_walk(n):
    figure, axis = panels()
    series(axis, n["belief"], n["level"], n["seen"], n["y"], ("the level", "readings", "step", "level"))
    return figure


def constant_velocity(n):
    figure, axis = panels()
    mean, sd = n["belief"].mean, n["belief"].sd
    axis.plot(*n["path"][:, :2].T, color=BLACK, lw=1, label="path")
    axis.plot(*n["y"].T, ".", color=ORANGE, ms=5, label="readings")
    axis.errorbar(mean[::3, 0], mean[::3, 1], xerr=1.64 * sd[::3, 0], yerr=1.64 * sd[::3, 1], color=BLUE, fmt=".", lw=0.8, ms=4,
                  label="belief, 90 %")
    axis.set(xlabel="east", ylabel="north")
    axis.legend(loc="best")
    return figure


def hidden_autoregression(n):
    figure, axis = panels()
    band(axis, np.arange(80), n["belief"])
    axis.plot(n["truth"], color=BLACK, lw=1, label="the series")
    axis.plot(n["y"], ".", color=ORANGE, ms=5, label="readings")
    axis.axvline(59.5, color=GREY, lw=1, ls="--", label="the forecast begins")
    axis.set(xlabel="step", ylabel="value")
    axis.set_ylim(top=axis.get_ylim()[1] + 2.5)
    axis.legend(ncols=2, loc="upper left")
    return figure


def poses(n):
    figure, axes = panels(2, sharex=True, sharey=True)
    for axis, found, label in zip(axes, (n["by_steps"], n["belief"].mean), ("steps alone", "loops closed"), strict=True):
        axis.plot(*n["truth"].T, color=GREY, lw=1, label="truth")
        axis.plot(*found.T, ".-", color=BLUE, ms=4, lw=0.8, label=label)
        axis.set(xlabel="east", aspect="equal")
        axis.legend(loc="center")
    axes[0].set_ylabel("north")
    return figure


def scattered_process(n):
    figure, axis = panels()
    grid = np.linspace(0, 10, 101)
    band(axis, grid, n["belief"])
    axis.plot(grid, np.sin(grid), color=BLACK, lw=1, label="truth")
    axis.plot(n["t"], n["y"], ".", color=ORANGE, ms=6, label="readings")
    axis.set(xlabel="x", ylabel="f(x)")
    axis.legend(ncols=3, loc="upper center")
    axis.set_ylim(top=2.2)
    return figure


def grid_process(n):
    figure, axes = panels(3)
    size = n["n"]
    mean, sd = n["belief"].mean.reshape(size, size), n["belief"].sd.reshape(size, size)
    truth = n["truth"].reshape(size, size)
    ends = {"vmin": truth.min(), "vmax": truth.max(), "cmap": "RdBu_r"}
    for axis, values, title, how in zip(axes, (truth, mean, sd), ("truth", "mean", "standard deviation"), (ends, ends, {"cmap": "Greys"}),
                                        strict=True):
        image = axis.imshow(values, **how)
        axis.set(title=title, xlabel="column")
        axis.grid(False)
        figure.colorbar(image, ax=axis, shrink=0.7, location="bottom")
    rows, columns = np.divmod(n["seen"], size)
    axes[2].plot(columns, rows, ".", color=ORANGE, ms=3)
    axes[0].set_ylabel("row")
    return figure


def unknown_noise(n):
    figure, (left, right) = panels(2)
    band(left, n["grid"], n["line"])
    left.plot(n["x"], n["y"], ".", color=ORANGE, ms=6, label="rows")
    left.set(xlabel="x", ylabel="y")
    left.legend(loc="upper left")
    distribution(right, n["posterior"][n["noise"]], "noise", 0.8)
    return figure


def distribution(axis, belief, name, truth=None, **settings):
    """The belief of a hyperparameter by its quantiles, and what is true."""
    levels = np.concatenate([[0.002, 0.005], np.linspace(0.01, 0.99, 50), [0.995, 0.998]])
    at = np.array([float(belief.quantile(level)) for level in levels])
    axis.plot(at, levels, color=BLUE, lw=1.5, label="belief", **settings)
    if truth is not None:
        axis.axvline(truth, color=ORANGE, ls="--", lw=1.2, label="truth")
    axis.set(xlabel=name, ylabel=f"probability that {name} is less", ylim=(0, 1))
    axis.legend(loc="lower right")


def eight_schools(n):
    figure, (left, right) = panels(2)
    place = np.arange(8)
    belief = n["posterior"][n["theta"]]
    low, high = belief.interval(0.9)
    left.errorbar(place - 0.12, n["y"], yerr=1.64 * n["s"], fmt=".", color=GREY, lw=1, label="measured, 90 %")
    left.errorbar(place + 0.12, belief.mean, yerr=[belief.mean - low, high - belief.mean], fmt=".", color=BLUE, lw=1.5, label="belief, 90 %")
    left.set(xlabel="school", ylabel="effect of coaching", xticks=place, ylim=(-35, 75))
    left.legend(loc="upper right")
    distribution(right, n["posterior"][n["tau"]], "tau")
    return figure


def local_level(n):
    figure, (left, right) = panels(2)
    draws = n["draws"]
    belief = n["posterior"][n["x"]]
    pairs, counts = np.unique(np.stack([draws[n["step"]], draws[n["noise"]]]), axis=1, return_counts=True)
    left.scatter(*pairs, s=counts / 3, color=BLUE, alpha=0.6, label="nodes, by weight")
    left.plot(0.5, 1, "x", color=ORANGE, ms=9, mew=2, label="truth")
    left.set(xlabel="step", ylabel="noise")
    left.legend(loc="upper right")
    series(right, belief, n["level"], None, n["y"], ("the level", "readings", "time", "level"))
    return figure


def hidden_coefficient(n):
    figure, (left, right) = panels(2)
    distribution(left, n["posterior"][n["phi"]], "phi", 0.8)
    left.legend(loc="upper left")
    series(right, n["posterior"][n["x"]], None, None, n["y"], (None, "readings", "step", "state"))
    return figure


def length_scale(n):
    figure, (left, right) = panels(2)
    band(left, n["t"], n["posterior"][n["f"]])
    left.plot(n["t"], n["y"], ".", color=ORANGE, ms=5, label="readings")
    left.set(xlabel="x", ylabel="f(x)", ylim=(-2, 2.6))
    left.legend(loc="upper right", ncols=2)
    distribution(right, n["posterior"][n["scale"]], "length scale")
    return figure


def rates(n):
    figure, axis = panels()
    for rate, name, colour in ((n["a"], "a: 40 of 200", GREY), (n["b"], "b: 60 of 210", BLUE), (n["b"] - n["a"], "b - a", GREEN)):
        belief = n["posterior"][rate]
        levels = np.linspace(0.003, 0.997, 120)
        axis.plot([float(belief.quantile(level)) for level in levels], levels, color=colour, label=name)
    axis.axvline(0, color=BLACK, lw=0.8)
    axis.set(xlabel="rate", ylabel="probability that it is less", ylim=(0, 1))
    axis.legend(loc="lower right")
    return figure


def mixture(n):
    figure, axis = panels()
    high = n["posterior"][n["s"]].probabilities[:, 1]
    points = axis.scatter(n["y"], np.random.default_rng(0).uniform(0.1, 0.9, 80), c=high, cmap="coolwarm", s=14)
    for mean, colour in ((n["low"], "#3b4cc0"), (n["high"], "#b40426")):
        axis.axvspan(*n["posterior"][mean].interval(0.9), color=colour, alpha=0.2, lw=0)
        axis.axvline(n["posterior"][mean].mean, color=colour, lw=1.2)
    axis.set(xlabel="value of the row; bands: 90 % intervals of the two means", yticks=[], ylim=(0, 1), ylabel="rows, spread at random")
    figure.colorbar(points, ax=axis, label="probability of the upper group")
    return figure


def share(n):
    figure, axis = panels()
    p = n["posterior"][n["s"]].probabilities[:, 1]
    for failed, colour, label in ((False, BLUE, "sound"), (True, ORANGE, "failed")):
        rows = n["failed"] == failed
        axis.plot(n["y"][rows], p[rows], ".", color=colour, ms=7, alpha=0.7, label=f"truly {label}")
    axis.set(xlabel="reading", ylabel="probability of a failure", ylim=(0, 1.02))
    axis.legend(loc="lower right")
    return figure


def clusters(n):
    figure, axis = panels()
    axis.scatter(n["x"], n["y"], s=14, c=np.where(n["first"], BLUE, ORANGE))
    grid = np.linspace(-2, 2, 41)
    for line, colour, label in ((n["a"], BLUE, "first line"), (n["b"], ORANGE, "second line")):
        belief = n["posterior"][line[0] + line[1] * grid]
        band(axis, grid, belief, colour=colour, label=f"{label}, 90 % interval")
    axis.set(xlabel="x", ylabel="y; the colour is which line a row is from")
    axis.legend(loc="upper left")
    return figure
