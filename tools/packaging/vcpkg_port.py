#!/usr/bin/env python3
"""Reads a vcpkg port without vcpkg: its manifest, and its portfile, run by CMake with vcpkg's helpers replaced by notes of their calls.

Checks that the manifest is sorted and complete, that features and helpers fit together, and that the options which the port
passes are options of this project. Usage: vcpkg_port.py PORT
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = ("name", "version", "description", "license", "dependencies")
# Which package a helper comes from; None: vcpkg itself.
HELPERS = {
    "vcpkg_check_features": None,
    "vcpkg_cmake_configure": "vcpkg-cmake",
    "vcpkg_cmake_install": "vcpkg-cmake",
    "vcpkg_cmake_config_fixup": "vcpkg-cmake-config",
    "vcpkg_fixup_pkgconfig": None,
    "vcpkg_copy_tools": None,
    "vcpkg_install_copyright": None,
}
NOTE = """
macro({name})
  file(APPEND "{calls}" "{name};${{ARGN}}\\n")
endmacro()
"""


def manifest_problems(manifest):
    """What vcpkg would refuse or its maintainers would change."""
    for field in REQUIRED:
        if not manifest.get(field):
            yield f"vcpkg.json: no {field}"
    listed = [names_of(manifest)] + [names_of(feature) for feature in manifest.get("features", {}).values()]
    for names in listed:
        if names != sorted(names):
            yield f"vcpkg.json: dependencies are not sorted: {', '.join(names)}"
    for name, feature in manifest.get("features", {}).items():
        if not feature.get("description"):
            yield f"vcpkg.json: feature {name} has no description"


def names_of(part):
    return [need if isinstance(need, str) else need["name"] for need in part.get("dependencies", [])]


def calls_of(port, features):
    """Calls of vcpkg's helpers, each a list that begins with its name, when the portfile runs with these features."""
    with tempfile.TemporaryDirectory() as folder:
        calls, script = Path(folder, "calls"), Path(folder, "run.cmake")
        settings = {"CURRENT_PORT_DIR": port, "CURRENT_PACKAGES_DIR": folder, "PORT": port.name, "FEATURES": ";".join(features)}
        script.write_text("cmake_minimum_required(VERSION 3.21)\n" + "".join(f'set({name} "{value}")\n' for name, value in settings.items())
                          + "".join(NOTE.format(name=name, calls=calls) for name in HELPERS)
                          + f'include("{port / "portfile.cmake"}")\n')
        subprocess.run(["cmake", "-P", script], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        installed = Path(folder, "share", port.name, "usage")
        if not installed.is_file():
            raise FileNotFoundError("portfile.cmake: installs no file usage")
        return [line.split(";") for line in calls.read_text().splitlines()]


def call_problems(calls, manifest, options):
    named = set(names_of(manifest))
    for name, *arguments in calls:
        if HELPERS[name] and HELPERS[name] not in named:
            yield f"portfile.cmake: {name} needs {HELPERS[name]} in vcpkg.json"
        given = re.findall(r"(?<![A-Z_])(?:-D)?(POSTRIDER_\w+)", " ".join(arguments))
        yield from (f"portfile.cmake: {option} is not an option of this project" for option in sorted(set(given) - options))
        for path in arguments[1:2] if "SOURCE_PATH" in arguments[:1] else ():
            if not Path(path, "CMakeLists.txt").is_file():
                yield f"portfile.cmake: no CMakeLists.txt in the source folder {path}"
    missing = {"vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_install_copyright"} - {call[0] for call in calls}
    yield from (f"portfile.cmake: no call of {name}" for name in sorted(missing))


def main():
    port = Path(sys.argv[1]).resolve()
    manifest = json.loads((port / "vcpkg.json").read_text())
    options = set(re.findall(r"(?:option|set)\((POSTRIDER_\w+)", (ROOT / "cmake" / "PostriderOptions.cmake").read_text()))
    problems = list(manifest_problems(manifest))
    features = list(manifest.get("features", {}))
    for chosen in ([], features):
        try:
            problems += call_problems(calls_of(port, ["core", *chosen]), manifest, options)
        except subprocess.CalledProcessError as error:
            problems.append(f"portfile.cmake: {error.stderr.strip()}")
        except FileNotFoundError as error:
            problems.append(str(error))
    for problem in sorted(set(problems)):
        print(f"{port.name}: {problem}")
    print(f"{port.name}: {'the manifest and the port were read' if not problems else 'refused'}, features {', '.join(features) or 'none'}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
