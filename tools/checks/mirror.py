#!/usr/bin/env python3
"""Tests mirror the sources, and every factor has its headings, its test and its page.

The header comment of a factor states its mathematics under fixed headings. A stated limit carries a
tag, [limit: name], and the test that asserts the limit carries the same tag.
"""

import re
from pathlib import Path

from tree import LAYERS, ROOT, files, finish, read

HEADINGS = ("Density:", "Messages:", "Domain:", "Limits:", "Reference:")
LIMIT = re.compile(r"\[limit:\s*([^\]]+?)\s*\]")

# Files of src/factor that serve factors and are none.
FACTOR_HELPERS = ("list-inl.h", "concept-inl.h", "interval-inl.h", "linearised-inl.h",
                  "relu_tilted-inl.h", "tilted-inl.h")


def subjects_of(path, name):
    folder = Path("src", *path.parts[1:-1])
    inside = [folder / (name + ending) for ending in (".h", ".cc", "-inl.h")]
    return inside + [Path("include/postrider", name + ".h")]


def test_problems(path):
    name = path.name[:-len("_test.cc")]
    subjects = subjects_of(path, name)
    # One aspect of a subject may have a file of its own: <subject>_<aspect>_test.cc.
    if not any((ROOT / subject).is_file()
               for subject in subjects + subjects_of(path, name.rpartition("_")[0])):
        yield f"{path}: tests none of " + ", ".join(map(str, subjects))
    listing = path.parent / "CMakeLists.txt"
    text = read(listing) if (ROOT / listing).is_file() else ""
    listed = re.findall(r"[\w./-]+", re.sub(r"#.*", "", text))
    if path.name not in listed:
        yield f"{path}: not in {listing}, so it never runs"


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
    asserted = set(LIMIT.findall(read(test)))
    for limit in LIMIT.findall(comments):
        if limit not in asserted:
            yield f"{path}: [limit: {limit}] has no assertion with this tag in {test}"


problems = []
for source in files(".h", ".cc"):
    if source.parts[0] == "tests" and source.parts[1] in LAYERS and source.name.endswith("_test.cc"):
        problems += test_problems(source)
    if source.parent == Path("src/factor") and source.name.endswith("-inl.h"):
        if source.name not in FACTOR_HELPERS:
            problems += factor_problems(source)
finish(problems)
