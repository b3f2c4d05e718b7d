#!/usr/bin/env python3
"""tools/same-results on programs of three lines: what differs is found, and durations do not count."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("same_results", str(ROOT / "tools" / "same-results"))
SPEC = importlib.util.spec_from_loader(LOADER.name, LOADER)
same_results = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(same_results)


class Compared(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "common").mkdir()
        (self.root / "common" / "rows.csv").write_text("x\n1\n")

    def build(self, name, script):
        program = self.root / name / same_results.POSTRIDER
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
        return self.root / name

    def differing(self, first, second):
        builds = [self.build("before", first), self.build("after", second)]
        return same_results.compared("train", same_results.POSTRIDER, ["rows.csv"], builds, self.root, self.root / "common")[1]

    def test_the_same_is_the_same(self):
        self.assertEqual(self.differing("cp $1 model; echo score 1", "cp $1 model; echo score 1"), [])

    def test_a_bit_of_a_file_counts(self):
        self.assertEqual(self.differing("echo 1.0 > model", "echo 1.1 > model"), ["model"])

    def test_a_file_that_is_missing_counts(self):
        self.assertEqual(self.differing("echo 1 > model; echo 2 > more", "echo 1 > model"), ["more"])

    def test_what_is_printed_and_the_exit_code_count(self):
        self.assertEqual(self.differing("echo score 1", "echo score 2; exit 3"), ["exit code", "printed"])

    def test_durations_do_not(self):
        self.assertEqual(self.differing("echo '  time   3 s'; echo '{\"seconds\": 1.5, \"score\": 2}' > a.json",
                                        "echo '  time   4 s'; echo '{\"seconds\": 2.5, \"score\": 2}' > a.json"), [])


unittest.main()
