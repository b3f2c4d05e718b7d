"""Pictures of a model as a whole: which columns matter, and how predictions move with one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from postrider._plot_style import BLUE, CYCLE, GREY, INK, add_legend, axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from postrider.importance import PartialDependence


def plot_importance(model: Any, X: Any = None, y: Any = None, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """What predictions lose without each column, the largest loss at the top.

    The line through the end of a bar is two standard errors to either side. Behind it stands by how much the typical error, or the
    log-loss of classes, is larger then.

    Parameters
    ----------
    model : fitted estimator, TableModel or Importance
        The last as ``importance`` returns it.
    X, y : optional
        Rows, and what came, as of ``importance``; None: rows that were learned, by networks that left them out.
    most : int
        Columns that are drawn.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    found = model.importance(X, y) if hasattr(model, "importance") else model
    names = list(found)[:most]
    order = [found.columns.index(name) for name in names]
    loss, errors = found.loss[order], 2 * found.standard_error[order]
    ax = axes_or_new(ax, (7.2, 1.0 + 0.34 * len(names)))
    places = np.arange(len(names))
    ax.barh(places, loss, height=0.62, color=BLUE)
    ax.errorbar(loss, places, xerr=errors, fmt="none", ecolor=INK, elinewidth=1.0, capsize=2)
    reach = max(float((loss + errors).max()), 1e-9)
    for place, growth in zip(places, found.growth[order], strict=True):
        ax.text(max(0.0, loss[place] + errors[place]) + 0.02 * reach, float(place), f"{growth:+.0%}", va="center", fontsize="small", color=INK)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set_yticks(places, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlim(min(0.0, float((loss - errors).min())), 1.15 * reach)
    what = "learned rows, by networks that left them out" if found.is_out_of_fold else "rows given"
    ax.set_xlabel(f"nats per row lost without the column, and by how much the {found.error_name} grows\n({what})")
    ax.grid(visible=False, axis="y")
    return ax


def plot_partial_dependence(
    model: Any, column: Any = None, X: Any = None, *, by: Any = None, class_name: Any = None, ax: Axes | None = None
) -> Axes:
    """How predictions move with one column, all others as they are in some rows.

    The line is the mean over rows, the wide band holds the middle 80 % of them, and the narrow one is two standard deviations of
    the line over the members of the ensemble. With `by` there is a line for each of three values of another column, and no wide band.

    Parameters
    ----------
    model : fitted estimator, TableModel, or what ``partial_dependence`` returns
        With the last, all but `ax` is left out.
    column, X, by, class_name
        As of ``partial_dependence``.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    found = model.partial_dependence(column, X, by=by, class_name=class_name) if hasattr(model, "partial_dependence") else model
    curves = [found] if not isinstance(found, (list, tuple)) else list(found)
    if not curves:
        raise ValueError("model = []: needs at least one curve")
    ax = axes_or_new(ax, (6.4, 4.0))
    if curves[0].is_category:
        _draw_categories(ax, curves)
    else:
        _draw_curves(ax, curves)
    ax.set_ylabel(curves[0].output)
    add_legend(ax, title=None if curves[0].by is None else curves[0].by)
    return ax


def _name_of(curve: PartialDependence) -> str:
    value = curve.value
    return "mean over rows" if curve.by is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _draw_curves(ax: Axes, curves: Sequence[PartialDependence]) -> None:
    for curve, color in zip(curves, CYCLE, strict=False):
        if curve.by is None:
            ax.fill_between(curve.x, curve.low, curve.high, color=color, alpha=0.15, linewidth=0, label="80 % of rows")
        if np.any(curve.spread > 0):
            reach = 2 * curve.spread
            label = "two standard deviations over members" if curve is curves[0] else None
            ax.fill_between(curve.x, curve.mean - reach, curve.mean + reach, color=color, alpha=0.3, linewidth=0, label=label)
        ax.plot(curve.x, curve.mean, color=color, linewidth=1.8, label=_name_of(curve))
    ax.set_xlabel(curves[0].column)


def _draw_categories(ax: Axes, curves: Sequence[PartialDependence]) -> None:
    names = [str(name) for name in curves[0].x]
    places = np.arange(len(names))
    step = 0.8 / len(curves)
    for number, (curve, color) in enumerate(zip(curves, CYCLE, strict=False)):
        at = places + (number - (len(curves) - 1) / 2) * step
        if curve.by is None:
            ax.vlines(at, curve.low, curve.high, color=color, alpha=0.25, linewidth=9, label="80 % of rows")
        ax.errorbar(at, curve.mean, yerr=2 * curve.spread, fmt="o", color=color, ecolor=INK, elinewidth=1, capsize=2, label=_name_of(curve))
    ax.set_xticks(places, names)
    ax.set_xlim(-0.6, len(names) - 0.4)
    ax.set_xlabel(curves[0].column)
    ax.grid(visible=False, axis="x")
