#!/usr/bin/env python3
"""Runs the Python blocks of a page: one program per page, from top to bottom.

A `text` block that follows a Python block is what that block prints, and is compared; a block that begins with `>>>`
is a doctest. A block after the comment `<!-- not run -->` is left out. After `<!-- numbers within 20 % -->` the numbers of
a `text` block may differ by so much, or by that share of 1, as those of another processor do; words may not.
Usage: blocks.py FILE...
"""
import contextlib
import doctest
import io
import os
import re
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(
    r"(?P<skip><!-- not run -->\n)?^```python\n(?P<code>.*?)^```\n"
    r"(?:\n*(?:^<!-- numbers within (?P<percent>\d+) % -->\n)?^```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def is_alike(printed, written, share):
    """Whether two texts have the same words, and numbers that differ by no more than this share."""
    if share == 0 or NUMBER.sub("#", printed).split() != NUMBER.sub("#", written).split():
        return printed.strip() == written.strip()
    pairs = zip(map(float, NUMBER.findall(printed)), map(float, NUMBER.findall(written)))
    return all(abs(a - b) <= share * max(abs(b), 1) for a, b in pairs)


def run_doctest(code, names, path, line):
    test = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), line)
    report = io.StringIO()
    if doctest.DocTestRunner(verbose=False).run(test, out=report.write, clear_globs=False).failed:
        raise AssertionError(report.getvalue())
    names.update(test.globs)


def run_program(code, names, path, line, output, share):
    # Lines count from the top of the page, so that a traceback points into it.
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + code, str(path), "exec"), names)
    if output is not None and not is_alike(printed.getvalue(), output, share):
        raise AssertionError(f"{path}:{line}: prints\n{printed.getvalue()}\nand not\n{output}")


def run(path):
    """Runs the page's blocks, which share their names; returns how many ran."""
    page = path.read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    count = 0
    for match in BLOCK.finditer(page):
        if match["skip"]:
            continue
        line = page.count("\n", 0, match.start("code"))
        if match["code"].startswith(">>>"):
            run_doctest(match["code"], names, path, line)
        else:
            run_program(match["code"], names, path, line, match["output"], int(match["percent"] or 0) / 100)
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
