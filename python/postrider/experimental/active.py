"""Active learning: which rows of a pool to label next.

The criterion is in C++ (`postrider/row_selection.h`), and `postrider select` on the command line is the same.

Experimental: the part becomes stable once it needs at most 60 % of the rows that a random choice needs, as the median of four
sets. It needs 77 %.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

from postrider._options import seed_of, whole_number
from postrider._rows import Floats, dense
from postrider.regressor import BayesianMLPRegressor

__all__ = ["BatchSelector", "select_rows"]

Places = npt.NDArray[np.int64]


def select_rows(
    model: BayesianMLPRegressor,
    pool: Any,
    n_rows: int = 10,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    noise_std: float | None = None,
    n_functions: int = 200,
    max_candidates: int = 10_000,
    random_state: Any = 0,
) -> tuple[Places, Floats]:
    """Select rows of a pool whose labels together remove most of the pool's variance.

    Functions drawn from the belief tell how the rows of the pool vary together. Rows are taken one after
    another, each given those before it, so that a batch does not repeat itself; noisy labels count for less.

    Parameters
    ----------
    model : BayesianMLPRegressor
        Fitted to the rows that have labels.
    pool : array-like of shape (n_pool, n_features)
        Rows without labels.
    n_rows : int, default=10
        How many to select.
    X, y : array-likes, default=None
        The rows that the model learned: the functions then know more, see
        :meth:`BayesianMLPRegressor.sample_functions`.
    sample_weight : array-like of shape (n_samples,), default=None
        How often each of these rows counts.
    noise_std : float, default=None
        Standard deviation of the noise of `y` and of the labels to come, where it is known; needs `X` and `y`.
    n_functions : int, default=200
        Functions drawn.
    max_candidates : int, default=10000
        Of larger pools, so many rows drawn at random stand for all.
    random_state : int, RandomState instance or None, default=0
        The same number selects the same rows.

    Returns
    -------
    rows : ndarray of shape (n_rows,)
        Their places in the pool, the most telling first.
    removed : ndarray of shape (n_rows,)
        Share of the pool's epistemic variance that each label is expected to remove.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor
    >>> from postrider.experimental.active import select_rows
    >>> X = np.linspace(-1, 0, 30)[:, None]
    >>> model = BayesianMLPRegressor(random_state=0).fit(X, X[:, 0] ** 2)
    >>> rows, removed = select_rows(model, np.linspace(-1, 1, 50)[:, None], 2, X, X[:, 0] ** 2)
    >>> bool(rows[0] > 25)
    True
    """
    if not isinstance(model, BayesianMLPRegressor):
        raise TypeError(f"model is of {type(model).__name__}: must be a BayesianMLPRegressor")
    core: Any = model._ready()
    count = whole_number("n_rows", n_rows, 0)
    functions = whole_number("n_functions", n_functions, 2)
    candidates = whole_number("max_candidates", max_candidates, 1)
    rows = dense(model._checked_rows(pool))
    if count > len(rows):
        raise ValueError(f"n_rows = {count}: must be no more than the pool has, {len(rows)}")
    labelled = model._rows_to_condition(X, y, sample_weight, noise_std)
    places, removed = core.select_rows(rows, count, functions, candidates, seed_of(random_state), *labelled)
    return np.array(places, dtype=np.int64), np.array(removed, dtype=np.float64)


class BatchSelector(BaseEstimator):  # type: ignore[misc]
    """Learns from rows that have labels, and says which rows of a pool to label next.

    Parameters
    ----------
    estimator : BayesianMLPRegressor, default=None
        What learns; a clone of it is fitted. None: with default options.
    n_rows : int, default=10
        Rows of a batch.
    noise_std : float, default=None
        Standard deviation of the labels' noise, where it is known.
    n_functions : int, default=200
        Functions drawn.
    max_candidates : int, default=10000
        Of larger pools, so many rows drawn at random stand for all.
    random_state : int, RandomState instance or None, default=0
        The same number selects the same rows.

    Attributes
    ----------
    estimator_ : BayesianMLPRegressor
        Fitted.
    removed_ : ndarray of shape (n_rows,)
        After `select`: share of the pool's epistemic variance that each label is expected to remove.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider.experimental.active import BatchSelector
    >>> rng = np.random.default_rng(0)
    >>> pool = rng.uniform(-1, 1, size=(200, 2))
    >>> label = lambda rows: rows[:, 0] * rows[:, 1]
    >>> X, pool = pool[:20], pool[20:]
    >>> selector = BatchSelector(n_rows=5)
    >>> for _ in range(2):
    ...     chosen = selector.fit(X, label(X)).select(pool)
    ...     X, pool = np.vstack([X, pool[chosen]]), np.delete(pool, chosen, axis=0)
    >>> X.shape, pool.shape
    ((30, 2), (170, 2))
    """

    def __init__(
        self,
        estimator: BayesianMLPRegressor | None = None,
        *,
        n_rows: int = 10,
        noise_std: float | None = None,
        n_functions: int = 200,
        max_candidates: int = 10_000,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_rows = n_rows
        self.noise_std = noise_std
        self.n_functions = n_functions
        self.max_candidates = max_candidates
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BatchSelector:
        """Learn the rows that have labels.

        Parameters
        ----------
        X, y : array-likes
            As of :meth:`BayesianMLPRegressor.fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts.

        Returns
        -------
        self : BatchSelector
        """
        if self.estimator is not None and not isinstance(self.estimator, BayesianMLPRegressor):
            raise TypeError(f"estimator is of {type(self.estimator).__name__}: must be a BayesianMLPRegressor")
        self.estimator_ = (
            BayesianMLPRegressor(random_state=self.random_state)
            if self.estimator is None
            else clone(self.estimator)
        )
        self.estimator_.fit(X, y, sample_weight)
        self._labelled = (X, y, sample_weight)
        return self

    def select(self, pool: Any, n_rows: int | None = None) -> Places:
        """Say which rows to label next.

        Parameters
        ----------
        pool : array-like of shape (n_pool, n_features)
            Rows without labels.
        n_rows : int, default=None
            How many, if not the selector's own number.

        Returns
        -------
        rows : ndarray of shape (n_rows,)
            Their places in the pool, the most telling first.
        """
        if not hasattr(self, "estimator_"):
            raise NotFittedError("fit must come before select")
        places, self.removed_ = select_rows(
            self.estimator_,
            pool,
            self.n_rows if n_rows is None else n_rows,
            *self._labelled,
            noise_std=self.noise_std,
            n_functions=self.n_functions,
            max_candidates=self.max_candidates,
            random_state=self.random_state,
        )
        return places
