#!/usr/bin/env python3
"""Parquet and Arrow files, and bodies of Arrow's format, where the module for them is there: the same as the same rows in CSV.

Usage: arrow_files.py PROGRAM, by a Python that has pyarrow
"""

import contextlib
import csv
import http.client
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from program import Program, write_houses


class ArrowFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PROGRAM, cls.folder)
        for name, rows, seed in (("train", 200, 1), ("new", 50, 2)):
            write_houses(cls.folder / f"{name}.csv", rows, seed, missing=0.1)
            table = pa.csv.read_csv(cls.folder / f"{name}.csv")
            pa.parquet.write_table(table, cls.folder / f"{name}.parquet", row_group_size=30)
            pa.feather.write_feather(table, cls.folder / f"{name}.arrow", chunksize=7)
            with pa.ipc.new_stream(cls.folder / f"{name}.arrows", table.schema) as stream:
                for batch in table.to_batches(max_chunksize=11):
                    stream.write_batch(batch)
            cls.program.expect(0, "train", f"{name}.csv", *cls.how(f"{name}.csv.model"))
        cls.new = table

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def how(model):
        return ("--target", "price", "-o", model, "--max-epochs", "3", "--hidden", "4", "--encoding", "standard", "--force")

    def weights(self, name):
        """All of a model file but its header, where the file's name may stand."""
        data = (self.folder / name).read_bytes()
        return data[8 + int.from_bytes(data[:8], "little"):]

    def test_each_kind_is_learned_and_predicted_as_text_is(self):
        predicted = self.program.expect(0, "predict", "train.csv.model", "new.csv")
        for kind in ("parquet", "arrow", "arrows"):
            self.program.expect(0, "train", f"train.{kind}", *self.how(kind))
            self.assertEqual(self.weights(kind), self.weights("train.csv.model"), kind)
            self.assertEqual(self.program.expect(0, "predict", "train.csv.model", f"new.{kind}"), predicted, kind)
            self.program.expect(0, "update", "train.csv.model", f"new.{kind}", "-o", "a", "--force", "--anyway")
            self.program.expect(0, "update", "train.csv.model", "new.csv", "-o", "b", "--force", "--anyway")
            self.assertEqual(self.weights("a"), self.weights("b"))
            self.program.expect(0, "stream", "train.csv.model", "--from", f"new.{kind}", "-o", "c", "--force")
            self.assertEqual(self.weights("c"), self.weights("b"))

    def test_games_are_rated_as_those_of_text_are(self):
        (self.folder / "games.csv").write_text("home_team,away_team,result\n" + "".join(
            f"{one},{other},{'win' if one < other else 'loss'}\n" for one in "abcd" for other in "abcd" if one != other))
        pa.parquet.write_table(pa.csv.read_csv(self.folder / "games.csv"), self.folder / "games.parquet")
        expected = self.program.expect(0, "rate", "games.csv", "--json")
        self.assertEqual(self.program.expect(0, "rate", "games.parquet", "--json").replace("games.parquet", "games.csv"), expected)

    def test_damaged_files(self):
        for kind in ("parquet", "arrow", "arrows"):
            data = (self.folder / f"train.{kind}").read_bytes()
            for number, cut in enumerate((data[:9], data[:len(data) // 2], data[:50] + b"\xff" * 40 + data[90:])):
                (self.folder / "cut").write_bytes(cut)
                code, _, error = self.program.call("train", "cut", *self.how("x"))
                # A stream that ends between two batches has fewer rows, and is a stream all the same.
                self.assertIn(code, (0, 2, 3), (kind, number, error))
                if code != 0:
                    self.assertEqual(len(error.splitlines()), 1, error)

    def test_without_the_module(self):
        found = subprocess.run([PROGRAM, "train", "train.parquet", *self.how("x")], cwd=self.folder, capture_output=True, text=True,
                               env={**os.environ, "POSTRIDER_ARROW": "/nowhere.so"}, check=False)
        self.assertEqual(found.returncode, 2)
        self.assertIn('POSTRIDER_ARROW = "/nowhere.so": must be the module', found.stderr)
        self.assertIn("must not be given", self.program.expect(2, "train", "train.parquet", "--format", "csv", *self.how("x")))

    def test_bodies(self):
        with subprocess.Popen([PROGRAM, "serve", "train.csv.model", "--port", "0"], cwd=self.folder, stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                port = int(server.stdout.readline().split("http://127.0.0.1:")[1].split(":")[0])

                def ask(body, kind):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                    connection.request("POST", "/predict", body, {"Content-Type": kind})
                    with contextlib.closing(connection):
                        answer = connection.getresponse()
                        return answer.status, json.loads(answer.read())

                sink = io.BytesIO()
                with pa.ipc.new_stream(sink, self.new.schema) as stream:
                    stream.write_table(self.new)
                text = (self.folder / "new.csv").read_bytes()
                status, found = ask(sink.getvalue(), "application/vnd.apache.arrow.stream")
                self.assertEqual(status, 200, found)
                self.assertEqual(found, ask(text, "text/csv")[1])
                self.assertEqual(len(found["predictions"]), len(list(csv.DictReader(text.decode().splitlines()))))
                for body in (b"", b"nonsense", sink.getvalue()[:100]):
                    self.assertEqual(ask(body, "application/vnd.apache.arrow.stream")[0], 400)
            finally:
                server.send_signal(signal.SIGTERM)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
