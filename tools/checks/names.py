#!/usr/bin/env python3
"""No class or enumeration is defined twice in one namespace, and headers of the library define theirs inside.

Two classes of one name in one library break the rule of one definition: the linker keeps one of their functions, and no
compiler sees it. Headers count, and what files of src define outside of an anonymous namespace; a class inside of another
one, and a specialisation of a template, are their own.

What users may name is directly in namespace postrider, or in that of a door: headers in include/postrider/skill declare postrider::skill and nothing
else. A type of a header in src, other than those of the programs' layers, is in postrider::internal or in a namespace below it, and no
namespace there has the name of a door, which it would hide from all of the inside.
"""

import re
from collections import defaultdict

from tree import PROGRAM_LAYERS, files, finish, read

NAMESPACE = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{")
INSIDE = re.compile(r"postrider::internal(::|$)")
DEFINITION = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|enum class|enum|union)\s+(?:POSTRIDER_EXPORT\s+)?(\w+)\s*(?:final\s*)?(?::[^:;]*)?\{")
END = re.compile(r"^\}\s*//\s*namespace\s*([\w:]*)")


def definitions(text):
    """Each name with its namespace, in the order of a file that clang-format has laid out: nothing in a namespace is indented."""
    open_ones = []
    for line in re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).split("\n"):
        if end := END.match(line):
            del open_ones[-1:]
        elif begin := NAMESPACE.match(line):
            if not line.rstrip().endswith("}") and "}  // namespace" not in line:
                open_ones.append(begin.group(1))
        elif (found := DEFINITION.match(line)) and "" not in open_ones:
            yield "::".join(open_ones), found.group(1)


def outside(path, text):
    """Types that a header of the library's layers defines where users would find them."""
    if path.parts[0] != "src" or path.parts[1] in PROGRAM_LAYERS or path.suffix != ".h":
        return
    for namespace, name in definitions(text):
        if not INSIDE.match(namespace):
            yield f"{path}: {namespace}::{name} is for users as it stands: declare it in include/postrider, or define it in postrider::internal"


def behind_doors():
    """The folders of include/postrider."""
    return {path.parts[2] for path in files(".h") if path.parts[:2] == ("include", "postrider") and len(path.parts) > 3}


def misplaced(path, text, doors):
    """Namespaces of a public header that are not its door's, and namespaces of the inside that have a door's name."""
    if path.parts[0] not in ("include", "src"):
        return
    open_ones = [match.group(1) for line in text.split("\n") if (match := NAMESPACE.match(line))]
    if path.parts[:2] == ("include", "postrider"):
        own = "::".join(("postrider", *path.parts[2:-1]))
        for name in sorted(set(open_ones) - {own, "postrider::internal", *(("internal", "detail") if own == "postrider" else ())}):
            yield f"{path}: declares in {name}, and its place says {own}"
    for name in open_ones:
        if hidden := doors.intersection(name.split("::")[1:] if name.startswith("postrider::internal") else [name]):
            yield f"{path}: namespace {name} hides postrider::{hidden.pop()} from the inside: give it another name"


def problems():
    doors = behind_doors()
    places = defaultdict(set)
    for path in files(".h", ".cc"):
        # Kernels are compiled once for each instruction set, in a namespace of its own.
        if path.parts[0] in ("include", "src"):
            for name in definitions(read(path)):
                places[name].add(str(path))
            yield from outside(path, read(path))
            yield from misplaced(path, read(path), doors)
    for (namespace, name), found in sorted(places.items()):
        if len(found) > 1:
            yield f"{namespace}::{name} is defined in {' and in '.join(sorted(found))}"


if __name__ == "__main__":
    finish(list(problems()))
