"""Names that have moved: the former ones work for one release, with a warning that has the new one."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from postrider._warnings import tell


def moved_to(new: str, old: str) -> Callable[[str], Any]:
    """
    Make the ``__getattr__`` of a module whose names are those of another one by now.

    The other one is imported at once: what it needs and is not installed is named when the former one is imported.
    """
    module = importlib.import_module(new)

    def look_up(name: str) -> Any:
        # Names with an underscore are asked for by Python itself, such as __path__.
        if name.startswith("_"):
            raise AttributeError(f"module {old!r} has no attribute {name!r}")
        value = getattr(module, name)
        tell(f"{old}.{name} is {new}.{name} since 0.3; the former name goes away in 0.4", DeprecationWarning)
        return value

    return look_up


def renamed(old: str, new: str) -> None:
    """Warn that a function was called by its former name."""
    tell(f"{old} is {new} since 0.3; the former name goes away in 0.4", DeprecationWarning)
