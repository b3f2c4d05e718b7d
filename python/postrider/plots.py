"""Pictures of predictions, beliefs, ratings and training.

Every function draws on the axes it is given, or on new ones, and returns them. matplotlib is needed
only when one of them is called: ``pip install postrider[plots]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider._plot_columns import plot_importance, plot_partial_dependence
from postrider._plot_explanation import plot_explanation
from postrider._plot_predictions import plot_calibration, plot_predictive_band
from postrider._plot_quality import plot_coverage, plot_predicted_observed
from postrider._plot_style import (
    BLUE,
    CYCLE,
    GREY,
    PALE,
    STANDARD,
    VERMILION,
    add_legend,
    axes_or_new,
    one_per_row,
    spread_apart,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_calibration",
    "plot_coverage",
    "plot_explanation",
    "plot_hinton",
    "plot_importance",
    "plot_partial_dependence",
    "plot_predicted_observed",
    "plot_predictive_band",
    "plot_rating_over_time",
    "plot_training_curve",
]

Floats: TypeAlias = NDArray[np.float64]


# --- beliefs -------------------------------------------------------------------------------------


def plot_hinton(
    beliefs: Any,
    *,
    member: int = 0,
    layer: int = 0,
    input_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Beliefs in the weights of a layer as squares.

    The area of a square is the size of the mean, its colour the sign, and its shade the certainty:
    pale where the standard deviation is as large as the mean or larger, full where the sign is beyond doubt.

    Parameters
    ----------
    beliefs : fitted estimator or object with `mean` and `std`
        An estimator's ``beliefs_``, for each member and layer; or one layer, as arrays of shape
        (units, inputs).
    member, layer : int
        Which of an estimator's.
    input_names : sequence of str, optional
        For the vertical axis; by default the estimator's ``feature_names_in_`` in the first layer.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    names = None if input_names is None else list(input_names)
    if hasattr(beliefs, "beliefs_"):
        if names is None and layer == 0 and hasattr(beliefs, "feature_names_in_"):
            names = [str(name) for name in getattr(beliefs, "input_names_", beliefs.feature_names_in_)]
        beliefs = beliefs.beliefs_[member][layer]
    mean = np.asarray(beliefs.mean, dtype=np.float64)
    std = np.asarray(beliefs.std, dtype=np.float64)
    if mean.ndim != 2 or mean.shape != std.shape:
        raise ValueError(
            f"beliefs of shapes {mean.shape} and {std.shape}: mean and std must both "
            "be (units, inputs)"
        )
    units, inputs = mean.shape
    names = _with_bias(names, inputs)
    ax = axes_or_new(ax, (3.2 + 0.27 * units, 0.8 + 0.27 * inputs))
    from matplotlib.ticker import MaxNLocator

    _draw_squares(ax, mean, std)
    ax.set(xlim=(-0.6, units - 0.4), ylim=(inputs - 0.4, -0.6), aspect="equal", xlabel="unit")
    if names is None:
        ax.set_ylabel("input")
    else:
        ax.set_yticks(range(inputs), names)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(visible=False)
    return ax


def _with_bias(names: list[str] | None, inputs: int) -> list[str] | None:
    if names is None or len(names) == inputs:
        return names
    if len(names) == inputs - 1:
        return [*names, "bias"]
    raise ValueError(f"input_names has {len(names)} names: must be {inputs}, or without the bias")


def _draw_squares(ax: Axes, mean: Floats, std: Floats) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    largest = float(np.abs(mean).max(initial=0.0)) or 1.0
    side = 0.95 * np.sqrt(np.abs(mean) / largest)
    # The probability that the weight has the sign of its mean, from a coin's to certainty.
    with np.errstate(divide="ignore", invalid="ignore"):
        doubt = np.nan_to_num(np.abs(mean) / std, nan=0.0, posinf=np.inf)
    certainty = np.vectorize(lambda z: 2 * STANDARD.cdf(z) - 1, otypes=[float])(doubt)
    squares, colors = [], []
    for unit, source in np.ndindex(*mean.shape):
        s = float(side[unit, source])
        squares.append(Rectangle((unit - s / 2, source - s / 2), s, s))
        full = np.array(to_rgb(BLUE if mean[unit, source] > 0 else VERMILION))
        shade = 0.2 + 0.8 * certainty[unit, source]
        colors.append(1 - shade * (1 - full))
    ax.add_collection(PatchCollection(squares, facecolors=colors, edgecolors=GREY, linewidths=0.3))
    handles = [
        Rectangle((0, 0), 1, 1, color=BLUE),
        Rectangle((0, 0), 1, 1, color=VERMILION),
        Rectangle((0, 0), 1, 1, facecolor=PALE, edgecolor=GREY, linewidth=0.3),
    ]
    texts = ["positive", "negative", "pale: unsure"]
    # Squares are everywhere: above them it hides none.
    ax.legend(handles, texts, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize="small", borderaxespad=0.2)


# --- ratings -------------------------------------------------------------------------------------


def plot_rating_over_time(
    history: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    highlight: Iterable[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Ratings over time, each with a band of one standard deviation.

    Parameters
    ----------
    history : mapping
        From a name to its times, means and standard deviations. Times are numbers or dates.
    highlight : iterable of str, optional
        Names in colour, at most six; the others are grey lines. By default the six whose last mean
        is highest.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if not history:
        raise ValueError("history = {}: needs at least one player")
    courses = {name: _course(name, parts) for name, parts in history.items()}
    if highlight is None:
        best = sorted(courses, key=lambda name: float(courses[name][1][-1]), reverse=True)
        chosen = best[: len(CYCLE)]
    else:
        chosen = list(highlight)
        unknown = [name for name in chosen if name not in courses]
        if unknown or len(chosen) > len(CYCLE):
            wrong = unknown or chosen
            raise ValueError(
                f"highlight = {wrong}: must be at most {len(CYCLE)} names of the history"
            )
    ax = axes_or_new(ax, (7.2, 4.2))
    for name, (time, mean, _) in courses.items():
        if name not in chosen:
            ax.plot(time, mean, color=PALE, linewidth=0.8, zorder=1)
    ends = []
    for name, color in zip(chosen, CYCLE, strict=False):
        time, mean, std = courses[name]
        ax.fill_between(
            time, mean - std, mean + std, color=color, alpha=0.15, linewidth=0
        )
        ax.plot(time, mean, color=color, linewidth=1.6, label=name)
        ends.append((float(mean[-1]), name, color))
    _name_ends(ax, ends)
    ax.set_ylabel("rating")
    return ax


def _course(
    name: str, parts: tuple[ArrayLike, ArrayLike, ArrayLike]
) -> tuple[NDArray[Any], Floats, Floats]:
    time = np.asarray(parts[0]).reshape(-1)
    if len(time) == 0:
        raise ValueError(f"history[{name!r}]: needs at least one time")
    return (
        time,
        one_per_row(f"history[{name!r}].mean", parts[1], len(time)),
        one_per_row(f"history[{name!r}].std", parts[2], len(time)),
    )


def _name_ends(ax: Axes, ends: list[tuple[float, str, str]]) -> None:
    """Names at the right, level with the ends of their lines but never on top of each other."""
    low, high = ax.get_ylim()
    ordered = sorted(ends)
    levels = spread_apart([value for value, _, _ in ordered], gap=(high - low) * 0.055)
    for level, (_, name, color) in zip(levels, ordered, strict=True):
        ax.annotate(
            name,
            (1.01, level),
            xycoords=("axes fraction", "data"),
            color=color,
            va="center",
            annotation_clip=False,
        )


# --- training ------------------------------------------------------------------------------------


def plot_training_curve(
    history: Any, *, value: str = "score", label: str | None = None, ax: Axes | None = None
) -> Axes:
    """What training reported epoch by epoch, a line per member.

    Parameters
    ----------
    history : fitted estimator or list of dict
        An estimator's ``history_``: one dict per epoch with `epoch`, perhaps `member` and
        `best_epoch`, and the value.
    value : str
        Which entry is drawn.
    label : str, optional
        For the vertical axis; by default the name of the value.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    rows: list[Mapping[str, Any]] = list(getattr(history, "history_", history))
    if not rows:
        raise ValueError("history = []: needs at least one epoch")
    if any(value not in row for row in rows):
        raise ValueError(f"value = {value!r}: must be one of {sorted(rows[0])}")
    ax = axes_or_new(ax)
    from matplotlib.ticker import MaxNLocator  # only now: axes_or_new says what is missing

    members = sorted({row.get("member", 0) for row in rows})
    for member in members:
        of_member = [row for row in rows if row.get("member", 0) == member]
        epochs = [row["epoch"] for row in of_member]
        values = [row[value] for row in of_member]
        color = CYCLE[0] if len(members) == 1 else CYCLE[members.index(member) % len(CYCLE)]
        ax.plot(epochs, values, color=color, linewidth=1.5, label=f"member {member}")
        best = of_member[-1].get("best_epoch")
        if best is not None and best in epochs:
            ax.plot(best, values[epochs.index(best)], "o", color=color, markersize=6)
    if any("best_epoch" in row for row in rows):
        ax.plot([], [], "o", color=GREY, label="best epoch")
    if len(members) > 1 or "best_epoch" in rows[-1]:
        add_legend(ax)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="epoch", ylabel=label or value.replace("_", " "))
    return ax
