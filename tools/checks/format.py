#!/usr/bin/env python3
"""All C++ files are as clang-format would write them."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import ROOT, files, finish


def is_formatted(path):
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", path], cwd=ROOT,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return result.returncode == 0


paths = files(".h", ".cc")
with ThreadPoolExecutor(os.cpu_count()) as pool:
    wrong = [str(path) for path, formatted in zip(paths, pool.map(is_formatted, paths)) if not formatted]
finish(["clang-format -i " + " ".join(wrong)] if wrong else [])
