"""Regressors and classifiers that say how sure they are: ours, and four of others, with their defaults and one thread.

Each of METHODS fits a table and returns `Fitted`. Libraries are imported when they are needed, so that one that is missing stops nobody else.
"""
import dataclasses
import math
import statistics
import time
from collections.abc import Callable

import numpy as np

COVERAGES = (0.5, 0.8, 0.9, 0.95)
SEED = 0
BLOCK = 25  # rows of which ours says the mean log-likelihood; as small as leaves the standard error known to a tenth
LEAST_PROBABILITY = 1e-15


@dataclasses.dataclass
class Fitted:
    seconds: float  # processor time of the fit
    intervals: Callable | None = None  # inputs to an array of rows x COVERAGES x 2
    # Inputs and targets to log-likelihoods of rows, or of blocks of as many rows each; None where there is no density.
    log_likelihood: Callable | None = None
    score: float | None = None  # what the model itself expects of a new row
    score_error: float | None = None


def timed(fit):
    begin = time.process_time()
    model = fit()
    return model, time.process_time() - begin


# How libraries take a category column --------------------------------------------------------------------------------------


def one_hot(design, inputs):
    if not design.levels:
        return inputs.numbers
    return np.hstack([inputs.numbers, inputs.levels[:, None] == np.arange(design.levels)[None, :]])


def category_frame(design, inputs):
    """A frame with a column of pandas' type for categories."""
    given = inputs.given()
    if design.levels:
        import pandas
        given["category"] = pandas.Categorical(given["category"], [f"level {level}" for level in range(design.levels)])
    return given


# From predictions to intervals and log-likelihoods ---------------------------------------------------------------------------


def gaussian_intervals(mean, deviation):
    ends = [statistics.NormalDist().inv_cdf((1 + coverage) / 2) for coverage in COVERAGES]
    return np.stack([np.column_stack([mean - end * deviation, mean + end * deviation]) for end in ends], axis=1)


def gaussian_log_likelihood(mean, deviation, targets):
    return -0.5 * ((targets - mean) / deviation) ** 2 - np.log(deviation) - 0.5 * math.log(2 * math.pi)


def gaussian(seconds, forecast):
    """A model whose predictions are a mean and a standard deviation."""
    return Fitted(seconds, lambda inputs: gaussian_intervals(*forecast(inputs)),
                  lambda inputs, targets: gaussian_log_likelihood(*forecast(inputs), targets))


def of_classes(seconds, predict_proba, classes, **more):
    """A model whose predictions are probabilities; `classes` are the labels that it knows, in order."""
    def log_likelihood(inputs, targets):
        place = {label: number for number, label in enumerate(np.asarray(classes).ravel().tolist())}
        probabilities = predict_proba(inputs)
        found = [probabilities[row, place[target]] if target in place else 0.0 for row, target in enumerate(targets.tolist())]
        return np.log(np.maximum(found, LEAST_PROBABILITY))
    return Fitted(seconds, None, log_likelihood, **more)


# The methods ----------------------------------------------------------------------------------------------------------------


def reported(model):
    """The model's own score: of rows that it had not seen, in the form that its version has."""
    score = getattr(model, "out_of_fold_score_", None)
    if score is None:
        return {"score": float(model.leave_batch_out_score_)}
    error = getattr(model, "out_of_fold_score_error_", None)
    return {"score": float(score), "score_error": None if error is None else float(error)}


def postrider(table):
    from postrider import BayesianMLPClassifier, BayesianMLPRegressor
    make = BayesianMLPClassifier if table.design.classes else BayesianMLPRegressor
    inputs = table.inputs.given()
    model, seconds = timed(lambda: make(random_state=SEED).fit(inputs, table.targets))
    if table.design.classes:
        return of_classes(seconds, lambda rows: model.predict_proba(rows.given()), model.classes_, **reported(model))

    def intervals(rows):
        given = rows.given()
        return np.stack([model.predict_interval(given, coverage) for coverage in COVERAGES], axis=1)

    def log_likelihood(rows, targets):
        blocks = [slice(first, first + BLOCK) for first in range(0, len(targets), BLOCK)]
        return np.array([model.log_likelihood(rows.part(block).given(), targets[block]) for block in blocks])
    return Fitted(seconds, intervals, log_likelihood, **reported(model))


def light_gbm(table):
    """CV+ of Barber and others (2021) around it: intervals, and no density."""
    from lightgbm import LGBMClassifier, LGBMRegressor
    design, inputs = table.design, category_frame(table.design, table.inputs)
    options = {"random_state": SEED, "n_jobs": 1, "verbose": -1}
    if design.classes:
        model, seconds = timed(lambda: LGBMClassifier(**options).fit(inputs, table.targets))
        return of_classes(seconds, lambda rows: model.predict_proba(category_frame(design, rows)), model.classes_)
    from mapie.regression import CrossConformalRegressor
    conformal = CrossConformalRegressor(LGBMRegressor(**options), confidence_level=list(COVERAGES), method="plus", n_jobs=1, random_state=SEED)
    model, seconds = timed(lambda: conformal.fit_conformalize(inputs, table.targets))
    return Fitted(seconds, lambda rows: np.moveaxis(model.predict_interval(category_frame(design, rows))[1], 1, 2))


def catboost(table):
    """A Gaussian whose mean and variance are both boosted; its virtual ensembles, parts of the boosting, add what they disagree about."""
    from catboost import CatBoostClassifier, CatBoostRegressor
    design = table.design
    options = {"random_seed": SEED, "thread_count": 1, "verbose": False, "allow_writing_files": False,
               "cat_features": ["category"] if design.levels else None}
    if design.classes:
        model, seconds = timed(lambda: CatBoostClassifier(**options).fit(table.inputs.given(), table.targets))
        return of_classes(seconds, lambda rows: model.predict_proba(rows.given()), model.classes_)
    model, seconds = timed(lambda: CatBoostRegressor(loss_function="RMSEWithUncertainty", **options).fit(table.inputs.given(), table.targets))

    def forecast(rows):
        found = model.virtual_ensembles_predict(rows.given(), prediction_type="TotalUncertainty", thread_count=1)
        mean, of_model, of_data = found.T
        return mean, np.sqrt(of_model + of_data)
    return gaussian(seconds, forecast)


def ngboost(table):
    from ngboost import NGBClassifier, NGBRegressor
    from ngboost.distns import k_categorical
    design, inputs = table.design, one_hot(table.design, table.inputs)
    if design.classes:
        # It wants every label up to the largest, and knows them by their number.
        classes, labels = np.unique(table.targets, return_inverse=True)
        model, seconds = timed(lambda: NGBClassifier(k_categorical(len(classes)), random_state=SEED, verbose=False).fit(inputs, labels))
        return of_classes(seconds, lambda rows: model.predict_proba(one_hot(design, rows)), classes)
    model, seconds = timed(lambda: NGBRegressor(random_state=SEED, verbose=False).fit(inputs, table.targets))

    def forecast(rows):
        distribution = model.pred_dist(one_hot(design, rows))
        return distribution.loc, distribution.scale
    return gaussian(seconds, forecast)


def random_forest(table):
    """Quantiles of the training targets in the leaves, after Meinshausen (2006): intervals, and no density."""
    design, inputs = table.design, one_hot(table.design, table.inputs)
    if design.classes:
        from sklearn.ensemble import RandomForestClassifier
        model, seconds = timed(lambda: RandomForestClassifier(random_state=SEED, n_jobs=1).fit(inputs, table.targets))
        return of_classes(seconds, lambda rows: model.predict_proba(one_hot(design, rows)), model.classes_)
    from quantile_forest import RandomForestQuantileRegressor
    model, seconds = timed(lambda: RandomForestQuantileRegressor(random_state=SEED, n_jobs=1).fit(inputs, table.targets))
    ends = [(1 + side * coverage) / 2 for coverage in COVERAGES for side in (-1, 1)]
    return Fitted(seconds, lambda rows: model.predict(one_hot(design, rows), quantiles=ends).reshape(len(rows), len(COVERAGES), 2))


OURS = "postrider"
# The method, and the packages that it needs.
METHODS = {OURS: (postrider, ("postrider",)), "light_gbm_conformal": (light_gbm, ("lightgbm", "mapie")),
           "catboost_uncertainty": (catboost, ("catboost",)), "ngboost": (ngboost, ("ngboost",)),
           "random_forest_quantiles": (random_forest, ("quantile-forest", "scikit-learn"))}
TITLES = {OURS: "Postrider", "light_gbm_conformal": "LightGBM, MAPIE's CV+", "catboost_uncertainty": "CatBoost, RMSEWithUncertainty",
          "ngboost": "NGBoost", "random_forest_quantiles": "quantile forest"}
PEERS = tuple(name for name in METHODS if name != OURS)
