#!/usr/bin/env python3
"""The recipes of packaging agree with the build: version, licence, and a package for every library that it looks for."""

import json
import re

from tree import ROOT, finish, read

LICENCE = "Apache-2.0"
# What cmake/PostriderDependencies.cmake looks for, and its package by Debian | Conan | vcpkg | conda. None: not in that package.
PACKAGES = {
    "hwy": ("libhwy-dev", "highway", "highway", "libhwy"),
    "fmt": ("libfmt-dev", "fmt", "fmt", "fmt"),
    "Boost": ("libboost-math-dev", "boost", "boost-math", "libboost-headers"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann_json", "nlohmann-json", "nlohmann_json"),
    "Eigen3": ("libeigen3-dev", "eigen", "eigen3", "eigen"),
    "ZLIB": ("zlib1g-dev", "zlib", "zlib", "zlib"),
    "zstd": ("libzstd-dev", "zstd", "zstd", "zstd"),
    "CLI11": ("libcli11-dev", "cli11", "cli11", "cli11"),
    "KAFKA": ("librdkafka-dev", None, None, "librdkafka"),
    "REDIS": ("libhiredis-dev", None, None, "hiredis"),
    "OpenSSL": ("libssl-dev", None, None, "openssl"),
    "GTest": ("libgtest-dev", None, None, None),
}
# Found, and not a package of its own: the system's, a tool, and what packages leave out.
LEFT_OUT = {"Threads", "PkgConfig", "MPI"}

RECIPES = {
    "packaging/debian/control": r"(?<=[ \n]){name}(?=[ ,\n])",
    "packaging/conan/conanfile.py": r'"{name}/',
    "packaging/vcpkg/postrider/vcpkg.json": r'"{name}"',
    "packaging/conda/recipe.yaml": r"- {name}(?=[ \n])",
}


def first(pattern, path):
    """What the pattern's group holds in that file; None if it is not there."""
    found = re.search(pattern, read(path), re.MULTILINE)
    return found and found.group(1)


def version_problems():
    version = first(r"project\(postrider VERSION ([\d.]+)", "CMakeLists.txt")
    minor = version.rpartition(".")[0]
    stated = {
        "packaging/debian/changelog": (first(r"\Apostrider \(([\d.]+)-\d+\)", "packaging/debian/changelog"), version),
        "packaging/vcpkg/postrider/vcpkg.json": (json.loads(read("packaging/vcpkg/postrider/vcpkg.json")).get("version"), version),
        "packaging/conda/recipe.yaml": (first(r'^  version: "([\d.]+)"$', "packaging/conda/recipe.yaml"), version),
        "r/DESCRIPTION": (first(r"^Version: ([\d.]+)$", "r/DESCRIPTION"), version),
        "sql/postgresql/postrider.control": (first(r"^default_version = '([\d.]+)'$", "sql/postgresql/postrider.control"), minor),
        "packaging/debian/control": (first(r"^Package: libpostrider([\d.]+)$", "packaging/debian/control"), minor),
        **{page: (first(r"^find_package\(postrider ([\d.]+) REQUIRED\)$", page), minor) for page in ("docs/first-program.md", "docs/install.md")},
    }
    for path, (found, wanted) in stated.items():
        if found != wanted:
            yield f"{path}: version {found}, but CMakeLists.txt builds {version}"
    if not (ROOT / "packaging" / "debian" / f"libpostrider{minor}.install").is_file():
        yield f"packaging/debian/libpostrider{minor}.install: is not there"


def licence_problems():
    stated = {
        "packaging/debian/copyright": r"^Files: \*\nCopyright: .*\nLicense: (\S+)$",
        "packaging/conan/conanfile.py": r'^    license = "(.*)"$',
        "packaging/vcpkg/postrider/vcpkg.json": r'^  "license": "(.*)"',
        "packaging/conda/recipe.yaml": r"^  license: (\S+)$",
        "pyproject.toml": r'^license = "(.*)"$',
    }
    for path, pattern in stated.items():
        if first(pattern, path) != LICENCE:
            yield f"{path}: licence {first(pattern, path)} and not {LICENCE}"


def dependency_problems():
    listed = read("cmake/PostriderDependencies.cmake")
    found = set(re.findall(r"^\s*find_package\((\w+)", listed, re.MULTILINE)) | set(re.findall(r"pkg_check_modules\((\w+)", listed))
    for name in sorted(found - PACKAGES.keys() - LEFT_OUT):
        yield f"tools/checks/packages.py: the build looks for {name}, and PACKAGES does not say how recipes call it"
    for name in sorted(PACKAGES.keys() - found):
        yield f"tools/checks/packages.py: the build does not look for {name} any more"
    for name, packages in PACKAGES.items():
        for package, (path, pattern) in zip(packages, RECIPES.items()):
            if package and not re.search(pattern.format(name=re.escape(package)), read(path)):
                yield f"{path}: no {package}, although the build looks for {name}"


finish([*version_problems(), *licence_problems(), *dependency_problems()])
