#!/usr/bin/env python3
"""The helpers of the comparisons with other libraries: scores, splits, result files, tables. Needs numpy; what needs a library is left out without it."""
import importlib.util
import json
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "uci")]

import one_thread  # noqa: E402, F401
import numpy as np  # noqa: E402
from data_sets import UCI, bike_splits, few_rows_parts, parts_of, read_splits, read_tabular, read_uci  # noqa: E402
from peer_tables import comparable, peers_table  # noqa: E402
from regression_runs import test as test_regressor  # noqa: E402
from regressors import held_out_parts  # noqa: E402
from runs import Runs  # noqa: E402
from scores import (accuracy, area_under_curve, excess_by_bin, expected_calibration_error, gaussian_crps,  # noqa: E402
                    gaussian_log_likelihood, log_loss, mean_and_error, mean_area_under_curve, quantiles_crps)


class Scores(unittest.TestCase):
    """The numbers of tests/estimator/metrics_test.cc: both sides have one definition."""

    probabilities = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]])
    labels = np.array([0, 2, 2])

    def test_of_classes_by_hand(self):
        self.assertAlmostEqual(accuracy(self.probabilities, self.labels), 2 / 3)
        self.assertAlmostEqual(log_loss(self.probabilities, self.labels), -np.log([0.7, 0.4, 0.4]).mean())
        self.assertAlmostEqual(expected_calibration_error(self.probabilities, self.labels, 2), (0.6 + 0.2) / 3)

    def test_a_certain_mistake_and_a_certain_right_answer(self):
        certain = np.array([[1.0, 0.0]])
        self.assertAlmostEqual(log_loss(certain, np.array([1])), 15 * np.log(10))
        self.assertEqual(expected_calibration_error(certain, np.array([0])), 0)

    def test_folds_add_up_to_all_rows(self):
        draw = np.random.RandomState(0)
        probabilities, labels = draw.dirichlet(np.ones(3), 60), draw.randint(3, size=60)
        by_fold = sum(excess_by_bin(probabilities[k::4], labels[k::4]) for k in range(4))
        self.assertAlmostEqual(np.abs(by_fold).sum() / 60, expected_calibration_error(probabilities, labels))

    def test_area_counts_pairs(self):
        self.assertAlmostEqual(area_under_curve([0, 1, 2], [1, 3]), (1 + 0.5 + 3) / 6)
        two = np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]])
        self.assertAlmostEqual(mean_area_under_curve(two, np.array([0, 1, 0])), 0.5)
        three = np.vstack([self.probabilities, [0.1, 0.8, 0.1]])
        # Class 0 is above all others, class 1 in three of four pairs, class 2 in two of three and as high in one.
        self.assertAlmostEqual(mean_area_under_curve(three, np.array([0, 2, 1, 1])), (1 + 3 / 4 + 2.5 / 3) / 3)

    def test_crps_is_the_integral_of_squares(self):
        """The squares are of F(y) - [y >= target], for a normal distribution and for its quantiles."""
        places = np.linspace(-40, 40, 80001)
        step = places[1] - places[0]
        mean, deviation, target = 1.0, 2.0, 3.5
        below = np.cumsum(np.exp(-0.5 * ((places - mean) / deviation) ** 2)) * step / (deviation * np.sqrt(2 * np.pi))
        truth = np.sum((below - (places >= target)) ** 2) * step
        self.assertAlmostEqual(gaussian_crps(np.array([mean]), np.array([deviation]), np.array([target])), truth, places=2)
        levels = (np.arange(999) + 0.5) / 999
        quantiles = np.interp(levels, below, places)[None, :]
        self.assertAlmostEqual(quantiles_crps(quantiles, levels, np.array([target])), truth, places=2)

    def test_gaussian(self):
        self.assertAlmostEqual(gaussian_log_likelihood(np.array([1.0]), np.array([2.0]), np.array([3.0])), -0.5 - np.log(2 * np.sqrt(2 * np.pi)))
        self.assertEqual(mean_and_error([1, 3]), (2, 1 / np.sqrt(2)))


class Splits(unittest.TestCase):
    def test_listed_rows_are_tested_and_the_others_trained(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder) / "tabular" / "small"
            folder.mkdir(parents=True)
            (folder / "data.csv").write_text("size,colour,y\n1,red,0\n2,?,1\n3,blue,1\n")
            (folder / "columns.csv").write_text("name,kind,levels\nsize,numeric,\ncolour,categorical,?|blue|red\n")
            (folder / "splits.csv").write_text("split,test_indices\n0,2 0\n1,1\n")
            found = read_tabular(folder.parents[1], "small")
            training, testing = parts_of(found.splits[0], 3)
            self.assertEqual((training.tolist(), testing.tolist()), ([1], [0, 2]))
            self.assertEqual(found.one_hot().tolist(), [[1, 0, 0, 1], [2, 1, 0, 0], [3, 0, 1, 0]])
            self.assertEqual([split.tolist() for split in read_splits(folder / "splits.csv")], [[2, 0], [1]])

    @unittest.skipUnless(os.environ.get("POSTRIDER_DATA"), "needs the data sets")
    def test_published_splits(self):
        """How Hernandez-Lobato and Adams drew them: one generator of seed 1 for each set, the last tenth of a permutation to test on."""
        for name in ("yacht", "concrete"):
            self.assertIn(name, UCI)
            found, draw = read_uci(os.environ["POSTRIDER_DATA"], name), np.random.RandomState(1)
            rows = len(found.targets)
            for split in found.splits:
                drawn = draw.choice(range(rows), rows, replace=False)[round(0.9 * rows):]
                self.assertEqual(parts_of(split, rows)[1].tolist(), sorted(drawn))

    def test_bike(self):
        random, in_time = bike_splits(100)
        self.assertEqual([len(split) for split in random], [20] * 5)
        self.assertFalse(np.array_equal(random[0], random[1]))
        self.assertEqual(in_time[0].tolist(), list(range(80, 100)))

    def test_few_rows_are_tested_on_the_same_others(self):
        few, testing = few_rows_parts(5000, 30, 300, draw=1)
        many, same = few_rows_parts(5000, 300, 300, draw=1)
        self.assertEqual(testing.tolist(), same.tolist())
        self.assertEqual((len(few), len(testing)), (30, 2000))
        self.assertFalse(set(many) & set(testing))

    def test_held_out_rows(self):
        self.assertEqual([len(part) for part in held_out_parts(1000, 0)], [100])
        self.assertEqual(sorted(np.concatenate(held_out_parts(55, 0))), list(range(55)))


class Stored(unittest.TestCase):
    def test_goes_on_where_it_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results" / "runs.json"

            def summarise(runs):
                return {"mean": sum(run["value"] for run in runs) / len(runs)}
            Runs(path, summarise).put("set", "method", 10, {"value": 1.0, "list": [1, 2]}, "library 1")
            again = Runs(path, summarise)
            self.assertTrue(again.has("set", "method", 10))
            self.assertFalse(again.has("set", "method", 9) or again.has("set", "other", 10) or again.has("other", "method", 10))
            again.put("set", "method", 9, {"value": 2.0, "list": []}, "library 1")
            found = json.loads(path.read_text())["set"]["method"]
            self.assertEqual((found["splits"], found["mean"], list(found["runs"])), (2, 1.5, ["9", "10"]))
            again.forget("set", "method")
            self.assertFalse(again.has("set", "method", 10))


class Tables(unittest.TestCase):
    def test_only_splits_that_all_have(self):
        def run(rmse, ll):
            return {"rmse": rmse, "ll": ll, "seconds": 1}
        peers = {"yacht": {"rows": 9, "xgboost": {"runs": {"0": run(2, -1), "1": run(4, -3)}}, "ngboost": {"runs": {"0": run(1, -2)}}}}
        ours = {"yacht": {"seconds_per_split": 3, "rmse_by_split": [0.5, 9], "ll_by_split": [-1.5, 9]}}
        splits, found = comparable(peers, ours)["yacht"]
        self.assertEqual((splits, found["xgboost"]["rmse"], found["postrider"]["ll"]), (1, 2, -1.5))
        line = peers_table(peers, ours, str)[2]
        self.assertEqual(line, "| yacht | 1 | **0.5** / -1.50 | - | - | - | 2 / **-1.00** | - | - | 1 / -2.00 |")


@unittest.skipUnless(importlib.util.find_spec("sklearn"), "needs scikit-learn")
class Regressors(unittest.TestCase):
    def test_noise_is_found(self):
        draw = np.random.RandomState(0)
        inputs = draw.uniform(-1, 1, (400, 2))
        targets = inputs[:, 0] + 0.1 * draw.normal(size=400)
        for method in ("hist_gradient_boosting", "gaussian_process"):
            few = 100 if method == "gaussian_process" else 300
            run = test_regressor(method, (inputs[:few], targets[:few]), (inputs[300:], targets[300:]), 0)
            self.assertLess(run["rmse"], 0.2, method)
            self.assertGreater(run["ll"], 0.2, method)


if __name__ == "__main__":
    unittest.main()
