"""The former name of `postrider.experimental.mpi`, until 0.4."""

from typing import TYPE_CHECKING

from postrider._moved import moved_to

if TYPE_CHECKING:
    from postrider.experimental.mpi import *

__getattr__ = moved_to("postrider.experimental.mpi", __name__)
