#!/usr/bin/env python3
"""The tables whose truth is known, and what the experiment measures by. Needs numpy alone."""
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]

import numpy as np  # noqa: E402
from explain import goals_of, text_of  # noqa: E402
from truths import COLUMNS, TRUTHS, WEIGHTS, exact_contributions, made, rank_correlation  # noqa: E402

ROUNDING = 1e-12


class Truths(unittest.TestCase):
    def test_are_ten_of_both_kinds(self):
        self.assertEqual(len(TRUTHS), 10)
        self.assertEqual(sum(truth.interacts for truth in TRUTHS), 5)

    def test_tables_are_the_same_each_time(self):
        one, two = (made(TRUTHS[1], 20, 3, 2) for _ in range(2))
        np.testing.assert_array_equal(one.x, two.x)
        np.testing.assert_array_equal(one.y, two.y)
        np.testing.assert_array_equal(one.background, one.x[:2])

    def test_contributions_of_a_sum_are_its_parts(self):
        random = np.random.default_rng(1)
        rows, background = random.normal(size=(2, COLUMNS)), random.normal(size=(3, COLUMNS))
        found = exact_contributions(lambda x: x @ WEIGHTS, rows, background)
        np.testing.assert_allclose(found, WEIGHTS * (rows - background.mean(axis=0)), atol=ROUNDING)

    def test_contributions_of_a_product_are_shared(self):
        found = exact_contributions(lambda x: x[:, 0] * x[:, 1] * x[:, 2], np.ones((1, 3)), np.zeros((1, 3)))
        np.testing.assert_allclose(found, [[1 / 3] * 3], atol=ROUNDING)

    def test_rank_correlation_by_hand(self):
        self.assertAlmostEqual(rank_correlation(np.array([1.0, 5, 7]), np.array([0.1, 0.2, 0.3])), 1)
        # 1 - 6 (0 + 1 + 1) / (3 (9 - 1)).
        self.assertAlmostEqual(rank_correlation(np.array([1.0, 7, 5]), np.array([0.1, 0.2, 0.3])), 0.5)


class Goals(unittest.TestCase):
    reached = {"sum_error": 1e-9, "rank_correlation": 0.99, "seconds": 1.0, "error": 0.1, "shap_seconds": 200.0, "shap_error": 0.2}

    def test_are_judged_on_all_tables(self):
        self.assertTrue(all(goals_of({"one": self.reached}).values()))
        for worse in ({"sum_error": 1e-5}, {"rank_correlation": 0.9}, {"seconds": 3.0}, {"error": 0.3}):
            found = goals_of({"one": self.reached, "two": {**self.reached, **worse}})
            self.assertEqual(sum(found.values()), len(found) - 1)

    def test_are_in_the_file(self):
        self.assertIn('"sums are exact to 1e-6": true', text_of({"one": self.reached}))


if __name__ == "__main__":
    unittest.main()
