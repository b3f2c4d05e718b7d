#!/usr/bin/env python3
"""`postrider stream` from files that grow and are rotated, and from pipes: nothing is lost, nothing is learned twice.

Usage: stream_files.py PROGRAM
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program, write_houses

ROWS = 300


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program = Program(PROGRAM, self.folder)
        shutil.copy(MODEL, self.folder / "m")
        write_houses(self.folder / "more.csv", ROWS, 2)
        self.lines = (self.folder / "more.csv").read_text().splitlines(keepends=True)
        with open(self.folder / "more.csv", encoding="utf-8") as file:
            self.json = [json.dumps(row) + "\n" for row in csv.DictReader(file)]
        self.header, self.lines = self.lines[0], self.lines[1:]

    def weights(self, name):
        data = (self.folder / name).read_bytes()
        return data[8 + int.from_bytes(data[:8], "little"):]

    def expected(self, rows=ROWS):
        """What is learned of the first so many rows, each once."""
        (self.folder / "expected.csv").write_text(self.header + "".join(self.lines[:rows]))
        self.program.expect(0, "update", "m", "expected.csv", "-o", "expected")
        return self.weights("expected")

    def append(self, name, *texts):
        with open(self.folder / name, "a", encoding="utf-8") as file:
            file.write("".join(texts))

    def stream(self, model, name, *options):
        return self.program.expect(0, "stream", model, "--from", name, *options)

    def follow(self, model, name, *options, **how):
        process = subprocess.Popen([self.program.path, "stream", model, "--from", name, "--follow", "--save-every", "0.2", *options],
                                   cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **how)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def until_learned(self, model, rows):
        """Waits for the snapshot that has so many rows."""
        def learned():
            data = (self.folder / model).read_bytes()
            header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
            steps = next(json.loads(text) for key, text in header["__metadata__"].items() if key.endswith("history"))
            return sum(step["rows"] for step in steps if step["kind"] == "follow")

        until = time.monotonic() + 20
        while learned() < rows and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(learned(), rows)

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=10), 0)

    def test_a_pipe_begins_at_its_beginning(self):
        shutil.copy(self.folder / "m", self.folder / "p")
        for part in (self.json[:200], self.json[200:]):
            code, printed, error = self.program.call("stream", "p", "--from", "-", "--format", "jsonl", text="".join(part))
            self.assertEqual(code, 0, error)
            self.assertIn(f"{len(part)} rows", printed)
        self.assertEqual(self.weights("p"), self.expected())

    def test_a_file_on_standard_input_goes_on(self):
        shutil.copy(self.folder / "m", self.folder / "p")
        for size in (120, ROWS):
            (self.folder / "part.jsonl").write_text("".join(self.json[:size]))
            with open(self.folder / "part.jsonl", encoding="utf-8") as file:
                subprocess.run([self.program.path, "stream", "p", "--from", "-", "--format", "jsonl"], cwd=self.folder, stdin=file,
                               stdout=subprocess.DEVNULL, check=True)
        self.assertEqual(self.weights("p"), self.expected())

    @staticmethod
    def until_it_hears(process):
        """A program that is still being loaded is ended by SIGTERM as any other: it has taken nothing yet."""
        is_heard, until = 1 << (signal.SIGTERM - 1), time.monotonic() + 20
        while time.monotonic() < until:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            if int(status.split("SigCgt:")[1].split()[0], 16) & is_heard:
                return
            time.sleep(0.01)

    def test_what_was_taken_from_a_pipe_is_learned(self):
        """Two programs read one pipe, one after the other: the first is ended while lines wait, one of them cut."""
        os.mkfifo(self.folder / "pipe")
        shutil.copy(self.folder / "m", self.folder / "p")
        held = os.open(self.folder / "pipe", os.O_RDWR)
        self.addCleanup(os.close, held)
        first = self.follow("p", "pipe", "--format", "jsonl")
        os.write(held, "".join(self.json[:100]).encode() + self.json[100][:20].encode())
        self.until_it_hears(first)
        time.sleep(0.1)
        first.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        os.write(held, self.json[100][20:].encode() + "".join(self.json[101:]).encode())
        self.assertEqual(first.wait(timeout=10), 0)
        second = self.follow("p", "pipe", "--format", "jsonl")
        self.until_learned("p", ROWS)
        self.end(second)
        self.assertEqual(self.weights("p"), self.expected())

    def test_a_rotated_file_loses_nothing(self):
        """Rotated while nobody read it, the new file being longer than the old one; also twice."""
        for name, lines, head in (("log.csv", self.lines, self.header), ("log.jsonl", self.json, "")):
            for times in (1, 2):
                shutil.copy(self.folder / "m", self.folder / "r")
                for old in self.folder.glob(name + "*"):
                    old.unlink()
                self.append(name, head, *lines[:50])
                self.assertIn("40 rows", self.stream("r", name, "--events", "40"))
                (self.folder / name).rename(self.folder / f"{name}.{times}")
                if times == 2:
                    self.append(f"{name}.1", head, *lines[50:70])
                self.append(name, head, *lines[70 if times == 2 else 50:])
                self.assertIn(f"{ROWS - 40} rows", self.stream("r", name))
                self.assertEqual(self.weights("r"), self.expected())
                self.assertIn("0 rows", self.stream("r", name))

    def test_a_file_whose_past_is_gone_begins_anew(self):
        self.append("log.csv", self.header, *self.lines[:50])
        self.stream("m", "log.csv", "-o", "r")
        (self.folder / "log.csv").unlink()
        self.append("log.csv", self.header, *self.lines[50:])
        code, printed, error = self.program.call("stream", "r", "--from", "log.csv")
        self.assertEqual(code, 0, error)
        self.assertIn(f"{ROWS - 50} rows", printed)
        self.assertIn("is another file than the one of which the model has learned 50 rows", error)
        self.assertEqual(self.weights("r"), self.expected())

    def test_a_torn_line_waits_for_its_end(self):
        for name, lines, head in (("torn.csv", self.lines, self.header), ("torn.jsonl", self.json, "")):
            shutil.copy(self.folder / "m", self.folder / "t")
            self.append(name, head, *lines[:49], lines[49][:-4])
            code, printed, error = self.program.call("stream", "t", "--from", name)
            self.assertEqual(code, 0, error)
            self.assertIn("49 rows", printed)
            self.assertNotIn("no sense", printed)
            self.assertIn("has no end yet", error)
            self.append(name, lines[49][-4:], *lines[50:])
            self.assertIn(f"{ROWS - 49} rows", self.stream("t", name))
            self.assertEqual(self.weights("t"), self.expected())

    def test_quotes_over_several_lines(self):
        rows = "".join(line.replace("north", '"north"').replace("west", '"we""st\nof it"') for line in self.lines)
        (self.folder / "quoted.csv").write_text(self.header + rows)
        self.program.expect(0, "update", "m", "quoted.csv", "-o", "u")
        self.stream("m", "quoted.csv", "-o", "s", "--batch", "7")
        self.assertEqual(self.weights("s"), self.weights("u"))
        # A quote that nobody closes takes no other rows with it.
        (self.folder / "open.csv").write_text(self.header + "".join(self.lines[:5]) + '"50,north,1,170\n' + "".join(self.lines[5:]))
        self.assertIn("1 event made no sense", self.stream("m", "open.csv", "-o", "o"))
        self.assertEqual(self.weights("o"), self.expected())

    def test_following_a_file_that_grows_and_is_rotated(self):
        for name, lines, head in (("grows.csv", self.lines, self.header), ("grows.jsonl", self.json, "")):
            shutil.copy(self.folder / "m", self.folder / "f")
            process = self.follow("f", name)
            time.sleep(0.3)
            self.append(name, head, *lines[:60], lines[60][:9])
            self.until_learned("f", 60)
            self.append(name, lines[60][9:], *lines[61:100])
            # Renamed: what is written to the old file in the meantime counts.
            old = self.folder / (name + ".1")
            (self.folder / name).rename(old)
            self.append(name + ".1", *lines[100:110])
            time.sleep(0.3)
            self.append(name, head, *lines[110:150])
            self.until_learned("f", 150)
            # Copied and emptied.
            self.append(name, *lines[150:170])
            shutil.copy(self.folder / name, self.folder / (name + ".2"))
            os.truncate(self.folder / name, 0)
            self.append(name, head, *lines[170:200])
            self.until_learned("f", 200)
            # Written anew as a whole.
            text = (self.folder / name).read_text()
            (self.folder / "whole").write_text(text + "".join(lines[200:]))
            (self.folder / "whole").rename(self.folder / name)
            self.until_learned("f", ROWS)
            self.end(process)
            self.assertEqual(self.weights("f"), self.expected())

    def test_files_that_a_stream_writes_are_guarded(self):
        (self.folder / "s.jsonl").write_text("".join(self.json))
        before = (self.folder / "m").read_bytes()
        for option in ("--predictions", "--refused"):
            for path in ("m", "s.jsonl", "more.csv"):
                printed = self.program.expect(2, "stream", "m", "--from", "s.jsonl", option, path)
                self.assertIn(f'{option} = "{path}": is', printed)
        self.assertEqual((self.folder / "m").read_bytes(), before)
        self.program.expect(2, "stream", "m", "--from", "s.jsonl", "--refused", "x", "--predictions", "x", "-o", "y")
        self.program.expect(0, "stream", "m", "--from", "s.jsonl", "--predictions", "p", "-o", "y", "--events", "10")
        self.program.expect(0, "stream", "y", "--from", "s.jsonl", "--predictions", "p")
        self.assertEqual(len((self.folder / "p").read_text().splitlines()), ROWS)

    def test_refused_events_are_kept(self):
        text = "".join(self.json[:5]) + "not json\n" + '{"area": 1e300, "side": "north", "price": 1}\n' + "".join(self.json[5:])
        (self.folder / "s.jsonl").write_bytes(text.encode() + b'{"area": "\xff"}\n')
        self.assertIn("3 events made no sense", self.stream("m", "s.jsonl", "-o", "y", "--refused", "bad"))
        bad = [json.loads(line) for line in (self.folder / "bad").read_text(encoding="utf-8").splitlines()]
        self.assertEqual({each["refused"] for each in bad}, {"lines 6", "lines 7", f"lines {ROWS + 3}"})
        self.assertEqual(bad[0]["text"], "not json")
        self.assertIn("must be a JSON object", bad[0]["reason"])
        self.assertEqual(self.weights("y"), self.expected())

    def test_metrics_and_changes(self):
        """Figures for who watches, a command for changes, and columns that nobody uses."""
        rows = [{**json.loads(line), "colour": "red"} for line in self.json]
        for row in rows:
            del row["garden"]
        (self.folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "junk\n")
        table = self.folder / "constant.csv"
        write_houses(table, 100, 1)
        lines = table.read_text().splitlines()
        table.write_text("\n".join([lines[0] + ",colour"] + [line + ",blue" for line in lines[1:]]) + "\n")
        self.program.expect(0, "train", "constant.csv", "--target", "price", "-o", "c", "--max-epochs", "2", "--hidden", "4")
        process = self.follow("c", "s.jsonl", "--metrics", "0", "--on-change", "cat >> changes")
        port = int(re.search(r"127.0.0.1:(\d+)/metrics", process.stderr.readline())[1])
        self.assertIn("not used since: colour", process.stderr.readline())
        self.until_learned("c", ROWS)
        time.sleep(1)

        def asked(text):
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(text)
                return b"".join(iter(lambda: connection.recv(65536), b"")).decode()

        page = asked(b"GET /metrics HTTP/1.1\r\n\r\n")
        self.assertIn(f"\npostrider_stream_rows_total {ROWS}\n", page)
        self.assertIn("\npostrider_stream_refused_total 1\n", page)
        self.assertRegex(page, r"\npostrider_stream_coverage 0\.\d+\n")
        self.assertTrue(asked(b"GET /live HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 200"))
        self.assertTrue(asked(b"GET /" + b"x" * 4091).startswith("HTTP/1.1 404"))
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        began = time.monotonic()
        self.assertTrue(asked(b"GET /live HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 200"), "whoever is idle holds up nobody")
        self.assertLess(time.monotonic() - began, 1)
        for connection in idle:
            connection.close()
        self.end(process)
        changes = [json.loads(line) for line in (self.folder / "changes").read_text().splitlines()]
        self.assertTrue(any("garden" in each["change"] for each in changes), changes)

    def test_a_log_of_json(self):
        (self.folder / "s.jsonl").write_text("".join(self.json) + "cut")
        _, printed, error = self.program.call("stream", "m", "--from", "s.jsonl", "-o", "y", "--log", "json")
        self.assertEqual(printed, "")
        lines = [json.loads(line) for line in error.splitlines()]
        self.assertEqual([line["level"] for line in lines], ["warning", "info"])
        self.assertIn("has no end yet", lines[0]["message"])
        self.assertRegex(lines[1]["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


def trained(folder):
    """One model for all tests."""
    write_houses(folder / "train.csv", 200, 1)
    Program(PROGRAM, folder).expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4",
                                    "--encoding", "standard")
    return folder / "m"


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        MODEL = trained(pathlib.Path(scratch))
        unittest.main(argv=sys.argv[:1], exit=True)
