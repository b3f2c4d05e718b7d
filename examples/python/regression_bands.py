#!/usr/bin/env python3
"""Regression with bands: noise that grows, a gap without data, and beyond the data.

  examples/python/regression_bands.py [--quick] [--out DIR]
"""
import gallery
import numpy as np

from postrider import BayesianMLPRegressor


def wave(x):
    return np.sin(1.5 * x) + 0.3 * x


def noise(x):
    return 0.05 + 0.12 * np.abs(x)


def draw_rows(rng, rows):
    """Between -3 and 3, but none between 0.4 and 1.6."""
    x = rng.uniform(-3, 3, size=2 * rows)
    x = x[(x < 0.4) | (x > 1.6)][:rows]
    return x, wave(x) + noise(x) * rng.normal(size=len(x))


def main():
    options = gallery.options(__doc__)
    rng = np.random.default_rng(3)
    x, y = draw_rows(rng, 100 if options.quick else 600)
    model = BayesianMLPRegressor(max_epochs=5 if options.quick else 40, random_state=0).fit(x[:, None], y)

    test_x, test_y = draw_rows(rng, 2000)
    low, high = model.predict_interval(test_x[:, None], coverage=0.9).T
    deviation = {place: float(model.predict([[place]], return_std=True)[1][0]) for place in (-0.5, 1.0, 2.5, 5.0)}

    grid = np.linspace(-5, 5, 300)
    mean, _ = model.predict(grid[:, None], return_std=True)
    figure, axes = gallery.plt.subplots()
    for coverage, strength in ((0.9, 0.18), (0.5, 0.3)):
        bounds = model.predict_interval(grid[:, None], coverage=coverage)
        axes.fill_between(grid, *bounds.T, color=gallery.BLUE, alpha=strength, lw=0, label=f"{coverage:.0%} interval")
    axes.plot(x, y, ".", ms=3, color=gallery.GREY, label="rows learned")
    axes.plot(grid, wave(grid), "--", color=gallery.ORANGE, label="without noise")
    axes.plot(grid, mean, color=gallery.BLUE, label="mean")
    axes.set(xlabel="x", ylabel="y", ylim=(-3.4, 3.4))
    axes.legend(ncols=3, loc="upper left", fontsize=8)
    gallery.finish(figure, options.out, "regression_bands", {
        "rows": len(x), "coverage_of_90": float(np.mean((low <= test_y) & (test_y <= high))),
        "deviation_at": deviation, "noise_at": {place: float(noise(place)) for place in deviation}})


main()
