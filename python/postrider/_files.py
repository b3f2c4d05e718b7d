"""Model files: what they say of Python's side, and of their table."""

from __future__ import annotations

import json
import os
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from postrider import _core

NOTE = "python"
Model: TypeAlias = "_core.Regressor | _core.Classifier"


def facts_of(model: Model) -> dict[str, Any]:
    """What `save` noted; empty for a model that the command line trained."""
    facts: dict[str, Any] = json.loads(model.notes.get(NOTE, "{}"))
    return facts


def table_of(model: Model) -> _core.StoredTable | None:
    """The columns that a model learned, if its file tells."""
    table = _core.table_of(model.notes)
    if table is not None and not table.vague:
        raise ValueError(
            "missing = 'mean': must be 'vague' in a model for Python, where nothing fills in means"
        )
    return table


def input_names(names: NDArray[np.object_] | None, count: int) -> list[str]:
    """The names of the columns, or x0, x1 and so on, as scikit-learn has them."""
    if names is not None:
        return [str(name) for name in names]
    return [f"x{place}" for place in range(count)]


def target_name(wanted: str, taken: list[str]) -> str:
    """The name that is wanted, with underscores where an input has it."""
    while wanted in taken or not wanted:
        wanted += "_"
    return wanted


def expect_replaceable(path: str | os.PathLike[str], kind: str = "a model", mark: bytes = b'"format":"postrider ') -> None:
    """Raise FileExistsError if a file is there that this package did not write."""
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        return
    with open(path, "rb") as file:
        first = file.read(1 << 16)
    if mark not in first:
        raise FileExistsError(
            f"{os.fspath(path)}: is there already and is not {kind}; remove it, or choose another name"
        )


def write(path: str | os.PathLike[str], model: Any, notes: dict[str, str], facts: Any) -> None:
    """Write the model, and beside it what Python wants to know again."""
    expect_replaceable(path)
    model.save(os.fspath(path), {**notes, NOTE: json.dumps(facts)})


def labels_of(names: list[str]) -> NDArray[Any]:
    """Class names as a table's reader in Python would have them: whole numbers, numbers or text."""
    for kind in (np.int64, np.float64):
        try:
            labels = np.array(names).astype(kind)
        except ValueError:
            continue
        if len(np.unique(labels)) == len(names):
            return labels
    return np.array(names)
