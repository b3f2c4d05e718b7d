"""Classification with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from postrider import _core
from postrider._base import BayesianMLP
from postrider._files import labels_of
from postrider._options import ClassifierOptions, parameters_of, parametrised, seed_of
from postrider._rows import Floats, bytes_of_rows, checked_weights, core_rows, name_of
from postrider._warnings import warn_of_stream
from postrider.network_certificate import NetworkCertificate

if TYPE_CHECKING:
    from typing_extensions import Unpack

Labels = NDArray[Any]


@parametrised(ClassifierOptions)
class BayesianMLPClassifier(ClassifierMixin, BayesianMLP[_core.Classifier]):  # type: ignore[misc]
    """Classification by neural networks whose every weight is a Gaussian belief.

    There is no learning rate, and probabilities say how sure the beliefs are. Inputs are
    standardised inside. Missing inputs (NaN) are allowed: nothing is claimed of them.

    Parameters are documented by the page of options; `help` shows all of them here.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    noise_ : float
        Deviation of the noise of the scores of which the largest decides.
    history_ : list of dict
        Epoch by epoch of each member: `member`, `epoch`, `score`, `noise_variance`, `best_epoch`,
        `seconds`.
    out_of_fold_score_ : float
        Mean log-probability of the training labels, each predicted by networks that have not learned it,
        as all together would predict it. For comparing models without rows held back.
    out_of_fold_score_error_ : float
        Its standard error over rows.
    n_iter_ : int
        Epochs of the member that took most.
    converged_ : bool
        Whether the score ended training, and not the epochs that were allowed.
    beliefs_ : list of list of LayerBeliefs
        For each member and layer the beliefs in the weights.
    stream_changes_ : list of dict
        After :meth:`partial_fit`: rows that were suddenly predicted worse, each with ``began`` and ``found``,
        counted from the stream's beginning, and ``strength``, the log-likelihood lost per row.
    drift_rates_ : list of dict
        After :meth:`partial_fit`: the rates of drift, ``forgetting`` and ``walk``, with the ``weight`` of
        each in predictions.
    encodings_ : list of str
        For each column how its numbers became inputs: 'standard', 'quantile', 'piecewise' or 'bins'.
    input_names_ : list of str
        Names of the networks' inputs: the columns, or parts of dates and categories of them.
    ignored_columns_ : dict of str to str
        Columns of a frame that are no inputs, and why.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the inputs, where `X` had names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from postrider import BayesianMLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesianMLPClassifier(random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    classes_: Labels
    _reads_target = "classify"

    def __init__(self, hidden_layer_sizes: Sequence[int] | None = None, **options: Unpack[ClassifierOptions]) -> None:
        self._set(parameters_of(BayesianMLPClassifier, {"hidden_layer_sizes": hidden_layer_sizes, **options}))

    @classmethod
    def _core_class(cls) -> type[_core.Classifier]:
        return _core.Classifier

    def _new_model(self, data_bytes: int = 0) -> _core.Classifier:
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has one class, {self.classes_[0]!r}: a classifier needs at least two classes"
            )
        return _core.Classifier(self._options(data_bytes), classes=len(self.classes_))

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, Labels]:
        X, y = self._validated(X, y, reset)
        check_classification_targets(y)
        return X, column_or_1d(y)

    def _numbers(self, y: Labels) -> NDArray[np.uint64]:
        places = np.searchsorted(self.classes_, y)
        known = self.classes_[np.minimum(places, len(self.classes_) - 1)] == y
        if not np.all(known):
            raise ValueError(
                f"y = {y[~known][0]!r}: must be one of the classes {list(self.classes_)!r}"
            )
        return places.astype(np.uint64)

    def _checked_targets(self, X: Any, y: Any) -> tuple[Any, NDArray[np.uint64]]:
        X, y = self._checked(X, y, reset=False)
        return X, self._numbers(y)

    def _named(self, numbers: NDArray[np.integer[Any]]) -> Labels:
        labels: Labels = self.classes_[numbers]
        return labels

    def _begin(self, X: Any, y: Any) -> tuple[_core.Classifier, Any, NDArray[np.uint64]]:
        self._target = name_of(y)
        X, y = self._checked(X, y, reset=True)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        return self._new_model(bytes_of_rows(X)), X, numbers.astype(np.uint64)

    def _class_weights(self, targets: NDArray[np.uint64]) -> Floats:
        """For each row that of its class."""
        by_class = compute_class_weight(
            self.class_weight, classes=self.classes_, y=self.classes_[targets]
        )
        weights: Floats = by_class[targets]
        return weights

    def _row_weights(self, sample_weight: Any, X: Any, targets: Any) -> Floats | None:
        weights = checked_weights(sample_weight, X)
        if self.class_weight is None:
            return weights
        own = self._class_weights(targets)
        if np.min(own) < 0 or not np.all(np.isfinite(own)) or np.sum(own) == 0:
            raise ValueError(
                f"class_weight = {self.class_weight!r}: must be numbers of at least 0, not all of them 0"
            )
        own = own / np.mean(own)  # the rows count as often as they are
        return own if weights is None else own * weights

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> BayesianMLPClassifier:
        """Learn more rows, each once; rows must not come twice.

        The first hundred rows, or as many as the first call has, set the scales of the inputs.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,) or str
            Labels, or the name of the column that is the target, as of :meth:`fit`.
        classes : array-like of shape (n_classes,), default=None
            All labels that there will be. Must be given in the first call with labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts: 2 is the same as two equal rows, 0 as none.

        Returns
        -------
        self : BayesianMLPClassifier
        """
        if isinstance(y, str) or self._table is not None:
            self._learn_more_of_table(X, y, sample_weight)
            return self
        model: Any = self.__dict__.get("_model")
        plain = classes is None and sample_weight is None and self.class_weight is None and self._encoder is None
        if model is not None and plain and self._learned(X, y):
            return self
        is_first = model is None
        self._expect_known_class_weights()
        self._expect_classes(classes, is_first)
        if is_first:
            self._target = name_of(y)
        X, y = self._checked(X, y, reset=is_first)
        if is_first:
            self.classes_ = np.unique(classes)
            model = self._new_model()
        numbers = self._numbers(y)
        weights = checked_weights(sample_weight, X)
        if self.class_weight is not None:  # later rows are not known, and so is their mean weight
            own = self._class_weights(numbers)
            weights = own if weights is None else own * weights
        report = model.partial_fit(core_rows(X), numbers, weights)
        self._model = model
        self._keep_changes(report)
        warn_of_stream(report, report.too_narrow)
        return self

    def _learned(self, X: Any, y: Any) -> bool:
        """Arrays of doubles in C order are looked at in C++ only: a row takes microseconds."""
        if not (isinstance(X, np.ndarray) and isinstance(y, np.ndarray) and y.ndim == 1):
            return False
        report = self._model.learn_if_ready(X, self._numbers(y))
        if report is None:
            return False
        self._keep_changes(report)
        warn_of_stream(report, report.too_narrow)
        return True

    def _expect_known_class_weights(self) -> None:
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight = 'balanced': must be None or a dict in partial_fit, which does not know the "
                "shares of the classes"
            )

    def _expect_classes(self, classes: Any, is_first: bool) -> None:
        if is_first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if is_first or classes is None:
            return
        if not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"classes = {classes!r}: must be those of the first call, {self.classes_!r}"
            )

    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        model = self._ready()
        probabilities: Floats = model.predict_probabilities(core_rows(self._checked_rows(X)))
        return probabilities

    def predict_log_proba(self, X: Any) -> Floats:
        """Predict the logarithm of the probability of each class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Labels:
        """Predict the most probable class.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._named(np.argmax(self.predict_proba(X), axis=1))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Labels:
        """Draw labels by their probabilities, each row for itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples_X, n_features)
            Inputs; NaN where missing.
        n_samples : int, default=1
            Draws for each row.
        random_state : int, RandomState instance or None, default=0
            As in scikit-learn's GaussianProcessRegressor.

        Returns
        -------
        labels : ndarray of shape (n_samples_X, n_samples)
        """
        below = np.cumsum(self.predict_proba(X), axis=1)[:, None, :-1]
        rng = np.random.default_rng(seed_of(random_state))
        uniform = rng.random((below.shape[0], n_samples, 1))
        return self._named(np.sum(uniform >= below, axis=2))

    def certificate(
        self, X: Any, y: Any, *, member: int = 0, rows: int = 8, messages: int = 40, seed: int = 1
    ) -> NetworkCertificate:
        """Compare messages of a trained network with the exact ones.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,)
            Labels.
        member : int, default=0
            Which of the networks.
        rows : int, default=8
            Rows drawn from those given.
        messages : int, default=40
            Messages drawn of each kind and layer.
        seed : int, default=1
            Of the draws.

        Returns
        -------
        found : NetworkCertificate
        """
        self._fitted()
        X, y = self._checked(X, y, reset=False)
        return self._certificate(X, self._numbers(y), member, rows, messages, seed)

    @property
    def noise_(self) -> float:
        """Deviation of the noise of the scores."""
        model = self._fitted()
        return float(np.sqrt(np.mean([model.noise_variance(m) for m in range(model.ensemble_size)])))

    def _classes_as_text(self) -> list[str]:
        return [str(label) for label in self.classes_.tolist()]

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "dtype": self.classes_.dtype.str}

    def _take(self, facts: dict[str, Any], table: _core.StoredTable | None) -> None:
        if table is None:
            self.classes_ = np.arange(self._model.classes)
            return
        self.classes_ = labels_of(table.classes)
        if "dtype" in facts:
            self.classes_ = _as_type(table.classes, np.dtype(facts["dtype"]))


def _as_type(names: list[str], dtype: np.dtype[Any]) -> Labels:
    """Class names as the labels that they were before they were written."""
    if dtype.kind == "b":
        return np.array([name == "True" for name in names])
    return np.array(names).astype(dtype)
