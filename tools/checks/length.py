#!/usr/bin/env python3
"""Files stay short enough to be read in one go."""

from tree import files, finish, read

WARN_ABOVE = 400
FAIL_ABOVE = 500

problems = []
for path in files(".h", ".cc", ".py"):
    lines = read(path).count("\n")
    if lines > FAIL_ABOVE:
        problems.append(f"{path}: {lines} lines, more than {FAIL_ABOVE}")
    elif lines > WARN_ABOVE:
        print(f"warning: {path}: {lines} lines, more than {WARN_ABOVE}")
finish(problems)
