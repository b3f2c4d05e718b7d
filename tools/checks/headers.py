#!/usr/bin/env python3
"""Headers compile alone, with the flags of the project and warnings as errors.

All that users include, and those of src that changed since the commit before (in a branch: since it left origin/main). HEADERS=all takes
every one, as each night does.
"""

import json
import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import ROOT, files, finish

BUILD = ROOT / "build" / "check"


def configure():
    """Makes compile_commands.json and the generated headers; compiles nothing."""
    result = subprocess.run(
        ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
         "-DPOSTRIDER_WERROR=ON", "-DPOSTRIDER_BUILD_TESTS=OFF", "-DPOSTRIDER_BUILD_EXAMPLES=OFF",
         "-DPOSTRIDER_BUILD_EXPERIMENTS=OFF", "-DPOSTRIDER_BUILD_BENCH=OFF"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        finish([result.stdout])


def project_command():
    """The compiler and the union of the flags of all layers, in the order they first appear."""
    entries = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    groups = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if "ccache" not in word):]
        words = words[:words.index("-o")]
        group = []
        for word in words:
            if group and group[-1] == ["-isystem"]:
                group[-1].append(word)
            else:
                group.append([word])
        groups.update((tuple(words_of_one_flag), None) for words_of_one_flag in group)
    return [word for group in groups for word in group]


def problem_of(command, header):
    folder = header.parts[0]  # include/ and src/ are the include path
    name = header.relative_to(folder).as_posix()
    result = subprocess.run(
        [*command, "-fsyntax-only", "-x", "c++", "-"], input=f'#include "{name}"\n', cwd=BUILD,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return f"{header}:\n{result.stdout}" if result.returncode != 0 else None


def git(*arguments):
    result = subprocess.run(["git", "-c", "safe.directory=*", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return result.stdout if result.returncode == 0 else None


def changed():
    """Files that differ from the commit this work began with; None where git does not know of one."""
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/main")
    if base is None or base == head:
        base = git("rev-parse", "HEAD~1")
    listing = base and git("diff", "--name-only", base.strip())
    return None if not listing else {Path(name) for name in listing.splitlines()}


def headers():
    # windows.h is for that system (tools/windows-check).
    every = [path for path in files(".h") if path.parts[0] in ("include", "src") and path.name != "windows.h"]
    of_interest = None if os.environ.get("HEADERS") == "all" else changed()
    chosen = [path for path in every if of_interest is None or path.parts[0] == "include" or path in of_interest]
    return [*chosen, Path("include/postrider/version.h")]


configure()
command = project_command()
with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(lambda header: problem_of(command, header), headers()))
finish([problem for problem in results if problem])
