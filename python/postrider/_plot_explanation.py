"""One row's explanation as a waterfall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from postrider._plot_style import BLUE, GREY, INK, VERMILION, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from postrider.explaining import Explanation


def plot_explanation(explanation: Explanation, row: int = 0, quantity: str | None = None, *, most: int = 10, ax: Axes | None = None) -> Axes:
    """How the columns of one row lead from the baseline to its prediction.

    A bar for each column, the largest contribution at the top, begins where the one above ends. The line through its end is two
    standard deviations of the contribution over the members to either side.

    Parameters
    ----------
    explanation : Explanation
        As ``explain`` returns it.
    row : int
        Which of its rows.
    quantity : str, optional
        One of ``explanation.quantities``; None: the mean, or the most probable class of the row.
    most : int
        Columns with a bar of their own; the others share one.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    one = explanation[row]
    name = one.quantity_of(quantity)
    q = one.quantities.index(name)
    moves, spread = one.contributions[0, :, q], one.spread[0, :, q]
    order = np.argsort(-np.abs(moves), kind="stable")
    labels = [one.label_of(k) for k in order[:most]]
    sizes, errors = list(moves[order[:most]]), list(2 * spread[order[:most]])
    if len(order) > most:
        labels.append(f"{len(order) - most} other columns")
        sizes.append(moves[order[most:]].sum())
        errors.append(0.0)
    ends = one.baseline[q] + np.cumsum(sizes)
    starts = ends - sizes
    ax = axes_or_new(ax, (7.2, 1.3 + 0.36 * len(sizes)))
    places = np.arange(len(sizes))
    ax.barh(places, sizes, left=starts, height=0.62, color=[BLUE if size >= 0 else VERMILION for size in sizes])
    ax.errorbar(ends, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2)
    for place in places[:-1]:
        ax.plot([ends[place]] * 2, [place - 0.31, place + 1.31], color=GREY, linewidth=0.7)
    for value, text, side in ((one.baseline[q], "baseline", -1), (one.prediction[0, q], "prediction", len(sizes))):
        ax.axvline(value, color=GREY, linewidth=0.8, linestyle=":")
        ax.text(value, side, f"{text} {value:.4g}", ha="center", va="center", fontsize="small", color=INK)
    ax.set_yticks(places, labels)
    ax.set_ylim(len(sizes) + 0.5, -1.5)
    ax.set_xlabel(name if one.quantities[0] == "mean" else f"probability of {name}")
    ax.grid(visible=False, axis="y")
    low, high = min(starts.min(), (ends - errors).min()), max(starts.max(), (ends + errors).max())
    room = 0.12 * (high - low) or 1.0
    ax.set_xlim(low - room, high + room)
    return ax
