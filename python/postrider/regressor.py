"""Regression with a standard deviation for every prediction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin

from postrider import _core
from postrider._base import BayesianMLP
from postrider._options import RegressorOptions, parameters_of, parametrised, seed_of, whole_number
from postrider._rows import Floats, bytes_of_rows, checked_weights, core_rows, name_of
from postrider._warnings import warn_of_stream
from postrider._functions import FunctionSampling
from postrider.network_certificate import NetworkCertificate

if TYPE_CHECKING:
    from typing_extensions import Unpack


@parametrised(RegressorOptions)
class BayesianMLPRegressor(
    MultiOutputMixin,  # type: ignore[misc]
    RegressorMixin,  # type: ignore[misc]
    FunctionSampling,
    BayesianMLP[_core.Regressor],
):
    """Regression by neural networks whose every weight is a Gaussian belief.

    There is no learning rate, and every prediction has a standard deviation: epistemic uncertainty,
    of the weights, and aleatoric, the noise. Inputs and targets are standardised inside. Missing inputs (NaN) are
    allowed: nothing is claimed of them.

    Parameters are documented by the page of options; `help` shows all of them here.

    Attributes
    ----------
    noise_ : float or ndarray of shape (n_targets,)
        Deviation of the noise, in the unit of the target; where the noise varies, what its varying
        factor multiplies.
    neighbour_rows_ : int
        How many of the rows learned the model keeps, as neighbours of new ones; 0 with ``learned_shape=False``.
    target_steps_ : list of float
        For each target the step of the lattice that all targets learned lie on; 0: there is none.
    history_ : list of dict
        Epoch by epoch of each member: `member`, `epoch`, `score`, `noise_variance` (both of
        standardised targets), `best_epoch`, `seconds`.
    out_of_fold_score_ : float
        Mean log-likelihood of the training targets in their unit, each predicted by networks that have not
        learned it, as all together would predict it. For comparing models without rows held back.
    out_of_fold_score_error_ : float
        Its standard error over rows.
    n_iter_ : int
        Epochs of the member that took most.
    converged_ : bool
        Whether the score ended training, and not the epochs that were allowed.
    beliefs_ : list of list of LayerBeliefs
        For each member and layer the beliefs in the weights.
    encodings_ : list of str
        For each column how its numbers became inputs: 'standard', 'quantile', 'piecewise' or 'bins'.
    stream_changes_ : list of dict
        After :meth:`partial_fit`: rows that were suddenly predicted worse, each with ``began`` and ``found``,
        counted from the stream's beginning, and ``strength``, the log-likelihood lost per row.
    drift_rates_ : list of dict
        After :meth:`partial_fit`: the rates of drift, ``forgetting`` and ``walk``, with the ``weight`` of
        each in predictions.
    target_scale_ : str
        How targets were learned: 'plain', or 'root', as their square roots.
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
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(200, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> model = BayesianMLPRegressor(random_state=0).fit(X, y)
    >>> mean, std = model.predict([[0.5], [10.0]], return_std=True)
    >>> bool(std[1] > 3 * std[0])  # far from the data it knows less
    True
    """

    _reads_target = "regress"

    def __init__(self, hidden_layer_sizes: Sequence[int] | None = None, **options: Unpack[RegressorOptions]) -> None:
        self._set(parameters_of(BayesianMLPRegressor, {"hidden_layer_sizes": hidden_layer_sizes, **options}))

    @classmethod
    def _core_class(cls) -> type[_core.Regressor]:
        return _core.Regressor

    def _new_model(self, targets: int, data_bytes: int = 0) -> _core.Regressor:
        return _core.Regressor(self._options(data_bytes), outputs=targets)

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, Floats]:
        X, y = self._validated(X, y, reset, multi_output=True, y_numeric=True)
        if sparse.issparse(y):
            y = y.toarray()
        return X, np.ascontiguousarray(y, dtype=np.float64)

    def _begin(self, X: Any, y: Any) -> tuple[_core.Regressor, Any, Floats]:
        self._target = name_of(y)
        X, y = self._checked(X, y, reset=True)
        self._is_flat = y.ndim == 1
        return self._new_model(1 if y.ndim == 1 else y.shape[1], bytes_of_rows(X)), X, y

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianMLPRegressor:
        """Learn more rows, each once; rows must not come twice.

        The first hundred rows, or as many as the first call has, set the scales of inputs and targets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), or str
            Targets, or the name of the column that is the target, as of :meth:`fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts: 2 is the same as two equal rows, 0 as none.

        Returns
        -------
        self : BayesianMLPRegressor
        """
        if isinstance(y, str) or self._table is not None:
            self._learn_more_of_table(X, y, sample_weight)
            return self
        model: Any = self.__dict__.get("_model")
        # Arrays of doubles in C order are looked at in C++ only: a row takes microseconds.
        if model is not None and sample_weight is None and self._encoder is None:
            report = model.learn_if_ready(X, y)
            if report is not None:
                self._keep_changes(report)
                warn_of_stream(report, report.too_narrow)
                return self
        is_first = model is None
        if is_first:
            self._target = name_of(y)
        X, y = self._checked(X, y, reset=is_first)
        if is_first:
            self._is_flat = y.ndim == 1
            model = self._new_model(1 if y.ndim == 1 else y.shape[1])
        report = model.partial_fit(core_rows(X), y, checked_weights(sample_weight, X))
        self._model = model
        self._keep_changes(report)
        warn_of_stream(report, report.too_narrow)
        return self

    def _checked_targets(self, X: Any, y: Any) -> tuple[Any, Floats]:
        return self._checked(X, y, reset=False)

    def _shaped(self, rows: Floats) -> Floats:
        return rows[:, 0] if self._is_flat else rows

    def _forecast(self, X: Any) -> tuple[Floats, Floats, Floats]:
        model = self._ready()
        mean, variance, noise = model.predict(core_rows(self._checked_rows(X)))
        return mean, variance, noise

    @overload
    def predict(
        self, X: Any, return_std: Literal[False] = False, *, quantiles: Sequence[float] | None = None
    ) -> Floats: ...
    @overload
    def predict(
        self, X: Any, return_std: bool | Literal["parts"], *, quantiles: Sequence[float] | None = None
    ) -> tuple[Floats, ...]: ...
    def predict(
        self,
        X: Any,
        return_std: bool | str = False,
        *,
        quantiles: Sequence[float] | None = None,
    ) -> Floats | tuple[Floats, ...]:
        """Predict targets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        return_std : bool or "parts", default=False
            Whether to return standard deviations, too: of new observations, or their two parts.
        quantiles : sequence of float, default=None
            Return these quantiles: alone in the place of the means, or behind what `return_std` asks for.
            A pipeline and :class:`sklearn.compose.TransformedTargetRegressor` pass it on; the latter takes
            them back to the targets' own scale, as a monotone transformation may.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Means of the predictions; not with `quantiles` alone.
        std : ndarray of the same shape, only with `return_std`
            Standard deviations of new observations: epistemic and aleatoric uncertainty.
        epistemic, aleatoric : ndarrays of the same shape, with ``return_std="parts"`` in its place
            Standard deviations of what the weights leave open, and of the noise.
        values : ndarray of shape (n_samples, n_quantiles) or (n_samples, n_targets, n_quantiles)
            Only with `quantiles`, as of :meth:`predict_quantiles`.
        """
        if isinstance(return_std, str) and return_std != "parts":
            raise ValueError(f'return_std = {return_std!r}: must be True, False or "parts"')
        if quantiles is not None:
            values = self.predict_quantiles(X, quantiles)
            return (*self._moments(X, return_std), values) if return_std else values
        return self._moments(X, return_std) if return_std else self._shaped(self._forecast(X)[0])

    def _moments(self, X: Any, return_std: bool | str) -> tuple[Floats, ...]:
        mean, variance, noise = self._forecast(X)
        if return_std == "parts":
            parts = (np.maximum(variance - noise, 0.0), noise)
            return (self._shaped(mean), *(self._shaped(np.sqrt(part)) for part in parts))
        return self._shaped(mean), self._shaped(np.sqrt(variance))

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> Floats:
        """Predict quantiles of new observations.

        They are those of the predictive distribution itself, which is no Gaussian where several
        networks are averaged or the noise varies.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        quantiles : sequence of float, default=(0.05, 0.5, 0.95)
            Probabilities below, each above 0 and below 1.

        Returns
        -------
        values : ndarray of shape (n_samples, n_quantiles) or (n_samples, n_targets, n_quantiles)
        """
        model, below = self._ready(), [float(quantile) for quantile in np.atleast_1d(quantiles)]
        return self._shaped(model.quantiles(core_rows(self._checked_rows(X)), below))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Floats:
        """Predict intervals that hold new observations with this probability.

        With ``intervals="conformal"`` they are as wide as would have held that share of the
        training rows, each predicted by networks that have not learned it; :meth:`partial_fit` lets
        them follow how many of its rows were inside. With ``"beliefs"`` they lie between quantiles of
        the predictive distribution.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        coverage : float, default=0.9
            Above 0 and below 1.

        Returns
        -------
        bounds : ndarray of shape (n_samples, 2) or (n_samples, n_targets, 2)
            Lower and upper ends.
        """
        if not 0 < coverage < 1:
            raise ValueError(f"coverage = {coverage!r}: must be above 0 and below 1")
        rows = core_rows(self._checked_rows(X))
        return self._shaped(self._ready().intervals(rows, float(coverage)))

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draw new observations, each row for itself.

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
        draws : ndarray of shape (n_samples_X, n_samples) or (n_samples_X, n_targets, n_samples)
        """
        model, rows = self._ready(), core_rows(self._checked_rows(X))
        draws = whole_number("n_samples", n_samples, 0)
        return self._shaped(model.samples(rows, draws, seed_of(random_state), 0))

    def log_likelihood(self, X: Any, y: Any) -> float:
        """Mean log-density of targets given inputs, in nats and in the unit of the targets.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        score : float
        """
        model = self._ready()
        X, y = self._checked(X, y, reset=False)
        return float(model.log_likelihood(core_rows(X), y))

    def certificate(
        self, X: Any, y: Any, *, member: int = 0, rows: int = 8, messages: int = 40, seed: int = 1
    ) -> NetworkCertificate:
        """Compare messages of a trained network with the exact ones.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Inputs; NaN where missing.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
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
        X, y = self._checked(X, y, reset=False)
        return self._certificate(X, y, member, rows, messages, seed)

    @property
    def target_scale_(self) -> str:
        """How targets were learned: 'plain' or 'root'."""
        return self._fitted().target_scale

    @property
    def target_steps_(self) -> list[float]:
        """For each target the step of the lattice that all targets learned lie on, such as 1 of counts and ratings; 0: there is none.

        Where there is one, log-likelihoods are of the target's cell: the probability from half a step below to half a step above it,
        divided by the step.
        """
        return self._fitted().target_steps()

    @property
    def neighbour_rows_(self) -> int:
        """How many of the rows learned the model keeps, as neighbours of new ones; 0 with ``learned_shape=False``."""
        return self._fitted().neighbour_rows

    @property
    def noise_(self) -> float | Floats:
        """Deviation of the noise in the unit of the target."""
        model = self._fitted()
        variance = np.mean([model.noise_variance(m) for m in range(model.ensemble_size)], axis=0)
        out = np.sqrt(np.broadcast_to(variance, model.outputs)) * model.learned_units()
        return float(out[0]) if self._is_flat else out

    def _has_table(self) -> bool:
        return self._model.outputs == 1

    def _facts(self) -> dict[str, Any]:
        return {**super()._facts(), "is_flat": self._is_flat}

    def _take(self, facts: dict[str, Any], table: _core.StoredTable | None) -> None:
        self._is_flat = bool(facts.get("is_flat", self._model.outputs == 1))
