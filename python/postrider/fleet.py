"""Training many estimators in one call: models of many sensors, folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, column_or_1d, indexable

from postrider import _core
from postrider._base import BayesianMLP
from postrider._progress import teller
from postrider._rows import core_rows, group_numbers
from postrider._warnings import has_an_epoch, warn_of_interrupt
from postrider.classifier import BayesianMLPClassifier
from postrider.regressor import BayesianMLPRegressor

Estimator: TypeAlias = BayesianMLPRegressor | BayesianMLPClassifier


class _Prepared(NamedTuple):
    place: int
    estimator: BayesianMLP[Any]
    model: Any
    rows: Any
    examples: int
    targets: Any
    weights: Any
    groups: Any


def fit_fleet(
    estimators: Sequence[Estimator],
    Xs: Sequence[Any],
    ys: Sequence[Any],
    sample_weights: Sequence[Any] | None = None,
    groups: Sequence[Any] | None = None,
) -> list[Estimator]:
    """Fit each estimator to rows of its own, all in one call.

    Each ends as if its own `fit` had been called, within rounding, whatever the others are. Networks
    of one shape are trained side by side in the lanes of the processor's vectors, so that many small
    models take a fraction of the time. Ctrl-C ends training with a `TrainingInterrupted` warning;
    estimators that had not finished an epoch are then not fitted.

    Parameters
    ----------
    estimators : sequence of BayesianMLPRegressor or BayesianMLPClassifier
        All different; both kinds may be among them. Where they have the same options, more of them
        are trained together.
    Xs : sequence of array-like or sparse matrix of shape (n_samples, n_features)
        Inputs of each; numbers of rows may differ.
    ys : sequence of array-like
        Targets or labels of each.
    sample_weights : sequence of array-like or None, default=None
        Of each, how often each row counts; None where all count once.
    groups : sequence of array-like or None, default=None
        Of each, which of its rows are left out together, as `fit` takes them; None where rows are apart.

    Returns
    -------
    estimators : list
        The same, fitted.

    Raises
    ------
    RuntimeError
        If training diverged at once for some of them. All others are fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor, fit_fleet
    >>> rng = np.random.default_rng(0)
    >>> Xs = [rng.uniform(-2, 2, size=(rows, 1)) for rows in (50, 60, 70)]
    >>> ys = [np.sin(k + X[:, 0]) for k, X in enumerate(Xs)]
    >>> sensors = [BayesianMLPRegressor(random_state=0) for _ in Xs]
    >>> [bool(sensor.score(X, y) > 0.9) for sensor, X, y in zip(fit_fleet(sensors, Xs, ys), Xs, ys)]
    [True, True, True]
    """
    fleet = list(estimators)
    weights = [None] * len(fleet) if sample_weights is None else list(sample_weights)
    alike = [None] * len(fleet) if groups is None else list(groups)
    _expect_fleet(fleet, len(Xs), len(ys), len(weights), len(alike))
    if _fit_all(fleet, Xs, ys, weights, alike):
        warn_of_interrupt()
    return fleet


def _fit_all(
    fleet: Sequence[Estimator], Xs: Sequence[Any], ys: Sequence[Any], weights: Sequence[Any], groups: Sequence[Any]
) -> bool:
    """Whether it was interrupted."""
    prepared = []
    for place, estimator in enumerate(fleet):
        model, X, targets = estimator._begin(Xs[place], ys[place])
        own_weights = estimator._row_weights(weights[place], X, targets)
        rows, count = core_rows(X), X.shape[0]
        alike = group_numbers(groups[place], count)
        prepared.append(_Prepared(place, estimator, model, rows, count, targets, own_weights, alike))
    failures: list[str] = []
    interrupted = False
    for kind, fit in (
        (BayesianMLPRegressor, _core.fit_regressors),
        (BayesianMLPClassifier, _core.fit_classifiers),
    ):
        own = [each for each in prepared if isinstance(each.estimator, kind)]
        if own and not interrupted:
            interrupted = _fit(own, fit, failures)
    if failures:
        raise RuntimeError("; ".join(failures))
    return interrupted


def _expect_fleet(fleet: list[Estimator], *sizes: int) -> None:
    if any(size != len(fleet) for size in sizes):
        raise ValueError(f"Xs, ys, sample_weights and groups must be as many as estimators, {len(fleet)}")
    for estimator in fleet:
        _expect_ours(estimator)
    if len({id(estimator) for estimator in fleet}) != len(fleet):
        raise ValueError("estimators must all be different objects: use sklearn.base.clone")


def _expect_ours(estimator: Any) -> None:
    if not isinstance(estimator, (BayesianMLPRegressor, BayesianMLPClassifier)):
        raise TypeError(
            f"estimator = {estimator!r}: must be a BayesianMLPRegressor or a BayesianMLPClassifier"
        )


def _fit(fleet: list[_Prepared], fit: Any, failures: list[str]) -> bool:
    """Whether it was interrupted."""
    with teller(any(each.estimator.verbose for each in fleet)) as tell:
        why, interrupted = fit(
            [each.model for each in fleet],
            [each.rows for each in fleet],
            [each.targets for each in fleet],
            [each.weights for each in fleet],
            [each.groups for each in fleet],
            tell,
        )
    for each, failure in zip(fleet, why, strict=True):
        if failure:
            failures.append(f"estimator {each.place}: {failure}")
        elif each.model.inputs and (not interrupted or has_an_epoch(each.model.history)):
            each.estimator._take_model(each.model, each.examples)
    return bool(interrupted)


# What a row has where its model has not seen a class, as in scikit-learn.
_UNSEEN = {"predict_proba": 0.0, "predict_log_proba": float(np.finfo(np.float64).min)}


def cross_val_predict(
    estimator: Estimator,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    cv: int | Iterable[tuple[Any, Any]] | Any = 5,
    method: str = "predict",
    return_std: bool = False,
    sample_weight: Any = None,
    **parameters: Any,
) -> Any:
    """Predict every row by a model that has not learned it, with all folds trained in one call.

    The same as scikit-learn's function of this name for the same folds, within rounding, and faster.

    Parameters
    ----------
    estimator : BayesianMLPRegressor or BayesianMLPClassifier
        It is cloned for each fold, and not fitted itself.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Inputs; NaN where missing.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Targets or labels.
    groups : array-like of shape (n_samples,), default=None
        For splitters that keep groups together. Each model judges itself by whole groups, too, whichever the splitter.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn: a number of folds, stratified for classes, or the rows of each fold.
        Every row must be tested once.
    method : str, default="predict"
        Which method predicts, such as "predict_proba", "predict_quantiles" or "predict_interval".
    return_std : bool, default=False
        Whether `predict` of a regressor returns standard deviations, too.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each row counts in training.
    **parameters
        Passed to the method.

    Returns
    -------
    predictions : ndarray, or a pair of them with `return_std`
        In the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor, cross_val_predict
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(200, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> mean, std = cross_val_predict(BayesianMLPRegressor(random_state=0), X, y, return_std=True)
    >>> bool(0.8 < np.mean(np.abs(y - mean) < 1.645 * std) < 1.0)  # nine of ten, by the model
    True
    """
    _expect_ours(estimator)
    X, y, groups = indexable(X, y, groups)
    folds = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups))
    tested = np.concatenate([np.arange(_rows(X))[test] for _, test in folds])
    if not np.array_equal(np.sort(tested), np.arange(_rows(X))):
        raise ValueError("cv: every row must be tested once, and once only")
    models = [clone(estimator) for _ in folds]
    weights = None if sample_weight is None else np.asarray(sample_weight)
    alike = None if groups is None else column_or_1d(groups)
    if _fit_all(
        models,
        [_safe_indexing(X, train) for train, _ in folds],
        [_safe_indexing(y, train) for train, _ in folds],
        [None if weights is None else weights[train] for train, _ in folds],
        [None if alike is None else alike[train] for train, _ in folds],
    ):
        raise KeyboardInterrupt("cross-validation was interrupted: not all folds were learned")
    if return_std:
        parameters = {**parameters, "return_std": True}
    labels = np.unique(y) if method in _UNSEEN else None
    parts = [
        _predicted(model, _safe_indexing(X, test), method, parameters, labels)
        for model, (_, test) in zip(models, folds, strict=True)
    ]
    order = np.argsort(tested, kind="stable")
    if isinstance(parts[0], tuple):
        return tuple(np.concatenate(each)[order] for each in zip(*parts, strict=True))
    return np.concatenate(parts)[order]


def _rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _predicted(
    model: Any, X: Any, method: str, parameters: dict[str, Any], labels: NDArray[Any] | None
) -> Any:
    found = getattr(model, method)(X, **parameters)
    if labels is None or len(labels) == len(model.classes_):
        return found
    out = np.full((found.shape[0], len(labels)), _UNSEEN[method])
    out[:, np.searchsorted(labels, model.classes_)] = found
    return out
