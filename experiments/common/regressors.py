"""Regressors that people use today, with the defaults of their libraries and one thread, as predictive distributions.

Each of METHODS is a function of inputs, targets and a seed that returns a fitted model with `forecast(inputs)`, means and deviations of
new observations. A model whose density is no Gaussian has `log_likelihood(inputs, targets)` as well. Libraries are imported when they
are needed, so that one that is missing stops nobody else.
"""
import time

import numpy as np
from data_sets import rows_at

PARTS, LEAST_HELD_OUT = 10, 30


def held_out_parts(rows, seed):
    """A random tenth of the rows; where that is so few that their spread says little, all ten tenths."""
    parts = np.array_split(np.random.RandomState(seed).permutation(rows), PARTS)
    return parts if rows < PARTS * LEAST_HELD_OUT else parts[:1]


def held_out_deviation(make, inputs, targets, seed):
    """How far the targets of training rows are from the means of a fit that they were held out of."""
    squares = []
    for held in held_out_parts(len(targets), seed):
        rest = np.setdiff1d(np.arange(len(targets)), held)
        mean = make(seed).fit(rows_at(inputs, rest), targets[rest]).predict(rows_at(inputs, held))
        squares.append((targets[held] - mean) ** 2)
    return np.sqrt(np.mean(np.concatenate(squares)))


class ConstantNoise:
    """A regressor that predicts means alone, with Gaussian noise of one width.

    The width comes from training rows that were held out of a first fit, or of ten; the means come from a fit to all of them, so that
    they are those of the library as it is. Seconds are of that fit only.
    """

    def __init__(self, make, inputs, targets, seed):
        self.deviation = held_out_deviation(make, inputs, targets, seed)
        begin = time.process_time()
        self.model = make(seed).fit(inputs, targets)
        self.seconds = time.process_time() - begin

    def forecast(self, inputs):
        mean = self.model.predict(inputs)
        return mean, np.full(len(mean), self.deviation)


class Timed:
    """A model that knows its own deviations; `forecast` takes the fitted model and inputs."""

    def __init__(self, model, forecast, inputs, targets):
        begin = time.process_time()
        self.model = model.fit(inputs, targets)
        self.seconds = time.process_time() - begin
        self.forecast = lambda new: forecast(self.model, new)


def hist_gradient_boosting(seed):
    from sklearn.ensemble import HistGradientBoostingRegressor
    return HistGradientBoostingRegressor(random_state=seed)


def light_gbm(seed, threads=1):
    from lightgbm import LGBMRegressor
    return LGBMRegressor(random_state=seed, n_jobs=threads, verbose=-1)


def xgboost(seed):
    from xgboost import XGBRegressor
    return XGBRegressor(random_state=seed, n_jobs=1)


def catboost(seed, **options):
    from catboost import CatBoostRegressor
    return CatBoostRegressor(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False, **options)


def random_forest(seed):
    from sklearn.ensemble import RandomForestRegressor
    return RandomForestRegressor(random_state=seed, n_jobs=1)


def catboost_uncertainty(inputs, targets, seed):
    def forecast(model, new):
        mean, variance = model.predict(new).T
        return mean, np.sqrt(variance)
    return Timed(catboost(seed, loss_function="RMSEWithUncertainty"), forecast, inputs, targets)


def ngboost(inputs, targets, seed):
    from ngboost import NGBRegressor

    def forecast(model, new):
        distribution = model.pred_dist(new)
        return distribution.loc, distribution.scale
    return Timed(NGBRegressor(random_state=seed, verbose=False), forecast, inputs, targets)


def gaussian_process(inputs, targets, seed):
    """Matern 5/2 with a length scale for each input and noise of its own, all by the marginal likelihood from four starts."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    kernel = ConstantKernel() * Matern(np.ones(inputs.shape[1]), nu=2.5) + WhiteKernel()
    process = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=3, random_state=seed)
    return Timed(make_pipeline(StandardScaler(), process), lambda model, new: model.predict(new, return_std=True), inputs, targets)


def postrider(inputs, targets, seed):
    from postrider import BayesianMLPRegressor
    found = Timed(BayesianMLPRegressor(random_state=seed), lambda model, new: model.predict(new, return_std=True), inputs, targets)
    found.log_likelihood = found.model.log_likelihood  # of its mixture, which is no Gaussian
    return found


def constant_noise(make):
    return lambda inputs, targets, seed: ConstantNoise(make, inputs, targets, seed)


# The method and the package that it needs.
METHODS = {
    "postrider": (postrider, "postrider"),
    "catboost": (constant_noise(catboost), "catboost"),
    "catboost_uncertainty": (catboost_uncertainty, "catboost"),
    "light_gbm": (constant_noise(light_gbm), "lightgbm"),
    "xgboost": (constant_noise(xgboost), "xgboost"),
    "hist_gradient_boosting": (constant_noise(hist_gradient_boosting), "scikit-learn"),
    "random_forest": (constant_noise(random_forest), "scikit-learn"),
    "ngboost": (ngboost, "ngboost"),
    "gaussian_process": (gaussian_process, "scikit-learn"),
}
TITLES = {"postrider": "Postrider", "catboost": "CatBoost", "catboost_uncertainty": "CatBoost, RMSEWithUncertainty", "light_gbm": "LightGBM",
          "xgboost": "XGBoost", "hist_gradient_boosting": "HistGradientBoosting", "random_forest": "RandomForest", "ngboost": "NGBoost",
          "gaussian_process": "Gaussian process"}
