#!/usr/bin/env python3
"""`postrider stream --join`: targets that come later than the events that they belong to.

Usage: stream_join.py PROGRAM
"""

import csv
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from program import Program, write_classes, write_houses

ROWS = 300
KILLS = 6


def without_target(row, key):
    return {"order": key, **{name: text for name, text in row.items() if name != "price"}}


def late_events(rows, draw, longest):
    """Events without a target, and the targets alone, each up to so many events later: in an order of their own."""
    events = []
    for number, row in enumerate(rows):
        events.append((number, without_target(row, number)))
        events.append((number + 0.5 + draw.uniform(0, longest), {"order": str(number), "price": row["price"]}))
    return [event for _, event in sorted(events, key=lambda each: each[0])]


class Join(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program = Program(PROGRAM, self.folder)
        write_houses(self.folder / "train.csv", 200, 1)
        write_houses(self.folder / "more.csv", ROWS, 2, missing=0.1)
        self.program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4",
                            "--encoding", "standard")
        with open(self.folder / "more.csv", encoding="utf-8") as file:
            self.rows = [row for row in csv.DictReader(file) if row["price"]]

    def write(self, name, events):
        (self.folder / name).write_text("".join(json.dumps(event) + "\n" for event in events))

    def weights(self, name):
        data = (self.folder / name).read_bytes()
        return data[8 + int.from_bytes(data[:8], "little"):]

    def notes(self, name, which):
        data = (self.folder / name).read_bytes()
        header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
        return next((json.loads(text) for key, text in header["__metadata__"].items() if key.endswith(which)), None)

    def learned_in_order_of_targets(self, events, name):
        """What a stream learns whose rows are whole, in the order in which targets come."""
        rows = [self.rows[int(event["order"])] for event in events if "price" in event]
        self.write("whole.jsonl", rows)
        self.program.expect(0, "stream", "m", "--from", "whole.jsonl", "-o", name, "--force", "-q")
        return self.weights(name)

    def test_a_late_target_is_learned_with_the_inputs_of_its_event(self):
        events = late_events(self.rows, random.Random(1), 20)
        self.write("late.jsonl", events)
        expected = self.learned_in_order_of_targets(events, "expected")
        files = set()
        for batch in ("1", "7", "256"):
            printed = self.program.expect(0, "stream", "m", "--from", "late.jsonl", "--join", "order", "-o", f"b{batch}",
                                          "--batch", batch, "--predictions", f"p{batch}")
            self.assertEqual(self.weights(f"b{batch}"), expected)
            files.add((self.folder / f"b{batch}").read_bytes())
            self.assertRegex(printed, rf"{len(self.rows)} rows  log-likelihood \S+  RMSE \S+ .*joined {len(self.rows)}  waiting 0\n")
        self.assertEqual(len(files), 1)  # however they were cut
        self.assertEqual(self.notes("b1", "history")[-1]["rows"], len(self.rows))
        # Each event is predicted once, when it comes.
        lines = [json.loads(line) for line in (self.folder / "p7").read_text().splitlines()]
        self.assertEqual([line["event"] for line in lines],
                         [f"lines {number + 1}" for number, event in enumerate(events) if "price" not in event])

    def test_the_score_is_that_of_the_prediction_that_was_made(self):
        """The same row again and again with far targets: learned, its prediction would be another one."""
        row = self.rows[0]
        events = []
        for number in range(5):
            events.append(without_target(row, number))
        for number in range(5):
            events.append({"order": number, "price": 250})
        self.write("late.jsonl", events)
        printed = self.program.expect(0, "stream", "m", "--from", "late.jsonl", "--join", "order", "-o", "out", "--anyway",
                                      "--predictions", "p")
        means = [json.loads(line)["mean"] for line in (self.folder / "p").read_text().splitlines()]
        self.assertEqual(len(set(means)), 1)
        error = float(re.search(r"RMSE (\S+)", printed)[1])
        self.assertAlmostEqual(error, abs(250 - means[0]), delta=0.01 * error)

    def test_whole_events_are_learned_as_they_come(self):
        self.write("whole.jsonl", [{"order": number, **row} for number, row in enumerate(self.rows)])
        self.program.expect(0, "stream", "m", "--from", "whole.jsonl", "--join", "order", "-o", "joined", "-q")
        self.program.expect(0, "stream", "m", "--from", "whole.jsonl", "-o", "usual", "-q")
        self.assertEqual(self.weights("joined"), self.weights("usual"))

    def test_targets_twice_and_targets_without_an_event(self):
        events = [without_target(self.rows[0], "a"), {"order": "x", "price": 100}, without_target(self.rows[1], "b"),
                  {"order": "b", "price": self.rows[1]["price"]}, {"order": "b", "price": 1000}, without_target(self.rows[2], "a"),
                  {"order": "a", "price": self.rows[0]["price"]}, {"price": 7}, {"order": "n" * 200, "price": 7}]
        self.write("late.jsonl", events)
        printed = self.program.expect(0, "stream", "m", "--from", "late.jsonl", "--join", "order", "-o", "joined", "--refused", "r")
        self.assertIn("joined 2  waiting 0  refused 2", printed)
        self.assertIn('2 targets for which no row waits; the first: lines 2: no event with order = "x" waits for a target', printed)
        self.assertIn("1 row whose order another row waits with: targets go to the first", printed)
        self.assertIn("the first: lines 8: order: must have a value, since --join takes it as the key", printed)
        refused = [json.loads(line) for line in (self.folder / "r").read_text().splitlines()]
        self.assertEqual(sorted(each["refused"] for each in refused), ["lines 2", "lines 5", "lines 8", "lines 9"])
        self.assertEqual(json.loads(next(each["text"] for each in refused if each["refused"] == "lines 5"))["price"], 1000)
        self.write("whole.jsonl", [self.rows[1], self.rows[0]])
        self.program.expect(0, "stream", "m", "--from", "whole.jsonl", "-o", "expected", "-q")
        self.assertEqual(self.weights("joined"), self.weights("expected"))

    def test_rows_leave_the_window(self):
        events = [without_target(row, number) for number, row in enumerate(self.rows[:10])]
        events += [{"order": 0, "price": 100}, {"order": 5, "price": self.rows[5]["price"]}]
        self.write("late.jsonl", events)
        # The eleventh event is ten behind the first, the twelfth six behind the sixth.
        for window, joined, left in (("10", 2, 0), ("9", 1, 2), ("5", 0, 6)):
            printed = self.program.expect(0, "stream", "m", "--from", "late.jsonl", "--join", "order", "--join-window", window,
                                          "-o", "w", "--force")
            self.assertIn(f"joined {joined}  waiting {10 - joined - left}", printed)
            if left:
                self.assertIn(f"{left} rows without a target within {window} events", printed)
                self.assertIn("for which no row waits; the first: lines 11: no event with order", printed)

    def test_killed_at_any_moment_rows_wait_as_in_a_run_that_nobody_disturbed(self):
        self.write("late.jsonl", late_events(self.rows, random.Random(3), 60) + [without_target(self.rows[0], "last")])
        self.kill_often("m", ["--batch", "3"])

    def test_ended_within_a_block_of_a_longer_horizon(self):
        """The position is that of whole blocks, and so are the rows that wait: what came since then is read again."""
        self.program.expect(0, "train", "train.csv", "--target", "price", "-o", "h", "--stream", "--horizon", "24", "--hidden", "4",
                            "--encoding", "standard")
        self.write("late.jsonl", late_events(self.rows, random.Random(4), 60))
        command = ["stream", "r", "--from", "late.jsonl", "--join", "order", "--join-window", "100", "--batch", "5", "-q"]
        shutil.copy(self.folder / "h", self.folder / "r")
        self.program.expect(0, *command)
        undisturbed = (self.folder / "r").read_bytes()
        for events in ("90", "131", "200", "333"):
            shutil.copy(self.folder / "h", self.folder / "r")
            self.program.expect(0, *command, "--events", events)
            kept = self.notes("r", "waiting")
            self.assertLess(kept["events"], int(events))  # the block was not whole
            self.assertGreater(len(kept["keys"]), 0)
            self.program.expect(0, *command)
            self.assertEqual((self.folder / "r").read_bytes(), undisturbed)
        self.kill_often("h", ["--batch", "5"])

    def kill_often(self, model, options):
        command = ["stream", "r", "--from", "late.jsonl", "--join", "order", "--join-window", "100", "--save-every", "0.001", *options]
        shutil.copy(self.folder / model, self.folder / "r")
        begin = time.monotonic()
        self.program.expect(0, *command)
        usual = time.monotonic() - begin
        undisturbed = (self.folder / "r").read_bytes()
        draw = random.Random(1)
        waiting = 0
        for _ in range(KILLS):
            shutil.copy(self.folder / model, self.folder / "r")
            for _ in range(2):
                with subprocess.Popen([self.program.path, *command], cwd=self.folder, stdout=subprocess.DEVNULL) as process:
                    time.sleep(draw.uniform(0, usual))
                    process.send_signal(signal.SIGKILL)
                waiting += len((self.notes("r", "waiting") or {"keys": []})["keys"])
            self.program.expect(0, *command)
            self.assertEqual((self.folder / "r").read_bytes(), undisturbed)
        self.assertGreater(waiting, 0)  # else nothing was tried

    def test_a_model_with_waiting_rows_is_a_model_as_others(self):
        self.write("early.jsonl", [without_target(row, number) for number, row in enumerate(self.rows[:4])])
        self.program.expect(0, "stream", "m", "--from", "early.jsonl", "--join", "order", "-o", "w", "-q")
        kept = self.notes("w", "waiting")
        self.assertEqual(kept["column"], "order")
        self.assertEqual(kept["keys"], ["0", "1", "2", "3"])
        self.assertEqual(self.program.expect(0, "predict", "w", "more.csv"), self.program.expect(0, "predict", "m", "more.csv"))
        self.program.expect(0, "inspect", "w")
        self.program.expect(0, "update", "w", "more.csv", "-o", "u")
        self.assertEqual(self.notes("u", "waiting"), kept)
        # Targets may come from another source, and whoever forgets to join them is stopped.
        self.write("targets.jsonl", [{"order": 3, "price": 120}, {"order": 1, "price": 100}])
        self.assertIn("4 rows of the model wait for their target: --join order finds it",
                      self.program.expect(2, "stream", "w", "--from", "targets.jsonl", "-o", "f"))
        printed = self.program.expect(0, "stream", "w", "--from", "targets.jsonl", "--join", "order")
        self.assertIn("0 rows  no row with a target yet", printed)  # they were predicted by another run
        self.assertIn("joined 2  waiting 2", printed)
        self.assertEqual(self.notes("w", "waiting")["keys"], ["0", "2"])
        self.assertEqual(self.notes("w", "history")[-1]["rows"], 2)

    def test_csv_and_classes(self):
        write_classes(self.folder / "train.csv", 200, 1)
        self.program.expect(0, "train", "train.csv", "--target", "where", "-o", "c", "--max-epochs", "3", "--hidden", "4")
        (self.folder / "late.csv").write_text("x,y,where,order\n1,2,,7\n0,0,,8\n,,outside,7\n0.1,0.2,inside,9\n,,inside,8\n")
        printed = self.program.expect(0, "stream", "c", "--from", "late.csv", "--join", "order", "-o", "out")
        self.assertRegex(printed, r"3 rows  log-loss \d\.\d+ .*joined 2  waiting 0\n")
        (self.folder / "whole.csv").write_text("x,y,where\n1,2,outside\n0.1,0.2,inside\n0,0,inside\n")
        self.program.expect(0, "stream", "c", "--from", "whole.csv", "-o", "expected", "-q")
        self.assertEqual(self.weights("out"), self.weights("expected"))

    def test_metrics(self):
        self.write("late.jsonl", [without_target(self.rows[0], 1), without_target(self.rows[1], 2), {"order": 1, "price": 90},
                                  {"order": 5, "price": 90}])
        with subprocess.Popen([self.program.path, "stream", "m", "--from", "late.jsonl", "--join", "order", "--follow", "--metrics", "0",
                               "-o", "out"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            self.addCleanup(process.kill)
            address = re.search(r"http://\S+", process.stderr.readline())[0]
            until, text = time.monotonic() + 20, ""
            while "joined_total 1" not in text and time.monotonic() < until:
                time.sleep(0.1)
                text = urllib.request.urlopen(address, timeout=5).read().decode()
            process.send_signal(signal.SIGTERM)
        for line in ("rows_total 2", "joined_total 1", "unmatched_total 1", "left_total 0", "waiting 1"):
            self.assertIn(f"postrider_stream_{line}\n", text)

    def test_mistakes(self):
        (self.folder / "late.csv").write_text("area,side,garden,price\n50,north,1,\n")
        for options, told in (
                (["--join", "order"], '--join = "order": must be one of the columns: "area"'),
                (["--join", "price"], '--join = "price": must not be the target'),
                (["--join", "side", "--join-window", "0"], "--join-window = 0: must be from 1 to"),
                (["--join-window", "5"], "--join-window = 5: needs --join")):
            self.assertIn(told, self.program.expect(2, "stream", "m", "--from", "late.csv", "-o", "out", *options))
        self.write("early.jsonl", [without_target(self.rows[0], 1)])
        self.program.expect(0, "stream", "m", "--from", "early.jsonl", "--join", "order", "-o", "w", "-q")
        self.assertIn('--join = "side": must be order, by which 1 rows', self.program.expect(2, "stream", "w", "--from", "early.jsonl", "--join", "side"))


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
