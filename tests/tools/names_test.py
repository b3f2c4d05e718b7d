#!/usr/bin/env python3
"""The check of names that are defined twice, or where users would find them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checks"))
from names import definitions, outside, problems  # noqa: E402

TEXT = """
namespace postrider {
class Declared;
struct POSTRIDER_EXPORT Options {
  struct Inner {};
};
template <class T>
class Engine : public Base {
};
enum class Kind { a, b };
namespace {
struct Hidden {};
}  // namespace
namespace cli {
struct Options {};
}  // namespace cli
struct Last final {
};
}  // namespace postrider
"""


class Names(unittest.TestCase):
    def test_definitions_with_their_namespaces(self):
        self.assertEqual(list(definitions(TEXT)), [("postrider", "Options"), ("postrider", "Engine"), ("postrider", "Kind"),
                                                   ("postrider::cli", "Options"), ("postrider", "Last")])

    def test_a_header_of_the_library_defines_its_types_inside(self):
        inside = TEXT.replace("namespace postrider {", "namespace postrider::internal {")
        for path, text, wanted in (("src/base/a.h", TEXT, 5), ("src/base/a.h", inside, 0), ("src/base/a.h", TEXT.replace("postrider", "postrider::internals"), 5),
                                   ("src/base/a.h", "namespace postrider {\nnamespace internal {\nclass A {};\n}  // namespace internal\n}  // namespace postrider\n", 0),
                                   ("src/base/a.cc", TEXT, 0), ("src/cli/a.h", TEXT, 0), ("include/postrider/a.h", TEXT, 0)):
            with self.subTest(path=path, wanted=wanted):
                self.assertEqual(len(list(outside(pathlib.Path(path), text))), wanted)

    def test_this_repository_has_each_name_once(self):
        self.assertEqual(list(problems()), [])


if __name__ == "__main__":
    unittest.main()
