#!/usr/bin/env python3
"""That every option reaches the place where it counts: small models, and what changes with one option alone.

Usage: wiring.py PROGRAM
"""

import csv
import io
import json
import pathlib
import sys
import tempfile
import unittest

from program import Program, write_houses

QUICK = ["--max-epochs", "2", "--hidden", "4", "--quiet"]
CHUNK = 8192  # rows of a file that are in memory at a time
SCALE = 1024  # a power of two: numbers of any unit have the same digits


class Wiring(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 120, 1, missing=0.3)
        cls.train("m", "--ensemble-size", "2")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def train(cls, name, *options, data="train.csv"):
        cls.program.expect(0, "train", data, "-t", "price", "-o", name, *QUICK, *options)

    def said(self, *arguments):
        return json.loads(self.program.expect(0, *arguments, "--json"))

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.program.expect(0, *arguments))))

    def test_wide_text_is_learned_chunk_by_chunk(self):
        rows = 6000  # of 1200 columns: more than one chunk holds
        lines = []
        for row in range(rows):
            pairs = " ".join(f"{column}:1" for column in range(1 + row % 7, 1200, 397))
            lines.append(f"{row // 1000} {pairs}")
        (self.folder / "wide.svm").write_text("\n".join(lines) + "\n")
        said = json.loads(self.program.expect(0, "train", "wide.svm", "-o", "wide", "--max-epochs", "1", "--hidden", "4",
                                              "--ensemble-size", "1", "--json"))
        self.assertEqual(said["history"][0]["rows"], rows)
        label = next(column for column in said["columns"] if column["name"] == "label")
        self.assertAlmostEqual(label["mean"], 2.5)
        self.assertAlmostEqual(label["std"], (35 / 12) ** 0.5)
        self.assertEqual(len(self.rows("predict", "wide", "wide.svm")), rows)

    def test_the_budget_of_the_store_reaches_the_groups(self):
        self.train("one", "--store-budget", "1000000000")
        self.train("all", "--store-budget", "1")
        self.assertNotEqual((self.folder / "one").read_bytes(), (self.folder / "all").read_bytes())

    def test_parts_add_up_to_the_standard_deviation(self):
        for row in self.rows("predict", "m", "train.csv", "--parts"):
            parts = float(row["epistemic std"]), float(row["aleatoric std"])
            self.assertAlmostEqual((parts[0] ** 2 + parts[1] ** 2) / float(row["std"]) ** 2, 1, places=9)
            self.assertGreater(min(parts), 0)
        self.assertNotIn("epistemic std", self.rows("predict", "m", "train.csv")[0])

    def test_samples_follow_the_seed(self):
        def drawn(seed):
            return [row["sample 1"] for row in self.rows("predict", "m", "train.csv", "--samples", "1", "--seed", seed)]

        self.assertEqual(drawn(1), drawn(1))
        self.assertNotEqual(drawn(1), drawn(2))

    def test_samples_of_equal_rows_differ_also_in_the_next_chunk(self):
        row = (self.folder / "train.csv").read_text().splitlines()[1]
        (self.folder / "same.csv").write_text("area,side,garden,price\n" + (row + "\n") * (CHUNK + 2))
        drawn = [row["sample 1"] for row in self.rows("predict", "m", "same.csv", "--samples", "1")]
        self.assertEqual(len(drawn), CHUNK + 2)
        self.assertNotEqual(drawn[0], drawn[CHUNK])
        self.assertNotEqual(drawn[1], drawn[CHUNK + 1])

    def test_intervals_follow_the_level(self):
        self.train("of-beliefs", "--intervals", "beliefs")
        narrow = self.rows("predict", "of-beliefs", "train.csv", "--level", "0.2", "--quantiles", "0.4,0.6")
        for row in narrow:
            self.assertEqual((row["low"], row["high"]), (row["quantile 0.4"], row["quantile 0.6"]))

    def test_intervals_follow_the_rows_left_out_unless_beliefs_are_asked_for(self):
        rows = self.rows("predict", "m", "train.csv", "--level", "0.2", "--quantiles", "0.4,0.6")
        self.assertNotEqual([row["low"] for row in rows], [row["quantile 0.4"] for row in rows])
        wide = self.rows("predict", "m", "train.csv", "--level", "0.9")
        self.assertTrue(all(float(b["low"]) < float(a["low"]) for a, b in zip(rows, wide)))

    # The scales are those of the rows learned: what is held out changes them.
    def test_the_seed_draws_the_rows_held_out(self):
        def mean(*options):
            self.train("split", *options)
            return self.said("inspect", "split")["inputs"][0]["mean"]

        self.assertEqual(mean("--seed", "1"), mean("--seed", "2"))
        self.assertNotEqual(mean("--seed", "1", "--validation", "0.3"), mean("--seed", "2", "--validation", "0.3"))

    def test_missing_inputs_are_taken_as_asked_for(self):
        self.train("filled", "--missing", "mean")
        self.assertEqual(self.said("inspect", "filled")["missing"], "mean")
        self.assertEqual(self.said("inspect", "m")["missing"], "vague")

    def test_constant_noise_is_one_output_less(self):
        self.train("constant", "--constant-noise")
        # 5 inputs: area, three sides, garden; a bias each.
        hidden = 4 * (5 + 1)
        self.assertEqual(self.program.expect(0, "graph", "constant", "--full").count('label="product"'), hidden + 5)
        self.assertEqual(self.program.expect(0, "graph", "m", "--full").count('label="product"'), hidden + 2 * 5)

    def test_a_certificate_is_of_the_member_asked_for(self):
        def certificate(member):
            return self.said("certify", "m", "train.csv", "--rows", "1", "--messages", "3", "--member", member)

        self.assertEqual(certificate(1), certificate(1))
        self.assertNotEqual(certificate(1), certificate(2))

    # What a network sees does not depend on the unit of its target.
    def test_a_certificate_does_not_depend_on_units(self):
        lines = (self.folder / "train.csv").read_text().splitlines()
        scaled = [lines[0]]
        for line in lines[1:]:
            rest, _, price = line.rpartition(",")
            scaled.append(f"{rest},{SCALE * float(price)!r}")
        (self.folder / "scaled.csv").write_text("\n".join(scaled) + "\n")
        self.train("in_units", "--ensemble-size", "1")
        self.train("in_others", "--ensemble-size", "1", data="scaled.csv")
        options = ["--rows", "2", "--messages", "4"]
        self.assertEqual(self.said("certify", "in_units", "train.csv", *options),
                         self.said("certify", "in_others", "scaled.csv", *options))

    def sales(self, name, missing):
        lines = ["when,price_paid,town,price"]
        for k in range(60):
            paid = missing if k % 7 == 0 else f'"${1000 + k:,}"'
            lines.append(f"{1 + k % 28:02d}.{1 + k % 12:02d}.2026,{paid},{'ab'[k % 2]},{k % 2}")
        (self.folder / name).write_text("\n".join(lines) + "\n")

    # What stands for a missing value is in the model file, too: predict is not told.
    def test_cells_named_as_missing_are_missing_in_new_rows_too(self):
        self.sales("named.csv", "-999")
        self.sales("empty.csv", "")
        self.train("named", "--na", "-999,unknown", data="named.csv")
        column = self.said("inspect", "named")["columns"][1]
        self.assertEqual((column["unit"], column["has_missing"]), ("$", True))
        self.assertEqual(self.rows("predict", "named", "named.csv"), self.rows("predict", "named", "empty.csv"))
        self.train("plain", data="named.csv")
        self.assertFalse(self.said("inspect", "plain")["columns"][1]["has_missing"])

    def test_zero_and_one_are_classes_unless_amounts_are_asked_for(self):
        self.sales("two.csv", "")
        self.train("classes", data="two.csv")
        self.train("amounts", "--regress", data="two.csv")
        self.assertEqual(self.said("inspect", "classes")["kind"], "classifier")
        self.assertEqual(self.said("inspect", "amounts")["kind"], "regressor")
        self.program.expect(2, "train", "two.csv", "-t", "price", "-o", "both", "--regress", "--classify", *QUICK)

    def test_dates_are_shown_as_dates(self):
        self.sales("dated.csv", "")
        self.train("dated", data="dated.csv")
        column = self.said("inspect", "dated")["columns"][0]
        self.assertEqual((column["kind"], column["parts"]), ("date", ["trend", "month", "weekday"]))
        shown = self.program.expect(0, "train", "dated.csv", "-t", "price", "-o", "dated", *QUICK[:-1])
        self.assertIn("2026-01-01 to 2026-12-", shown)
        self.program.expect(0, "report", "dated", "dated.csv", "-o", "dated.html")
        self.assertIn("2026-01-01 to 2026-12-", (self.folder / "dated.html").read_text())


PATH = sys.argv.pop(1)
unittest.main()
