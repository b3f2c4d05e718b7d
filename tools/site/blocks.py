#!/usr/bin/env python3
"""Runs the Python blocks of a page: one program per page, from top to bottom.

A `text` block that follows a Python block is what that block prints, and is compared. A block after the comment
`<!-- not run -->` is left out. Usage: blocks.py FILE...
"""
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(
    r"(?P<skip><!-- not run -->\n)?^```python\n(?P<code>.*?)^```\n(?:\n*^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL)


def run(path):
    """Runs the page's blocks in a folder of their own; returns how many ran."""
    page = path.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    count = 0
    for match in BLOCK.finditer(page):
        if match["skip"]:
            continue
        # Lines count from the top of the page, so that a traceback points into it.
        line = page.count("\n", 0, match.start("code"))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + match["code"], str(path), "exec"), names)
        if match["output"] is not None and printed.getvalue().strip() != match["output"].strip():
            raise AssertionError(f"{path}:{line}: prints\n{printed.getvalue()}\nand not\n{match['output']}")
        count += 1
    return count


def main():
    pages = [Path(name).resolve() for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for page in pages:
            count = run(page)
            if count == 0:
                sys.exit(f"{page.name}: no block was run")
            print(f"{page.name}: {count} blocks")


if __name__ == "__main__":
    main()
