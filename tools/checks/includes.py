#!/usr/bin/env python3
"""Includes point only in the allowed directions.

A layer includes itself, "postrider/..." and the layers below it as listed in USES. Installed headers
and examples include postrider/ and the standard library: examples are programs of a user. Tests,
experiments and benchmarks may look inside the library and are not checked, but a header in tests
must not hide the library's header of the same name: both folders are searched for includes.
"""

import re

from tree import LAYERS, files, finish, read

USES = {
    "base": (),
    "math": ("base",),
    "message": ("math",),
    "factor": ("message",),
    "certify": ("factor",),
    "graph": ("factor",),
    "sweep": ("factor",),
    "network": ("graph", "sweep"),
    "data": ("base",),
    "monitor": ("data",),
    "warnings": ("monitor",),
    "skill": ("factor", "data"),
    "sparse": ("factor", "data"),
    "drift": ("base",),
    "encode": ("data", "math"),
    "train": ("network", "data", "drift"),
    "estimator": ("encode", "train"),
    "distributed": ("estimator",),
    "audit": ("estimator", "certify"),
    "table": ("distributed", "data", "warnings"),
    "capi": ("table",),
    "mpi": (),
    "arrow_files": (),
    "text": (),
    "explain": ("audit", "table", "text"),
    "report": ("text",),
    "io": ("text", "arrow_files"),
    "serve": ("io",),
    "events": ("io",),
    "cli": ("serve", "events", "mpi"),
    "web": ("cli",),
}
assert set(USES) == set(LAYERS)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def reachable(layer):
    """The layer and all that it may include, directly or through others."""
    found = {layer}
    for used in USES[layer]:
        found |= reachable(used)
    return found


def standard(path, name):
    """Headers of the C++ standard library have neither a folder nor a suffix; those of C are for C."""
    if path.suffix == ".c" or path.name == "c_api.h":
        return re.fullmatch(r"(math|stddef|stdint|stdio|stdlib|string)\.h", name) is not None
    return re.fullmatch(r"[a-z_0-9]+", name) is not None


def problems_of(path):
    place = path.parts[0]
    layer = path.parts[1] if place == "src" else None
    if place == "src" and layer not in LAYERS:
        yield f"{path}: not in a known layer"
        return
    for bracket, name in INCLUDE.findall(read(path)):
        target = name.split("/")[0] if "/" in name else None
        if place in ("include", "examples") and target != "postrider" and not standard(path, name):
            yield f"{path}: {name}: only postrider/ and the standard library may be included here"
        elif place == "python" and target in LAYERS:
            yield f"{path}: {name}: the inside of the library is not for the Python package"
        elif place == "src" and bracket == '"' and target is None:
            yield f'{path}: "{name}": write the folder too, as in "{layer}/{name}"'
        elif place == "src" and target in LAYERS and target not in reachable(layer):
            allowed = ", ".join(sorted(reachable(layer)))
            yield f"{path}: {name}: {layer} may include postrider/ and: {allowed}"


def hidden_headers(paths):
    """Headers of tests that are found before the library's headers of the same name."""
    library = {path.relative_to("src") for path in paths if path.parts[0] == "src"}
    for path in paths:
        if path.parts[0] == "tests" and path.relative_to("tests") in library:
            yield f"{path}: hides src/{path.relative_to('tests')}: give it another name"


finish([problem for path in files(".h", ".cc")
        if path.parts[0] in ("include", "src", "examples", "python")
        for problem in problems_of(path)] + list(hidden_headers(files(".h"))))
