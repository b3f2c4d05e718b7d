#!/usr/bin/env python3
"""What passed in silence, or ended badly: numbers far from all others, columns that new rows lack, texts that are not UTF-8, models that nobody could read.

Usage: hardened.py PROGRAM
"""

import csv
import json
import os
import pathlib
import pty
import random
import resource
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program, rows_of, write_houses

QUICK = ["--max-epochs", "30", "--hidden", "8", "--ensemble-size", "2", "--encoding", "standard"]


class Hardened(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 300, 1)
        write_houses(cls.folder / "new.csv", 100, 2)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", "--quiet", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def changed(self, name, change):
        """The training rows, of which a function changes one cell or more."""
        rows = rows_of((self.folder / "train.csv").read_text())
        change(rows)
        with open(self.folder / name, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        return name

    def error_of(self, model):
        return json.loads(self.program.expect(0, "evaluate", model, "new.csv", "--json"))["root_mean_square_error"]["value"]

    def test_one_number_far_from_all_others(self):
        usual = self.error_of("m")
        for column, becomes in (("area", "it is learned as missing"), ("price", "as if it were ten standard deviations from them")):
            def change(rows):
                rows[7][column] = str(float(rows[7][column]) * 1e12)
            code, _, said = self.program.call("train", self.changed("far.csv", change), "-t", "price", "-o", "far", "--force", *QUICK)
            self.assertEqual(code, 0, said)
            named = f'column "{column}"' if column == "area" else "the target"
            self.assertIn(f"warning: {named}: 1 of 300 numbers, such as ", said)
            self.assertIn(becomes, said)
            self.assertLess(self.error_of("far"), 2 * usual)

    def test_a_model_that_could_not_be_read_is_not_written(self):
        def change(rows):
            for row in rows:
                row["garden"] = repr(float(row["garden"]) * 1e-303)
        self.program.expect(0, "train", self.changed("tiny.csv", change), "-t", "price", "-o", "tiny", "--force", "--quiet", *QUICK)
        self.program.expect(0, "predict", "tiny", "tiny.csv")

    def test_columns_that_new_rows_lack(self):
        rows = rows_of((self.folder / "new.csv").read_text())
        (self.folder / "lacking.csv").write_text("side,garden\n" + "".join(f"{row['side']},{row['garden']}\n" for row in rows))
        code, out, said = self.program.call("predict", "m", "lacking.csv")
        self.assertEqual(code, 0, said)
        self.assertIn("predict: warning: 1 column is not in the table, and missing in all rows; predictions are less certain for that:\n"
                      "  area\n", said)
        whole = rows_of(self.program.expect(0, "predict", "m", "new.csv"))
        for few, all_of_it in zip(rows_of(out), whole, strict=True):
            self.assertGreater(float(few["high"]) - float(few["low"]), 2 * (float(all_of_it["high"]) - float(all_of_it["low"])))
        self.assertIn('no column "area", which the model needs', self.program.expect(3, "update", "m", "lacking.csv", "-o", "u"))
        (self.folder / "foreign.csv").write_text("a,b\n1,2\n")
        self.assertIn('no column "area", which the model needs', self.program.expect(3, "predict", "m", "foreign.csv"))

    def test_keys_that_are_not_utf8(self):
        data = (self.folder / "new.csv").read_bytes().splitlines()
        lines = [b"id," + data[0]] + [b"Z\xfcrich," + line for line in data[1:]]
        (self.folder / "keys.csv").write_bytes(b"\n".join(lines) + b"\n")
        out = self.program.expect(0, "predict", "m", "keys.csv", "--json", "--key", "id")
        self.assertEqual({json.loads(line)["id"] for line in out.splitlines()}, {"Z\ufffdrich"})

    def test_texts_that_turn_do_not_reach_a_terminal(self):
        turned = "side\u202egnp"
        text = (self.folder / "train.csv").read_text().replace("side", turned, 1).replace("north", "north\u2066")
        (self.folder / "turned.csv").write_text(text)
        self.program.expect(0, "train", "turned.csv", "-t", "price", "-o", "turned", "--quiet", *QUICK)
        master, slave = pty.openpty()
        done = subprocess.Popen([PATH, "inspect", "turned"], cwd=self.folder, stdout=slave, stderr=slave)
        os.close(slave)
        said = b""
        while chunk := read_of_terminal(master):
            said += chunk
        self.assertEqual(done.wait(), 0)
        self.assertIn("\\u202e", said.decode())
        for control in ("\u202e", "\u2066"):
            self.assertNotIn(control, said.decode())

    def test_times_with_a_zone_are_instants(self):
        generator = random.Random(1)
        hours = [generator.randrange(24 * 300) for _ in range(300)]

        def write(name, ahead, mark):
            lines = ["when,y"]
            for hour in hours:
                moment = time.gmtime(1_700_000_000 // 3600 * 3600 + 3600 * (hour + ahead))
                lines.append(f"{time.strftime('%Y-%m-%dT%H:%M', moment)}{mark},{(hour % 24 < 12) + hour / 1e4:.4f}")
            (self.folder / name).write_text("\n".join(lines) + "\n")

        write("greenwich.csv", 0, "Z")
        write("berlin.csv", 1, "+01:00")
        self.program.expect(0, "train", "greenwich.csv", "-t", "y", "-o", "when", "--quiet", *QUICK)
        self.assertEqual(self.program.expect(0, "predict", "when", "berlin.csv"), self.program.expect(0, "predict", "when", "greenwich.csv"))

    def test_as_many_classes_as_rows(self):
        generator = random.Random(2)
        lines = ["a,b,y"] + [f"{generator.gauss(0, 1):.4f},{generator.gauss(0, 1):.4f},class{row}" for row in range(120)]
        (self.folder / "classes.csv").write_text("\n".join(lines) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        self.program.expect(0, "train", "classes.csv", "-t", "y", "-o", "classes", "--quiet", "--classify", "--categorical", "y")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 120)

    def test_memory_that_is_not_there(self):
        write_houses(self.folder / "large.csv", 20000, 3)
        done = subprocess.run([PATH, "train", "large.csv", "-t", "price", "-o", "no", "--hidden", "200,200", "--ensemble-size", "1", "--max-epochs", "1",
                               "--encoding", "standard", "--target-scale", "plain", "--store-budget", "4000000000"], cwd=self.folder,
                              capture_output=True, text=True, check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--memory", done.stderr)
        self.assertIn("--store-budget", done.stderr)


def read_of_terminal(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # as Linux says that the other end is closed
        return b""


PATH = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
