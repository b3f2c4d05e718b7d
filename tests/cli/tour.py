#!/usr/bin/env python3
"""Runs the commands of docs/tour.md and compares what they print with the page.

page.py says how. Needs the data sets: POSTRIDER_DATA, or else it is skipped (exit code 77).

Usage: tour.py PROGRAM PAGE [--write] [--pictures FOLDER --browser CHROMIUM]
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from page import SKIPPED, walk

PICTURES = (("tour_desktop", 1200, 1420), ("tour_phone", 390, 1420))


def take_pictures(folder, to, browser):
    for name, width, height in PICTURES:
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             f"--user-data-dir={folder}/profile", f"--window-size={width},{height}",
             f"--screenshot={to.resolve()}/{name}.png", f"file://{folder}/report.html"],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path)
    parser.add_argument("--browser", default="chromium")
    options = parser.parse_args()
    data = pathlib.Path(os.environ.get("POSTRIDER_DATA", "")) / "uci" / "concrete" / "data.csv"
    if not os.environ.get("POSTRIDER_DATA") or not data.is_file():
        print("skipped: it needs POSTRIDER_DATA with uci/concrete/data.csv")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(data, pathlib.Path(folder) / "concrete.csv")
        page = walk(options.page.read_text(), folder, options.program.resolve(), options.write)
        if options.write:
            options.page.write_text(page)
        if options.pictures:
            take_pictures(folder, options.pictures, options.browser)


if __name__ == "__main__":
    main()
