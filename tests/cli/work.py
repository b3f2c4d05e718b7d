#!/usr/bin/env python3
"""What daily work needs: rows that keep their names, validation by time and by group, figures beside baselines,
weights, and a report whose first screen says what a reader should know. Compared with what Python computes itself.

Usage: work.py PROGRAM
"""

import datetime
import html
import json
import math
import pathlib
import random
import re
import statistics
import sys
import tempfile
import unittest

from program import Program, rows_of, write_classes

QUICK = ["--max-epochs", "6", "--hidden", "6", "--ensemble-size", "2"]

# What a reader should learn from the first screen of a report, each from a place of its own.
CHECKLIST = {
    "predicts": "What it predicts",
    "quality": "How well, against something simple",
    "trust": "How far to trust it",
    "matters": "What matters most",
    "worries": "What to worry about",
}


def write_sales(path, rows, seed, first_day=0):
    """A shop's sales: more with a high price index, with a shop's own level; a number for each row, and a weight."""
    generator = random.Random(seed)
    lines = ["id,day,shop,index,area,weight,sold"]
    for row in range(rows):
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=first_day + row // 2)
        shop = f"s{generator.randrange(12)}"
        index, area = generator.uniform(0, 1), generator.gauss(3, 1)
        sold = 50 + 20 * index + 3 * area + len(shop) + generator.gauss(0, 2)
        lines.append(f"{1000 + row},{day},{shop},{index:.4f},{area:.3f},{1 + row % 3},{sold:.3f}")
    path.write_text("\n".join(lines) + "\n")


def write_chance(path, rows, seed, share):
    """Classes that no input tells."""
    generator = random.Random(seed)
    lines = ["x,y,where"]
    for _ in range(rows):
        where = "inside" if generator.random() < share else "outside"
        lines.append(f"{generator.gauss(0, 1):.4f},{generator.gauss(0, 1):.4f},{where}")
    path.write_text("\n".join(lines) + "\n")


class Work(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_sales(cls.folder / "sales.csv", 240, 1)
        write_sales(cls.folder / "later.csv", 150, 2, first_day=120)
        write_classes(cls.folder / "ring.csv", 300, 3)
        write_classes(cls.folder / "ring_test.csv", 200, 4)
        cls.train("m")
        cls.program.expect(0, "train", "ring.csv", "-t", "where", "-o", "ring", *QUICK, "-q")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def train(cls, name, *options):
        return cls.program.expect(0, "train", "sales.csv", "-t", "sold", "-o", name, "--ignore", "id,shop",
                                  *QUICK, *options)

    def learned(self, name, *options):
        return json.loads(self.train(name, *options, "--json"))

    def table(self, name):
        return rows_of((self.folder / name).read_text())

    # --- metrics and baselines -----------------------------------------------------------------------

    def test_figures_of_numbers_are_those_of_the_rows(self):
        found = json.loads(self.program.expect(0, "evaluate", "m", "later.csv", "-o", "rows.csv",
                                               "--key", "id,shop", "--json"))
        rows = self.table("rows.csv")
        self.assertEqual([row["id"] for row in rows], [row["id"] for row in self.table("later.csv")])
        self.assertEqual([row["shop"] for row in rows], [row["shop"] for row in self.table("later.csv")])
        target, mean = ([float(row[name]) for row in rows] for name in ("target", "mean"))
        errors = [t - m for t, m in zip(target, mean)]
        for row, error in zip(rows, errors):
            self.assertAlmostEqual(float(row["error"]), error, places=6)
            inside = float(row["low"]) <= float(row["target"]) <= float(row["high"])
            self.assertEqual(float(row["inside"]), float(inside))
        self.assertAlmostEqual(found["log_likelihood"]["value"],
                               statistics.fmean(float(row["log-likelihood"]) for row in rows), places=6)
        centre = statistics.fmean(target)
        explained = 1 - sum(e * e for e in errors) / sum((t - centre) ** 2 for t in target)
        self.assertAlmostEqual(found["explained_variance"]["value"], explained, places=6)
        percent = statistics.fmean(abs(e / t) for e, t in zip(errors, target))
        self.assertAlmostEqual(found["mean_absolute_percentage_error"]["value"], percent, places=6)
        self.assertEqual([each["probability"] for each in found["pinball"]], [0.05, 0.5, 0.95])
        quantiles = rows_of(self.program.expect(0, "predict", "m", "later.csv", "--quantiles", "0.95"))
        loss = [max(0.95 * (t - float(row["quantile 0.95"])), -0.05 * (t - float(row["quantile 0.95"])))
                for t, row in zip(target, quantiles)]
        self.assertAlmostEqual(found["pinball"][2]["value"], statistics.fmean(loss), places=5)

    def test_baselines_of_numbers(self):
        found = json.loads(self.program.expect(0, "evaluate", "m", "later.csv", "--json"))
        linear, mean = found["baselines"]
        self.assertEqual((linear["name"], mean["name"]), ("linear", "mean"))
        learned = [float(row["sold"]) for row in self.table("sales.csv")]
        target = [float(row["sold"]) for row in self.table("later.csv")]
        centre, spread = statistics.fmean(learned), statistics.stdev(learned)
        root = math.sqrt(statistics.fmean((t - centre) ** 2 for t in target))
        self.assertAlmostEqual(mean["root_mean_square_error"]["value"], root, places=6)
        density = [-0.5 * ((t - centre) / spread) ** 2 - math.log(spread) - 0.5 * math.log(2 * math.pi)
                   for t in target]
        self.assertAlmostEqual(mean["log_likelihood"]["value"], statistics.fmean(density), places=6)
        self.assertAlmostEqual(mean["gain"]["value"],
                               found["log_likelihood"]["value"] - statistics.fmean(density), places=6)
        # What is linear, a linear model learns: noise of 2, and what shop and day say by chance.
        self.assertAlmostEqual(linear["root_mean_square_error"]["value"], 2, delta=0.6)
        said = self.program.expect(0, "evaluate", "m", "later.csv")
        for part in ("this model", "linear", "mean", "R²", "pinball loss at 5 %", "nats per row"):
            self.assertIn(part, said)

    def test_figures_and_baselines_of_classes(self):
        found = json.loads(self.program.expect(0, "evaluate", "ring", "ring_test.csv", "-o", "ring_rows.csv",
                                               "--json"))
        rows = self.table("ring_rows.csv")
        score = [float(row["probability of outside"]) for row in rows]
        truth = [row["target"] == "outside" for row in rows]
        pairs = [(s > t) + 0.5 * (s == t) for s, is_in in zip(score, truth) if is_in
                 for t, is_out in zip(score, truth) if not is_out]
        self.assertAlmostEqual(found["area_under_curve"]["value"], statistics.fmean(pairs), places=6)
        inside, outside = found["by_class"]
        self.assertEqual((inside["class"], outside["class"]), ("inside", "outside"))
        hits = sum(row["target"] == row["where"] == "outside" for row in rows)
        self.assertEqual(outside["rows"], sum(truth))
        self.assertAlmostEqual(outside["recall"]["value"], hits / sum(truth), places=9)
        chosen = sum(row["where"] == "outside" for row in rows)
        self.assertAlmostEqual(outside["precision"]["value"], hits / chosen, places=9)
        self.assertAlmostEqual(outside["f1"]["value"], 2 * hits / (chosen + sum(truth)), places=9)
        rate = found["baselines"][1]
        share = (sum(row["where"] == "outside" for row in self.table("ring.csv")) + 1) / 302
        loss = statistics.fmean(-math.log(share if is_in else 1 - share) for is_in in truth)
        self.assertEqual(rate["name"], "base rate")
        self.assertAlmostEqual(rate["log_loss"]["value"], loss, places=9)
        # A ring is nothing that a line can cut.
        self.assertAlmostEqual(found["baselines"][0]["area_under_curve"]["value"], 0.5, delta=0.15)
        self.assertGreater(found["area_under_curve"]["value"], 0.9)

    # --- validation ----------------------------------------------------------------------------------

    def test_validation_by_time_learns_the_past(self):
        said = self.train("t", "--validation", "0.25", "--time", "day", "--out-of-fold", "t.csv", "--key", "id")
        rows = self.table("t.csv")
        self.assertEqual(len(rows), 60)
        self.assertEqual([row["id"] for row in rows], [str(1000 + row) for row in range(180, 240)])
        self.assertEqual(list(rows[0])[:3], ["row", "target", "id"])
        first = self.table("sales.csv")[180]["day"]
        self.assertIn(f"validation by time, from day {first} on: 60 rows", said)
        # The same as a model of the first rows alone, of which networks leave out stretches of time.
        lines = (self.folder / "sales.csv").read_text().splitlines()
        (self.folder / "past.csv").write_text("\n".join(lines[:181]) + "\n")
        self.program.expect(0, "train", "past.csv", "-t", "sold", "-o", "past", "--ignore", "id,shop",
                            "--time", "day", *QUICK)
        (self.folder / "future.csv").write_text("\n".join([lines[0], *lines[181:]]) + "\n")
        means = [row["mean"] for row in rows_of(self.program.expect(0, "predict", "past", "future.csv"))]
        self.assertEqual([row["mean"] for row in rows], means)

    def test_folds_by_time_grow(self):
        found = self.learned("t", "--folds", "3", "--time", "day", "--out-of-fold", "ft.csv")
        self.assertEqual(found["cross_validation"]["rows"], 180)
        self.assertEqual([int(row["row"]) for row in self.table("ft.csv")], list(range(61, 241)))
        self.assertEqual(len(found["cross_validation"]["baselines"]), 2)

    def test_groups_are_never_on_both_sides(self):
        shops = [row["shop"] for row in self.table("sales.csv")]
        self.program.expect(0, "train", "sales.csv", "-t", "sold", "-o", "g", *QUICK, "--validation", "0.3",
                            "--group", "shop", "--out-of-fold", "g.csv", "--key", "shop")
        held = {row["shop"] for row in self.table("g.csv")}
        numbers = {int(row["row"]) for row in self.table("g.csv")}
        for row, shop in enumerate(shops):
            self.assertEqual(row + 1 in numbers, shop in held)
        shown = json.loads(self.program.expect(0, "inspect", "g", "--json"))
        kinds = {column["name"]: column["kind"] for column in shown["columns"]}
        self.assertEqual(kinds["shop"], "ignored")
        said = self.train("g", "--folds", "3", "--group", "shop")
        self.assertIn("cross-validation by group: no value of shop is both learned and predicted", said)

    def test_models_of_folds_leave_out_groups_as_others_do(self):
        # The last fold learns three quarters of the rows, as a model of these rows alone. What is left of the difference
        # is that of sums in another order, in float.
        rounding = 0.01
        common = ["-t", "sold", "--ignore", "id,shop", "--max-epochs", "6", "--hidden", "6", "--ensemble-size", "8",
                  "--weights-per-example", "0", "-q"]
        self.program.expect(0, "train", "sales.csv", "-o", "f", *common, "--folds", "3", "--time", "day",
                            "--out-of-fold", "f.csv")
        lines = (self.folder / "sales.csv").read_text().splitlines()
        (self.folder / "past.csv").write_text("\n".join(lines[:181]) + "\n")
        (self.folder / "future.csv").write_text("\n".join([lines[0], *lines[181:]]) + "\n")

        def most_apart(*options):
            self.program.expect(0, "train", "past.csv", "-o", "past", *common, *options)
            alone = rows_of(self.program.expect(0, "predict", "past", "future.csv"))
            return max(abs(float(a["mean"]) - float(b["mean"])) for a, b in zip(self.table("f.csv")[-60:], alone, strict=True))

        self.assertLess(most_apart("--time", "day"), rounding)
        self.assertGreater(most_apart(), 3 * rounding)

    def test_the_seed_chooses_groups(self):
        def held(seed):
            self.train("s", "--validation", "0.3", "--group", "shop", "--out-of-fold", "s.csv", "--seed", seed)
            return [row["row"] for row in self.table("s.csv")]

        self.assertNotEqual(held(1), held(2))

    def test_what_does_not_go_together_is_named(self):
        for options, part in (
            (["--time", "day", "--stream"], "--time = \"day\": does not go with --stream"),
            (["--validation", "0.2", "--time", "day", "--group", "shop"], "does not go with --time"),
            (["--validation", "0.2", "--time", "shop"], "--time = \"shop\": must hold dates or numbers"),
            (["--folds", "50", "--group", "shop"], "--folds = 50: must be at least 2, and at most the number"),
            (["--key", "id"], "--key = \"id\": needs --out-of-fold"),
            (["--class-weights", "balanced"], "--class-weights = \"sold\": is a number, which has no classes"),
            (["--out-of-fold", "rows.csv"], "--out-of-fold = \"rows.csv\": needs --folds or --validation"),
            (["--folds", "1"], "--folds = 1: must be at least 2"),
            (["--ignore", "sold"], "--ignore = \"sold\": is the target, which cannot be ignored"),
            (["--numeric", "shop", "--ignore", "shop"], "--ignore = \"shop\": is also said to be numeric"),
            (["--class-weights", "much"], "--class-weights = \"much\": must be balanced"),
            (["--weights", "shop"], "the weight"),
        ):
            code, _, error = self.program.call("train", "sales.csv", "-t", "sold", "-o", "none", *QUICK, *options)
            self.assertIn(code, (2, 3), error)
            self.assertIn(part, error)
        code, _, error = self.program.call("evaluate", "m", "later.csv", "--key", "id")
        self.assertEqual(code, 2)
        self.assertIn("needs --output", error)

    # --- weights and identifiers ---------------------------------------------------------------------

    def test_weights_count_rows(self):
        lines = (self.folder / "sales.csv").read_text().splitlines()
        copies = [lines[0]]
        for line in lines[1:]:
            copies += [line] * int(line.split(",")[5])
        (self.folder / "copies.csv").write_text("\n".join(copies) + "\n")
        common = ["-t", "sold", *QUICK, "-q"]
        self.program.expect(0, "train", "sales.csv", "-o", "w", "--ignore", "id,shop", "--weights", "weight", *common)
        self.program.expect(0, "train", "copies.csv", "-o", "c", "--ignore", "id,shop,weight", *common)
        one, two = (rows_of(self.program.expect(0, "predict", name, "later.csv")) for name in "wc")
        for a, b in zip(one, two, strict=True):
            self.assertAlmostEqual(float(a["mean"]), float(b["mean"]), places=3)
        self.train("plain")
        plain = rows_of(self.program.expect(0, "predict", "plain", "later.csv"))
        self.assertNotEqual([row["mean"] for row in plain], [row["mean"] for row in one])

    def test_class_weights_move_probabilities(self):
        write_chance(self.folder / "rare.csv", 400, 5, 0.15)

        def share(name, *weights):
            self.program.expect(0, "train", "rare.csv", "-t", "where", "-o", name, *QUICK, "-q", *weights)
            rows = rows_of(self.program.expect(0, "predict", name, "rare.csv"))
            return statistics.fmean(float(row["probability of inside"]) for row in rows)

        # No input tells the classes apart: their shares are learned, as their weights say.
        self.assertAlmostEqual(share("plain"), 0.15, delta=0.07)
        self.assertAlmostEqual(share("balanced", "--class-weights", "balanced"), 0.5, delta=0.1)
        self.assertAlmostEqual(share("heavy", "--class-weights", "inside=3"), 0.35, delta=0.1)

    def test_identifiers_are_offered(self):
        said = self.program.expect(0, "train", "sales.csv", "-t", "sold", "-o", "i", *QUICK)
        self.assertIn("id looks like an identifier: predict --key id", said)
        self.assertIn("--ignore id", said)
        self.assertNotIn("identifier", self.program.expect(0, "train", "ring.csv", "-t", "where", "-o", "i", *QUICK))

    # --- the report ----------------------------------------------------------------------------------

    def glance(self, page):
        """The texts of the first screen by the places of the checklist."""
        out = {}
        for place in CHECKLIST:
            found = re.search(rf'<div class="card[^"]*" id="glance-{place}">(.*?)(?=<div class="card|</section>)',
                              page, re.S)
            self.assertIsNotNone(found, place)
            out[place] = html.unescape(re.sub(r"<[^>]*>", " ", found.group(1)))
        return out

    def test_the_first_screen_of_a_regression(self):
        self.program.expect(0, "report", "m", "later.csv", "-o", "r.html", "--key", "id", "--time", "day",
                            "--group", "shop", "-q")
        page = (self.folder / "r.html").read_text()
        self.assertLess(page.index('id="glance"'), page.index('id="quality"'))
        seen = self.glance(page)
        for place, heading in CHECKLIST.items():
            self.assertIn(heading, seen[place])
        found = json.loads(self.program.expect(0, "evaluate", "m", "later.csv", "--json"))
        self.assertIn("sold, a number, from", seen["predicts"])
        self.assertIn("240 rows", seen["predicts"])
        for name in ("this model", "linear", "mean", "±"):
            self.assertIn(name, seen["quality"])
        self.assertIn(f"{found['root_mean_square_error']['value']:.2f}", seen["quality"])
        inside = [each["share"] for each in found["coverage"] if each["level"] == 0.9][0]
        self.assertIn(f"{100 * inside:.0f} % of the rows lie inside their 90 % interval", seen["trust"])
        self.assertRegex(seen["matters"], r"(index|area|day): without it, the typical error is \d+ % larger \([\d.]+ nats per row\)")
        # Later days lie elsewhere than those of training, and six epochs are few.
        self.assertIn("Training ended before the score stopped rising", seen["worries"])

    def test_the_parts_of_a_report(self):
        self.program.expect(0, "report", "m", "later.csv", "-o", "p.html", "--key", "id,day", "--time", "day",
                            "--group", "shop", "-q")
        page = (self.folder / "p.html").read_text()
        for part in ("shapes", "errors", "rows", "data", "facts"):
            self.assertTrue(f'<section id="{part}">' in page, part)
        for part in ("training", "weights", "certificate"):
            self.assertRegex(page, rf'<section id="{part}">\s*<details>')
        self.assertIn("Over day", page)
        self.assertIn("By shop", page)
        self.assertRegex(page, r'<span class="tag">id \d+, day 2024-')
        self.assertIn("postrider train TRAINING.csv --target sold", page)
        self.assertIn("--max-epochs 6", page)
        self.assertIn("--ignore id,shop", page)
        # Groups and stretches of time hold all rows.
        counts = [int(count) for count in re.findall(r"<title>(\d+) rows, ", page)]
        self.assertEqual(sum(counts), 150)
        self.assertNotIn("<script", page)

    def test_the_first_screen_of_classes(self):
        self.program.expect(0, "report", "ring", "ring_test.csv", "-o", "c.html", "-q")
        page = (self.folder / "c.html").read_text()
        seen = self.glance(page)
        self.assertIn("where, one of 2 classes, from 2 columns", seen["predicts"])
        self.assertIn("base rate", seen["quality"])
        self.assertRegex(seen["trust"], r"Right in [\d.]+ % of the rows")
        self.assertNotIn('<section id="errors">', page)
        # A model of nothing is worth worrying about.
        write_chance(self.folder / "noise.csv", 300, 6, 0.5)
        write_chance(self.folder / "noise_test.csv", 200, 7, 0.5)
        self.program.expect(0, "train", "noise.csv", "-t", "where", "-o", "noise", *QUICK, "-q")
        self.program.expect(0, "report", "noise", "noise_test.csv", "-o", "n.html", "-q")
        self.assertIn("Not clearly better than", self.glance((self.folder / "n.html").read_text())["worries"])


PATH = sys.argv.pop(1)
unittest.main()
