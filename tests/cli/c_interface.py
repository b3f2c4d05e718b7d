#!/usr/bin/env python3
"""A program in C predicts and learns as the command line does.

Usage: c_interface.py PROGRAM C_PROGRAM
"""

import csv
import pathlib
import sys
import tempfile
import unittest

from program import Program, write_classes, write_houses


class CInterface(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.program = Program(PROGRAM, self.folder)
        self.in_c = Program(C_PROGRAM, self.folder)

    def rows(self, name):
        """As the program in C takes them."""
        lines = (self.folder / name).read_text().splitlines()[1:]
        return "".join(line.replace(",", "\t") + "\n" for line in lines)

    def predicted(self, model, data):
        printed = self.program.expect(0, "predict", model, data)
        return list(csv.DictReader(printed.splitlines()))

    def test_numbers_row_by_row(self):
        write_houses(self.folder / "train.csv", 200, 1)
        write_houses(self.folder / "more.csv", 5, 2, missing=0.5)
        self.program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4")
        code, out, error = self.in_c.call("m", "learned", text=self.rows("more.csv"))
        self.assertEqual(code, 0, error)
        first = [float(number) for number in out.splitlines()[0].split()]
        expected = self.predicted("m", "more.csv")[0]
        for found, name in zip(first, ("mean", "std", "low", "high"), strict=True):
            self.assertAlmostEqual(found, float(expected[name]), delta=1e-5 * abs(found), msg=str(expected))
        # Row by row is not chunk by chunk: one call of the command for each row.
        lines = (self.folder / "more.csv").read_text().splitlines(keepends=True)
        for number, line in enumerate(lines[1:]):
            (self.folder / "one.csv").write_text(lines[0] + line)
            self.program.expect(0, "update", "m", "one.csv", "-o", "m", "--force")
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "learned").read_bytes())

    def test_classes(self):
        write_classes(self.folder / "train.csv", 200, 1)
        write_classes(self.folder / "more.csv", 3, 2)
        self.program.expect(0, "train", "train.csv", "--target", "where", "-o", "m", "--max-epochs", "3", "--hidden", "4")
        rows = "".join(line.rsplit("\t", 1)[0] + "\n" for line in self.rows("more.csv").splitlines())
        code, out, error = self.in_c.call("m", "learned", text=rows)
        self.assertEqual(code, 0, error)
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "learned").read_bytes())
        for line, expected in zip(out.splitlines(), self.predicted("m", "more.csv"), strict=True):
            for part in line.split(", "):
                name, probability = part.rsplit(" ", 1)
                self.assertAlmostEqual(float(probability), float(expected[f"probability of {name}"]), places=5)

    def test_what_is_wrong_is_said(self):
        code, _, error = self.in_c.call("none", "learned", text="")
        self.assertEqual(code, 1)
        self.assertIn("none", error)


if __name__ == "__main__":
    PROGRAM, C_PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
