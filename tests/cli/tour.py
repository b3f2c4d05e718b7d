#!/usr/bin/env python3
"""Runs the commands of docs/tour.md and compares what they print with the page.

Blocks `sh` are run one after the other in one folder; a block `text` right after one is what it
prints. Words must be the same; times are passed over; numbers may differ as those of another
processor do. Needs the data sets: POSTRIDER_DATA, or else it is skipped (exit code 77).

Usage: tour.py PROGRAM PAGE [--write] [--pictures FOLDER --browser CHROMIUM]
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
BLOCKS = re.compile(r"```sh\n(.*?)```\n(\n```text\n(.*?)```\n)?", re.S)
# A log has such a line now and then, as the time goes.
PROGRESS = re.compile(r"(?m)^(folds: )?(member \d+/\d+  )?epoch \d+/\d+  score .*\n")
TIME = re.compile(r"\b[\d.]+ (s|min|h)$", re.M)
RELATIVE, ABSOLUTE = 0.05, 0.05  # other instruction sets round differently, and training carries it on
PICTURES = (("tour_desktop", 1200, 1420), ("tour_phone", 390, 1420))


def number(word):
    try:
        return float(word.lstrip("<").rstrip(",;%:"))
    except ValueError:
        return None


def is_alike(one, other):
    if one == other:
        return True
    a, b = number(one), number(other)
    return a is not None and b is not None and abs(a - b) <= max(ABSOLUTE, RELATIVE * abs(b))


def expect_alike(command, printed, written):
    got, wanted = TIME.sub("TIME", printed).split(), TIME.sub("TIME", written).split()
    # Numbers inside of lines of CSV.
    got, wanted = ([part for word in words for part in word.split(",")] for words in (got, wanted))
    if len(got) == len(wanted) and all(map(is_alike, got, wanted)):
        return
    sys.exit(f"{command}\nprints\n{printed}\ninstead of\n{written}")


def run(command, folder, program):
    # The program is called postrider, whatever the build calls the folder that it is in.
    environment = dict(os.environ, PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")
    done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{command}\nended with exit code {done.returncode}\n{done.stdout}")
    return PROGRESS.sub("", done.stdout)


def walk(page, folder, program, write):
    """The page as it should be; compares as it goes, unless it is to be written."""
    def step(match):
        command, block, written = match.groups()
        printed = run(command, folder, program)
        if not write:
            if block is not None:
                expect_alike(command, printed, written)
            return match.group(0)
        return f"```sh\n{command}```\n" + (f"\n```text\n{printed}```\n" if block is not None else "")
    return BLOCKS.sub(step, page)


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


main()
