"""How good predictions are for rows whose target is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from postrider._core import Estimate, TableEvaluation
from postrider._html import table_of_html

if TYPE_CHECKING:
    import pandas as pd

# In the order in which they are shown; those that do not apply to a target are not there.
_FIGURES = (
    "root_mean_square_error",
    "mean_absolute_error",
    "explained_variance",
    "mean_absolute_percentage_error",
    "log_likelihood",
    "crps",
    "log_loss",
    "accuracy",
    "area_under_curve",
    "average_precision",
    "expected_calibration_error",
    "brier",
)


def _figures(found: TableEvaluation) -> dict[str, Estimate]:
    """Each figure by its name; coverages and pinball losses with their levels."""
    out = {name: getattr(found, name) for name in _FIGURES if getattr(found, name) is not None}
    out |= {f"coverage_{each.level:g}": each.share for each in found.coverage}
    return out | {f"pinball_{each.probability:g}": each.loss for each in found.pinball}


class Evaluation(Mapping[str, Estimate]):
    """How good predictions are: figures by their names, each with its standard error.

    A mapping, whose values have ``value`` and ``standard_error``. Of a numeric target: ``root_mean_square_error``,
    ``mean_absolute_error``, ``explained_variance``, ``mean_absolute_percentage_error`` (where it makes sense),
    ``log_likelihood``, ``crps``, the shares that intervals hold (``coverage_0.9`` and others) and losses of quantiles
    (``pinball_0.05`` and others). Of classes: ``log_loss``, ``accuracy``, ``area_under_curve``, ``average_precision``,
    ``expected_calibration_error`` and ``brier``.

    Figures are attributes, too (None where they do not apply), beside ``rows``, ``without_target``, ``coverage``,
    ``pinball``, ``bins`` and ``by_class`` (precision, recall, F1), ``baselines`` (the same figures of something simple, and
    the ``gain`` over it in nats per row; of models of tables) and ``warning``, which says that rows were learned.

    Examples
    --------
    >>> import numpy as np
    >>> from postrider import BayesianMLPRegressor
    >>> X = np.linspace(0, 3, 120).reshape(-1, 1)
    >>> model = BayesianMLPRegressor(ensemble_size=1, encoding="standard", random_state=0).fit(X[::2], 2 * X[::2, 0])
    >>> found = model.evaluate(X[1::2], 2 * X[1::2, 0])
    >>> found["explained_variance"].value > 0.99, found.rows
    (True, 60)
    """

    def __init__(self, found: TableEvaluation, warning: str = "") -> None:
        self._found = found
        self._named = _figures(found)
        self.warning: str = warning or found.warning

    def __getitem__(self, name: str) -> Estimate:
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._found, name)

    def to_frame(self) -> pd.DataFrame:
        """All figures as a data frame of pandas, one row each.

        Returns
        -------
        DataFrame
            Columns ``value`` and ``standard_error``; where there are baselines, their values in columns of their names.
        """
        import pandas as pd

        columns = {
            "value": {name: each.value for name, each in self.items()},
            "standard_error": {name: each.standard_error for name, each in self.items()},
        }
        for simple in self._found.baselines:
            columns[simple.name] = {name: each.value for name, each in _figures(simple.evaluation).items()}
        return pd.DataFrame(columns, index=list(self))

    def _repr_html_(self) -> str:
        baselines = self._found.baselines
        simple = [_figures(each.evaluation) for each in baselines]
        lines = [
            (name.replace("_", " "), f"{each.value:.4g} ± {each.standard_error:.2g}", *(f"{other[name].value:.4g}" if name in other else "" for other in simple))
            for name, each in self.items()
        ]
        caption = f"{self._found.rows:,} rows" + (f". {self.warning}" if self.warning else "")
        return table_of_html(caption, ("figure", "this model", *(each.name for each in baselines)), lines)

    def __repr__(self) -> str:
        warned = f"warning={self.warning!r}, " if self.warning else ""
        return f"Evaluation({warned}rows={self._found.rows}, " + ", ".join(f"{name}={each!r}" for name, each in self.items()) + ")"
