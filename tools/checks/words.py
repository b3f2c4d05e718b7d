#!/usr/bin/env python3
"""No file names a machine, a person's folder, a tool that wrote it or a package host.

Every pattern is spelt so that it does not match itself in this file.
"""

import re

from tree import ROOT, files, finish

FORBIDDEN = (
    (r"(?<![\w.~-])/(?:[w]ork|[r]oot|[h]ome)/", "path of one machine"),
    (r"\b[C]laude\b", "name of a tool"),
    (r"\b[a]gent session", "name of a tool"),
    (r"\b[p]ypi\.org\b|\b[d]eb\.debian\.org\b", "package host"),
)
PATTERNS = [(re.compile(pattern, re.IGNORECASE), reason) for pattern, reason in FORBIDDEN]

problems = []
for path in files():
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        continue  # not a text file
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, reason in PATTERNS:
            match = pattern.search(line)
            if match:
                problems.append(f"{path}:{number}: {match.group()}: {reason}")
finish(problems)
