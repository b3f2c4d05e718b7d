#!/usr/bin/env python3
"""Rows that were learned are no test, and rows that stand there twice are counted.

Usage: seen.py PROGRAM
"""

import html
import json
import pathlib
import random
import re
import sys
import tempfile
import unittest

from program import Program, write_classes, write_houses

QUICK = ["--max-epochs", "4", "--hidden", "6", "--ensemble-size", "2"]
REMEMBERS = "how well it remembers, not how well it predicts"
PRAISE = ("as promised", "more than promised", "take it as it is", "They are right on average", "wider than they need be")


class Seen(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 400, 1)
        write_houses(cls.folder / "new.csv", 200, 2)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", "-q", *QUICK)
        some = (cls.folder / "train.csv").read_text().splitlines(keepends=True)[1:41]
        (cls.folder / "mixed.csv").write_text((cls.folder / "new.csv").read_text() + "".join(some))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def page(self, model, data):
        self.program.expect(0, "report", model, data, "-o", "r.html", "--force", "-q")
        return html.unescape((self.folder / "r.html").read_text())

    def first_worry(self, page):
        return re.search(r'id="glance-worries">.*?<li>(.*?)</li>', page, re.S)[1]

    # --- rows that were learned --------------------------------------------------------------------

    def test_evaluate_says_it_before_all_figures(self):
        said = self.program.expect(0, "evaluate", "m", "train.csv")
        self.assertEqual(said.splitlines()[0], f"all 400 rows were learned by this model: these figures say {REMEMBERS}")
        said = self.program.expect(0, "evaluate", "m", "mixed.csv")
        self.assertEqual(said.splitlines()[0], f"40 of 240 rows were learned by this model: figures of these say {REMEMBERS}")
        self.assertTrue(self.program.expect(0, "evaluate", "m", "new.csv").startswith("200 rows\n"))

    def test_evaluate_has_a_field_for_it(self):
        found = json.loads(self.program.expect(0, "evaluate", "m", "train.csv", "--json"))
        self.assertEqual(list(found)[:3], ["warning", "learned_before", "rows"])
        self.assertIn(REMEMBERS, found["warning"])
        self.assertEqual(found["learned_before"], {"rows": 400, "exact": True})
        found = json.loads(self.program.expect(0, "evaluate", "m", "new.csv", "--json"))
        self.assertNotIn("warning", found)
        self.assertEqual(found["learned_before"]["rows"], 0)

    def test_a_report_says_it_first_and_praises_nothing(self):
        for data, said in (("train.csv", f"All 400 rows were learned by this model: these figures say {REMEMBERS}."),
                           ("mixed.csv", f"40 of 240 rows were learned by this model: figures of these say {REMEMBERS}.")):
            page = self.page("m", data)
            self.assertLess(page.index(said), page.index('id="glance-predicts"'))
            self.assertEqual(self.first_worry(page), said)
            for praise in PRAISE:
                self.assertNotIn(praise, page)
            self.assertRegex(page, r"interval: (no promise for new rows, since rows of these were learned|too few)")
            self.assertRegex(page, "On rows (that it has learned|of which some were learned): ")

    def test_a_report_of_new_rows_is_as_ever(self):
        page = self.page("m", "new.csv")
        for part in ("glance-learned", REMEMBERS, "were learned"):
            self.assertNotIn(part, page)

    def test_a_report_of_classes_says_it_first(self):
        write_classes(self.folder / "ring.csv", 300, 3)
        self.program.expect(0, "train", "ring.csv", "-t", "where", "-o", "ring", "-q", *QUICK)
        page = self.page("ring", "ring.csv")
        self.assertTrue(self.first_worry(page).startswith("All 300 rows were learned by this model"))
        for praise in PRAISE:
            self.assertNotIn(praise, page)

    def test_rows_of_the_whole_file_count_after_a_part_was_held_out(self):
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "part", "-q", "--validation", "0.2", *QUICK)
        self.assertTrue(self.program.expect(0, "evaluate", "part", "train.csv").startswith("320 of 400 rows were learned by this model"))

    # --- rows that stand there twice ---------------------------------------------------------------

    def customers(self, name, rows, copies):
        """A file with rows that are named, of which the first stand there again."""
        generator = random.Random(5)
        lines = [f"customer{k},{generator.uniform(0, 9):.4f},{generator.uniform(0, 9):.4f}" for k in range(rows)]
        (self.folder / name).write_text("\n".join(["customer_id,area,price", *lines, *lines[:copies]]) + "\n")
        return name

    def test_copies_are_told(self):
        said = "300 of 2560 rows are exact copies of others: they are kept in one fold"
        data = self.customers("twice.csv", 2260, 300)
        self.assertRegex(self.program.expect(0, "train", data, "-t", "price", "--dry-run"), f"copies +{said}")
        self.assertEqual(json.loads(self.program.expect(0, "train", data, "-t", "price", "--dry-run", "--json"))["copies"], 300)
        self.assertIn(f"what to worry about:\n  {said}", self.program.expect(0, "train", data, "-t", "price", "-o", "twice", *QUICK))
        learned = json.loads(self.program.expect(0, "train", data, "-t", "price", "-o", "twice", "--json", *QUICK))
        self.assertEqual(learned["history"][0]["copies"], 300)
        self.assertIn("The model learned from 2,560 rows, of which 300 are exact copies of others.", self.page("twice", "twice.csv"))

    def test_where_there_is_none_nothing_is_told(self):
        data = self.customers("once.csv", 100, 0)
        self.assertNotIn("cop", self.program.expect(0, "train", data, "-t", "price", "--dry-run"))
        self.assertNotIn("cop", self.program.expect(0, "train", data, "-t", "price", "-o", "once", *QUICK))

    def test_wide_tables_have_copies_too(self):
        generator = random.Random(6)
        lines = [f"{k % 5} " + " ".join(f"{1 + 7 * j}:{generator.random():.3f}" for j in range(200)) for k in range(60)]
        (self.folder / "wide.svm").write_text("\n".join(lines + lines[:10]) + "\n")
        said = self.program.expect(0, "train", "wide.svm", "-o", "wide", "--max-epochs", "1", "--hidden", "2", "--ensemble-size", "1")
        self.assertIn("10 of 70 rows are exact copies of others", said)

    def test_names_stay_names_when_rows_repeat(self):
        said = self.program.expect(0, "train", self.customers("names.csv", 2260, 300), "-t", "price", "--dry-run")
        self.assertIn("an identifier: 2260 different texts in 2560 cells", said)
        self.assertIn("1 column used, 1 ignored", said)

    def test_counted_numbers_stay_names_when_rows_repeat(self):
        text = (self.folder / self.customers("numbers.csv", 60, 10)).read_text().replace("customer_id", "id").replace("customer", "")
        (self.folder / "numbers.csv").write_text(text)
        said = self.program.expect(0, "train", "numbers.csv", "-t", "price", "-o", "numbers", *QUICK)
        self.assertIn("id looks like an identifier", said)


if __name__ == "__main__":
    PATH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
