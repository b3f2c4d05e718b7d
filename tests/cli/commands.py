#!/usr/bin/env python3
"""Calls each command of the program as a user does, and compares with what Python computes itself.

Usage: commands.py PROGRAM
"""

import json
import math
import os
import pathlib
import pty
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program, rows_of, write_classes, write_houses

QUICK = ["--max-epochs", "8", "--hidden", "8", "--ensemble-size", "2", "--quiet"]


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 300, 1, missing=0.2)
        write_houses(cls.folder / "test.csv", 150, 2, missing=0.2, gap=True)
        write_classes(cls.folder / "ring.csv", 400, 3)
        write_classes(cls.folder / "ring_test.csv", 200, 4)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", *QUICK)
        cls.program.expect(0, "train", "ring.csv", "-t", "where", "-o", "ring", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_ok(self, *arguments):
        return self.program.expect(0, *arguments)

    def test_values_that_are_not_accepted_are_named_and_not_aborted_on(self):
        for option, value, accepted in (
            ("--hidden", "8,0", "--hidden = 0: must be at least 1"),
            ("--activation", "tanh", '--activation = "tanh": must be leaky_relu, relu or identity'),
            ("--power", "-1", "--power = -1: must be a number above 0"),
            ("--damping", "nan", "--damping = nan: must be a number of at least 0"),
            ("--horizon", "0", "--horizon = 0: must be at least 1"),
            ("--calibration-share", "0.9", "--calibration-share = 0.9: must be a number"),
            ("--calibration-share", "0.1", "--calibration-share = 0.1: is for targets that are classes"),
        ):
            said = self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "refused", option, value)
            self.assertIn(accepted, said)
        self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "refused", "--varying-noise=maybe")

    def test_an_update_whose_scales_do_not_fit_is_refused(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "scaled", *QUICK)
        before = (self.folder / "scaled").read_bytes()
        lines = (self.folder / "train.csv").read_text().splitlines()
        place = lines[0].split(",").index("price")
        moved = [lines[0]]
        for line in lines[1:40]:
            cells = line.split(",")
            cells[place] = str(1e6 * (1 + float(cells[place] or 1)))
            moved.append(",".join(cells))
        (self.folder / "moved.csv").write_text("\n".join(moved) + "\n")
        self.assertIn("its scales do not fit these data", self.program.expect(3, "update", "scaled", "moved.csv"))
        self.assertEqual((self.folder / "scaled").read_bytes(), before)

    def test_the_page_of_options_is_what_the_program_prints(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "options.md"
        self.assertIn(self.run_ok("options"), page.read_text())

    def test_train_shows_columns_and_a_summary(self):
        printed = self.run_ok("train", "train.csv", "-t", "price", "-o", "shown", *QUICK[:-1])
        values = [float(row["area"]) for row in rows_of((self.folder / "train.csv").read_text())]
        self.assertIn(f"{min(values):.4g} to {max(values):.4g}", printed)
        gardens = [row["garden"] for row in rows_of((self.folder / "train.csv").read_text())]
        line = next(l for l in printed.splitlines() if l.strip().startswith("garden"))
        self.assertEqual(int(line.split()[-1]), gardens.count(""))
        self.assertIn("3: north, south, west", printed)
        for part in ("<- target", "learned   300 rows", "2 members", "model     shown", "next: "):
            self.assertIn(part, printed)
        self.assertNotIn("\r", printed)

    def test_training_is_a_function_of_its_seed(self):
        for name, more in (("a", []), ("b", ["--threads", "1"]), ("c", ["--seed", "2"])):
            self.run_ok("train", "train.csv", "-t", "price", "-o", name, *QUICK, *more)
        a, b, c = ((self.folder / name).read_bytes() for name in "abc")
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)

    def test_train_json_and_validation(self):
        learned = json.loads(self.run_ok("train", "train.csv", "-t", "price", "-o", "v", *QUICK[:-1],
                                         "--validation", "0.2", "--json"))
        self.assertEqual(learned["history"][0]["rows"], 240)
        self.assertEqual(learned["validation"]["rows"], 60)
        self.assertEqual([c["name"] for c in learned["columns"]], ["area", "side", "garden", "price"])

    def test_keys_are_passed_on_as_they_are(self):
        lines = (self.folder / "train.csv").read_text().splitlines()
        names = ["", "0017", '"a, b"', "NA", "=1+1"] * 60
        text = "\n".join(["id," + lines[0]] + [f"{name},{line}" for name, line in zip(names, lines[1:], strict=True)])
        (self.folder / "keyed.csv").write_text(text + "\n")
        self.run_ok("train", "train.csv", "-t", "price", "-o", "k", *QUICK)
        plain = rows_of(self.run_ok("predict", "k", "keyed.csv"))
        keyed = rows_of(self.run_ok("predict", "k", "keyed.csv", "--key", "id,area,side"))
        self.assertEqual(list(keyed[0])[:4], ["id", "area", "side", "mean"])
        self.assertEqual([row["id"] for row in keyed[:5]], ["", "0017", "a, b", "NA", "'=1+1"])
        for row, was, line in zip(keyed, plain, lines[1:], strict=True):
            self.assertEqual([row["area"], row["side"]], line.split(",")[:2])
            self.assertEqual({name: row[name] for name in was}, was)
        first = json.loads(self.run_ok("predict", "k", "keyed.csv", "--key", "id", "--json").splitlines()[1])
        self.assertEqual(first["id"], "0017")
        code, _, error = self.program.call("predict", "k", "keyed.csv", "--key", "name")
        self.assertEqual(code, 2)
        self.assertIn('--key = "name": must be one of the columns', error)

    def test_folds_of_a_number(self):
        """Scores are computed anew from the file of predictions, fold by fold they are not known."""
        learned = json.loads(self.run_ok("train", "train.csv", "-t", "price", "-o", "f", *QUICK[:-1],
                                         "--folds", "3", "--out-of-fold", "oof.csv", "--json"))
        found = learned["cross_validation"]
        self.assertEqual((found["folds"], found["rows"]), (3, 300))
        rows = rows_of((self.folder / "oof.csv").read_text())
        self.assertEqual(list(rows[0]), ["row", "target", "mean", "std", "low", "high"])
        self.assertEqual([int(row["row"]) for row in rows], list(range(1, 301)))
        table = rows_of((self.folder / "train.csv").read_text())
        for row, truth in zip(rows, table, strict=True):
            self.assertEqual(float(row["target"]), float(truth["price"]))
        # Folds of 100 rows each: the mean of their mean squares is that of all, and no mean of roots is
        # above its root.
        squares = [(float(row["mean"]) - float(row["target"])) ** 2 for row in rows]
        error, root = found["root_mean_square_error"], math.sqrt(statistics.fmean(squares))
        self.assertLessEqual(error["value"], root)
        self.assertAlmostEqual(error["value"], root, delta=3 * error["standard_error"])
        inside = [float(row["low"]) <= float(row["target"]) <= float(row["high"]) for row in rows]
        at_90 = [each for each in found["coverage"] if each["level"] == 0.9][0]
        self.assertAlmostEqual(at_90["share"], statistics.fmean(inside), places=9)
        # They are other predictions than those of the model, which has learned all rows as without folds.
        self.run_ok("train", "train.csv", "-t", "price", "-o", "g", *QUICK)
        predicted = self.run_ok("predict", "f", "train.csv")
        self.assertEqual(predicted, self.run_ok("predict", "g", "train.csv"))
        self.assertNotEqual([row["mean"] for row in rows], [row["mean"] for row in rows_of(predicted)])
        kept = json.loads(self.run_ok("inspect", "f", "--json"))["history"][0]["cross_validation"]
        self.assertEqual(kept["root_mean_square_error"], error)
        self.assertEqual(kept["coverage"]["value"], at_90["share"])
        self.assertIn("3 folds: root mean square error", self.run_ok("inspect", "f"))

    def test_folds_of_classes(self):
        said = self.run_ok("train", "ring.csv", "-t", "where", "-o", "f", *QUICK[:-1], "--folds", "4",
                           "--out-of-fold", "ring_oof.csv")
        self.assertIn("cross-validation: 4 folds", said)
        self.assertIn("accuracy", said)
        kept = json.loads(self.run_ok("inspect", "f", "--json"))["history"][0]["cross_validation"]
        rows = rows_of((self.folder / "ring_oof.csv").read_text())
        right = [row["where"] == row["target"] for row in rows]
        # Folds of 100 rows each.
        self.assertAlmostEqual(kept["accuracy"]["value"], statistics.fmean(right), places=9)
        losses = [-math.log(max(1e-15, float(row[f"probability of {row['target']}"]))) for row in rows]
        self.assertAlmostEqual(kept["log_loss"]["value"], statistics.fmean(losses), places=6)

    def test_folds_that_are_not_possible(self):
        for arguments, accepted in (
            (["--folds", "1"], "--folds = 1: must be at least 2"),
            (["--folds", "301"], "at most the number of rows, 300"),
            (["--out-of-fold", "x.csv"], "--out-of-fold = \"x.csv\": needs --folds or --validation"),
            (["--folds", "3", "--stream"], "--folds = 3: does not go with --stream"),
            (["--folds", "3", "--validation", "0.2"], "--folds = 3: does not go with --validation"),
            (["--folds", "3", "--out-of-fold", "train.csv"], "is also a file that this command reads"),
            (["--folds", "3", "--out-of-fold", "-"], "--out-of-fold = \"-\": must name a file"),
        ):
            said = self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "none", *QUICK,
                                       *arguments)
            self.assertIn(accepted, said)
        self.assertFalse((self.folder / "none").exists())

    def test_numbers_far_from_zero(self):
        """Such as times in milliseconds: what is printed still tells values apart."""
        generator = random.Random(5)
        lines = ["when,target"]
        for _ in range(200):
            when = generator.randint(-14, 14)
            lines.append(f"{10**13 + when},{17 * 10**11 + 3 * when + generator.gauss(0, 2):.3f}")
        (self.folder / "far.csv").write_text("\n".join(lines) + "\n")
        self.run_ok("train", "far.csv", "-t", "target", "-o", "far", *QUICK)
        inspected = json.loads(self.run_ok("inspect", "far", "--json"))
        known = [[float(row[name]) for row in rows_of((self.folder / "far.csv").read_text())]
                 for name in ("when", "target")]
        for scale, values in zip((inspected["inputs"][0], inspected["target_scale"]), known):
            self.assertAlmostEqual(scale["mean"], statistics.fmean(values), delta=0.01)
            self.assertAlmostEqual(scale["std"], statistics.pstdev(values), delta=0.01)
        self.run_ok("inspect", "far")
        rows = rows_of(self.run_ok("predict", "far", "far.csv"))
        lines = self.run_ok("predict", "far", "far.csv", "--json").splitlines()
        for row, line in zip(rows, lines, strict=True):
            self.assertLess(float(row["low"]), float(row["mean"]))
            self.assertLess(float(row["mean"]), float(row["high"]))
            self.assertEqual({name: float(text) for name, text in row.items()}, json.loads(line))

    def test_targets_too_small_for_a_variance(self):
        (self.folder / "tiny.csv").write_text(
            "x,y\n" + "".join(f"{i},{i % 7}e-130\n" for i in range(50)))
        printed = self.program.expect(2, "train", "tiny.csv", "-t", "y", "-o", "tiny", *QUICK)
        self.assertIn("multiply the targets by 1e130", printed)

    def test_overrides_of_the_schema(self):
        learned = json.loads(self.run_ok(
            "train", "train.csv", "-t", "price", "-o", "v", "--max-epochs", "1", "--ensemble-size", "1", "--json",
            "--ignore", "garden", "--categorical", "area", "--missing", "mean"))
        kinds = {c["name"]: c["kind"] for c in learned["columns"]}
        self.assertEqual(kinds["garden"], "ignored")
        self.assertEqual(kinds["area"], "categorical")

    def test_stream_and_delimiter_without_header(self):
        text = (self.folder / "train.csv").read_text().splitlines()[1:]
        (self.folder / "bare.txt").write_text("\n".join(l.replace(",", "|") for l in text) + "\n")
        self.run_ok("train", "bare.txt", "--no-header", "--delimiter", "|", "-t", "column_4", "--stream",
                    "-o", "streamed", "--quiet")
        inspected = json.loads(self.run_ok("inspect", "streamed", "--json"))
        self.assertEqual(inspected["history"][0]["kind"], "stream")
        self.assertEqual(inspected["history"][0]["rows"], 300)

    def test_predict(self):
        rows = rows_of(self.run_ok("predict", "m", "test.csv", "--level", "0.5", "--quantiles",
                                   "0.25,0.5", "--samples", "400", "--seed", "3"))
        self.assertEqual(len(rows), 150)
        samples = [f"sample {s + 1}" for s in range(400)]
        draws = len(rows) * len(samples)
        for name, p in (("quantile 0.25", 0.25), ("quantile 0.5", 0.5)):
            below = sum(float(row[sample]) < float(row[name]) for row in rows for sample in samples)
            self.assertAlmostEqual(below / draws, p, delta=5 * math.sqrt(p * (1 - p) / draws))
        self.assertTrue(all(float(row["low"]) < float(row["quantile 0.5"]) < float(row["high"]) for row in rows))
        drawn = [float(rows[0][sample]) for sample in samples]
        mean, deviation = float(rows[0]["mean"]), float(rows[0]["std"])
        five_errors = 5 * deviation / math.sqrt(400)
        self.assertAlmostEqual(statistics.fmean(drawn), mean, delta=five_errors)

    def test_predict_writes_files_and_json(self):
        printed = self.run_ok("predict", "m", "test.csv")
        self.run_ok("predict", "m", "test.csv", "-o", "out.csv")
        self.assertEqual((self.folder / "out.csv").read_text(), printed)
        self.assertFalse((self.folder / "out.csv.partial").exists())
        lines = [json.loads(line) for line in self.run_ok("predict", "m", "test.csv", "--json").splitlines()]
        self.assertEqual(len(lines), 150)
        self.assertAlmostEqual(lines[7]["mean"], float(rows_of(printed)[7]["mean"]), places=4)

    def test_predict_needs_no_target(self):
        lines = (self.folder / "test.csv").read_text().splitlines()
        (self.folder / "new.csv").write_text("\n".join(l.rpartition(",")[0] for l in lines) + "\n")
        self.assertEqual(self.run_ok("predict", "m", "new.csv"), self.run_ok("predict", "m", "test.csv"))

    def test_explain_adds_up_to_what_predict_says(self):
        predicted = rows_of(self.run_ok("predict", "m", "test.csv", "--quiet"))
        lines = rows_of(self.run_ok("explain", "m", "test.csv", "--key", "side"))
        self.assertEqual(list(lines[0]), ["side", "row", "column", "value", "unusual", "mean", "mean spread", "std", "std spread"])
        self.assertEqual([line["column"] for line in lines[:5]], ["(baseline)", "area", "side", "garden", "(prediction)"])
        self.assertEqual(len(lines), 5 * len(predicted))
        for row, expected in enumerate(predicted):
            base, *moves, prediction = lines[5 * row : 5 * row + 5]
            for quantity in ("mean", "std"):
                self.assertAlmostEqual(float(prediction[quantity]), float(expected[quantity]), delta=1e-6 * abs(float(expected[quantity])))
                total = float(base[quantity]) + sum(float(move[quantity]) for move in moves)
                self.assertAlmostEqual(total, float(prediction[quantity]), delta=1e-6)
        self.assertEqual(lines[2]["value"], lines[2]["side"])
        said = [json.loads(line) for line in self.run_ok("explain", "m", "test.csv", "--json").splitlines()]
        self.assertAlmostEqual(said[1]["mean"], float(lines[1]["mean"]), delta=1e-6)

    def test_explain_tells_of_one_row_and_of_what_if(self):
        text = self.run_ok("explain", "m", "test.csv", "--row", "2", "--what-if", "area=100", "--what-if", "side=north")
        for part in ("row 2: ", "mean of price", "std of price", "baseline", "area = ", "prediction", "with area=100: ", "with side=north: "):
            self.assertIn(part, text)
        self.assertIn("probability of ", self.run_ok("explain", "ring", "ring_test.csv", "--row", "1"))
        other = self.run_ok("explain", "m", "test.csv", "--row", "2", "--baseline", "train.csv")
        self.assertNotEqual(other, self.run_ok("explain", "m", "test.csv", "--row", "2"))
        for arguments, message in ((("--row", "1000"), "--row = 1000: must be at most 150"), (("--what-if", "area=3"), "--what-if: needs --row"),
                                   (("--row", "1", "--what-if", "area"), "must be a column and its new value"),
                                   (("--row", "1", "--what-if", "price=3"), "must be an input of the model"),
                                   (("--orders", "1000000"), "must be at most 100000")):
            code, _, error = self.program.call("explain", "m", "test.csv", *arguments)
            self.assertEqual(code, 2, arguments)
            self.assertIn(message, error)

    def test_select(self):
        lines = (self.folder / "test.csv").read_text().splitlines()
        (self.folder / "pool.csv").write_text("\n".join(l.rpartition(",")[0] for l in lines) + "\n")
        rows = rows_of(self.run_ok("select", "m", "pool.csv", "-n", "6", "--key", "area"))
        self.assertEqual(len({row["row"] for row in rows}), 6)
        areas = [line.split(",")[lines[0].split(",").index("area")] for line in lines]
        for row in rows:
            self.assertEqual(int(row["line"]), int(row["row"]) + 1)
            self.assertEqual(row["area"], areas[int(row["row"])])
            self.assertGreater(float(row["removed"]), 0)
        self.assertLess(sum(float(row["removed"]) for row in rows), 1)
        # Fewer rows are the first of more; each option changes what is chosen, or what it is held to remove.
        plain = rows_of(self.run_ok("select", "m", "pool.csv", "-n", "3"))
        self.assertEqual([row["row"] for row in plain], [row["row"] for row in rows[:3]])
        for option in (["--learned", "train.csv"], ["--functions", "20"], ["--candidates", "30"], ["--seed", "7"]):
            self.assertNotEqual(plain, rows_of(self.run_ok("select", "m", "pool.csv", "-n", "3", *option)), option)
        said = [json.loads(line) for line in self.run_ok("select", "m", "pool.csv", "-n", "3", "--json").splitlines()]
        self.assertEqual([int(row["row"]) for row in plain], [row["row"] for row in said])
        self.run_ok("select", "m", "pool.csv", "-n", "3", "-o", "chosen.csv")
        self.assertEqual(rows_of((self.folder / "chosen.csv").read_text()), plain)

    def test_select_passes_over_rows_that_have_a_target(self):
        lines = (self.folder / "test.csv").read_text().splitlines()
        (self.folder / "some.csv").write_text(
            "\n".join([lines[0], *(l if k % 2 else l.rpartition(",")[0] + "," for k, l in enumerate(lines[1:]))]) + "\n")
        chosen = rows_of(self.run_ok("select", "m", "some.csv", "-n", "10"))
        written = (self.folder / "some.csv").read_text().splitlines()
        self.assertTrue(all(written[int(row["line"]) - 1].endswith(",") for row in chosen))
        for arguments, said in ((["m", "test.csv", "-n", "150"], "without a target"), (["ring", "ring_test.csv"], "numeric target"),
                                (["m", "some.csv", "--learned", "pool_x.csv"], "pool_x.csv")):
            (self.folder / "pool_x.csv").write_text("area\n1\n")
            code, _, error = self.program.call("select", *arguments)
            self.assertNotEqual(code, 0)
            self.assertIn(said, error)

    def test_predict_classes(self):
        rows = rows_of(self.run_ok("predict", "ring", "ring_test.csv", "--samples", "2"))
        for row in rows:
            inside, outside = float(row["probability of inside"]), float(row["probability of outside"])
            self.assertAlmostEqual(inside + outside, 1, places=6)
            self.assertEqual(row["where"], "inside" if inside >= outside else "outside")
            self.assertIn(row["sample 1"], ("inside", "outside"))

    def test_evaluate_numbers(self):
        truth = [row["price"] for row in rows_of((self.folder / "test.csv").read_text())]
        predicted = [float(row["mean"]) for row in rows_of(self.run_ok("predict", "m", "test.csv"))]
        errors = [p - float(y) for p, y in zip(predicted, truth) if y]
        e = json.loads(self.run_ok("evaluate", "m", "test.csv", "--json"))
        self.assertEqual((e["rows"], e["without_target"]), (len(errors), truth.count("")))
        rmse = math.sqrt(statistics.fmean(x * x for x in errors))
        self.assertAlmostEqual(e["root_mean_square_error"]["value"], rmse, places=5)
        mae = statistics.fmean(map(abs, errors))
        self.assertAlmostEqual(e["mean_absolute_error"]["value"], mae, places=5)
        self.assertIn(f"{mae:.4g} ± ", self.run_ok("evaluate", "m", "test.csv"))

    def test_evaluate_classes(self):
        truth = [row["where"] for row in rows_of((self.folder / "ring_test.csv").read_text())]
        rows = rows_of(self.run_ok("predict", "ring", "ring_test.csv"))
        e = json.loads(self.run_ok("evaluate", "ring", "ring_test.csv", "--json"))
        right = statistics.fmean(row["where"] == y for row, y in zip(rows, truth))
        self.assertAlmostEqual(e["accuracy"]["value"], right, places=9)
        loss = statistics.fmean(-math.log(float(row["probability of " + y])) for row, y in zip(rows, truth))
        self.assertAlmostEqual(e["log_loss"]["value"], loss, places=5)
        self.assertEqual(sum(b["rows"] for b in e["bins"]), 200)
        self.assertEqual([b["accuracy"] is None for b in e["bins"]], [b["rows"] == 0 for b in e["bins"]])

    def test_update(self):
        before = (self.folder / "m").read_bytes()
        printed = self.run_ok("update", "m", "test.csv", "-o", "updated")
        known = sum(row["price"] != "" for row in rows_of((self.folder / "test.csv").read_text()))
        self.assertIn(f"learned      {known} rows, after 300 before", printed)
        self.assertEqual((self.folder / "m").read_bytes(), before)
        (self.folder / "in_place").write_bytes(before)
        self.run_ok("update", "in_place", "test.csv", "--quiet")
        self.assertEqual((self.folder / "in_place").read_bytes(), (self.folder / "updated").read_bytes())
        steps = json.loads(self.run_ok("inspect", "updated", "--json"))["history"]
        self.assertEqual([(s["kind"], s["rows"]) for s in steps], [("fit", 300), ("update", known)])

    def test_report(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "reported", "--max-epochs", "20", *QUICK[2:])
        printed = self.run_ok("report", "reported", "--data", "test.csv", "--out", "r.html", "--title", "<Houses>")
        self.assertRegex(printed, r"\n  \d+ % of the rows lie inside their 90 % interval\n")
        self.assertRegex(printed, r"\n  no inconsistency found in \d+ messages\n")
        page = (self.folder / "r.html").read_text()
        for part in ("&lt;Houses&gt;", "Predicted against observed", "Without this input", "Hidden layer 1",
                     "north", "Certificate", "No inconsistency found in ", "lie inside their 90 % interval</b>"):
            self.assertIn(part, page)
        self.assertNotIn("<script", page)
        self.run_ok("report", "ring", "ring_test.csv", "--out", "ring.html", "--quiet")
        self.assertIn("outside", (self.folder / "ring.html").read_text())

    def test_certify(self):
        printed = self.run_ok("certify", "m", "test.csv", "--rows", "2", "--messages", "5")
        self.assertIn("member 1 of 2", printed)
        self.assertRegex(printed, r"\n  no inconsistency found in \d+ messages\n")
        strict = self.program.expect(1, "certify", "m", "test.csv", "--rows", "2", "--messages", "5",
                                     "--kl-limit", "1e-12")
        self.assertRegex(strict, r"\n  INCONSISTENT: \d+ of \d+ messages\n")
        certificate = json.loads(self.run_ok("certify", "m", "--data", "test.csv", "--rows", "2",
                                             "--messages", "5", "--member", "2", "--json"))
        self.assertEqual(certificate["rows"], 2)

    def test_inspect(self):
        inspected = json.loads(self.run_ok("inspect", "m", "--json"))
        rows = rows_of((self.folder / "train.csv").read_text())
        areas = [float(row["area"]) for row in rows]
        scale = inspected["inputs"][0]
        self.assertEqual(scale["name"], "area")
        self.assertAlmostEqual(scale["mean"], statistics.fmean(areas), places=6)
        self.assertAlmostEqual(scale["std"], statistics.pstdev(areas), places=6)
        prices = [float(row["price"]) for row in rows]
        self.assertAlmostEqual(inspected["target_scale"]["mean"], statistics.fmean(prices), places=6)
        self.assertEqual(inspected["network"]["members"], 2)
        self.assertEqual(len(inspected["history"][0]["members"][0]["scores"]), 8)
        text = self.run_ok("inspect", "m")
        for part in ("price, a number", "conditioned", "side = north", "garden", "out-of-fold log-likelihood", "postrider model 1"):
            self.assertIn(part, text)
        self.assertNotIn("garden is missing", text)
        self.assertEqual(inspected["file_format"], "postrider model 1")
        self.assertEqual(inspected["written_by"], "postrider " + inspected["version"])

    def test_graph(self):
        printed = self.run_ok("graph", "m")
        self.assertEqual(printed.count("{"), printed.count("}"))
        self.assertIn("layer 1: 8 units", printed)
        full = self.run_ok("graph", "m", "--full")
        # 5 inputs: area, three sides, garden; two outputs.
        self.assertEqual(full.count('label="product"'), 8 * (5 + 1) + 2 * (8 + 1))

    def test_a_threshold_of_two_classes(self):
        self.run_ok("train", "ring.csv", "--target", "where", "--max-epochs", "3", "--hidden", "4", "--quiet", "-o", "classes")
        for threshold in ("0.2", "0.8"):
            rows = rows_of(self.run_ok("predict", "classes", "ring.csv", "--threshold", threshold, "--quiet"))
            for row in rows:
                is_second = float(row["probability of outside"]) >= float(threshold)
                self.assertEqual(row["where"], "outside" if is_second else "inside")
            self.assertEqual({row["where"] for row in rows}, {"inside", "outside"})
        self.assertIn("--threshold = 2: must be above 0", self.program.expect(2, "predict", "classes", "ring.csv", "--threshold", "2"))
        self.assertIn("--threshold: is for two classes; price has numbers", self.program.expect(2, "predict", "m", "test.csv", "--threshold", "0.3"))

    def test_one_row_has_no_standard_error(self):
        lines = (self.folder / "test.csv").read_text().splitlines(keepends=True)
        (self.folder / "one.csv").write_text("".join(lines[:2]))
        self.assertNotIn("±", self.run_ok("evaluate", "m", "one.csv"))

    def test_indicators(self):
        self.run_ok("train", "train.csv", "--target", "price", "--indicators", "--max-epochs", "2", "--hidden", "4", "--quiet",
                    "-o", "indicated")
        text = self.run_ok("inspect", "indicated")
        for part in ("garden is missing", "vague, with indicators"):
            self.assertIn(part, text)

    def test_config(self):
        (self.folder / "c.toml").write_text('[train]\ntarget = "price"\nmax-epochs = 8\nhidden = [8]\n'
                                            "ensemble-size = 2\nquiet = true\n")
        self.run_ok("train", "train.csv", "--config", "c.toml", "-o", "by_config")
        self.assertEqual((self.folder / "by_config").read_bytes(), (self.folder / "m").read_bytes())

    def test_completions_and_manual(self):
        names = ["train", "predict", "evaluate", "update", "rate", "report", "certify", "inspect", "graph", "factor"]
        for shell in ("bash", "zsh", "fish"):
            script = self.run_ok("completion", shell)
            for name in names:
                self.assertIn(name, script)
        manual = self.run_ok("manual")
        for name in names:
            self.assertIn(f".SS {name}", manual)
        self.assertIn("\\fB130\\fR", manual)

    def test_interrupt_keeps_the_best(self):
        write_houses(self.folder / "many.csv", 3000, 5)
        command = [self.program.path, "train", "many.csv", "-t", "price", "-o", "partial", "--max-epochs", "4000",
                   "--patience", "4000", "--ensemble-size", "1"]
        main, side = pty.openpty()
        running = subprocess.Popen(command, cwd=self.folder, stderr=side, stdout=subprocess.PIPE, text=True)
        os.close(side)
        seen = b""
        while b"epoch 2/4000" not in seen:  # the live line, on a terminal
            seen += os.read(main, 4096)
        running.send_signal(signal.SIGINT)
        printed = running.communicate(timeout=60)[0]
        os.close(main)
        self.assertEqual(running.returncode, 130)
        self.assertIn(b"\rmember" if b"member" in seen else b"\repoch", seen)
        self.assertIn("interrupted: the model has what was best until now", printed)
        self.run_ok("evaluate", "partial", "test.csv")

    def test_resume_goes_on(self):
        options = ["train", "train.csv", "-t", "price", *QUICK]
        self.run_ok(*options, "-o", "resumed", "--checkpoint", "ck", "--checkpoint-every", "3")
        self.run_ok(*options, "-o", "resumed", "--checkpoint", "ck", "--resume")
        self.assertEqual((self.folder / "resumed").read_bytes(), (self.folder / "m").read_bytes())


PATH = sys.argv.pop(1)
unittest.main()
