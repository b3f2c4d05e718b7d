#!/usr/bin/env python3
"""The picture of the first page: narrow intervals where there were rows, wide ones where there were none.

  examples/python/first_prediction.py [--quick] [--out DIR]
"""
import gallery
import numpy as np

from postrider import BayesianMLPRegressor


def wave(x):
    return x + np.sin(2 * x)


def main():
    options = gallery.options(__doc__)
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(200, 1))
    y = wave(X[:, 0]) + 0.2 * rng.normal(size=200)
    # Knots make doubt grow fast beyond the rows.
    model = BayesianMLPRegressor(encoding="piecewise", random_state=0, **({"max_epochs": 5} if options.quick else {})).fit(X, y)

    grid = np.linspace(-4, 4, 201)
    bounds = {coverage: model.predict_interval(grid[:, None], coverage=coverage) for coverage in (0.9, 0.5)}
    figure, axes = gallery.plt.subplots()
    for coverage, strength in ((0.9, 0.18), (0.5, 0.3)):
        axes.fill_between(grid, *bounds[coverage].T, color=gallery.BLUE, alpha=strength, lw=0,
                          label=f"{coverage:.0%} prediction interval")
    axes.plot(X[:, 0], y, ".", ms=3, color=gallery.GREY, label="rows learned")
    axes.plot(grid, wave(grid), "--", color=gallery.ORANGE, label="truth, without noise")
    axes.plot(grid, model.predict(grid[:, None]), color=gallery.BLUE, label="prediction")
    axes.set(xlabel="x", ylabel="y", ylim=(-10, 10))  # beyond the rows the interval leaves the picture
    axes.legend(loc="upper left", fontsize=8)
    places = np.array([1.0, 3.0, 4.0])
    low, high = model.predict_interval(places[:, None], coverage=0.9).T
    inside = (bounds[0.9][:, 0] <= wave(grid)) & (wave(grid) <= bounds[0.9][:, 1])
    gallery.finish(figure, options.out, "first_prediction", {
        "interval_at": {str(x): [float(a), float(b)] for x, a, b in zip(places, low, high)},
        "truth_inside_90": float(inside.mean())})


main()
