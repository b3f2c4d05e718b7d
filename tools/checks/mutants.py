#!/usr/bin/env python3
"""Every mutant of tests/mutants still has its place: the text it replaces occurs exactly once in the function or type that it names.

Whoever changes a line that a mutant is made of writes the mutant anew. What it breaks stays the same.
"""

import sys

from tree import ROOT, finish

sys.path.insert(0, str(ROOT / "tools"))

from mutation.mutants import ListError, problems_of, read_list  # noqa: E402

try:
    finish(problems_of(read_list(ROOT / "tests" / "mutants"), ROOT))
except ListError as error:
    finish([str(error)])
