#!/usr/bin/env python3
"""All C++ files are as clang-format would write them."""

import subprocess

from tree import ROOT, files, finish


def is_formatted(path):
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", path], cwd=ROOT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return result.returncode == 0


wrong = [str(path) for path in files(".h", ".cc") if not is_formatted(path)]
finish(["clang-format -i " + " ".join(wrong)] if wrong else [])
