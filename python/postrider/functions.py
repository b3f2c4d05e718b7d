"""The former name of `postrider.experimental.functions`, until 0.4."""

from typing import TYPE_CHECKING

from postrider._moved import moved_to

if TYPE_CHECKING:
    from postrider.experimental.functions import *

__getattr__ = moved_to("postrider.experimental.functions", __name__)
