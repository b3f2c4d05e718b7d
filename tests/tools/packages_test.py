#!/usr/bin/env python3
"""What the commands of tools/packaging say of wheels and ports that are wrong in one place."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools" / "packaging"))

import wheel_parts  # noqa: E402


def part(name, **stated):
    return {"name": name, "version": "1.0", "licenses": [{"expression": "MIT"}], **stated}


def bill(*parts):
    return {"components": list(parts)}


class PartsOfAWheel(unittest.TestCase):
    def setUp(self):
        self.parts = [part(name) for name in sorted(wheel_parts.EXPECTED)]

    def problems(self, parts, carried=()):
        return list(wheel_parts.problems_of(bill(*parts), set(carried)))

    def test_complete(self):
        self.assertEqual(self.problems(self.parts), [])

    def test_libraries_are_known_by_their_files(self):
        names = ["postrider.libs/libhwy-1f2e.so.1.0.3", "postrider.libs/libfmt-0a.so.9", "postrider/_core.abi3.so", "postrider.libs/libz-1.so.1"]
        self.assertEqual(wheel_parts.carried_parts(names), {"highway", "fmt", "zlib"})

    def test_a_carried_library_must_be_listed(self):
        self.assertEqual(self.problems(self.parts, {"gfortran"}), ["gfortran is not listed"])

    def test_an_expected_part_must_be_listed(self):
        without = [one for one in self.parts if one["name"] != "fmt"]
        self.assertEqual(self.problems(without), ["fmt is not listed"])

    def test_version_and_licence_must_be_stated(self):
        others = [one for one in self.parts if one["name"] != "zstd"]
        self.assertEqual(self.problems([*others, part("zstd", version="")]), ["zstd has no version"])
        self.assertEqual(self.problems([*others, part("zstd", licenses=[])]), ["zstd has no licence"])


class PortOfVcpkg(unittest.TestCase):
    """A copy of the project's own port, changed in one place."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        root = pathlib.Path(temporary.name)
        self.port = root / "packaging" / "vcpkg" / "postrider"
        shutil.copytree(ROOT / "packaging" / "vcpkg" / "postrider", self.port)
        (root / "CMakeLists.txt").write_text("# the source folder\n")
        (root / "LICENSE").write_text("\n")

    def run_check(self):
        program = ROOT / "tools" / "packaging" / "vcpkg_port.py"
        done = subprocess.run([sys.executable, program, self.port], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def change(self, name, old, new):
        path = self.port / name
        text = path.read_text()
        self.assertEqual(text.count(old), 1, f"{old} in {name}")
        path.write_text(text.replace(old, new))

    def refused(self, message):
        status, printed = self.run_check()
        self.assertEqual(status, 1, printed)
        self.assertIn(message, printed)

    def test_as_it_is(self):
        status, printed = self.run_check()
        self.assertEqual(status, 0, printed)

    def test_no_licence(self):
        self.change("vcpkg.json", '  "license": "Apache-2.0",\n', "")
        self.refused("vcpkg.json: no license")

    def test_order(self):
        manifest = json.loads((self.port / "vcpkg.json").read_text())
        manifest["dependencies"].reverse()
        (self.port / "vcpkg.json").write_text(json.dumps(manifest))
        self.refused("dependencies are not sorted")

    def test_an_option_that_is_not_there(self):
        self.change("portfile.cmake", "-DPOSTRIDER_MPI=OFF", "-DPOSTRIDER_MPY=OFF")
        self.refused("POSTRIDER_MPY is not an option of this project")

    def test_a_helper_without_its_package(self):
        manifest = json.loads((self.port / "vcpkg.json").read_text())
        manifest["dependencies"] = [need for need in manifest["dependencies"] if isinstance(need, str)]
        (self.port / "vcpkg.json").write_text(json.dumps(manifest))
        self.refused("vcpkg_cmake_configure needs vcpkg-cmake")

    def test_a_portfile_that_does_not_run(self):
        self.change("portfile.cmake", "vcpkg_cmake_install()", "vcpkg_cmake_instal()")
        self.refused("Unknown CMake command")

    def test_a_source_folder_elsewhere(self):
        self.change("portfile.cmake", "/../../..", "/../..")
        self.refused("no CMakeLists.txt in the source folder")


if __name__ == "__main__":
    unittest.main()
