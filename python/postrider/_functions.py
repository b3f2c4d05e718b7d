"""Functions drawn from what a regressor believes, and joint predictions made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from postrider import _core
from postrider._frames import encoded, expect_frame
from postrider._options import seed_of, whole_number
from postrider._rows import Floats, checked_weights, dense


class DrawnFunction:
    """One function that the beliefs hold possible: the same wherever it is asked.

    Made by :meth:`BayesianMLPRegressor.sample_functions`. It has no noise. It can be pickled, and does not
    need the model it comes from.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor
    >>> X = np.linspace(-1, 1, 30)[:, None]
    >>> model = BayesianMLPRegressor(random_state=0).fit(X, X[:, 0] ** 2)
    >>> first, second = model.sample_functions(2)
    >>> first([[0.5], [0.6]]).shape, first.gradient([[0.5], [0.6]]).shape
    ((2,), (2, 1))
    >>> bool(first([[0.5]]) == first([[0.5]])), bool(first([[0.5]]) == second([[0.5]]))
    (True, False)
    """

    def __init__(
        self,
        core: _core.FunctionDraw,
        is_flat: bool,
        encoder: _core.TableEncoder | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self._core = core
        self._is_flat = is_flat
        self._encoder = encoder  # of a model of frames
        self._names = names  # of a frame's columns that are all numbers

    def _rows(self, X: Any) -> Floats:
        if self._encoder is not None:
            expect_frame(self._encoder, X)
            X = encoded(self._encoder, X)
        elif issparse(X):
            X = X.toarray()
        elif hasattr(X, "columns"):
            self._expect_names(X)
            X = X.to_numpy(dtype=np.float64, na_value=np.nan) if hasattr(X, "iloc") else X.to_numpy()
        rows = np.ascontiguousarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self._core.columns:
            raise ValueError(f"X has the shape {rows.shape}: must be rows of {self._core.columns} columns")
        return rows

    def _expect_names(self, frame: Any) -> None:
        found = [str(name) for name in frame.columns]
        if self._names is not None and found != list(self._names):
            raise ValueError(f"X has the columns {found}: must have those that were learned, in their order, {list(self._names)}")

    def __getstate__(self) -> dict[str, Any]:
        encoder = None if self._encoder is None else self._encoder.to_text()
        return {**self.__dict__, "_encoder": encoder}

    def __setstate__(self, state: dict[str, Any]) -> None:
        text = state.get("_encoder")
        encoder = None if text is None else _core.TableEncoder.from_notes({"table": text})
        self.__dict__.update({**state, "_encoder": encoder})

    def __call__(self, X: Any) -> Floats:
        """Values of the function.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Inputs; NaN, where missing, counts as typical.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_targets)
        """
        values: Floats = self._core.values(self._rows(X))
        return values[:, 0] if self._is_flat else values

    def gradient(self, X: Any) -> Floats:
        """Derivatives of the function by its inputs.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Inputs.

        Returns
        -------
        slopes : ndarray of shape (n_samples, n_features) or (n_samples, n_targets, n_features)
            Of a model of a frame with columns that are not numbers, by the inputs that ``input_names_``
            of the model names.
        """
        slopes: Floats = self._core.gradients(self._rows(X))
        return slopes[:, 0] if self._is_flat else slopes


class FunctionSampling:
    """What a regressor offers besides predictions row by row."""

    _is_flat: bool

    def sample_functions(
        self,
        n_functions: int = 1,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        noise_std: float | None = None,
        random_state: Any = 0,
    ) -> list[DrawnFunction]:
        """Draw functions from the belief, each with all weights of one network of the ensemble.

        With the rows that were learned, and perhaps more of them, the weights of the last layer are
        drawn from their exact belief, given these rows: functions then come as near to the targets as
        the noise lets them. Without rows each weight is drawn by itself.

        Parameters
        ----------
        n_functions : int, default=1
            How many.
        X, y : array-likes, X perhaps a data frame, default=None
            Rows and targets as in :meth:`fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts.
        noise_std : float, default=None
            Of the noise of `y` in its unit, where it is known: 0 for none. None: as learned.
        random_state : int, RandomState instance or None, default=0
            The same number draws the same functions.

        Returns
        -------
        functions : list of DrawnFunction
        """
        model: Any = self._ready()  # type: ignore[attr-defined]
        count, seed = whole_number("n_functions", n_functions, 0), seed_of(random_state)
        cores = model.sample_functions(count, seed, *self._rows_to_condition(X, y, sample_weight, noise_std))
        encoder = self._encoder  # type: ignore[attr-defined]
        names = None if encoder is not None else getattr(self, "feature_names_in_", None)
        return [DrawnFunction(core, self._is_flat, encoder, names) for core in cores]

    def _rows_to_condition(self, X: Any, y: Any, sample_weight: Any, noise_std: Any) -> tuple[Any, Any, Any, Any]:
        """Rows that functions are drawn with, as the core takes them; Nones without."""
        if (X is None) != (y is None):
            raise ValueError("X and y must be given together, or neither of them")
        if noise_std is not None:
            if X is None:
                raise ValueError(f"noise_std = {noise_std!r}: is that of y, and needs X and y")
            if not isinstance(noise_std, (int, float, np.number)) or not 0 <= noise_std < np.inf:
                raise ValueError(f"noise_std = {noise_std!r}: must be a finite number of at least 0, the same for all targets, or None")
        if X is None:
            return None, None, None, None
        X, y = self._checked(X, y, reset=False)  # type: ignore[attr-defined]
        targets = 1 if self._is_flat else self._fitted().outputs  # type: ignore[attr-defined]
        if (y.shape[1] if y.ndim == 2 else 1) != targets:
            raise ValueError(f"y has the shape {y.shape}: must be {(len(y), targets)}, as was learned")
        return dense(X), y, checked_weights(sample_weight, X), noise_std


def joint_moments(functions: Sequence[DrawnFunction], X: Any) -> tuple[Floats, Floats]:
    """Mean and covariance of many rows together, without noise, as drawn functions tell them.

    Parameters
    ----------
    functions : sequence of DrawnFunction
        At least two, of one target; the covariance of many rows needs some hundreds.
    X : array-like or data frame of shape (n_samples, n_features)
        Inputs.

    Returns
    -------
    mean : ndarray of shape (n_samples,)
    covariance : ndarray of shape (n_samples, n_samples)
    """
    if len(functions) < 2:
        raise ValueError(f"functions: {len(functions)} given, must be at least two")
    values = np.array([function(X) for function in functions])
    if values.ndim != 2:
        raise ValueError("functions: must be of one target")
    return values.mean(axis=0), np.atleast_2d(np.cov(values, rowvar=False))
