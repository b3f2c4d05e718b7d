"""Classifiers that people use today, with the defaults of their libraries and one thread.

Each of METHODS names the form in which it takes the columns, the package that it needs, and a function of the set and a seed that makes
it. Categories are given as what they are where the library takes them: that is `frame`, a pandas frame with columns of type category,
and `texts`, where they are words. Elsewhere there is one column for each level. Libraries are imported when they are needed.
"""


def one_hot(found):
    return found.one_hot()


def frame(found):
    import pandas
    return pandas.DataFrame({column.name: column.values if column.levels is None else pandas.Categorical(column.values, column.levels)
                             for column in found.columns})


def texts(found):
    import pandas
    return pandas.DataFrame({column.name: column.values for column in found.columns})


def logistic_regression(_, seed):
    from sklearn.linear_model import LogisticRegression
    return scaled(LogisticRegression(random_state=seed))


def mlp_classifier(_, seed):
    from sklearn.neural_network import MLPClassifier
    return scaled(MLPClassifier(random_state=seed))


def scaled(model):
    """As a user would give inputs to a linear model or a network."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    return make_pipeline(StandardScaler(), model)


def random_forest(_, seed):
    from sklearn.ensemble import RandomForestClassifier
    return RandomForestClassifier(random_state=seed, n_jobs=1)


def hist_gradient_boosting(_, seed):
    from sklearn.ensemble import HistGradientBoostingClassifier
    return HistGradientBoostingClassifier(random_state=seed)


def light_gbm(_, seed):
    from lightgbm import LGBMClassifier
    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def xgboost(_, seed):
    from xgboost import XGBClassifier
    return XGBClassifier(random_state=seed, n_jobs=1, enable_categorical=True)  # without which it refuses the frame


def catboost(found, seed):
    from catboost import CatBoostClassifier
    categories = [column.name for column in found.columns if column.levels is not None]
    return CatBoostClassifier(random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False, cat_features=categories)


def ngboost(found, seed):
    from ngboost import NGBClassifier
    from ngboost.distns import k_categorical
    return NGBClassifier(k_categorical(int(found.labels.max()) + 1), random_state=seed, verbose=False)


def postrider(_, seed):
    from postrider import BayesianMLPClassifier
    return BayesianMLPClassifier(random_state=seed)


# In the order in which they are run: those that take seconds first.
METHODS = {
    "logistic_regression": (one_hot, "scikit-learn", logistic_regression),
    "random_forest": (one_hot, "scikit-learn", random_forest),
    "hist_gradient_boosting": (frame, "scikit-learn", hist_gradient_boosting),
    "light_gbm": (frame, "lightgbm", light_gbm),
    "xgboost": (frame, "xgboost", xgboost),
    "mlp_classifier": (one_hot, "scikit-learn", mlp_classifier),
    "catboost": (texts, "catboost", catboost),
    "postrider": (texts, "postrider", postrider),
    "ngboost": (one_hot, "ngboost", ngboost),
}
