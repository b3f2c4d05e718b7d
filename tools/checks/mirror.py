#!/usr/bin/env python3
"""Folders of tests mirror those of the sources both ways, and every factor has its headings, its test and its page.

Each folder of src has tests in the folder of the same name, or stands in FOLDERS_TESTED_BY with the test that covers it; a test
is in such a folder, and is listed so that it runs.

The header comment of a factor states its mathematics under fixed headings. A stated limit carries a
tag, [limit: name], and an assertion of the factor's test carries the same tag in its text. A tag in a
comment does not count: what it stands above may be gone.
"""

import re
from pathlib import Path

from tree import LAYERS, ROOT, files, finish, read

HEADINGS = ("Density:", "Messages:", "Domain:", "Limits:", "Reference:")
LIMIT = re.compile(r"\[limit:\s*([^\]]+?)\s*\]")
# What begins a statement that fails where something is wrong.
ASSERTION = re.compile(r"(?:EXPECT_\w+|ASSERT_\w+|expect_\w+|agreement\.\w+)\(")

# Files of src/factor that serve factors and are none.
FACTOR_HELPERS = ("list-inl.h", "concept-inl.h", "interval-inl.h", "linearised-inl.h",
                  "relu_tilted-inl.h", "tilted-inl.h")

# Whole folders of the program: what their files make is looked at from outside.
FOLDERS_TESTED_BY = {
    "cli": "cli/commands.py",
    "mpi": "cli/ranks.py",
    "arrow_files": "cli/arrow_files.py",
    "cli/commands": "cli/commands.py",
    "io": "cli/commands.py",
    "serve": "cli/serve.py",
    "events": "cli/stream.py",
    "report/page": "report/page_test.cc",
}


def test_problems(path):
    if not (ROOT / "src" / Path(*path.parts[1:-1])).is_dir():
        yield f"{path}: there is no folder src/{Path(*path.parts[1:-1])}, whose tests it would have"
    listing = path.parent / "CMakeLists.txt"
    text = read(listing) if (ROOT / listing).is_file() else ""
    listed = re.findall(r"[\w./-]+", re.sub(r"#.*", "", text))
    if path.name not in listed:
        yield f"{path}: not in {listing}, so it never runs"


def folder_problems(sources, tests):
    """Folders that both lists name are those of files below src and below tests."""
    for folder in sorted(sources - tests - set(FOLDERS_TESTED_BY)):
        yield f"src/{folder}: has no test in tests/{folder}, and is not in FOLDERS_TESTED_BY"
    for folder, test in FOLDERS_TESTED_BY.items():
        if folder not in sources:
            yield f"tools/checks/mirror.py: src/{folder} is not there any more"
        if not (ROOT / "tests" / test).is_file():
            yield f"tools/checks/mirror.py: tests/{test} is not there"


def without_comments(text):
    """The text with comments blanked; what looks like one inside of a string stays."""
    token = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return token.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)


def asserted_limits(test):
    """Tags in the text of assertions: statements end at ; and blocks begin and end with braces."""
    found = set()
    for statement in re.split(r";|[{}]\s*\n", without_comments(test)):
        first = ASSERTION.search(statement)
        if first:
            found |= set(LIMIT.findall(statement[first.end():]))
    return found


def factor_problems(path):
    name = path.name[:-len("-inl.h")]
    comments = "\n".join(line for line in read(path).splitlines() if line.lstrip().startswith("//"))
    for heading in HEADINGS:
        if heading not in comments:
            yield f"{path}: no heading \"{heading}\" in the comment"
    page = Path("docs/factors", name + ".md")
    if not (ROOT / page).is_file():
        yield f"{path}: {page} is missing"
    test = Path("tests/factor", name + "_test.cc")
    if not (ROOT / test).is_file():
        yield f"{path}: {test} is missing"
        return
    asserted = asserted_limits(read(test))
    for limit in LIMIT.findall(comments):
        if limit not in asserted:
            yield f"{path}: [limit: {limit}] has no assertion with this tag in {test}"


def below(path, top):
    return path.parent.relative_to(top).as_posix()


problems = []
sources, tests = set(), set()
for source in files(".h", ".cc"):
    if source.parts[0] == "tests" and source.parts[1] in LAYERS and source.name.endswith("_test.cc"):
        problems += test_problems(source)
        tests.add(below(source, "tests"))
    if source.parts[0] == "src":
        sources.add(below(source, "src"))
    if source.parent == Path("src/factor") and source.name.endswith("-inl.h"):
        if source.name not in FACTOR_HELPERS:
            problems += factor_problems(source)
problems += folder_problems(sources, tests)
finish(problems)
