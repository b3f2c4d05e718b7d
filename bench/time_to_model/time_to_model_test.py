#!/usr/bin/env python3
"""The made tables, the result file and its tables, seconds and memory of processes. Needs numpy; what needs a library is left out without it."""
import csv
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "experiments" / "common")]

import one_thread  # noqa: E402, F401
import large  # noqa: E402
import made_rows  # noqa: E402
import numpy as np  # noqa: E402
import sets  # noqa: E402
from data_sets import TABULAR, UCI  # noqa: E402
from measured_process import measured  # noqa: E402
from results import Results, shaped, tables  # noqa: E402
from time_to_model import parse  # noqa: E402

STANDARD_ERRORS = 4.5
ROWS = 20_000
HELD_BYTES, MOST_MEGABYTES = 200_000_000, 100  # by this process, and what an interpreter that does nothing may take
# The bits of the first thousand rows.
DIGEST = "d289467ce83a411f95c77b3cc00580459bda067aebac536da62c6b63d104c0f2"


def lines_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


class Made(unittest.TestCase):
    def test_the_same_everywhere(self):
        found, rows = hashlib.sha256(), made_rows.made_rows("training", 1000)
        for values in (rows.numbers, rows.levels, rows.targets):
            found.update(np.ascontiguousarray(values, "<f8").tobytes())
        self.assertEqual(found.hexdigest(), DIGEST)

    def test_a_table_begins_with_a_smaller_one(self):
        few, many = made_rows.made_rows("training", 300), made_rows.made_rows("training", made_rows.BLOCK + 50)
        self.assertEqual(many.numbers.shape, (made_rows.BLOCK + 50, 12))
        self.assertEqual(many.levels.shape, (made_rows.BLOCK + 50, 8))
        np.testing.assert_array_equal(few.targets, many.targets[:300])
        self.assertFalse(np.array_equal(many.targets[:50], many.targets[made_rows.BLOCK:]))
        self.assertFalse(np.array_equal(few.targets, made_rows.made_rows("test", 300).targets))

    def test_truth_by_another_formula(self):
        """One row after the other, with branches."""
        rows = made_rows.made_rows("training", 50)
        by_level, slopes = made_rows.effects()
        for x, levels, found in zip(rows.numbers, rows.levels, made_rows.signal(rows.numbers, rows.levels), strict=True):
            tree = (3 if x[5] > 0.5 else 1) if x[4] > 0 else (-1 if x[6] > -0.5 else 0.5)
            expected = 2 * x[0] + x[1] * x[2] + math.sin(2 * x[3]) + tree + (1 if x[7] > 1 else 0) + slopes[levels[5]] * x[8]
            self.assertAlmostEqual(found, expected + sum(by_level[k][levels[k]] for k in range(6)))

    def test_scores_of_the_truth(self):
        """The mean square of standard normal noise has variance 2/n, and the entropy of the noise is (1 + log 2 pi) / 2."""
        found = made_rows.scores_of_truth(made_rows.made_rows("test", ROWS))
        allowed = STANDARD_ERRORS * math.sqrt(2 / ROWS)
        self.assertAlmostEqual(found["rmse"] ** 2, made_rows.NOISE**2, delta=allowed)
        self.assertAlmostEqual(found["log_likelihood"], -(1 + math.log(2 * math.pi)) / 2, delta=allowed / 2)

    def test_all_levels_occur_and_categories_that_say_nothing_are_last(self):
        rows = made_rows.made_rows("training", ROWS)
        self.assertEqual([len(np.unique(rows.levels[:, k])) for k in range(8)], list(made_rows.LEVELS))
        self.assertEqual([len(effect) for effect in made_rows.effects()[0]], list(made_rows.LEVELS[:6]))

    def test_files_hold_what_was_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            path, rows = pathlib.Path(folder) / "table.csv", made_rows.made_rows("test", 200)
            made_rows.write_table(path, "test", 200)
            heading, *lines = lines_of(path)
            self.assertEqual((heading[0], heading[12], heading[-1], len(heading)), ("x0", "c0", made_rows.TARGET, 21))
            np.testing.assert_array_equal(np.array([line[:12] for line in lines], float), rows.numbers)
            self.assertEqual([line[17] for line in lines], [f"v{level}" for level in rows.levels[:, 5]])
            np.testing.assert_array_equal(np.array([line[-1] for line in lines], float), rows.targets)


def entry(**by_split):
    return {"version": "library 1", "runs": {split.removeprefix("s"): run for split, run in by_split.items()}}


RUNS = {
    "large-1000000": {"rows": 1000000, "noise": 1.0, "rmse_of_truth": 1.01, "log_likelihood_of_truth": -1.42,
                      "postrider": entry(s0={"wall_seconds": 90.0, "peak_mb": 700.0, "rmse": 1.1, "log_likelihood": -1.5})},
    "adult": {"rows": 10, "light_gbm": entry(s0={"seconds": 1.0, "log_loss": 0.3, "error": 0.1})},
    "yacht": {"rows": 308, "postrider": entry(s0={"seconds": 1.0, "log_likelihood": -1.0, "rmse": 2.0, "parts": {"race": 0.25, "train": 0.75}},
                                              s1={"seconds": 3.0, "log_likelihood": -2.0, "rmse": 4.0, "parts": {"train": 3.0}},
                                              s2={"seconds": 9.0, "log_likelihood": -9.0, "rmse": 9.0}),
              "catboost": entry(s0={"seconds": 4.0, "log_likelihood": -3.0, "rmse": 1.0}, s1={"seconds": 4.0, "log_likelihood": -3.0, "rmse": 1.0})},
    "concrete": {"rows": 1030},
}


class Shape(unittest.TestCase):
    found = shaped(RUNS)

    def test_means_of_splits_that_all_have(self):
        self.assertEqual(self.found["sets"]["yacht"], {
            "rows": 308, "splits": 2, "seconds": {"postrider": 2.0, "catboost": 4.0}, "log_likelihood": {"postrider": -1.5, "catboost": -3.0},
            "rmse": {"postrider": 3.0, "catboost": 1.0}})

    def test_classes(self):
        self.assertEqual(self.found["sets"]["adult"], {
            "rows": 10, "splits": 1, "seconds": {"light_gbm": 1.0}, "log_loss": {"light_gbm": 0.3}, "error": {"light_gbm": 0.1}})

    def test_in_order_and_only_what_was_run(self):
        self.assertEqual(list(self.found["sets"]), ["yacht", "adult"])
        self.assertEqual(self.found["versions"], dict.fromkeys(("postrider", "light_gbm", "catboost"), "library 1"))

    def test_parts(self):
        self.assertEqual(self.found["parts"], {"yacht": {"race": 0.125, "train": 1.875}})

    def test_large(self):
        self.assertEqual(self.found["large"], {"1000000": {
            "rows": 1000000, "noise": 1.0, "rmse_of_truth": 1.01, "log_likelihood_of_truth": -1.42, "wall_seconds": {"postrider": 90.0},
            "peak_mb": {"postrider": 700.0}, "rmse": {"postrider": 1.1}, "log_likelihood": {"postrider": -1.5}}})

    def test_goes_on_where_it_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results" / "time.json"
            Results(path).put("yacht", "postrider", 0, {"seconds": 1.23456789, "parts": {"race": 0.123456789}}, "library 1")
            again = Results(path)
            self.assertTrue(again.has("yacht", "postrider", 0))
            self.assertFalse(again.has("yacht", "postrider", 1) or again.has("yacht", "catboost", 0))
            again.put("yacht", "catboost", 0, {"seconds": 2.0}, "library 2")
            found = json.loads(path.read_text())
            self.assertEqual(found["sets"]["yacht"]["seconds"], {"postrider": 1.234568, "catboost": 2.0})
            self.assertEqual(found["parts"], {"yacht": {"race": 0.1234568}})

    def test_tables(self):
        lines = tables(self.found)
        self.assertEqual(lines[2], "| yacht | 308 | 2 | 2.00 | 4.00 | - | - | - | - | 0.5 |")
        self.assertEqual(lines[3], "| adult | 10 | 1 | - | - | 1.00 | - | - | - | - |")
        self.assertEqual(lines[-2:], ["| 1,000,000 | Postrider | 90.0 | 700 | 1.1000 | -1.5000 |", "| 1,000,000 | the truth |  |  | 1.0100 | -1.4200 |"])
        self.assertEqual({line.count("|") for line in lines[:4]}, {lines[0].count("|")})


class Options(unittest.TestCase):
    def test_sets_are_known_and_every_method_runs_them(self):
        self.assertLessEqual({*sets.SPLITS}, {*UCI, *TABULAR})
        self.assertLessEqual({*sets.METHODS}, {*sets.REGRESSORS})
        self.assertLessEqual({*sets.METHODS}, {*sets.classifiers.METHODS})
        for name, method in sets.LEFT_OUT:
            self.assertIn(name, sets.SPLITS)
            self.assertIn(method, sets.METHODS)

    def test_large_is_all_made_tables(self):
        self.assertEqual(parse(["--sets", "large", "large-100000"]).sets, ["large-100000", "large-1000000"])

    def test_smoke_writes_elsewhere(self):
        found = parse(["--smoke", "--data", "somewhere"])
        self.assertEqual((found.sets, found.splits, found.out.parent.name), (["yacht", "large-2000"], 1, "build"))

    def test_seconds_of_parts(self):
        class Fitted:
            history_ = [{"seconds": 0.5}, {"seconds": 1}]
        self.assertEqual(sets.seconds_of_parts(Fitted(), 4.0), {"epochs": 1.5, "choosing_and_judging": 2.5})
        self.assertEqual(sets.seconds_of_parts(Fitted(), 1.0)["choosing_and_judging"], 0)
        self.assertEqual(sets.seconds_of_parts(object(), 4.0), {})


class Processes(unittest.TestCase):
    def test_memory_is_not_that_of_who_asks(self):
        held = np.ones(HELD_BYTES, np.uint8)
        found = measured([sys.executable, "-S", "-c", "import time; time.sleep(0.1)"])
        self.assertEqual(int(held.min()), 1)
        self.assertLess(found["peak_megabytes"], MOST_MEGABYTES)
        self.assertGreaterEqual(found["wall_seconds"], 0.1)

    def test_variables_arrive_and_failures_end_the_program(self):
        code = "import os, sys; sys.exit(os.environ['ASKED'] != 'yes')"
        measured([sys.executable, "-S", "-c", code], ASKED="yes")
        with self.assertRaises(SystemExit):
            measured([sys.executable, "-S", "-c", code], ASKED="no")


@unittest.skipUnless(importlib.util.find_spec("sklearn") and importlib.util.find_spec("pandas"), "needs scikit-learn and pandas: experiments/peers-env")
class Command(unittest.TestCase):
    def test_smoke(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "time.json"
            environment = {name: value for name, value in os.environ.items() if name != "POSTRIDER_DATA"}
            subprocess.run([sys.executable, HERE / "time_to_model.py", "--smoke", "--methods", "hist_gradient_boosting", "--out", out], check=True,
                           stdout=subprocess.DEVNULL, env=environment)
            found = json.loads(out.read_text())
            self.assertEqual(list(found), ["sets", "parts", "large", "versions", "runs"])
            made = found["large"]["2000"]
            self.assertLess(made["rmse"]["hist_gradient_boosting"], 2 * made["noise"])
            self.assertLess(made["log_likelihood"]["hist_gradient_boosting"], made["log_likelihood_of_truth"])


if __name__ == "__main__":
    unittest.main()
