#!/usr/bin/env python3
"""Calls `postrider sparse` as a user does, on rows whose weights are known.

Usage: sparse.py PROGRAM
"""

import contextlib
import csv
import io
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program

INPUTS = 12


def write_rows(folder, count, seed):
    """The same rows as LIBSVM's and as Vowpal Wabbit's text; returns the probabilities that they were drawn with."""
    draw = random.Random(seed)
    probabilities = []
    with open(folder / "rows.libsvm", "w", encoding="utf-8") as libsvm, open(folder / "rows.vw", "w", encoding="utf-8") as vw:
        for _ in range(count):
            inputs = sorted(draw.sample(range(1, INPUTS + 1), 4))
            score = sum(0.4 * (index - INPUTS / 2) for index in inputs)
            probabilities.append(1 / (1 + math.exp(-score)))
            label = 1 if draw.random() < probabilities[-1] else -1
            libsvm.write(f"{label} {' '.join(f'{index}:1' for index in inputs)}\n")
            vw.write(f"{label} | {' '.join(map(str, inputs))}\n")
    return probabilities


class Sparse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        cls.probabilities = write_rows(cls.folder, 4000, 1)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def predicted(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.program.expect(0, "sparse", "predict", *arguments))))

    def test_learns_probabilities_in_one_pass_and_several(self):
        for passes in ("1", "10"):
            printed = self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "model", "--passes", passes)
            self.assertIn("4000 rows", printed)
            self.assertIn(f"{INPUTS} weights", printed)
            found = [float(row["probability"]) for row in self.predicted("model", "rows.libsvm")]
            self.assertEqual(len(found), 4000)
            error = sum(abs(a - b) for a, b in zip(found, self.probabilities)) / 4000
            self.assertLess(error, 0.03)

    def test_both_forms_are_the_same_rows(self):
        self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "a")
        self.program.expect(0, "sparse", "learn", "rows.vw", "-o", "b", "-q")
        self.assertEqual((self.folder / "a").read_bytes(), (self.folder / "b").read_bytes())
        self.assertEqual(self.predicted("a", "rows.libsvm"), self.predicted("b", "rows.vw"))

    def test_goes_on_with_a_model(self):
        lines = (self.folder / "rows.libsvm").read_text().splitlines(keepends=True)
        (self.folder / "first").write_text("".join(lines[:1500]))
        (self.folder / "second").write_text("".join(lines[1500:]))
        self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "whole", "--target", "probit")
        self.program.expect(0, "sparse", "learn", "first", "-o", "part", "--target", "probit")
        self.program.expect(0, "sparse", "learn", "second", "-o", "part", "--resume", "part")
        self.assertEqual((self.folder / "whole").read_bytes(), (self.folder / "part").read_bytes())

    def test_options_of_another_model_are_refused(self):
        self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "model")
        printed = self.program.expect(2, "sparse", "learn", "rows.libsvm", "--resume", "model", "--latent", "4", "-o", "more")
        self.assertIn("--latent excludes --resume", printed)

    def test_options_that_do_not_go_together_are_refused(self):
        for options, said in ((("--passes", "3", "--drift"), "--passes = 3: must be 1 with --drift"),
                              (("--latent", "4"), "--latent = 4: needs several --passes")):
            self.assertIn(said, self.program.expect(2, "sparse", "learn", "rows.vw", "-o", "no", *options))
        self.assertFalse((self.folder / "no").exists())

    def test_what_cannot_be_learned_names_its_line(self):
        (self.folder / "bad.libsvm").write_text("1 1:1\n\n# nothing\n" + "-1 2:1\n" * 5000 + "1 3:1e300\n")
        printed = self.program.expect(3, "sparse", "learn", "bad.libsvm", "-o", "out")
        self.assertIn("value of line 5004 = inf: must be within -1e9 and 1e9", printed)
        (self.folder / "bad.vw").write_text("1 | a\n\n-1 | b\n7 | c\n")
        self.assertIn("target of line 4 = 7", self.program.expect(3, "sparse", "learn", "bad.vw", "-o", "out"))

    def test_a_signal_keeps_what_was_learned(self):
        with subprocess.Popen([self.program.path, "sparse", "learn", "-", "--format", "libsvm", "-o", "half"], cwd=self.folder,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write("1 1:1\n-1 2:1\n" * 10_000)
            process.stdin.flush()
            time.sleep(1)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            with contextlib.suppress(BrokenPipeError):  # it has ended, as it should
                process.stdin.write("1 1:1\n" * 100_000)
                process.stdin.close()
            rows = int(process.stdout.read().split()[0])
            self.assertEqual(process.wait(), 143)
        self.assertTrue(4096 <= rows < 120_000, rows)
        self.assertEqual(len(self.predicted("half", "rows.libsvm")), 4000)

    def test_evaluates_beside_the_base_rate(self):
        self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "model")
        found = json.loads(self.program.expect(0, "sparse", "evaluate", "model", "rows.libsvm", "--json"))
        rows = self.predicted("model", "rows.libsvm")
        labels = [line.startswith("1 ") for line in (self.folder / "rows.libsvm").read_text().splitlines()]
        told = [float(row["probability"]) if label else 1 - float(row["probability"]) for row, label in zip(rows, labels)]
        self.assertEqual(found["rows"], 4000)
        self.assertAlmostEqual(found["log_loss"]["value"], -sum(map(math.log, told)) / 4000, delta=1e-5)
        share = sum(labels) / 4000
        entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
        self.assertAlmostEqual(found["baselines"][0]["log_loss"]["value"], entropy, delta=1e-9)
        printed = self.program.expect(0, "sparse", "evaluate", "model", "rows.libsvm")
        for word in ("4000 rows", "area under the curve", "base rate", "nats per row better than base rate", "of 1;"):
            self.assertIn(word, printed)
        (self.folder / "third.vw").write_text("1 | a\n7 | b\n")
        self.assertIn("third.vw, line 2: the target is 7; must be 1, 0 or -1", self.program.expect(3, "sparse", "evaluate", "model", "third.vw"))
        lines = (self.folder / "rows.vw").read_text().splitlines()
        (self.folder / "some.vw").write_text("".join(line[line.index("|"):] + "\n" + line + "\n" for line in lines))
        some = json.loads(self.program.expect(0, "sparse", "evaluate", "model", "some.vw", "--json"))
        self.assertEqual((some["rows"], some["without_target"]), (4000, 4000))
        self.assertEqual(some["log_loss"], found["log_loss"])
        (self.folder / "unknown.vw").write_text("| a\n| b\n")
        self.assertIn("no targets to compare", self.program.expect(3, "sparse", "evaluate", "model", "unknown.vw"))

    def test_is_inspected(self):
        self.program.expect(0, "sparse", "learn", "rows.libsvm", "-o", "model", "--target", "probit")
        printed = self.program.expect(0, "inspect", "model")
        for word in ("probit", "4000 rows", f"{INPUTS} in ", "prior variance", "share"):
            self.assertIn(word, printed)
        found = json.loads(self.program.expect(0, "inspect", "model", "--json"))
        self.assertEqual((found["kind"], found["rows"], found["weights"]), ("sparse", 4000, INPUTS))
        self.assertAlmostEqual(sum(each["share"] for each in found["side_by_side"]), 1)
        self.assertEqual(found["options"], {"target": "probit", "passes": 1, "latent": 0, "drift": False, "seed": 1})

    def test_numbers_have_noise(self):
        draw = random.Random(2)
        (self.folder / "numbers").write_text("".join(f"{5 + 2 * (i % 3) + draw.gauss(0, 0.5)} |f {'abc'[i % 3]}\n" for i in range(600)))
        self.program.expect(0, "sparse", "learn", "numbers", "-o", "numbers.model", "--target", "number")
        found = self.predicted("numbers.model", "numbers")
        for i in range(3):
            self.assertAlmostEqual(float(found[i]["mean"]), 5 + 2 * i, delta=0.25)
            self.assertAlmostEqual(float(found[i]["noise"]), 0.5, delta=0.1)
        figures = json.loads(self.program.expect(0, "sparse", "evaluate", "numbers.model", "numbers", "--json"))
        self.assertAlmostEqual(figures["root_mean_square_error"]["value"], 0.5, delta=0.05)
        self.assertGreater(figures["baselines"][0]["gain"]["value"], 0.5)

    def test_tells_mistakes(self):
        (self.folder / "bad").write_text("1 | a\n1 b\n")
        self.assertIn("bad, line 2: has no |", self.program.expect(3, "sparse", "learn", "bad", "-o", "x"))
        (self.folder / "third").write_text("1 1:1\n2 1:1\n")
        self.assertIn("target of line 2 = 2: must be 1", self.program.expect(3, "sparse", "learn", "third", "-o", "x"))
        (self.folder / "empty").write_text("")
        self.assertIn("it has no rows", self.program.expect(3, "sparse", "learn", "empty", "-o", "x"))
        self.assertIn("--format = \"xml\": must be auto, libsvm or vw",
                      self.program.expect(2, "sparse", "learn", "rows.vw", "-o", "x", "--format", "xml"))
        self.assertIn("--passes = 0: must be at least 1", self.program.expect(2, "sparse", "learn", "rows.vw", "-o", "x", "--passes", "0"))
        self.assertIn("third", self.program.expect(2, "sparse", "learn", "rows.vw", "-o", "third"))


if __name__ == "__main__":
    PATH = sys.argv.pop(1)
    unittest.main()
