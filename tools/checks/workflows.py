#!/usr/bin/env python3
"""The workflows of .github call stages that .ci/run has, and pin actions by the hash of a commit."""

import re
import subprocess

from tree import ROOT, files, finish, read

CALLED = re.compile(r"\.ci/run((?: [a-z0-9]+)+)")
LISTED = re.compile(r"\bstages?: ([a-z][a-z0-9 ]*)|\bstage: \[([a-z0-9, ]+)\]")
USED = re.compile(r"\buses: (\S+)")
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40}")

stages = set(subprocess.run([ROOT / ".ci" / "run", "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout.split())
problems = []
named = set()
for path in files(".yml"):
    if not path.as_posix().startswith(".github/workflows/"):
        continue
    for number, line in enumerate(read(path).splitlines(), start=1):
        words = CALLED.findall(line) + [one or more for one, more in LISTED.findall(line)]
        found = {word for text in words for word in text.replace(",", " ").split()}
        named |= found
        problems += [f"{path}:{number}: .ci/run has no stage '{stage}'" for stage in sorted(found - stages)]
        problems += [f"{path}:{number}: {action} is not pinned by a commit's hash" for action in USED.findall(line) if not PINNED.fullmatch(action)]
problems += [f".github/workflows: no workflow calls the stage '{stage}'" for stage in sorted(stages - named)]
finish(problems)
