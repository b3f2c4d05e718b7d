#!/usr/bin/env python3
"""Pages use the field's words and sentences that a reader does not stumble over.

Code, formulas and blocks that scripts write are passed over; the changelog keeps the words of its time.
"""

import re

from tree import files, finish, read

RULES = (
    (r"\btold\b", "say who says or shows it"),
    (r"(?<![Tt]here )\b(?:is|are|was|were) no (?!longer|more|less|larger|smaller|such|better|worse)", "write 'is not a ...'"),
    (r"(?<!tandard )(?<!signed )(?<!absolute )\bdeviations?\b", "standard deviation"),
    (r"(?<!continuous )\branked probability score\b", "CRPS"),
    (r"\brenewal\b", "damping"),
    (r"\bweights of rows\b", "sample weights"),
    (r"\b(?:rows|examples|share)\b[^.]{0,20}\b(?:kept|held) back\b", "held out"),
    (r"(?:^|[.;] )Who (?![^.]*\?)", "name the reader or the thing: 'if you ...', 'whoever ...'"),
    (r"^\s*(?:(?:#|/?\*|//+)\s+|\"\"\")Of\b", "a comment is a sentence with a subject"),
)
PATTERNS = [(re.compile(pattern), advice) for pattern, advice in RULES]
COMMENTED = (".ci/", "bench/", "docs/", "examples/", "experiments/", "include/", "python/", "src/", "tests/", "tools/")
# Blocks that come from somewhere else: fenced code, what a script wrote, displayed formulas.
FOREIGN = re.compile(r"^```.*?^```|<!-- ([^\n]*?): written by [\w.]+ -->.*?<!-- \1: end -->|^\$\$.*?\$\$",
                     re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|\$[^$\n]+\$|<!--.*?-->")


def blank(match):
    """Keeps the lines, so that numbers of lines stay right."""
    return "\n" * match.group().count("\n")


def prose(text):
    return INLINE.sub(" ", FOREIGN.sub(blank, text))


def comments(text):
    return "\n".join(line if re.match(r'\s*(#|//|/?\*|""")', line) else "" for line in text.splitlines())


problems = []
for path in files():
    name = path.as_posix()
    if path.suffix == ".md":
        if name == "CHANGELOG.md":
            continue
        text, patterns = prose(read(path)), PATTERNS
    elif name.startswith(COMMENTED) and path.suffix in (".py", ".cc", ".h", ".c"):
        text, patterns = comments(read(path)), PATTERNS[-1:]
    else:
        continue
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, advice in patterns:
            match = pattern.search(line)
            if match:
                problems.append(f"{name}:{number}: '{match.group().strip()}': {advice}")
finish(problems)
