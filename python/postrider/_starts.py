"""Where inference may start: at the messages and the hyperparameters that an earlier posterior of the model had."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from postrider._expressions import Array
from postrider._plates import Plate
from postrider._switches import Switch, each_site

if TYPE_CHECKING:
    from postrider._held_model import HeldModel


@dataclass(frozen=True)
class Former:
    """What a posterior leaves behind. It is taken for the factors that are still there, and says nothing of others."""

    messages: list[tuple[Plate, Array]] = field(default_factory=list)
    sites: list[tuple[Switch, int, Array, Array]] = field(default_factory=list)  # with the first row, precisions, information
    mode: list[float] = field(default_factory=list)  # of the hyperparameters, as free numbers
    sds: list[float] = field(default_factory=list)


def messages_of(held: HeldModel) -> Former:
    """Those of the present setting."""
    plates = zip(held.model._plates, held.plates, strict=True)
    return Former(
        [(plate, held.core.messages(number)) for plate, number in plates if plate.has_messages],
        [(one.switch, int(one.windows.rows[0, 0]), one.precision, one.information) for one in each_site(held.switches)],
    )


def begin_at(held: HeldModel, former: Former) -> None:
    """Gives the factors that were there before the messages that they had."""
    messages = {id(plate): found for plate, found in former.messages}
    for plate, number in zip(held.model._plates, held.plates, strict=True):
        if id(plate) in messages:
            held.core.start_from(number, messages[id(plate)])
    sites = {(id(switch), first): found for switch, first, *found in former.sites}
    for one in each_site(held.switches):
        found = sites.get((id(one.switch), int(one.windows.rows[0, 0])))
        if found is not None:
            one.take(*found)
