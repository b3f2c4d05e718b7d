"""Models in MLflow: a registry keeps the model file, and whoever loads it gets frames of predictions with intervals.

    pip install postrider[mlflow]

Experimental: the part becomes stable once a registry that is not ours has kept models through a change of version.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import mlflow.pyfunc
import pandas as pd

from postrider.tables import TableModel

__all__ = ["save_model", "log_model"]

_FILE = "model"


class _Predictor(mlflow.pyfunc.PythonModel):  # type: ignore[misc]
    """What MLflow loads; the model itself is a file beside it, and no pickle."""

    def load_context(self, context: Any) -> None:
        self._model = TableModel.load(context.artifacts[_FILE])

    # MLflow reads hints of types here as a schema of rows, and warns of any others.
    def predict(self, context, model_input, params=None):  # type: ignore[no-untyped-def]
        """Means, standard deviations and intervals, or the class and the probability of each."""
        found = self._model.predict(model_input)
        if self._model.classifies:
            columns = {"class": found["class"]}
            columns |= {f"probability of {name}": found["probabilities"][:, k] for k, name in enumerate(self._model.classes)}
        else:
            bounds = self._model.predict_interval(model_input, (params or {}).get("level", 0.9))
            columns = {"mean": found["mean"], "std": found["std"], "low": bounds[:, 0], "high": bounds[:, 1]}
        return pd.DataFrame(columns, index=model_input.index)


def save_model(model: TableModel, path: str | os.PathLike[str], **options: Any) -> None:
    """
    Write a model as MLflow keeps models, to a folder.

    Parameters
    ----------
    model : TableModel
    path : str or path-like
        A folder that is not there.
    **options
        Those of ``mlflow.pyfunc.save_model``, such as ``signature``.
    """
    with tempfile.TemporaryDirectory() as folder:
        mlflow.pyfunc.save_model(path=os.fspath(path), python_model=_Predictor(), artifacts=_saved(model, folder), **_with_packages(options))


def log_model(model: TableModel, name: str, **options: Any) -> Any:
    """
    Add a model to the run that is active.

    Parameters
    ----------
    model : TableModel
    name : str
        Of the model in the run.
    **options
        Those of ``mlflow.pyfunc.log_model``, such as ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    with tempfile.TemporaryDirectory() as folder:
        return mlflow.pyfunc.log_model(name=name, python_model=_Predictor(), artifacts=_saved(model, folder), **_with_packages(options))


def _saved(model: TableModel, folder: str) -> dict[str, str]:
    path = Path(folder) / f"{_FILE}.safetensors"
    model.save(path)
    return {_FILE: str(path)}


def _with_packages(options: dict[str, Any]) -> dict[str, Any]:
    return {"pip_requirements": ["postrider", "pandas", "pyarrow"], **options}
