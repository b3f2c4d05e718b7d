"""Pages whose commands are run: blocks `sh` one after the other in one folder; a block `text` right after one is what it
prints. Words must be the same; times are passed over; numbers may differ as those of another processor do."""

import os
import re
import subprocess
import sys

SKIPPED = 77
BLOCKS = re.compile(r"```sh\n(.*?)```\n(\n```text\n(.*?)```\n)?", re.S)
TIME = re.compile(r"\b[\d.]+ (s|min|h)$", re.M)
RELATIVE, ABSOLUTE = 0.05, 0.05  # other instruction sets round differently, and training carries it on


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
    return done.stdout


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
