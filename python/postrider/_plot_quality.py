"""Pictures of how good predictions are: beside what was observed, and group by group."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider._plot_style import BLUE, GREY, INK, VERMILION, add_legend, axes_or_new
from postrider._quality import column_of, labels_or_numbers, name_of_target, wilson
from postrider._rows import learned_warning
from postrider._warnings import warn_of_repeated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_TITLE_WIDTH = 56  # characters
_MOST_INTERVALS = 400  # more of them hide one another
_QUARTERS = 4
_MOST_GROUPS = 20


def plot_predicted_observed(model: Any, X: Any, y: ArrayLike | None = None, *, coverage: float = 0.9, ax: Axes | None = None) -> Axes:
    """What was observed against what was predicted, with the interval of each row.

    Intervals that hold what was observed cross the diagonal; the others are in vermilion, and the legend counts them.

    Parameters
    ----------
    model : fitted regressor or TableModel
        Of a numeric target.
    X : array-like, data frame or path
        Rows that were not learned.
    y : array-like, optional
        What came; None: it is in the table.
    coverage : float, default=0.9
        Of the intervals.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if hasattr(model, "classes_"):
        raise ValueError("model: must predict a number; plot_calibration shows probabilities of classes")
    seen = labels_or_numbers(model, X, y).astype(np.float64)
    low, high = np.asarray(model.predict_interval(X, coverage=coverage)).reshape(len(seen), 2).T
    mean = np.asarray(model.predict(X, return_std=False)).reshape(-1)
    is_inside = (low <= seen) & (seen <= high)
    every = max(1, -(-len(seen) // _MOST_INTERVALS))
    ax = axes_or_new(ax, (5.2, 5.0))
    for inside, color, what in ((True, BLUE, "inside"), (False, VERMILION, "outside")):
        chosen = is_inside == inside
        drawn = np.flatnonzero(chosen)[:: every if inside else 1]
        ax.hlines(seen[drawn], low[drawn], high[drawn], color=color, alpha=0.25, linewidth=1)
        ax.plot(mean[chosen], seen[chosen], ".", color=color, markersize=5, label=f"{chosen.mean():.0%} {what} of the {coverage:.0%} interval")
    ends = [min(seen.min(), mean.min()), max(seen.max(), mean.max())]
    ax.plot(ends, ends, color=GREY, linewidth=1, dashes=(4, 3), zorder=1)
    target = name_of_target(model, y)
    ax.set(xlabel=f"predicted {target}", ylabel=f"observed {target}")
    add_legend(ax)
    tell_of_learned(ax, model, X, y)
    return ax


def plot_coverage(model: Any, X: Any, y: ArrayLike | None = None, *, group: Any = None, coverage: float = 0.9, ax: Axes | None = None) -> Axes:
    """How many rows of each group intervals hold.

    Bars are intervals by Wilson: in 95 of 100 cases the share of all such rows lies within. A group whose bar stays below the dashed line
    is promised more than it gets. Of classes it is the share that was right, beside the probability that was said (a diamond).

    Parameters
    ----------
    model : fitted estimator or TableModel
        Whose intervals or probabilities are looked at.
    X : array-like, data frame or path
        Rows that were not learned.
    y : array-like, optional
        What came; None: it is in the table.
    group : str or array-like of shape (n_samples,), optional
        A column of X, or a value for each row. Of more than twenty numbers quarters are made. None: quarters of what is predicted.
    coverage : float, default=0.9
        Of the intervals of a numeric target.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    seen = labels_or_numbers(model, X, y)
    of_classes = hasattr(model, "classes_")
    said: Floats
    if of_classes:
        probabilities = np.asarray(model.predict_proba(X))
        said, is_right = probabilities.max(axis=1), np.asarray(model.classes_)[probabilities.argmax(axis=1)].astype(str) == seen.astype(str)
        middle = said
    else:
        low, high = np.asarray(model.predict_interval(X, coverage=coverage)).reshape(len(seen), 2).T
        numbers = seen.astype(np.float64)
        is_right, said = (low <= numbers) & (numbers <= high), np.full(len(seen), coverage)
        middle = np.asarray(model.predict(X, return_std=False)).reshape(-1)
    what = f"predicted {name_of_target(model, y)}" if not of_classes else "probability of the likeliest class"
    names, numbers_of = _groups(middle if group is None else column_of(X, group, len(seen)))
    ax = axes_or_new(ax, (6.4, 1.4 + 0.34 * len(names)))
    count = np.array([(numbers_of == k).sum() for k in range(len(names))])
    share = np.array([is_right[numbers_of == k].mean() for k in range(len(names))])
    promised = np.array([said[numbers_of == k].mean() for k in range(len(names))])
    low_end, high_end = wilson(share, count)
    places = np.arange(len(names))
    colors = [VERMILION if end < want else BLUE for end, want in zip(high_end, promised, strict=True)]
    ax.hlines(places, low_end, high_end, color=colors, linewidth=2)
    ax.scatter(share, places, color=colors, s=28, zorder=3, label="share that was right" if of_classes else "share inside")
    if of_classes:
        ax.plot(promised, places, "D", color=INK, markersize=4, label="probability said")
    else:
        ax.axvline(coverage, color=GREY, linewidth=1, dashes=(4, 3), label="promised")
    ax.set_yticks(places, [f"{name}  ({n} rows)" for name, n in zip(names, count, strict=True)])
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel("share of rows that were right" if of_classes else f"share of rows inside their {coverage:.0%} interval")
    ax.set_ylabel(what if group is None else group if isinstance(group, str) else "group")
    ax.grid(visible=False, axis="y")
    add_legend(ax)
    tell_of_learned(ax, model, X, y)
    return ax


def _groups(values: NDArray[Any]) -> tuple[list[str], NDArray[np.intp]]:
    """Names of groups, and the number of each row's."""
    is_number = values.dtype.kind in "fiu"
    if is_number and len(np.unique(values)) > _MOST_GROUPS:
        cuts = np.unique(np.nanquantile(values, np.arange(1, _QUARTERS) / _QUARTERS))
        place = np.searchsorted(cuts, values, side="right")
        ends = [float(np.nanmin(values)), *cuts, float(np.nanmax(values))]
        names = [f"{low:.4g} to {high:.4g}" for low, high in zip(ends[:-1], ends[1:], strict=True)]
        used = [k for k in range(len(names)) if (place == k).any()]
        return [names[k] for k in used], np.searchsorted(used, place)
    texts = np.array(["(missing)" if each is None or each != each else f"{each:g}" if is_number else str(each) for each in values.tolist()], dtype=object)
    different, counts = np.unique(texts.astype(str), return_counts=True)
    chosen = [str(name) for name in different[np.argsort(-counts, kind="stable")][:_MOST_GROUPS]]
    number = {name: place for place, name in enumerate(chosen)}
    return chosen, np.array([number.get(str(text), -1) for text in texts])


def tell_of_learned(ax: Axes, model: Any, X: Any, y: Any) -> None:
    """A title that says so, and a warning, where rows were learned."""
    warning = learned_warning(model, X, y)
    if warning:
        ax.set_title(textwrap.fill(warning, _TITLE_WIDTH), color=VERMILION, fontsize="small")
        warn_of_repeated(warning)
