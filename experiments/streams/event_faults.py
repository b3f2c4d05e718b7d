#!/usr/bin/env python3
"""`postrider stream` through faults of its sources and its own: writes results/event_faults.json.

Usage: experiments/streams/event_faults.py --program PROGRAM [--out DIR] [--faults 240] [--seed N]

Sources are files that grow (CSV and JSON lines), a named pipe and a redis-server. Faults are drawn at random:

  torn      a line is written in two pieces, with a pause between them
  rotated   the file is renamed and begun anew; half of the times while the program does not run
  copied    the file is copied and emptied
  killed    the program is ended by SIGKILL (not with a pipe, whose lines nobody has after that) and started again
  ended     the program is ended by SIGTERM and started again
  outage    the redis-server is killed and started again

All rows have been sent at the end of a run. The run is compared with `update` of the same rows in one piece: if a row was lost or learned
twice, the number of rows or the weights differ.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "cli"))
from brokers import Redis  # noqa: E402
from program import Program, write_houses  # noqa: E402

ROWS_PER_FAULT = 12
PATIENCE = 60


def header_of(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    notes = json.loads(data[8:8 + size])["__metadata__"]
    steps = next(json.loads(text) for key, text in notes.items() if key.endswith("history"))
    return sum(step["rows"] for step in steps if step["kind"] == "follow"), data[8 + size:]


class Run:
    """One source, and the program that follows it through faults."""

    kinds = ()

    def __init__(self, program, folder, model, seed, faults):
        self.program, self.folder, self.random = program, folder, random.Random(seed)
        self.faults = faults
        self.counts = collections.Counter()
        shutil.copy(model, folder / "m")
        shutil.copy(model, folder / "first")
        write_houses(folder / "rows.csv", ROWS_PER_FAULT * (faults + 1), seed + 1000)
        lines = (folder / "rows.csv").read_text().splitlines(keepends=True)
        self.head, self.lines = lines[0], lines[1:]
        with open(folder / "rows.csv", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.program.path, "stream", "m", "--from", self.address(), *self.options(), "--save-every", "0.1",
                                         "-q"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self, kind):
        self.process.send_signal(kind)
        code = self.process.wait(timeout=PATIENCE)
        # Before it has begun it ends as any program does.
        if code not in ((0, -kind) if kind == signal.SIGTERM else (-kind,)):
            raise AssertionError(f"the program ended with {code}")

    def options(self):
        return ()

    def fault(self, kind, rows):
        """Sends the rows with this fault among them."""
        if kind in ("killed", "ended"):
            half = self.random.randrange(len(rows))
            self.send(rows[:half])
            time.sleep(self.random.uniform(0, 0.15))
            self.end(signal.SIGKILL if kind == "killed" else signal.SIGTERM)
            self.send(rows[half:])
            self.start()

    def go(self):
        self.start()
        place = 0
        for number in range(self.faults):
            kind = self.kinds[number % len(self.kinds)] if number < len(self.kinds) else self.random.choice(self.kinds)
            self.fault(kind, range(place, place + ROWS_PER_FAULT))
            self.counts[kind] += 1
            place += ROWS_PER_FAULT
            time.sleep(self.random.uniform(0, 0.1))
        self.send(range(place, len(self.rows)))
        return self.compare()

    def compare(self):
        until = time.monotonic() + PATIENCE
        while header_of(self.folder / "m")[0] < len(self.rows) and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.5)  # rows that come twice would come now
        self.end(signal.SIGTERM)
        learned, weights = header_of(self.folder / "m")
        self.program.expect(0, "update", "first", "rows.csv", "-o", "expected", "-q")
        lost, doubled = max(0, len(self.rows) - learned), max(0, learned - len(self.rows))
        if weights != header_of(self.folder / "expected")[1] and not lost and not doubled:
            lost = doubled = 1  # as many of one kind as of the other, at least
        return lost, doubled


class File(Run):
    kinds = ("torn", "rotated", "copied", "killed", "ended")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.is_csv = self.random.random() < 0.5
        self.path = self.folder / ("log.csv" if self.is_csv else "log.jsonl")
        self.rotations = 0
        self.begin()

    def address(self):
        return self.path.name

    def options(self):
        return ("--follow",)

    def begin(self):
        self.path.write_text(self.head if self.is_csv else "")

    def text(self, rows):
        return "".join(self.lines[row] if self.is_csv else json.dumps(self.rows[row]) + "\n" for row in rows)

    def append(self, text):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(text)

    def send(self, rows):
        self.append(self.text(rows))

    def fault(self, kind, rows):
        super().fault(kind, rows)
        text = self.text(rows)
        place = self.random.randrange(1, len(text))
        if kind == "torn":
            self.append(text[:place])
            time.sleep(self.random.uniform(0, 0.3))
            self.append(text[place:])
        if kind in ("rotated", "copied"):
            half = self.random.randrange(len(rows))
            is_away = self.random.random() < 0.5
            if is_away:
                self.end(signal.SIGTERM)
            self.send(rows[:half])
            self.rotate(kind)
            self.send(rows[half:])
            if is_away:
                self.start()

    def rotate(self, kind):
        """The newest of the old files is log.1."""
        for number in range(self.rotations, 0, -1):
            (self.folder / f"{self.path.name}.{number}").rename(self.folder / f"{self.path.name}.{number + 1}")
        self.rotations += 1
        if kind == "rotated":
            self.path.rename(self.folder / f"{self.path.name}.1")
            time.sleep(self.random.uniform(0, 0.1))
            self.begin()
        else:
            shutil.copy2(self.path, self.folder / f"{self.path.name}.1")
            os.truncate(self.path, 0)
            self.append(self.head if self.is_csv else "")


class Pipe(Run):
    kinds = ("torn", "ended")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        os.mkfifo(self.folder / "pipe")
        self.pipe = os.open(self.folder / "pipe", os.O_RDWR)

    def address(self):
        return "pipe"

    def options(self):
        return ("--follow", "--format", "jsonl")

    def send(self, rows):
        self.write("".join(json.dumps(self.rows[row]) + "\n" for row in rows))

    def write(self, text):
        os.write(self.pipe, text.encode())

    def fault(self, kind, rows):
        super().fault(kind, rows)
        if kind == "torn":
            text = "".join(json.dumps(self.rows[row]) + "\n" for row in rows)
            place = self.random.randrange(1, len(text))
            self.write(text[:place])
            time.sleep(self.random.uniform(0, 0.3))
            self.write(text[place:])


class Broker(Run):
    kinds = ("outage", "killed", "ended")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.redis = Redis(self.folder)

    def address(self):
        return f"redis://{self.random.choice(('127.0.0.1', 'localhost'))}:{self.redis.port}/rows"

    def send(self, rows):
        for row in rows:
            self.redis.add("rows", self.rows[row])

    def fault(self, kind, rows):
        super().fault(kind, rows)
        if kind == "outage":
            half = self.random.randrange(len(rows))
            self.send(rows[:half])
            self.redis.kill()
            time.sleep(self.random.uniform(0, 0.5))
            self.redis.start()
            self.send(rows[half:])

    def compare(self):
        try:
            return super().compare()
        finally:
            self.redis.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", default=str(HERE / "results"))
    parser.add_argument("--faults", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sources = [File, Pipe] + ([Broker] if shutil.which("redis-server") else [])
    per_run = max(3, min(20, options.faults // len(sources)))
    counts, lost, doubled, runs = collections.Counter(), 0, 0, []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = Program(options.program, folder)
        write_houses(folder / "train.csv", 200, 1)
        program.expect(0, "train", "train.csv", "--target", "price", "-o", "model", "--max-epochs", "3", "--hidden", "4", "--encoding",
                       "standard", "-q")
        while sum(counts.values()) < options.faults:
            kind = sources[len(runs) % len(sources)]
            place = folder / str(len(runs))
            place.mkdir()
            run = kind(Program(options.program, place), place, folder / "model", options.seed + len(runs), per_run)
            try:
                found = run.go()
            finally:
                if run.process.poll() is None:
                    run.process.kill()
                    run.process.wait()
            counts.update(run.counts)
            lost, doubled = lost + found[0], doubled + found[1]
            runs.append({"source": kind.__name__.lower(), "rows": len(run.rows), "lost": found[0], "doubled": found[1], **run.counts})
            print(json.dumps(runs[-1]), flush=True)
    result = {"faults": sum(counts.values()), "lost": lost, "doubled": doubled, "rows": sum(run["rows"] for run in runs),
              "kinds": dict(sorted(counts.items())), "seconds": round(time.monotonic() - begun), "runs": runs}
    path = pathlib.Path(options.out) / "event_faults.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['faults']} faults, {lost} rows lost, {doubled} learned twice")
    return 1 if lost or doubled else 0


if __name__ == "__main__":
    sys.exit(main())
