"""Conan 2 recipe of the library and the program, from the clone that it lies in.

The option `dependencies` says where Highway, fmt and the others come from: `conan` takes them from a remote, `system` from
the packages of the system, which `system_requirements` names. tools/conan-package creates it with `system`.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.0"

# Conan's name and version | whether it is needed only to build, for its headers | Debian's package.
PARTS = (
    ("highway/1.0.7", False, "libhwy-dev"),
    ("fmt/9.1.0", False, "libfmt-dev"),
    ("zlib/[>=1.2.11 <2]", False, "zlib1g-dev"),
    ("zstd/[>=1.5 <1.6]", False, "libzstd-dev"),
    ("boost/1.83.0", True, "libboost-math-dev"),
    ("nlohmann_json/3.11.3", True, "nlohmann-json3-dev"),
    ("eigen/3.4.0", True, "libeigen3-dev"),
)
PROGRAM_PARTS = (("cli11/2.3.2", True, "libcli11-dev"),)


class Postrider(ConanFile):
    name = "postrider"
    license = "Apache-2.0"
    author = "The Postrider developers"
    description = "Bayesian inference by Gaussian message passing: predictions that say how sure they are"
    topics = ("bayesian", "message-passing", "factor-graph", "uncertainty", "machine-learning")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "program": [True, False], "dependencies": ["conan", "system"]}
    default_options = {"shared": True, "program": True, "dependencies": "conan", "boost/*:header_only": True}

    @property
    def _parts(self):
        return PARTS + PROGRAM_PARTS if self.options.program else PARTS

    def set_version(self):
        listed = load(self, Path(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = re.search(r"project\(postrider VERSION ([\d.]+)", listed).group(1)

    def export_sources(self):
        root = Path(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.compiler.get_safe("cppstd"):
            check_min_cppstd(self, 20)

    def requirements(self):
        if self.options.dependencies == "conan":
            for reference, headers_only, _ in self._parts:
                self.requires(reference, visible=not headers_only)

    def system_requirements(self):
        if self.options.dependencies == "system":
            Apt(self).check([package for _, _, package in self._parts])

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "EXPERIMENTS", "BENCH"):
            toolchain.cache_variables[f"POSTRIDER_BUILD_{part}"] = False
        toolchain.cache_variables["POSTRIDER_BUILD_PROGRAMS"] = bool(self.options.program)
        toolchain.cache_variables["POSTRIDER_MPI"] = False
        toolchain.cache_variables["POSTRIDER_UNITY"] = True  # half the time for a whole build
        toolchain.generate()
        if self.options.dependencies == "conan":
            needs = CMakeDeps(self)
            # Names by which CMake finds what Highway and Zstandard install themselves.
            needs.set_property("highway", "cmake_file_name", "hwy")
            needs.set_property("highway::hwy", "cmake_target_name", "hwy::hwy")
            needs.set_property("zstd::zstdlib", "cmake_target_name", "zstd::libzstd_shared")
            needs.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["postrider"]
        self.cpp_info.set_property("cmake_file_name", "postrider")
        self.cpp_info.set_property("cmake_target_name", "postrider::postrider")
        self.cpp_info.set_property("pkg_config_name", "postrider")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
        if self.options.dependencies == "system" and not self.options.shared:
            self.cpp_info.system_libs += ["hwy", "fmt", "z", "zstd"]
