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
import struct
import subprocess
import sys
import tempfile
import unittest

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

from program import Program, write_houses


SIDES = ["east", "south", "west", "north", "east", "south", "west", "north"]
OFFSETS = tuple(sum(map(len, SIDES[:count])) for count in range(len(SIDES) + 1))
BEYOND = {
    "a little": tuple(64 + 40 * place for place in range(9)),
    "far": (0, *(1 << 30 | place for place in range(8))),
    "falling": (9, 4, *OFFSETS[2:]),
}


def as_stream(table, compression=None):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as stream:
        stream.write_table(table)
    return sink.getvalue()


def with_offsets(data, offsets):
    """The same bytes, and the texts of SIDES elsewhere."""
    stored = struct.pack("<9i", *OFFSETS)
    assert data.count(stored) == 1
    return data.replace(stored, struct.pack("<9i", *offsets))


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

    def table_with_texts_in(self, column):
        """Eight rows, in which this column has texts whose offsets are known."""
        rows = self.new.slice(0, len(SIDES))
        place = rows.schema.get_field_index(column)
        return rows.set_column(place, column, pa.array(SIDES))

    def test_files_whose_texts_lie_elsewhere(self):
        table = self.table_with_texts_in("side")
        pa.feather.write_feather(table, self.folder / "texts.arrow", compression="uncompressed")
        for data in (as_stream(table), (self.folder / "texts.arrow").read_bytes()):
            for name, offsets in BEYOND.items():
                (self.folder / "elsewhere").write_bytes(with_offsets(data, offsets))
                self.assertIn("ffset", self.program.expect(3, "predict", "train.csv.model", "elsewhere"), name)

    @contextlib.contextmanager
    def server(self):
        """A function that sends a body of a kind and returns status and answer."""
        with subprocess.Popen([PROGRAM, "serve", "train.csv.model", "--port", "0"], cwd=self.folder, stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                port = int(server.stdout.readline().split("http://127.0.0.1:")[1].split(":")[0])

                def ask(body, kind="application/vnd.apache.arrow.stream"):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                    connection.request("POST", "/predict", body, {"Content-Type": kind})
                    with contextlib.closing(connection):
                        answer = connection.getresponse()
                        return answer.status, json.loads(answer.read())

                yield ask
                self.assertIsNone(server.poll(), "the server has ended")
            finally:
                server.send_signal(signal.SIGTERM)

    def test_bodies(self):
        with self.server() as ask:
            body, text = as_stream(self.new), (self.folder / "new.csv").read_bytes()
            status, found = ask(body)
            self.assertEqual(status, 200, found)
            self.assertEqual(found, ask(text, "text/csv")[1])
            self.assertEqual(len(found["predictions"]), len(list(csv.DictReader(text.decode().splitlines()))))
            for other in (b"", b"nonsense", body[:100]):
                self.assertEqual(ask(other)[0], 400)

    def test_bodies_whose_texts_lie_elsewhere(self):
        # A number where a text stands is shown in the answer, and so would be whatever lies behind the buffer.
        for column in ("side", "area"):
            body = as_stream(self.table_with_texts_in(column))
            with self.server() as ask:
                for name, offsets in BEYOND.items():
                    status, found = ask(with_offsets(body, offsets))
                    self.assertEqual(status, 400, found)
                    self.assertIn("ffset", found["error"], (column, name))

    def test_bodies_that_grow(self):
        """Buffers that take more than four times the body and 16 MiB are refused before they are made."""
        texts = pa.array(["north"]).dictionary_encode().take(pa.nulls(3_000_000, pa.int32()).fill_null(0))
        numbers = pa.nulls(3_000_000, pa.float64()).fill_null(1.0)
        columns = {field.name: texts if field.type == pa.string() else numbers for field in self.new.schema}
        body = as_stream(pa.table(columns), "zstd")
        self.assertLess(len(body), 1 << 20)
        with self.server() as ask:
            status, found = ask(body)
            self.assertEqual(status, 400)
            self.assertIn("memory", found["error"].lower())
            self.assertEqual(ask(as_stream(self.new, "zstd"))[0], 200)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
