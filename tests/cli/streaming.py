"""What tests of streams share: a small model, rows that are new to it, and what it has learned of them."""

import csv
import json
import pathlib
import tempfile
import unittest

from program import Program, write_houses

ROWS = 400


def weights_of(path):
    """All of a model file but its header, where the name of the stream and the position stand."""
    data = path.read_bytes()
    return data[8 + int.from_bytes(data[:8], "little"):]


def stream_position(path):
    """What the model's file says of what it has learned last."""
    data = path.read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    return next(json.loads(text)[-1] for key, text in header["__metadata__"].items() if key.endswith("history"))


class StreamCase(unittest.TestCase):
    """The class has the program's path."""

    program_path = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program = Program(self.program_path, self.folder)
        write_houses(self.folder / "train.csv", 200, 1)
        write_houses(self.folder / "more.csv", ROWS, 2, missing=0.1, gap=True)
        self.program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4",
                            "--encoding", "standard")
        with open(self.folder / "more.csv", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))

    def weights(self, name):
        return weights_of(self.folder / name)

    def position(self, name):
        return stream_position(self.folder / name)

    def learned_by_update(self):
        self.program.expect(0, "update", "m", "more.csv", "-o", "expected", "--force")
        return self.weights("expected")
