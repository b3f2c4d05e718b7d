"""Pictures of predictions: bands, and whether their probabilities hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postrider._plot_style import (
    BLUE,
    CYCLE,
    GREY,
    INK,
    PALE,
    STANDARD,
    add_legend,
    axes_or_new,
    one_per_row,
)
from postrider._plot_quality import tell_of_learned
from postrider._quality import column_names, is_frame, labels_or_numbers, moved_rows, name_of_target, number_column, quantiles_of, wilson

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats: TypeAlias = NDArray[np.float64]

_CURVE_POINTS = 200
_BEYOND_DATA = 0.15  # share of the data's range that a curve goes on beyond it
_CHANCE_BAND = 0.95
_ROOM_FOR_LEGEND = 0.2  # of the height


def plot_predictive_band(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    std: ArrayLike | None = None,
    feature: int | str = 0,
    coverages: Sequence[float] = (0.5, 0.9),
    ax: Axes | None = None,
) -> Axes:
    """A curve of predictions with bands that hold new observations with given probabilities.

    Parameters
    ----------
    model : fitted regressor or array_like
        Something with ``predict(X, return_std=True)`` and perhaps ``predict_quantiles``; or the
        means at `X`, and then `std` is needed.
    X : array_like or data frame
        With a regressor, the data's inputs, of shape (rows,) or (rows, features): the curve runs
        over the range of one of them and a bit beyond, the others at their medians, or at their most frequent
        texts. With means, the place of each.
    y : array_like, optional
        Observations at `X`, drawn as points. Of a `TableModel` None: they are in the table, if that has the target.
    std : array_like, optional
        Of predictions that are given as means.
    feature : int or str
        Which column is on the horizontal axis; of numbers.
    coverages : sequence of float
        Probabilities of the bands.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    levels = sorted(coverages, reverse=True)
    if not all(0 < level < 1 for level in levels):
        raise ValueError(f"coverages = {tuple(coverages)}: must be above 0 and below 1")
    places = X if is_frame(X) else np.asarray(X)
    if hasattr(model, "predict"):
        shown = number_column(places, feature)
        at = _beyond(shown)
        middle, bands = _band_of_model(model, moved_rows(places, feature, at), levels)
        if y is None and is_frame(X) and name_of_target(model, None) in column_names(X):
            y = labels_or_numbers(model, X, None)
    else:
        at = shown = np.asarray(places, dtype=np.float64).reshape(-1)
        middle, bands = _band_of_moments(model, std, len(at), levels)
    order = np.argsort(at, kind="stable")
    ax = axes_or_new(ax)
    for i, (level, (low, high)) in enumerate(zip(levels, bands, strict=True)):
        ax.fill_between(
            at[order],
            low[order],
            high[order],
            color=BLUE,
            alpha=0.18 if i == 0 else 0.3,
            linewidth=0,
            label=f"{level:.0%} of new observations",
        )
    ax.plot(at[order], middle[order], color=BLUE, linewidth=1.8, label="prediction")
    if y is not None:
        ax.plot(shown, np.asarray(y), ".", color=INK, markersize=4, alpha=0.7, label="observed")
    ax.set(xlabel=_name_of_feature(model, X, feature), ylabel=name_of_target(model, y))
    bottom, top = ax.get_ylim()
    ax.set_ylim(bottom, top + _ROOM_FOR_LEGEND * (top - bottom))
    add_legend(ax)
    return ax


def _name_of_feature(model: Any, X: Any, feature: int | str) -> str:
    if isinstance(feature, str):
        return feature
    names = column_names(X) if is_frame(X) else getattr(model, "feature_names_in_", None)
    return "x" if names is None and np.ndim(X) < 2 else f"x{feature}" if names is None else str(names[feature])


def _beyond(values: Floats) -> Floats:
    low, high = np.nanmin(values), np.nanmax(values)
    beyond = _BEYOND_DATA * (high - low)
    return np.linspace(low - beyond, high + beyond, _CURVE_POINTS)


def _band_of_model(model: Any, asked: Any, levels: Sequence[float]) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    wanted = [0.5] + [q for level in levels for q in ((1 - level) / 2, (1 + level) / 2)]
    order = np.argsort(wanted)
    found = quantiles_of(model, asked, [wanted[i] for i in order])
    if found is None:
        mean, std = model.predict(asked, return_std=True)
        return _band_of_moments(mean, std, len(np.reshape(mean, -1)), levels)
    quantiles = np.empty_like(found)
    quantiles[:, order] = found
    bands = [(quantiles[:, 2 * i + 1], quantiles[:, 2 * i + 2]) for i in range(len(levels))]
    return quantiles[:, 0], bands


def _band_of_moments(
    mean: ArrayLike, std: ArrayLike | None, rows: int, levels: Sequence[float]
) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    if std is None:
        raise ValueError("std: must be given with means that do not come from a model")
    middle = one_per_row("mean", mean, rows)
    width = one_per_row("std", std, rows)
    reach = [STANDARD.inv_cdf((1 + level) / 2) for level in levels]
    return middle, [(middle - z * width, middle + z * width) for z in reach]


# --- calibration ---------------------------------------------------------------------------------


def plot_calibration(
    predicted: Any,
    y: ArrayLike | None = None,
    X: Any = None,
    *,
    bins: int = 10,
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Whether probabilities mean what they say.

    For regression, how many observations fall below each predicted quantile; for classification,
    how often what was predicted with some probability came true. On the diagonal all is well. The
    grey band (regression) and the bars (classification) show what chance alone may do in 95 of 100
    cases. Where a model has learned some of the rows, the title says so, and a `LearnedRowsWarning` is given: the
    picture then shows how well it remembers.

    Parameters
    ----------
    predicted : fitted estimator, TableModel, tuple or array_like
        An estimator or a model of a table, and then `X` is needed; a tuple of means and standard deviations; or probabilities of
        shape (rows, classes), or (rows,) for the second of two classes.
    y : array_like
        What was observed, on data that was not learned from. With probabilities, class numbers. None: it is in the table `X`.
    X : array_like, optional
        Inputs for an estimator; a table for a model of one, which also has the target if it is to be known whether rows
        were learned.
    bins : int
        Of quantiles or probabilities.
    label : str, optional
        For a legend.
    ax : matplotlib.axes.Axes, optional
        By default new ones.

    Returns
    -------
    matplotlib.axes.Axes
    """
    if bins < 2:
        raise ValueError(f"bins = {bins}: must be at least 2")
    seen = labels_or_numbers(predicted, X, y)
    model = predicted
    if hasattr(predicted, "predict_proba") and hasattr(predicted, "classes_"):
        seen = np.searchsorted(predicted.classes_, seen)
        predicted = predicted.predict_proba(X)
    is_regression = hasattr(predicted, "predict") or isinstance(predicted, tuple)
    ax = axes_or_new(ax, (4.4, 4.4))
    if is_regression:
        _draw_quantiles(ax, predicted, seen.astype(np.float64), X, bins, label)
    else:
        _draw_reliability(ax, np.asarray(predicted, dtype=np.float64), seen, bins, label)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1, dashes=(4, 3), zorder=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    if label is not None:
        add_legend(ax)
    tell_of_learned(ax, model, X, y)
    return ax


def _draw_quantiles(
    ax: Axes, predicted: Any, y: Floats, X: Any, bins: int, label: str | None
) -> None:
    levels = np.arange(1, 2 * bins) / (2 * bins)
    if isinstance(predicted, tuple):
        mean, std = (one_per_row("predicted", part, len(y)) for part in predicted)
        scores = np.array([STANDARD.inv_cdf(level) for level in levels])
        quantiles = mean[:, None] + std[:, None] * scores
    else:
        quantiles = quantiles_of(predicted, X, levels.tolist())
        if quantiles is None:
            raise ValueError("predicted: must have predict_quantiles, or be a tuple of means and standard deviations")
    below = (y[:, None] <= quantiles).mean(axis=0)
    reach = STANDARD.inv_cdf((1 + _CHANCE_BAND) / 2) * np.sqrt(levels * (1 - levels) / len(y))
    if not ax.collections:  # once, where several models share the axes
        ax.fill_between(levels, levels - reach, levels + reach, color=PALE, linewidth=0, zorder=0)
    line = ax.plot(levels, below, "o-", markersize=4, linewidth=1.4, label=label)[0]
    line.set_color(CYCLE[(len(ax.lines) // 2) % len(CYCLE)])
    ax.set(xlabel="predicted probability of a smaller value", ylabel="share of observations")


def _draw_reliability(
    ax: Axes, probabilities: Floats, y: NDArray[Any], bins: int, label: str | None
) -> None:
    if probabilities.ndim == 1 or probabilities.shape[1] == 1:
        told = probabilities.reshape(-1)
        came_true = y == 1
        what = "predicted probability of class 1"
    elif probabilities.shape[1] == 2:
        told, came_true = probabilities[:, 1], y == 1
        what = "predicted probability of the second class"
    else:
        told, came_true = probabilities.max(axis=1), y == probabilities.argmax(axis=1)
        what = "predicted probability of the likeliest class"
    if len(told) != len(y):
        raise ValueError(f"predicted has {len(told)} rows: must be as many as y, {len(y)}")
    place = np.minimum((told * bins).astype(int), bins - 1)
    used = [k for k in range(bins) if (place == k).any()]
    at = np.array([told[place == k].mean() for k in used])
    share = np.array([came_true[place == k].mean() for k in used])
    count = np.array([(place == k).sum() for k in used])
    low, high = wilson(share, count)
    color = CYCLE[len(ax.containers) % len(CYCLE)]
    ax.errorbar(
        at,
        share,
        yerr=np.maximum(0, [share - low, high - share]),
        fmt="o-",
        color=color,
        ecolor=color,
        elinewidth=1,
        markersize=5,
        linewidth=1.4,
        label=label,
    )
    ax.set(xlabel=what, ylabel="share that came true")
