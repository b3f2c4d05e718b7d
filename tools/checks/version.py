#!/usr/bin/env python3
"""CITATION.cff names the version that CMakeLists.txt has."""

import re

from tree import finish, read

built = re.search(r"project\(postrider VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
cited = re.search(r"^version: (\S+)$", read("CITATION.cff"), re.MULTILINE).group(1)
finish([] if built == cited else [f"CITATION.cff: version {cited}, but CMakeLists.txt builds {built}"])
