"""What a model consists of: its variables, factors and observations, and how factors are taken out by their names."""

from __future__ import annotations

import copy
import uuid
from typing import Any, TypeVar

from postrider._expressions import Setting
from postrider._hidden_states import Emission, SeenAlone, States
from postrider._plates import Plate
from postrider._switches import Switch
from postrider._topics import TopicModels

Self = TypeVar("Self", bound="ModelParts")


class ModelParts(TopicModels):
    """The part of a model that holds its factors."""

    def __init__(self) -> None:
        super().__init__()
        self._identity = uuid.uuid4().hex  # says of which model a posterior is
        self._variables = 0
        self._plates: list[Plate] = []
        self._known: list[SeenAlone] = []  # observed, given hyperparameters alone
        self._states: list[States] = []
        self._emissions: list[Emission] = []
        self._switches: list[Switch] = []

    def remove(self, name: str) -> None:
        """Takes out again what was added with `name=`: observations, or what was known of unknown numbers beforehand.

        The model is then as if it had never had them. All that was added under that name goes; unknown numbers stay, and what is open
        without what was removed needs something else to be known of it.
        """
        kinds: tuple[list[Any], ...] = (self._plates, self._known, self._emissions, self._switches)
        seen = [each.named for each in self._conjugates]
        named = {each.label for kind in (*kinds, *seen) for each in kind if not self._is_default(each.label)}
        if name not in named:
            raise ValueError(f"name = {name!r}: {self._why_not(name, named)}")
        for kind in kinds:
            kind[:] = [each for each in kind if each.label != name]
        for conjugate in self._conjugates:
            conjugate.remove(name)

    def _is_default(self, label: str) -> bool:
        """Factors without a name have that of the method that added them."""
        return callable(getattr(type(self), label, None))

    def _why_not(self, name: str, named: set[str]) -> str:
        if self._is_default(name):
            return "is what factors without a name are called; add with name=... what is to be taken out later"
        unknown: tuple[Any, ...] = (*self._hyperparameters, *self._states, *self._conjugates, *self._topics)
        if name in {each.name for each in unknown}:
            return "names what is unknown, which stays; observations and priors of normal numbers can be taken out"
        return "names nothing that was added; there are " + (", ".join(map(repr, sorted(named))) or "no names")

    def _snapshot(self: Self) -> Self:
        """The model as it is now, whatever is added later."""
        out = copy.copy(self)
        for field, value in vars(self).items():
            if isinstance(value, list):
                setattr(out, field, list(value))
        out._conjugates = [each.copied() for each in self._conjugates]
        return out

    def _seen_of(self, states: States) -> list[Emission]:
        return [each for each in self._emissions if each.states is states]

    def _log_known(self, setting: Setting) -> float:
        """The log-density of what depends on hyperparameters alone, and of what conjugate unknowns were seen by."""
        return sum(each.at(setting) for each in self._known) + sum(each.at(setting)[0] for each in self._conjugates)
