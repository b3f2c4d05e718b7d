#!/usr/bin/env python3
"""Fifteen things that went wrong in the hands of others, each shown to be mended.

Usage: defects.py PROGRAM
"""

import bz2
import json
import lzma
import math
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from program import Program, rows_of, write_houses

QUICK = ["--max-epochs", "6", "--hidden", "6", "--ensemble-size", "2"]


class Defects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 300, 1)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", "--quiet", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def write(self, name, head, cells, rows=200, seed=1):
        """Rows of cells that a function draws."""
        generator = random.Random(seed)
        lines = [head] + [cells(generator) for _ in range(rows)]
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return name

    def understood(self, name, *options, target="y"):
        told = json.loads(self.program.expect(0, "train", name, "-t", target, "--dry-run", "--json", *options))
        return told, {column["name"]: column for column in told["columns"]}

    def test_01_inputs_are_not_overwritten(self):
        before = (self.folder / "train.csv").read_bytes()
        for call in (["train", "train.csv", "-t", "price", "-o", "train.csv", "--force"],
                     ["predict", "m", "train.csv", "-o", "train.csv", "--force"],
                     ["predict", "m", "train.csv", "-o", "m", "--force"],
                     ["report", "m", "train.csv", "-o", "train.csv", "--force"]):
            self.assertIn("is also a file that this command reads", self.program.expect(2, *call))
        self.assertEqual((self.folder / "train.csv").read_bytes(), before)

    def test_02_an_unknown_missing_marker_does_not_drop_a_column(self):
        self.write("marked.csv", "a,b,y", lambda g: f"{g.gauss(0, 1):.4f},"
                   f"{'unbekannt' if g.random() < 0.3 else round(g.gauss(5, 2), 4)},{g.gauss(0, 1):.4f}")
        column = self.understood("marked.csv")[1]["b"]
        self.assertEqual(column["kind"], "numeric")
        self.assertGreater(column["missing"], 30)
        self.assertIn('taken as missing, since "unbekannt" is none of the numbers', column["note"])

    def test_03_damaged_models_do_not_predict(self):
        whole = (self.folder / "m").read_bytes()
        for place in (30, len(whole) // 2, len(whole) - 5):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            (self.folder / "damaged").write_bytes(bytes(damaged))
            self.assertIn("cannot read", self.program.expect(3, "predict", "damaged", "train.csv"))

    def test_04_the_cap_of_epochs_is_told(self):
        out = self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "capped", *QUICK)
        self.assertIn("all 6 epochs that were allowed, 2 of 2 networks; more may be better: --max-epochs", out)

    def test_05_nothing_is_called_certified(self):
        code, out, _ = self.program.call("certify", "m", "train.csv", "--messages", "20", "--rows", "20")
        self.assertIn(code, (0, 1))
        self.assertNotIn("certified", out)
        self.assertRegex(out, r"no inconsistency found in \d+ messages|inconsistenc")

    def test_06_targets_of_0_and_1_are_classes(self):
        self.write("binary.csv", "a,y", lambda g: f"{g.gauss(0, 1):.4f},{g.randrange(2)}")
        self.assertEqual(self.understood("binary.csv")[0]["task"], "classification")
        self.assertEqual(self.understood("binary.csv", "--regress")[0]["task"], "regression")

    def test_07_currencies_and_percents_are_numbers(self):
        self.write("money.csv", "price,share,y",
                   lambda g: f'"${g.randrange(1000, 9999):,}.50",{g.uniform(0, 100):.1f}%,{g.gauss(0, 1):.4f}')
        columns = self.understood("money.csv")[1]
        self.assertEqual((columns["price"]["kind"], columns["price"]["unit"]), ("numeric", "$"))
        self.assertEqual((columns["share"]["kind"], columns["share"]["unit"]), ("numeric", "%"))
        self.assertGreater(columns["price"]["least"], 999)

    def test_08_dates_are_dates(self):
        self.write("dated.csv", "day,y", lambda g: f"2026-{g.randrange(1, 13):02}-{g.randrange(1, 29):02},{g.gauss(0, 1):.4f}")
        column = self.understood("dated.csv")[1]["day"]
        self.assertEqual(column["kind"], "date")
        self.assertIn("month", column["parts"])

    def test_09_counts_are_not_predicted_to_be_negative(self):
        def counted(generator):
            a = generator.uniform(0, 3)
            many = sum(generator.random() < math.exp(a - 1.5) / 50 for _ in range(50))
            return f"{a:.4f},{many}"
        self.write("counts.csv", "a,y", counted, rows=600)
        self.program.expect(0, "train", "counts.csv", "-t", "y", "-o", "counts", "--quiet", *QUICK)
        rows = rows_of(self.program.expect(0, "predict", "counts", "counts.csv"))
        self.assertGreaterEqual(min(float(row["low"]) for row in rows), 0)
        self.assertGreaterEqual(min(float(row["mean"]) for row in rows), 0)

    def test_10_drift_is_warned_of(self):
        lines = (self.folder / "train.csv").read_text().splitlines()
        moved = [f"{1000 * float(line.split(',')[0])}," + line.split(",", 1)[1] for line in lines[1:]]
        (self.folder / "moved.csv").write_text("\n".join([lines[0], *moved]) + "\n")
        for command in ("predict", "evaluate"):
            code, _, error = self.program.call(command, "m", "moved.csv")
            self.assertEqual(code, 0)
            self.assertIn("area: values are about 1000 times as large as those learned", error)

    def test_11_thirty_thousand_rows_do_not_take_800_megabytes(self):
        self.write("many.csv", ",".join(f"x{k}" for k in range(14)) + ",y",
                   lambda g: ",".join(f"{g.gauss(0, 1):.3f}" for _ in range(14)) + f",{g.randrange(2)}", rows=32000)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.program.expect(0, "train", "many.csv", "-t", "y", "-o", "many", "--quiet", "--max-epochs", "1",
                            "--encoding", "standard")
        self.assertLess(max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss), 600 * 1024)

    def test_12_full_devices_and_signals_have_their_exit_codes(self):
        for call in (["--help"], ["--version"], ["help", "train"], ["predict", "m", "train.csv"], ["inspect", "m"],
                     ["evaluate", "m", "train.csv"], ["train", "train.csv", "-t", "price", "-o", "full", *QUICK],
                     ["train", "train.csv", "-t", "price", "-o", "-", *QUICK], ["manual"], ["options"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PATH, *call], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3, call)
            self.assertIn("is the disk full", done.stderr)
        process = subprocess.Popen([PATH, "train", "train.csv", "-t", "price", "-o", "ended", "--max-epochs", "100000",
                                    "--patience", "100000"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(3)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), 143)

    def test_13_tiny_targets_are_learned_or_refused_with_advice(self):
        def tiny(scale):
            def cells(generator):
                a = generator.gauss(0, 1)
                return f"{a:.4f},{scale * (3 + a + generator.gauss(0, 0.1))!r}"
            return cells
        self.write("tiny.csv", "a,y", tiny(1e-30))
        self.program.expect(0, "train", "tiny.csv", "-t", "y", "-o", "tiny", "--quiet", *QUICK)
        evaluated = json.loads(self.program.expect(0, "evaluate", "tiny", "tiny.csv", "--json"))
        self.assertLess(evaluated["root_mean_square_error"]["value"], 5e-31)
        self.write("tinier.csv", "a,y", tiny(1e-200))
        self.assertIn("multiply the targets by 1e20", self.program.expect(2, "train", "tinier.csv", "-t", "y", "-o", "no"))

    def test_14_other_files_are_named_for_what_they_are(self):
        text = (self.folder / "train.csv").read_bytes()
        (self.folder / "a.bz2").write_bytes(bz2.compress(text))
        (self.folder / "a.xz").write_bytes(lzma.compress(text))
        for name, inner in (("a.zip", "train.csv"), ("a.xlsx", "xl/workbook.xml")):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                archive.writestr(inner, text)
        (self.folder / "a.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
        (self.folder / "a.orc").write_bytes(b"ORC" + bytes(100))
        (self.folder / "a.cr").write_bytes(text.replace(b"\n", b"\r"))
        for name, said in (("a.bz2", "compressed by bzip2"), ("a.xz", "compressed by xz"), ("a.zip", "a zip archive"),
                           ("a.xlsx", "an Excel file: save its sheet as CSV"), ("a.orc", "an ORC file: in Python"),
                           ("a.parquet", "cannot read a.parquet: "),  # why depends on whether the module for it is there
                           ("a.cr", "ends its lines with a carriage return alone")):
            for call in (["train", name, "-t", "price", "-o", "no"], ["predict", "m", name], ["evaluate", "m", name]):
                self.assertIn(said, self.program.expect(3, *call))
        (self.folder / "one.csv").write_text("\n".join(text.decode().splitlines()[:2]) + "\n")
        self.assertIn("has one row only", self.program.expect(2, "train", "one.csv", "-t", "price", "-o", "no"))

    def test_15_help_spells_lists_as_they_are_read(self):
        for command in ("train", "predict", "stream"):
            self.assertNotIn(" ...", self.program.expect(0, command, "--help"))
        out = self.program.expect(0, "predict", "m", "train.csv", "--quantiles", "0.1,0.5", "0.9")
        self.assertTrue(out.startswith("mean,std,low,high,quantile 0.1,quantile 0.5,quantile 0.9\n"))


if __name__ == "__main__":
    PATH = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
