#!/usr/bin/env python3
"""The call in a report makes the same file again, whatever the options were.

Usage: again.py PROGRAM
"""

import html
import pathlib
import random
import re
import shlex
import sys
import tempfile
import unittest

from program import Program

QUICK = ["--hidden", "4", "--ensemble-size", "2", "--max-epochs", "2"]

# Options that do not change the model, or that end its training by chance.
WITHOUT_EFFECT = {"output", "force", "out-of-fold", "key", "deadline", "dry-run", "quiet", "json", "help", "threads", "checkpoint",
                  "checkpoint-every", "resume", "time-budget", "config", "version"}

# Each of these changes the model, and the call must have it.
OF_NUMBERS = (
    ["--na", "-999,unknown", "--missing", "mean", "--indicators"],
    ["--validation", "0.25"],
    ["--validation", "0.25", "--time", "day", "--seed", "7"],
    ["--validation", "0.25", "--group", "shop"],
    ["--folds", "3", "--ignore", "shop,a b's"],
    ["--categorical", "rooms", "--numeric", "area", "--na", "unknown"],
    ["--weights", "rooms"],
    ["--no-profile", "--no-drift", "--constant-noise", "--noise-std", "3"],
    ["--activation", "relu", "--weights-per-example", "2", "--power", "0.9", "--copies", "together", "--encoding", "standard"],
    ["--precision", "float64", "--target-scale", "plain", "--intervals", "beliefs", "--plain-shape", "--patience", "9", "--effort", "thorough", "--damping", "0.2"],
    ["--stream", "--horizon", "3", "--stream-memory", "64"],
    ["--store-budget", "200000"],
    ["--shards", "3", "--rows-in-flight", "0.1"],
    ["--skip-bad", "--delimiter", ",", "--format", "csv"],
)
OF_CLASSES = (
    ["--classify", "--calibration-share", "0.1"],
    ["--classify", "--class-weights", "1=2,2=0.5"],
    ["--classify", "--class-weights", "balanced"],
)


def names_of(options):
    return {word.split("=")[0] for word in options if word.startswith("--")}


class Again(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        generator = random.Random(1)
        lines = ["area,rooms,shop,day,a b's,price"]
        for row in range(150):
            area = "unknown" if row % 9 == 0 else f"{generator.uniform(20, 120):.2f}"
            lines.append(f"{area},{1 + row % 3},{generator.choice('xyz')},2024-{1 + row % 12:02}-{1 + row % 28:02},"
                         f"{generator.random():.3f},{generator.uniform(50, 300):.2f}")
        (cls.folder / "rows.csv").write_text("\n".join(lines) + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def command(self, model, data="rows.csv"):
        self.program.expect(0, "report", model, data, "-o", "r.html", "--force", "-q")
        found = re.search(r"<pre>(postrider train .*?)</pre>", (self.folder / "r.html").read_text(), re.S)
        return shlex.split(html.unescape(found[1]))

    def check(self, target, options, instead=()):
        quick = QUICK[:-2] if "--stream" in options else QUICK  # it has no epochs
        self.program.expect(0, "train", "rows.csv", "-t", target, "-o", "first", "-q", *quick, *options)
        words = self.command("first")
        self.assertEqual(words[:5], ["postrider", "train", "TRAINING.csv", "--target", target])
        for name in instead or names_of(options) | names_of(quick):
            self.assertIn(name, {word.split("=")[0] for word in words}, options)
        words[2] = "rows.csv"
        self.program.expect(0, *words[1:], "-o", "second", "-q")
        self.assertEqual((self.folder / "first").read_bytes(), (self.folder / "second").read_bytes(), words)

    def test_numbers(self):
        for options in OF_NUMBERS:
            with self.subTest(options=options):
                self.check("price", options)

    def test_classes(self):
        for options in OF_CLASSES:
            with self.subTest(options=options):
                self.check("rooms", options)

    def test_memory_becomes_a_budget_of_the_store(self):
        self.check("price", ["--memory", "2G"], {"--store-budget"})

    def test_a_target_of_zero_and_one_is_an_amount_if_asked(self):
        text = (self.folder / "rows.csv").read_text().splitlines()
        both = [text[0] + ",sold"] + [f"{line},{row % 2}" for row, line in enumerate(text[1:])]
        (self.folder / "rows.csv").write_text("\n".join(both) + "\n")
        self.check("sold", ["--regress"])

    def test_a_file_without_a_header(self):
        lines = (self.folder / "rows.csv").read_text().splitlines()[1:]
        (self.folder / "bare.csv").write_text("\n".join(lines) + "\n")
        self.program.expect(0, "train", "bare.csv", "--no-header", "-t", "column_6", "-o", "bare", "-q", *QUICK)
        self.program.expect(0, "report", "bare", "bare.csv", "--no-header", "-o", "b.html", "-q")
        self.assertIn("--no-header", re.search(r"<pre>(.*?)</pre>", (self.folder / "b.html").read_text(), re.S)[1])

    def test_defaults_that_are_said_change_nothing(self):
        self.program.expect(0, "train", "rows.csv", "-t", "price", "-o", "plain", "-q", *QUICK)
        self.program.expect(0, "train", "rows.csv", "-t", "price", "-o", "said", "-q", *QUICK, "--validation", "0", "--format", "infer",
                            "--seed", "1", "--threads", "1", "--missing", "vague", "--folds", "0", "--learned-shape")
        self.assertEqual((self.folder / "plain").read_bytes(), (self.folder / "said").read_bytes())

    def test_every_option_is_tried_here_or_has_no_effect(self):
        offered = set(re.findall(r"--([a-z][a-z-]*)", re.sub(r"(?m)^(\s{20,}).*$", "", self.program.expect(0, "train", "--help"))))
        tried = {name[2:] for options in (*OF_NUMBERS, *OF_CLASSES, QUICK) for name in names_of(options)}
        tried |= {"target", "regress", "no-header", "memory", "drift", "varying-noise", "learned-shape"}
        self.assertEqual(offered - tried - WITHOUT_EFFECT, set())


if __name__ == "__main__":
    PATH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
