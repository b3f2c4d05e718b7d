"""Parameters of estimators: their documentation and defaults come from the library's own table."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any, TypeVar

from postrider import _core

_TABLE: dict[str, dict[str, Any]] = {
    str(option["name"]): option for option in _core.estimator_options()
}
_HEADING = "    Parameters\n    ----------\n"
_WIDTH = 92

# scikit-learn says what these two are, the table what they are for.
_SCIKIT_LEARN = {
    "random_state": ("int, RandomState instance or None, default=None", ""),
    "n_jobs": ("int or None, default=None", " None is 1 and -1 all, as in scikit-learn."),
}
_TYPES = {
    "flag": "bool",
    "number": "float",
    "text": "str",
    "counts": "sequence of int",
    "numbers": "float, sequence of float or None",
}

Class = TypeVar("Class", bound=type)


def default_of(name: str) -> Any:
    """What a parameter is if nobody sets it."""
    option = _TABLE[name]
    if name in _SCIKIT_LEARN or option["zero_chooses"] or option["kind"] == "numbers":
        return None
    value = option["default"]
    return tuple(value) if isinstance(value, list) else value


def _entry(name: str) -> str:
    option = _TABLE[name]
    if option["kind"] == "choice":
        kind = "{" + ", ".join(repr(choice) for choice in option["choices"]) + "}"
    else:
        kind = _TYPES.get(option["kind"], "int")
    if option["zero_chooses"]:
        kind += " or None"
    told, more = _SCIKIT_LEARN.get(name, (f"{kind}, default={default_of(name)!r}", ""))
    text = str(option["help"]) + more
    return f"{name} : {told}\n" + textwrap.indent(textwrap.fill(text, _WIDTH), "    ")


def documented(cls: Class) -> Class:
    """Put the parameters that the table knows first among those that the docstring of a class has."""
    names = [name for name in inspect.signature(cls).parameters if name in _TABLE]
    entries = textwrap.indent("\n".join(_entry(name) for name in names), "    ")
    cls.__doc__ = (cls.__doc__ or "").replace(_HEADING, _HEADING + entries + "\n", 1)
    return cls


def renamed_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a file, by their names of today: files of 0.1 say `members`."""
    former = {"members": "ensemble_size"}
    return {former.get(name, name): value for name, value in parameters.items()}
