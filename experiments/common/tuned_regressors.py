"""Regressors as careful users have them: boosted trees tuned by Optuna, quantile forests, conformal intervals around trees.

TUNED has functions as METHODS in regressors.py has. Seconds are of all fits, the tuning's among them.
"""
import time

import numpy as np
from regressors import ConstantNoise, Timed, catboost, light_gbm, postrider, xgboost

TRIALS, FOLDS = 50, 5
LEVELS = (np.arange(99) + 1) / 100  # of quantiles
LOW, HIGH, LEVEL = 0.05, 0.95, 0.9
DEVIATIONS_APART = 1.645  # between the middle of a normal distribution and either end


def light_gbm_space(trial):
    return {"n_estimators": trial.suggest_int("n_estimators", 50, 1000, log=True), "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "num_leaves": trial.suggest_int("num_leaves", 4, 128, log=True), "min_child_samples": trial.suggest_int("min_child_samples", 2, 50, log=True),
            "subsample": trial.suggest_float("subsample", 0.5, 1), "subsample_freq": 1,
            "colsample_bytree": trial.suggest_float("colsample_bytree", 0.5, 1), "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 10, log=True)}


def xgboost_space(trial):
    return {"n_estimators": trial.suggest_int("n_estimators", 50, 1000, log=True), "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "max_depth": trial.suggest_int("max_depth", 2, 10), "min_child_weight": trial.suggest_float("min_child_weight", 0.5, 20, log=True),
            "subsample": trial.suggest_float("subsample", 0.5, 1), "colsample_bytree": trial.suggest_float("colsample_bytree", 0.5, 1),
            "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 10, log=True)}


def catboost_space(trial):
    return {"iterations": trial.suggest_int("iterations", 100, 1000, log=True), "learning_rate": trial.suggest_float("learning_rate", 0.01, 0.3, log=True),
            "depth": trial.suggest_int("depth", 3, 8), "l2_leaf_reg": trial.suggest_float("l2_leaf_reg", 0.5, 20, log=True)}


def error_of(make, inputs, targets, folds):
    """Mean square error over folds of the training rows."""
    errors = []
    for held in folds:
        rest = np.setdiff1d(np.arange(len(targets)), held)
        errors.append(np.mean((targets[held] - make().fit(inputs[rest], targets[rest]).predict(inputs[held])) ** 2))
    return float(np.mean(errors))


def tuned(make, space):
    def fit(inputs, targets, seed):
        import optuna
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        begin = time.process_time()
        folds = np.array_split(np.random.RandomState(seed).permutation(len(targets)), FOLDS)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(lambda trial: error_of(lambda: make(seed).set_params(**space(trial)), inputs, targets, folds), n_trials=TRIALS)
        best = space(optuna.trial.FixedTrial(study.best_params))
        seconds = time.process_time() - begin
        found = ConstantNoise(lambda of: make(of).set_params(**best), inputs, targets, seed)
        found.seconds += seconds
        return found
    return fit


def quantile_forest(inputs, targets, seed):
    """Its mean, and as the standard deviation that of a normal distribution with the same 90 % interval."""
    from quantile_forest import RandomForestQuantileRegressor

    def forecast(model, new):
        low, high = model.predict(new, quantiles=[LOW, HIGH]).T
        least = 1e-3 * np.std(targets)  # where all rows of a leaf are alike
        return model.predict(new, quantiles="mean"), np.maximum((high - low) / (2 * DEVIATIONS_APART), least)
    found = Timed(RandomForestQuantileRegressor(random_state=seed, n_jobs=1), forecast, inputs, targets)
    found.quantiles = lambda new: found.model.predict(new, quantiles=list(LEVELS))
    found.interval = lambda new: found.model.predict(new, quantiles=[LOW, HIGH]).T
    return found


class ConformalTrees:
    """LightGBM within MAPIE's jackknife+ over folds: intervals of one width, no density."""

    def __init__(self, inputs, targets, seed):
        from mapie.regression import CrossConformalRegressor
        begin = time.process_time()
        self.model = CrossConformalRegressor(light_gbm(seed), confidence_level=LEVEL, method="plus", cv=10, random_state=seed)
        self.model.fit_conformalize(inputs, targets)
        self.seconds = time.process_time() - begin

    def forecast(self, inputs):
        mean, ends = self.model.predict_interval(inputs)
        return mean, (ends[:, 1, 0] - ends[:, 0, 0]) / (2 * DEVIATIONS_APART)

    def interval(self, inputs):
        ends = self.model.predict_interval(inputs)[1]
        return ends[:, 0, 0], ends[:, 1, 0]


def ours(inputs, targets, seed):
    found = postrider(inputs, targets, seed)
    found.crps = lambda new, what_came: float(found.model.evaluate(new, what_came)["crps"])
    found.interval = lambda new: found.model.predict_interval(new, coverage=LEVEL).T
    return found


TUNED = {
    "postrider": (ours, "postrider"),
    "catboost_tuned": (tuned(catboost, catboost_space), "catboost"),
    "light_gbm_tuned": (tuned(light_gbm, light_gbm_space), "lightgbm"),
    "xgboost_tuned": (tuned(xgboost, xgboost_space), "xgboost"),
    "quantile_forest": (quantile_forest, "quantile-forest"),
    "mapie_light_gbm": (ConformalTrees, "mapie"),
}
TUNED_TITLES = {"postrider": "Postrider, defaults", "catboost_tuned": "CatBoost, tuned", "light_gbm_tuned": "LightGBM, tuned", "xgboost_tuned": "XGBoost, tuned",
                "quantile_forest": "Quantile forest", "mapie_light_gbm": "MAPIE around LightGBM"}
