"""The former name of `postrider.experimental.owners`, until 0.4."""

import runpy
from typing import TYPE_CHECKING

from postrider._moved import moved_to
from postrider._warnings import tell

if TYPE_CHECKING:
    from postrider.experimental.owners import *

__getattr__ = moved_to("postrider.experimental.owners", __name__)

if __name__ == "__main__":
    tell("python -m postrider.owners is python -m postrider.experimental.owners since 0.3; the former name goes away in 0.4", DeprecationWarning)
    runpy.run_module("postrider.experimental.owners", run_name="__main__", alter_sys=True)
