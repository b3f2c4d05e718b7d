#!/usr/bin/env python3
"""No class or enumeration is defined twice in one namespace, and headers of the library define theirs inside.

Two classes of one name in one library break the rule of one definition: the linker keeps one of their functions, and no
compiler sees it. Headers count, and what files of src define outside of an anonymous namespace; a class inside of another
one, and a specialisation of a template, are their own.

What is directly in namespace postrider is what users may name: a type of a header in src, other than those of the programs' layers, is in
postrider::internal or in a namespace below it.
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


def problems():
    places = defaultdict(set)
    for path in files(".h", ".cc"):
        # Kernels are compiled once for each instruction set, in a namespace of its own.
        if path.parts[0] in ("include", "src"):
            for name in definitions(read(path)):
                places[name].add(str(path))
            yield from outside(path, read(path))
    for (namespace, name), found in sorted(places.items()):
        if len(found) > 1:
            yield f"{namespace}::{name} is defined in {' and in '.join(sorted(found))}"


if __name__ == "__main__":
    finish(list(problems()))
