#!/usr/bin/env python3
"""Rows that do not look as those learned: warned of by column, flagged, refused by update.

Usage: drift.py PROGRAM
"""

import csv
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest

from program import Program, write_houses

QUICK = ["--max-epochs", "4", "--hidden", "6", "--ensemble-size", "2", "--quiet"]


class Drift(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 400, 1, missing=0.1)
        write_houses(cls.folder / "new.csv", 200, 2, missing=0.1)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def changed(self, name, change, source="new.csv"):
        """A file with each row, a dictionary, changed."""
        rows = list(csv.DictReader(io.StringIO((self.folder / source).read_text())))
        with open(self.folder / name, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            for row in rows:
                change(row)
                writer.writerow(row)
        return name

    def warned(self, *arguments):
        code, out, error = self.program.call(*arguments)
        self.assertEqual(code, 0, error)
        return out, error

    def millimetres(self):
        return self.changed("unit.csv", lambda row: row.update(area=str(1000 * float(row["area"]))))

    def test_rows_that_look_alike_are_not_warned_of(self):
        for command in ("predict", "evaluate"):
            self.assertEqual(self.warned(command, "m", "new.csv")[1], "")

    def test_another_unit_is_named(self):
        for command in ("predict", "evaluate"):
            error = self.warned(command, "m", self.millimetres())[1]
            self.assertIn(f"postrider: {command}: warning: 1 column does not look as in the rows", error)
            self.assertIn("area: values are about ", error)
            self.assertIn("is it another unit?", error)
        evaluated = json.loads(self.warned("evaluate", "m", "unit.csv", "--json")[0])
        self.assertEqual([(each["column"], each["kind"]) for each in evaluated["drift"]], [("area", "unit")])
        self.assertEqual(json.loads(self.warned("evaluate", "m", "new.csv", "--json")[0])["drift"], [])

    def test_ranges_levels_missing_cells_and_shares_are_named(self):
        generator = random.Random(3)
        for change, column, said in (
            (lambda row: row.update(area=str(150 + float(row["area"]))), "area", "lie beyond those learned"),
            (lambda row: row.update(side="east" if generator.random() < 0.3 else row["side"]), "side",
             "of the texts were never learned"),
            (lambda row: row.update(garden=""), "garden", "of the cells are missing; of those learned, "),
            (lambda row: row.update(side="north"), "side", "other values are common"),
        ):
            error = self.warned("predict", "m", self.changed("other.csv", change))[1]
            self.assertIn(f"  {column}: ", error)
            self.assertIn(said, error)
            self.assertIn("1 column", error)

    def test_rows_far_from_all_others_are_flagged(self):
        rows = list(csv.DictReader(io.StringIO(self.warned("predict", "m", "new.csv", "--far")[0])))
        self.assertLessEqual(sum(row["far"] == "1" for row in rows), 4)
        lines = self.warned("predict", "m", self.millimetres(), "--far", "--json")[0].splitlines()
        self.assertEqual({json.loads(line)["far"] for line in lines}, {1})

    def test_update_refuses_what_was_learned_already(self):
        before = (self.folder / "m").read_bytes()
        said = self.program.expect(3, "update", "m", "train.csv")
        self.assertIn("the model has learned these 400 rows already", said)
        self.assertIn("--anyway", said)
        self.assertEqual((self.folder / "m").read_bytes(), before)
        # In another order it is the same table.
        lines = (self.folder / "train.csv").read_text().splitlines()
        (self.folder / "turned.csv").write_text("\n".join(lines[:1] + lines[:0:-1]) + "\n")
        self.program.expect(3, "update", "m", "turned.csv")
        self.program.expect(0, "update", "m", "train.csv", "-o", "twice", "--anyway", "--quiet")
        # So it is after a part was held out.
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "part", "--validation", "0.2", *QUICK)
        self.program.expect(3, "update", "part", "train.csv")

    def test_update_refuses_a_second_time_what_it_took_once(self):
        self.program.expect(0, "update", "m", "new.csv", "-o", "more", "--quiet")
        self.assertIn("these 200 rows already", self.program.expect(3, "update", "more", "new.csv"))

    def test_update_refuses_old_rows_with_new_ones(self):
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "whole", *QUICK)
        before = (self.folder / "whole").read_bytes()
        more = (self.folder / "new.csv").read_text().splitlines(keepends=True)[1:41]
        (self.folder / "all.csv").write_text((self.folder / "train.csv").read_text() + "".join(more))
        said = self.program.expect(3, "update", "whole", "all.csv")
        self.assertIn("all.csv: 400 of 440 rows were learned before, and a row that is learned twice counts twice", said)
        self.assertEqual((self.folder / "whole").read_bytes(), before)
        self.program.expect(0, "update", "whole", "all.csv", "-o", "twice", "--anyway", "--quiet")

    def test_figures_of_learned_rows_are_told(self):
        for command in (("evaluate", "m", "train.csv"), ("report", "m", "train.csv", "--out", "r.html")):
            error = self.warned(*command)[1]
            self.assertIn(f"postrider: {command[0]}: warning: all 400 rows were learned by this model: these figures say how well", error)
        self.assertIn("all 400 rows were learned before", (self.folder / "r.html").read_text())
        found = [json.loads(self.warned("evaluate", "m", data, "--json")[0])["learned_before"] for data in ("train.csv", "new.csv")]
        self.assertEqual(found, [{"rows": 400, "exact": True}, {"rows": 0, "exact": True}])

    def test_a_stream_of_the_training_file_is_refused(self):
        before = (self.folder / "m").read_bytes()
        said = self.program.expect(3, "stream", "m", "--from", "train.csv", "-o", "streamed")
        self.assertIn("were learned before, and a row that is learned twice counts twice", said)
        self.assertIn("--anyway", said)
        self.assertFalse((self.folder / "streamed").exists())
        self.assertEqual((self.folder / "m").read_bytes(), before)
        code, out, error = self.program.call("stream", "m", "--from", "train.csv", "-o", "streamed", "--anyway")
        self.assertEqual((code, "400 rows" in out), (0, True), error)
        self.assertIn("warning: all 400 rows were learned before", error)
        self.assertEqual(self.warned("stream", "m", "--from", "new.csv", "-o", "streamed", "--force")[1], "")

    def test_update_refuses_targets_beyond_the_scales(self):
        far = self.changed("far.csv", lambda row: row.update(price=str(float(row["price"]) + 1e5)))
        before = (self.folder / "m").read_bytes()
        said = self.program.expect(3, "update", "m", far)
        self.assertIn("targets lie more than ten standard deviations from those that the model was trained on", said)
        self.assertEqual(self.program.expect(3, "update", "m", far, "--anyway"), said)  # the scales do not fit, whatever is asked
        self.assertEqual((self.folder / "m").read_bytes(), before)

    def test_update_refuses_another_unit(self):
        before = (self.folder / "m").read_bytes()
        said = self.program.expect(3, "update", "m", self.millimetres())
        self.assertIn("unit.csv: area: values are about", said)
        self.assertEqual((self.folder / "m").read_bytes(), before)
        tens = self.changed("tens.csv", lambda row: row.update(area=str(10 * float(row["area"]))))
        self.program.expect(3, "update", "m", tens, "-o", "taken")
        self.program.expect(0, "update", "m", tens, "-o", "taken", "--anyway", "--quiet")

    def test_update_warns_and_widens_the_profile(self):
        far = self.changed("wide.csv", lambda row: row.update(area=str(60 + float(row["area"]))))
        code, out, error = self.program.call("update", "m", far, "-o", "wide", "--json")
        self.assertEqual(code, 0, error)
        self.assertIn("  area: ", error)
        self.assertEqual(json.loads(out)["drift"][0]["column"], "area")
        again = self.changed("again.csv", lambda row: row.update(area=str(59 + float(row["area"]))))
        self.assertNotIn("lie beyond", self.warned("predict", "wide", again)[1])

    def test_inspect_shows_the_profile(self):
        text = self.warned("inspect", "m")[0]
        self.assertIn("4 columns of 400 rows, with which new rows are compared", text)
        areas = [float(line.split(",")[0]) for line in (self.folder / "train.csv").read_text().splitlines()[1:]]
        inspected = json.loads(self.warned("inspect", "m", "--json")[0])
        area = next(column for column in inspected["columns"] if column["name"] == "area")
        self.assertEqual((area["least"], area["largest"]), (min(areas), max(areas)))
        self.assertEqual(inspected["profile"]["rows"], 400)
        self.assertEqual(sum(inspected["profile"]["columns"][0]["counts"]), 400)

    def test_a_model_without_a_profile_says_nothing(self):
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "bare", "--no-profile", *QUICK)
        self.assertEqual(self.warned("predict", "bare", self.millimetres())[1], "")
        self.assertIn("profile         none", self.warned("inspect", "bare")[0])
        self.assertIn("--far: the model keeps too few", self.program.expect(2, "predict", "bare", "new.csv", "--far"))

    def test_many_columns_are_folded(self):
        generator = random.Random(4)
        names = [f"x{k}" for k in range(80)]
        def write(name, factor):
            lines = [",".join([*names, "y"])]
            for _ in range(60):
                cells = [generator.uniform(1, 2) for _ in names]
                lines.append(",".join(f"{factor * cell:.4f}" for cell in cells) + f",{sum(cells):.4f}")
            (self.folder / name).write_text("\n".join(lines) + "\n")
        write("wide_train.csv", 1)
        write("wide_new.csv", 1000)
        out = self.program.expect(0, "train", "wide_train.csv", "-t", "y", "-o", "w", *QUICK[:-1])
        self.assertIn("  x29 ", out)
        self.assertNotIn("  x35 ", out)
        self.assertIn("and 50 more columns (50 number); --json lists all", out)
        self.assertIn("<- target", out)
        error = self.warned("predict", "w", "wide_new.csv")[1]
        self.assertIn("80 columns do not look", error)
        self.assertIn("  and 70 more", error)


if __name__ == "__main__":
    PATH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
