"""What a notebook shows of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from postrider._html import facts_of_html


class Shown:
    """A mixin of estimators and of models of tables."""

    def _facts_of_html(self) -> list[tuple[str, str]]:
        """What is known of an estimator that has learned."""
        both: Any = self
        model, classes = both._fitted(), getattr(self, "classes_", None)
        out = [
            ("predicts", "numbers" if classes is None else f"one of {len(classes)} classes"),
            ("columns", str(both.n_features_in_)),
            ("rows learned", f"{model.rows_learned:,}"),
            ("networks", str(model.ensemble_size)),
        ]
        if np.isfinite(both.out_of_fold_score_):
            score = f"{both.out_of_fold_score_:.3f} ± {both.out_of_fold_score_error_:.3f} nats per row"
            out.append(("out-of-fold log-likelihood", score))
        return out

    def _repr_html_(self) -> str:
        both: Any = self
        if not both.__sklearn_is_fitted__():
            return facts_of_html(type(self).__name__, [("not fitted yet", repr(self))])
        warned = [] if both._table is None else [f"{each.text} {each.remedy}" for each in both.warnings_]
        return facts_of_html(type(self).__name__, self._facts_of_html(), warned)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
