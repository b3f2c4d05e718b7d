#!/usr/bin/env python3
"""Runs the commands of a page and compares what they print with it; page.py says how.

A comment of the page names each file that its reader has: `<!-- file: sales.csv = data/sales.csv -->`, beside the page,
or `<!-- data: adult.csv.zst = tabular/adult/data.csv.zst -->`, below POSTRIDER_DATA. Without the data the page is skipped
(exit code 77).

Usage: pages.py PROGRAM PAGE [--write]
"""

import argparse
import os
import pathlib
import re
import shutil
import sys
import tempfile

from page import SKIPPED, walk

FILE = re.compile(r"<!-- (file|data): (\S+) = (\S+) -->")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    text = options.page.read_text()
    roots = {"file": options.page.resolve().parent, "data": pathlib.Path(os.environ.get("POSTRIDER_DATA", "none"))}
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, path in FILE.findall(text):
            source = roots[kind] / path
            if not source.is_file():
                print(f"skipped: it needs {path}, below POSTRIDER_DATA")
                sys.exit(SKIPPED)
            shutil.copy(source, pathlib.Path(folder) / name)
        page = walk(text, folder, options.program.resolve(), options.write)
    if options.write:
        options.page.write_text(page)


main()
