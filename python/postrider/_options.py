"""Parameters of estimators: names, defaults and documentation come from the library's own table; and what they become for the library."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from postrider import _core


class Options(TypedDict, total=False):
    """Parameters of all estimators, besides `hidden_layer_sizes`, which may be given by its place."""

    activation: str
    ensemble_size: int | None
    drift: bool
    power: float | None
    copies: str
    encoding: str
    max_epochs: int | None
    patience: int | None
    effort: str
    time_budget: float | None
    damping: float
    weights_per_example: float
    store_budget: int | None
    memory_limit: int | str | None
    horizon: int
    stream_memory: int
    precision: str
    random_state: Any
    n_jobs: int | None
    verbose: bool


class RegressorOptions(Options, total=False):
    """Those of regressors."""

    varying_noise: bool
    noise_std: float | Sequence[float] | None
    target_scale: str
    intervals: str
    learned_shape: bool


class ClassifierOptions(Options, total=False):
    """Those of classifiers."""

    calibration_share: float
    class_weight: Mapping[Any, float] | str | None


class TableModelOptions(RegressorOptions, ClassifierOptions, total=False):
    """Those of models of tables, whose target decides whether they are regressors or classifiers."""

    missing: str
    indicators: bool


class _OfPackage(NamedTuple):
    """A parameter that the library's table does not have."""

    default: Any
    kind: str
    help: str


_TABLE: dict[str, dict[str, Any]] = {str(option["name"]): option for option in _core.estimator_options()}
_OF_PACKAGE = {
    "time_budget": _OfPackage(
        None,
        "float or None",
        "Seconds until training ends with what is best by then, though not before a whole epoch is learned. Encodings race for "
        "half of them at most. What was learned then depends on the clock.",
    ),
    "memory_limit": _OfPackage(
        None,
        "int, str or None",
        "Bytes that `fit` may take, about, besides what the process holds already: a number, or a text such as '512M' or '2G'. "
        "Stored messages are sized to it, in the place of `store_budget`.",
    ),
    "verbose": _OfPackage(False, "bool", "Show a bar (needs tqdm). See the logger 'postrider' for lines."),
    "class_weight": _OfPackage(
        None,
        "dict, 'balanced' or None",
        "How much a row of each class counts beside those of others, as {label: weight}, besides `sample_weight`. 'balanced': all "
        "classes count the same in all. In `fit` ratios alone count: the rows together have the weight of their number. "
        "Probabilities are then those of such weighted rows: they are no longer those of rows as they come.",
    ),
    "missing": _OfPackage("vague", "{'vague', 'mean'}", "What the network sees where an input is missing."),
    "indicators": _OfPackage(
        False,
        "bool",
        "One more input for each column with missing values: whether this one is. Scores are mostly better without.",
    ),
}
_FIRST = "hidden_layer_sizes"
_HEADING = "    Parameters\n    ----------\n"
_NEXT = re.compile(r"^    (Attributes|Examples)\n    -+\n", re.MULTILINE)  # the sections that may follow that of the parameters
_WIDTH = 92
_SEEDS = 2**31 - 1

# scikit-learn says what these two are, the table what they are for.
_SCIKIT_LEARN = {
    "random_state": ("int, RandomState instance or None", ""),
    "n_jobs": ("int or None", " None is 1 and -1 all, as in scikit-learn."),
}
_TYPES = {
    "flag": "bool",
    "number": "float",
    "text": "str",
    "counts": "sequence of int",
    "numbers": "float, sequence of float or None",
}

Class = TypeVar("Class", bound=type)


# --- parameters --------------------------------------------------------------------------------------


def default_of(name: str) -> Any:
    """What a parameter is if nobody sets it."""
    if name in _OF_PACKAGE:
        return _OF_PACKAGE[name].default
    option = _TABLE[name]
    if name in _SCIKIT_LEARN or option["zero_chooses"] or option["kind"] == "numbers":
        return None
    value = option["default"]
    return tuple(value) if isinstance(value, list) else value


def _entry(name: str, default: Any) -> str:
    if name in _OF_PACKAGE:
        _, kind, text = _OF_PACKAGE[name]
    else:
        option = _TABLE[name]
        if option["kind"] == "choice":
            kind = "{" + ", ".join(repr(choice) for choice in option["choices"]) + "}"
        else:
            kind = _TYPES.get(option["kind"], "int")
        if option["zero_chooses"]:
            kind += " or None"
        kind, more = _SCIKIT_LEARN.get(name, (kind, ""))
        text = str(option["help"]) + more
    return f"{name} : {kind}, default={default!r}\n" + textwrap.indent(textwrap.fill(text, _WIDTH), "    ")


def parametrised(options: type[Options], **defaults: Any) -> Callable[[Class], Class]:
    """Give a class the signature and the documentation of these parameters, some with defaults of their own."""

    def decorate(cls: Class) -> Class:
        names = [_FIRST, *options.__annotations__]
        values = {name: defaults.get(name, default_of(name)) for name in names}
        entries = "\n".join(_entry(name, default) for name, default in values.items())
        section = _HEADING + textwrap.indent(entries, "    ") + "\n\n"
        cls.__doc__ = _NEXT.sub(lambda found: section + found.group(), cls.__doc__ or "", count=1)
        by_place, by_name = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter("self", by_place),
            *(inspect.Parameter(name, by_place if name == _FIRST else by_name, default=values[name]) for name in names),
        ]
        cls.__init__.__signature__ = inspect.Signature(parameters)  # type: ignore[misc]
        return cls

    return decorate


def parameters_of(cls: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a class that was parametrised, those that are not given with their defaults."""
    bound = inspect.signature(cls.__init__).bind(None, **given)  # type: ignore[misc]
    bound.apply_defaults()
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def renamed_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters of a file, by their names of today: files of 0.1 say `members`."""
    former = {"members": "ensemble_size"}
    return {former.get(name, name): value for name, value in parameters.items()}


# --- values ------------------------------------------------------------------------------------------


def library_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the library knows, as it takes them; seed and threads are the caller's to add."""
    known = {name: value for name, value in parameters.items() if name in _TABLE}
    return {**known, _FIRST: layer_sizes(parameters[_FIRST])}


def layer_sizes(given: Any) -> list[int] | None:
    """Units of the hidden layers, also of one that is given as a number; None leaves them to the library."""
    return None if given is None else np.atleast_1d(given).tolist()


def seed_of(random_state: Any) -> int:
    """A whole number is itself the seed; all else draws one."""
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(_SEEDS))


def whole_number(name: str, value: Any, least: int) -> int:
    """The value, if it is a whole number that is not too small."""
    if isinstance(value, (int, np.integer)) and value >= least:
        return int(value)
    raise ValueError(f"{name} = {value!r}: must be a whole number of at least {least}")


def seconds_of(time_budget: float | None) -> float:
    """Seconds that training may take; 0 for any number."""
    if time_budget is None:
        return 0.0
    if isinstance(time_budget, bool) or not isinstance(time_budget, (int, float)) or not time_budget > 0:
        raise ValueError(f"time_budget = {time_budget!r}: must be a number of seconds above 0, or None")
    return float(time_budget)


def limit_text(limit: int | str | None, asked: int | None) -> str:
    """A limit of memory as the library reads it; empty if there is none."""
    if limit is None:
        return ""
    if asked is not None:
        raise ValueError(f"memory_limit = {limit!r}: does not go with store_budget")
    if isinstance(limit, bool) or not isinstance(limit, (int, str, np.integer)):
        raise ValueError(f"memory_limit = {limit!r}: must be a number of bytes, or a text such as '2G'")
    return str(limit)


def store_budget(limit: int | str | None, asked: int | None, data_bytes: int) -> int | None:
    """Bytes for stored messages: as asked for, or what a limit of all memory leaves."""
    text = limit_text(limit, asked)
    if not text:
        return asked
    advice = "partial_fit learns it in constant memory"
    return int(_core.store_bytes("memory_limit", text, data_bytes, advice))


def class_weights_of(given: Mapping[Any, float] | str | None) -> dict[str, Any]:
    """How often rows of classes count, as the library takes it of a table."""
    if isinstance(given, str) and given != "balanced":
        raise ValueError(f"class_weight = {given!r}: must be 'balanced', weights by class, or None")
    by_class = {} if given is None or isinstance(given, str) else given
    return {
        "balanced": given == "balanced",
        "class_weight": {str(name): float(weight) for name, weight in by_class.items()},
    }
