#!/usr/bin/env python3
"""The check of names that are defined twice."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checks"))
from names import definitions, problems  # noqa: E402

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

    def test_this_repository_has_each_name_once(self):
        self.assertEqual(list(problems()), [])


if __name__ == "__main__":
    unittest.main()
