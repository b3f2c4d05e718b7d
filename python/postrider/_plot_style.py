"""How plots look, what they share, and the one place that imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which people of all kinds of colour vision tell apart.
BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY = "#e69f00", "#56b4e9"
INK, GREY, PALE = "#222222", "#8a8a8a", "#d9d9d9"
CYCLE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)

STANDARD = NormalDist()


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (7.6, 4.0)) -> Axes:
    """The axes to draw on, in the package's style."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "postrider.plots needs matplotlib, which is not installed: pip install postrider[plots]"
        ) from error
    if ax is None:
        _, ax = pyplot.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=INK, length=3)
    ax.grid(color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def add_legend(ax: Axes, *args: Any, title: str | None = None) -> None:
    """A legend inside the axes, where it hides least, on a pale ground."""
    ax.legend(*args, title=title, frameon=True, framealpha=0.85, edgecolor="none", loc="best", fontsize="small")


def one_per_row(field: str, values: ArrayLike, rows: int) -> NDArray[np.float64]:
    """Flat, and of the length that it must have."""
    out = np.asarray(values, dtype=np.float64).reshape(-1)
    if len(out) != rows:
        raise ValueError(f"{field} has {len(out)} values: must be one per row, {rows}")
    return out


def spread_apart(values: Sequence[float], gap: float) -> list[float]:
    """Ascending values moved as little as possible until neighbours are a gap apart."""
    groups: list[tuple[float, int]] = []  # of those that touch: their lowest place, and how many
    for value in values:
        low, count = value, 1
        while groups and groups[-1][0] + groups[-1][1] * gap > low:
            other_low, other_count = groups.pop()
            # Where the sum of all squared moves is least.
            wanted = other_low * other_count + (low - other_count * gap) * count
            count += other_count
            low = wanted / count
        groups.append((low, count))
    return [low + i * gap for low, count in groups for i in range(count)]
