"""The C++ programs of docs/first-program.md with the package, and the lines of README.md that call the program."""

import os
from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout

README = Path("..", "..", "readme")


class PostriderTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "CMakeDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str, run=True)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.fspath(README))
        cmake.build()

    def test(self):
        if not can_run(self):
            return
        self.run("ctest --output-on-failure --no-tests=error", env="conanrun")
        if self.dependencies[self.tested_reference_str].options.program:
            self.run(os.fspath(Path(self.source_folder, README, "program")), env="conanrun")
