"""The former name of `postrider.experimental.sparse_model`, until 0.4."""

from typing import TYPE_CHECKING

from postrider._moved import moved_to

if TYPE_CHECKING:
    from postrider.experimental.sparse_model import *

__getattr__ = moved_to("postrider.experimental.sparse_model", __name__)
