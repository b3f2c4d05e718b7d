#!/usr/bin/env python3
"""Walks a new user's path: the commands of docs/first-model.md, in an empty folder, with nothing but the program.

Every command must end well, and a block `text` right after one must be what it prints. Usage: first_model.py PROGRAM PAGE
"""

import pathlib
import sys
import tempfile

from tour import walk

LEFT = ("model.safetensors", "predictions.csv", "report.html", "mine.safetensors")

program, page = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
# What installs the program is another test's: here it is installed.
text = page.read_text(encoding="utf-8").split("<!-- installed -->")[1]
with tempfile.TemporaryDirectory() as folder:
    walk(text, folder, program, write=False)
    missing = [name for name in LEFT if not (pathlib.Path(folder) / name).is_file()]
if missing:
    sys.exit(f"the page's commands left no {', '.join(missing)}")
