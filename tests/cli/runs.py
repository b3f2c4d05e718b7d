#!/usr/bin/env python3
"""How runs are bounded, ended and told of: budgets, signals, logs, dry runs, bad rows, lists, help.

Usage: runs.py PROGRAM
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program, write_houses

QUICK = ["--max-epochs", "3", "--hidden", "6", "--ensemble-size", "2"]
# Takes minutes if nobody ends it.
LONG = ["--max-epochs", "100000", "--patience", "100000"]


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 300, 1)
        write_houses(cls.folder / "large.csv", 20000, 2)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", "--quiet", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_time_budget_ends_training_with_a_model(self):
        begin = time.monotonic()
        out = self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "timed", "--time-budget", "4s", *LONG)
        self.assertLess(time.monotonic() - begin, 40)
        self.assertIn("the time of --time-budget is over: the model has what was best until now", out)
        self.program.expect(0, "predict", "timed", "train.csv")

    def test_a_time_budget_that_is_over_at_once_leaves_a_model_of_one_epoch(self):
        for name in ("early", "early"):  # a second time over a model that is there
            out = self.program.expect(0, "train", "large.csv", "-t", "price", "-o", name, "--force", "--time-budget", "0.01s")
            self.assertIn("the time of --time-budget is over: the model has what was best until now, one epoch", out)
        told = json.loads(self.program.expect(0, "evaluate", "early", "train.csv", "--json"))
        self.assertGreater(told["explained_variance"]["value"], 0.5)

    def test_a_time_budget_that_is_not_needed_changes_nothing(self):
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "free", "--quiet", *QUICK,
                            "--time-budget", "1h")
        self.assertEqual((self.folder / "free").read_bytes(), (self.folder / "m").read_bytes())

    def test_budgets_that_make_no_sense_are_refused(self):
        for option, value, said in (
            ("--time-budget", "soon", "must be a time above 0, such as 90s, 10m or 1.5h"),
            ("--time-budget", "-5m", "must be a time above 0"),
            ("--memory", "2X", "must be a size of at least 1 byte, such as 512M or 2G"),
            ("--memory", "1M", "for a table of this size; --stream learns it in constant memory"),
        ):
            self.assertIn(said, self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "no", option, value))
        self.assertIn("does not go with --stream", self.program.expect(
            2, "train", "train.csv", "-t", "price", "-o", "no", "--memory", "1G", "--stream"))

    def test_memory_is_what_stored_messages_are_sized_to(self):
        def most_kilobytes(*arguments):
            done = subprocess.run(["/usr/bin/env", "python3", "-c",
                                   "import resource, subprocess, sys\n"
                                   "code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
                                   "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                   PATH, *arguments], cwd=self.folder, capture_output=True, text=True, check=True)
            code, size = map(int, done.stdout.split())
            self.assertEqual(code, 0, done.stderr)
            return size
        call = ["train", "large.csv", "-t", "price", "-o", "sized", "--force", "--max-epochs", "1", "--hidden", "50,50",
                "--ensemble-size", "1", "--encoding", "standard", "--target-scale", "plain"]
        self.assertLess(most_kilobytes(*call, "--memory", "100M"), 110 * 1024)
        self.assertGreater(most_kilobytes(*call), 120 * 1024)

    def ended_by(self, number, file="large.csv", after=4, options=()):
        process = subprocess.Popen([PATH, "train", file, "-t", "price", "-o", "ended", "--force", *LONG, *options],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(after)
        begin = time.monotonic()
        process.send_signal(number)
        out, error = process.communicate(timeout=120)
        return process.returncode, out + error, time.monotonic() - begin

    def test_a_model_that_is_there_is_not_replaced_by_a_part_of_an_epoch(self):
        (self.folder / "ended").unlink(missing_ok=True)
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "ended", "--max-epochs", "1", "--hidden", "2")
        before = (self.folder / "ended").read_bytes()
        # Nothing races, and an epoch of networks as wide as these takes many times as long.
        slow = ["--encoding", "standard", "--target-scale", "plain", "--hidden", "800,800", "--weights-per-example", "0"]
        code, said, _ = self.ended_by(signal.SIGTERM, after=1, options=slow)
        self.assertEqual(code, 143)
        self.assertRegex(said, "ended before the first epoch was over: ended is as it was|nothing was learned")
        self.assertEqual((self.folder / "ended").read_bytes(), before)

    def test_a_signal_ends_training_within_an_epoch(self):
        (self.folder / "ended").unlink(missing_ok=True)
        code, said, seconds = self.ended_by(signal.SIGTERM)
        self.assertEqual(code, 143)
        self.assertIn("interrupted", said)
        self.assertLess(seconds, 20)
        self.assertEqual((self.folder / "ended").exists(), "was not written" not in said and "nothing was learned" not in said)
        if (self.folder / "ended").exists():
            self.program.expect(0, "predict", "ended", "train.csv")

    def test_a_dry_run_tells_what_would_be_understood(self):
        out = self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "none", "--dry-run")
        for said in ("300 rows, 4 columns", "regression: price is a number", "3 columns used, 0 ignored",
                     "nothing was learned: --dry-run", "side    category"):
            self.assertIn(said, out)
        self.assertRegex(out, r"training +usually takes (about a second|\d+ to \d+ s) by one thread")
        self.assertNotIn("usually takes", self.program.expect(0, "train", "train.csv", "-t", "price", "--dry-run", "--max-epochs", "3"))
        self.assertFalse((self.folder / "none").exists())
        told = json.loads(self.program.expect(0, "train", "train.csv", "-t", "side", "--dry-run", "--json"))
        self.assertEqual((told["rows"], told["target"], told["task"]), (300, "side", "classification"))
        self.assertLess(told["training_seconds"]["least"], told["training_seconds"]["most"])

    def test_bad_rows_are_passed_over_counted_and_listed(self):
        lines = (self.folder / "train.csv").read_text().splitlines()
        lines[5] += ",one cell too many"
        lines[9] = "1,north"
        (self.folder / "bad.csv").write_text("\n".join(lines) + "\n")
        self.assertIn("bad.csv, line 6: has more cells", self.program.expect(
            3, "train", "bad.csv", "-t", "price", "-o", "bad", "--quiet", *QUICK))
        for command in (["train", "bad.csv", "-t", "price", "-o", "bad", "--quiet", *QUICK], ["predict", "m", "bad.csv"],
                        ["evaluate", "m", "bad.csv"], ["update", "m", "bad.csv", "-o", "bad2", "--quiet", "--anyway"]):
            code, out, error = self.program.call(*command, "--skip-bad")
            self.assertEqual(code, 0, error)
            self.assertIn("2 rows passed over, which cannot be read:\n  bad.csv, line 6: has more cells", error)
            self.assertIn("  bad.csv, line 10: has 2 cells, and the header has 4", error)
            if command[0] == "predict":
                self.assertEqual(len(out.splitlines()), 1 + 298)

    def test_logs_have_lines_of_progress(self):
        process = subprocess.Popen([PATH, "train", "train.csv", "-t", "price", "-o", "logged", "--force", *LONG,
                                    "--encoding", "standard", "--target-scale", "plain", "--ensemble-size", "2",
                                    "--time-budget", "14s"],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        _, error = process.communicate(timeout=120)
        self.assertRegex(error, r"(?m)^member \d/2  epoch \d+/100000  score ")
        self.assertLessEqual(len(error.splitlines()), 4)

    def test_lists_have_commas_or_for_numbers_spaces(self):
        for hidden in (["6,5"], ["6", "5"], ["6 5"]):
            out = self.program.expect(0, "train", "--hidden", *hidden, "train.csv", "-t", "price", "-o", "listed",
                                      "--force", "--max-epochs", "1", "--ensemble-size", "1", "--encoding", "standard",
                                      "--weights-per-example", "0")
            self.assertIn("- 6 - 5 - 2,", out)
        out = self.program.expect(0, "predict", "m", "--quantiles", "0.1", "0.9", "train.csv")
        self.assertTrue(out.startswith("mean,std,low,high,quantile 0.1,quantile 0.9"))
        for command in ("train", "predict"):
            self.assertNotRegex(self.program.expect(0, command, "--help"), r"--\w+ \w+(=\S+)? \.\.\.")
        self.assertIn("--categorical TEXT,...", self.program.expect(0, "train", "--help"))

    def test_help_is_a_command(self):
        self.assertEqual(self.program.expect(0, "help"), self.program.expect(0, "--help"))
        self.assertEqual(self.program.expect(0, "help", "train"), self.program.expect(0, "train", "--help"))
        self.assertEqual(self.program.expect(0, "help", "factor", "certify"),
                         self.program.expect(0, "factor", "certify", "--help"))
        self.assertIn("did you mean predict?", self.program.expect(2, "help", "predikt"))

    def test_exit_codes_are_one_table(self):
        page = (pathlib.Path(__file__).parents[2] / "docs/command-line.md").read_text()
        listed = re.findall(r"(?m)^\| (\d+) \|", page[page.index("## Exit codes"):])
        shown = self.program.expect(0, "--help")
        told = re.findall(r"(?m)^  (\d+) ", shown[shown.index("Exit codes:"):])
        self.assertEqual(told, listed)
        self.assertEqual(re.findall(r"\.TP\n\\fB(\d+)\\fR", self.program.expect(0, "manual")), listed)

    def test_numbers_that_are_too_large_are_refused(self):
        self.assertIn("must be at most 18446744073709551615", self.program.expect(
            2, "train", "train.csv", "-t", "price", "-o", "no", "--seed", "18446744073709551616"))
        self.assertIn("--threads = 100000: must be at", self.program.expect(
            2, "train", "train.csv", "-t", "price", "-o", "no", "--threads", "100000"))

    def test_a_key_of_the_settings_stands_once(self):
        (self.folder / "twice.toml").write_text('[train]\ntarget = "price"\nmax-epochs = 2\nmax-epochs = 3\n')
        said = self.program.expect(2, "train", "train.csv", "-o", "no", "--config", "twice.toml")
        self.assertIn("line 4: max-epochs stands twice", said)

    def test_a_section_of_the_settings_names_a_command(self):
        (self.folder / "section.toml").write_text('[trian]\ntarget = "price"\n')
        said = self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "no", "--config", "section.toml")
        self.assertIn("[trian] is no command: must be one of train, predict", said)

    def test_help_says_what_zero_means(self):
        shown = " ".join(self.program.expect(0, "train", "--help").split())
        self.assertRegex(shown, r"--max-epochs [^-]*0: chosen")

    def test_a_stream_takes_no_options_of_epochs(self):
        said = self.program.expect(2, "train", "train.csv", "-t", "price", "-o", "no", "--stream", "--max-epochs", "7")
        self.assertIn("--max-epochs = 7: does not go with --stream", said.replace('"', ""))

    def test_other_files_of_ours_are_told_apart(self):
        (self.folder / "games.csv").write_text("player1,player2,result\n" + "a,b,win\nb,c,win\na,c,win\n" * 5)
        self.program.expect(0, "rate", "games.csv", "-o", "skills")
        self.assertIn("it is a skill history, which postrider rate", self.program.expect(3, "inspect", "skills"))
        (self.folder / "rows.svm").write_text("1 1:1\n-1 2:1\n" * 10)
        self.program.expect(0, "sparse", "learn", "rows.svm", "-o", "sparse")
        self.assertIn("it is a sparse model, which postrider sparse", self.program.expect(3, "predict", "sparse", "train.csv"))
        self.assertIn("is a model file, and a table is expected", self.program.expect(3, "predict", "m", "m"))


if __name__ == "__main__":
    PATH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
