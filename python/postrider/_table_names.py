"""What a model of a table is called in scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._core import TableModelCore
from postrider._drift import warn_of_new_rows
from postrider._files import labels_of
from postrider._reading import Layout, TableData, options_of, options_of_new_rows, source_of

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ScikitLearnNames:
    """Attributes and methods by which scikit-learn knows estimators; models are copied and pickled as files."""

    _core: TableModelCore

    def __init__(self, core: TableModelCore) -> None:
        self._core = core

    def __reduce__(self) -> Any:
        return _from_bytes, (type(self), self._core.to_bytes())

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes as labels: whole numbers where all of them are, as of a target of 0 and 1, else texts."""
        if not self._core.classifies:
            raise AttributeError("classes_: the target of this model is numeric")
        return labels_of(self._core.classes)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The columns that predictions look at."""
        columns = (c.name for c in self._core.columns if not c.target and c.kind != "ignored")
        return np.array(list(columns), dtype=object)

    @property
    def n_features_in_(self) -> int:
        """How many columns predictions look at."""
        return len(self.feature_names_in_)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters that the model was trained with.

        Parameters
        ----------
        deep : bool
            For scikit-learn's sake: nothing is nested.

        Returns
        -------
        dict
            By the names of :meth:`TableModel.train`; None where the library chose. What only a run needs, such as
            ``n_jobs``, is that of this process.
        """
        return dict(self._core.parameters)

    def predict_proba(self, data: TableData, **reading: Unpack[Layout]) -> NDArray[np.float64]:
        """The probability of each class.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            As of :meth:`TableModel.predict`.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        ndarray of shape (rows, n_classes)
            In the order of :attr:`classes_`.
        """
        if not self._core.classifies:
            raise AttributeError("predict_proba: the target of this model is numeric")
        found: NDArray[np.float64] = self.predict(data, **reading)["probabilities"]  # type: ignore[attr-defined]
        return found

    def score(self, data: TableData, **reading: Unpack[Layout]) -> float:
        """The share of rows whose class was right, or R^2 of a numeric target.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            With the target.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        float
        """
        found = self.evaluate(data, **reading)  # type: ignore[attr-defined]
        return float((found.accuracy if self._core.classifies else found.explained_variance).value)

    def predict_interval(
        self, data: TableData, coverage: float = 0.9, **reading: Unpack[Layout]
    ) -> NDArray[np.float64]:
        """Intervals that hold new observations of a numeric target with this probability.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            As of :meth:`TableModel.predict`.
        coverage : float, default=0.9
            Above 0 and below 1.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        ndarray of shape (rows, 2)
            Lower and upper ends, as of :meth:`BayesianMLPRegressor.predict_interval`.
        """
        if self._core.classifies:
            raise AttributeError("predict_interval: the target of this model is a class")
        if not 0 < coverage < 1:
            raise ValueError(f"coverage = {coverage!r}: must be above 0 and below 1")
        reader = self._core.open(source_of(data), options_of_new_rows(reading))
        watch = _core.watch_rows(self._core, reader)
        parts = []
        while (chunk := reader.next()) is not None:
            parts.append(self._core.intervals(chunk, float(coverage)))
        if not parts:
            raise ValueError("data has no rows: there is nothing to predict")
        warn_of_new_rows(watch, reader)
        return np.concatenate(parts)

    def log_likelihood(self, data: TableData, **reading: Unpack[Layout]) -> float:
        """The mean logarithm of the density, or of the probability of the class, at what came; in nats per row.

        Parameters
        ----------
        data : path or object with ``__arrow_c_stream__``
            With the target.
        **reading
            As of :meth:`TableModel.update`.

        Returns
        -------
        float
        """
        found = self.evaluate(data, **reading)  # type: ignore[attr-defined]
        return float(-found["log_loss"].value if self._core.classifies else found["log_likelihood"].value)

    def _learned_warning(self, data: TableData, y: Any) -> str:
        """What figures of these rows are worth, if some were learned; nothing where the data have no targets."""
        reader = self._core.open(source_of(data), options_of({}, Layout))
        watch = _core.watch_rows(self._core, reader)
        while reader.next() is not None:
            pass
        return watch.warning

    def _arrays(
        self, found: dict[str, NDArray[Any]], return_std: bool
    ) -> NDArray[Any] | tuple[NDArray[Any], ...]:
        """Predictions as estimators return them."""
        if self._core.classifies:
            if return_std:
                raise ValueError("return_std = True: is for numeric targets, and would not be used here")
            labels: NDArray[Any] = self.classes_[np.argmax(found["probabilities"], axis=1)]
            return labels
        if return_std:
            more = (found["quantiles"],) if "quantiles" in found else ()
            return (found["mean"], found["std"], *more)
        return found["quantiles"] if "quantiles" in found else found["mean"]


def _from_bytes(kind: type[ScikitLearnNames], content: bytes) -> ScikitLearnNames:
    return kind(TableModelCore.from_bytes(content))
