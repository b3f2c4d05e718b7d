#!/usr/bin/env python3
"""tools/mutate on small lists and on a project of three lines, whose tests notice one mutant of four."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from mutation.mutants import ListError, chosen, problems_of, read_list  # noqa: E402
from mutation.scratch import BuildFailed, Scratch, run_limited  # noqa: E402

ENTRY = """
[[mutant]]
name = "{name}"
file = "sum.cc"
breaks = "Something."
find = "{find}"
replace = "{replace}"
tests = [{tests}]
"""

# It ends at once, and its test fails if the sum is wrong.
PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(sum LANGUAGES CXX)
enable_testing()
add_executable(sum_tests sum.cc)
add_test(NAME sum COMMAND sum_tests)
"""
SOURCE = """
int sum(int a, int b) { return a + b; }
bool goes_on() { return false; }
int unused = 1;
int main() { while (goes_on()) {} return sum(2, 3) == 5 ? 0 : 1; }
"""


def entry(name, find="a + b", replace="a - b", tests='"sum"'):
    return ENTRY.format(name=name, find=find, replace=replace, tests=tests)


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "tests" / "mutants").mkdir(parents=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def listed(self, **layers):
        for layer, text in layers.items():
            self.write(f"tests/mutants/{layer}.toml", text)
        return read_list(self.root / "tests" / "mutants")


class Lists(InFolder):
    def test_mutants_are_read_by_layer(self):
        mutants = self.listed(math=entry("one") + entry("two", replace="b"), cli=entry("three"))
        self.assertEqual([(m.layer, m.name) for m in mutants], [("cli", "three"), ("math", "one"), ("math", "two")])
        self.assertEqual(mutants[2].apply("return a + b;"), "return b;")
        self.assertEqual(mutants[1].tests, ("sum",))

    def test_a_list_that_makes_no_sense_is_refused(self):
        for text in (entry("one") + entry("one"), entry("one", replace="a + b"), entry("one", tests=""), "[[mutant]]\n",
                     entry("one") + "more = 1\n", "[[mutant\n"):
            with self.subTest(text), self.assertRaises(ListError):
                self.listed(math=text)

    def test_a_stale_mutant_is_named(self):
        mutants = self.listed(math=entry("gone", find="a * b") + entry("twice", find="int") + entry("fine"))
        self.write("sum.cc", SOURCE)
        problems = problems_of(mutants, self.root)
        self.assertEqual([problem.split()[0] for problem in problems], ["gone", "twice"])
        self.assertIn("0 times", problems[0])
        (self.root / "sum.cc").unlink()
        self.assertIn("there is no sum.cc", problems_of(mutants[:1], self.root)[0])

    def test_they_are_chosen_by_name_layer_and_seed(self):
        mutants = self.listed(math="".join(entry(f"m{k}") for k in range(20)), cli=entry("c"))
        self.assertEqual([m.name for m in chosen(mutants, ["cli", "m3"])], ["c", "m3"])
        self.assertEqual(chosen(mutants, []), mutants)
        some = chosen(mutants, [], sample=5, seed=1)
        self.assertEqual(len(some), 5)
        self.assertEqual(some, chosen(mutants, [], sample=5, seed=1))
        self.assertNotEqual(some, chosen(mutants, [], sample=5, seed=2))
        with self.assertRaises(ListError):
            chosen(mutants, ["m3", "nobody"])


class Runs(InFolder):
    def scratch(self):
        self.write("sum.cc", SOURCE)
        self.write("CMakeLists.txt", PROJECT)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        scratch = Scratch(self.root, self.root / "build" / "mutate", 1)
        self.addCleanup(scratch.lock.close)
        scratch.copy_sources()
        scratch.configure()
        self.assertEqual(scratch.pass_without_mutants(["sum"]), [])
        return scratch

    def test_what_tests_notice(self):
        (self.root / ".gitignore").write_text("/build/\n")
        mutants = {m.name: m for m in self.listed(
            math=entry("wrong") + entry("unseen", find="unused = 1", replace="unused = 2") +
            entry("no code", replace="a +") + entry("hangs", find="return false", replace="return true"))}
        scratch = self.scratch()
        before = (self.root / "sum.cc").read_bytes()

        def verdict(name):
            scratch.put(mutants[name])
            try:
                scratch.make(["sum"])
                return scratch.passes("sum")
            finally:
                scratch.restore(mutants[name])

        self.assertEqual(verdict("wrong"), "fails")
        self.assertIsNone(verdict("unseen"))
        self.assertRaises(BuildFailed, verdict, "no code")
        scratch.limits["sum"] = 2
        self.assertEqual(verdict("hangs"), "hangs")
        # Nothing is left of any of them.
        self.assertEqual(scratch.pass_without_mutants(["sum"]), [])
        self.assertEqual((self.root / "sum.cc").read_bytes(), before)
        self.assertRaises(BuildFailed, scratch.target_of, "nobody")
        # One run at a time.
        self.assertRaises(BuildFailed, Scratch, self.root, self.root / "build" / "mutate", 1)

    def test_a_program_and_what_it_started_end_at_the_limit(self):
        code, _ = run_limited(["sh", "-c", "sleep 100 & wait"], self.root, 0.2)
        self.assertIsNone(code)


class Program(unittest.TestCase):
    def test_the_list_of_this_repository_has_no_stale_mutant(self):
        tool = ROOT / "tools" / "mutate"
        done = subprocess.run([sys.executable, tool, "--list", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreaterEqual(len(done.stdout.splitlines()), 60)

    def test_a_part_writes_only_where_it_is_told(self):
        tool = ROOT / "tools" / "mutate"
        done = subprocess.run([sys.executable, tool, "nobody"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("neither a mutant nor a layer: nobody", done.stderr)


unittest.main()
