#!/usr/bin/env python3
"""The bills of materials in a wheel (PEP 770): ours follows the schema of CycloneDX and names every library that the wheel carries.

Usage: wheel_parts.py WHEEL...
"""

import json
import re
import sys
import zipfile
from pathlib import Path

OURS = "postrider.cdx.json"
# Parts that cannot be missing, whatever a system links dynamically.
EXPECTED = {"highway", "fmt", "zlib", "zstd", "boost", "nlohmann-json", "eigen", "nanobind", "robin-map"}
# What a library's file is called, where that is not the part's name.
PART_OF_FILE = {"hwy": "highway", "z": "zlib"}
WITHOUT_VERSION = {"robin-map"}  # nanobind carries a copy that does not say


def carried_parts(names):
    """The parts that shared libraries of a wheel belong to, by their file names."""
    stems = [re.match(r"lib([a-z]+)", Path(name).name) for name in names if ".libs/" in name and ".so" in name]
    return {PART_OF_FILE.get(stem[1], stem[1]) for stem in stems if stem}


def problems_of(bill, carried):
    """What is wrong with a bill of materials of a wheel that carries these parts."""
    parts = {part["name"]: part for part in bill.get("components", [])}
    for name in sorted((EXPECTED | carried) - parts.keys()):
        yield f"{name} is not listed"
    for name, part in sorted(parts.items()):
        if not part.get("version") and name not in WITHOUT_VERSION:
            yield f"{name} has no version"
        if not part.get("licenses"):
            yield f"{name} has no licence"


def schema_problem(text):
    """What CycloneDX's own validator says; None if nothing."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    return JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)


def examine(path):
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        bills = {Path(name).name: wheel.read(name).decode() for name in names if ".dist-info/sboms/" in name}
    if OURS not in bills:
        return [f"no .dist-info/sboms/{OURS}; there are: {', '.join(bills) or 'none'}"], ""
    problems = list(problems_of(json.loads(bills[OURS]), carried_parts(names)))
    error = schema_problem(bills[OURS])
    if error is not None:
        problems.append(f"not as the schema of CycloneDX has it: {error}")
    parts = json.loads(bills[OURS])["components"]
    listed = ", ".join(" ".join(filter(None, (part["name"], part.get("version")))) for part in parts)
    return problems, f"{', '.join(sorted(bills))} in .dist-info/sboms: {listed}"


def main():
    failed = False
    for path in map(Path, sys.argv[1:]):
        problems, summary = examine(path)
        print(*(f"{path.name}: {problem}" for problem in problems), sep="\n", end="\n" if problems else "")
        print(f"{path.name}: {summary}")
        failed |= bool(problems)
    sys.exit(failed)


if __name__ == "__main__":
    main()
