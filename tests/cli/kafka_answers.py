#!/usr/bin/env python3
"""A broker of Kafka whose answers are mangled on the way: the program neither dies by a signal nor hangs, and learns each row once.

Answers of librdkafka's own broker have some bytes changed, cut, doubled or put in. One in ten is mangled, since the connection is begun anew
after most of them. Most of what a broker is asked is where things stand; answers with events are small, so that they are many. A run ends with all rows, or with an error; then it is begun again from the model's file until all rows are learned. The
result must be what the rows in a file give.

Usage: kafka_answers.py PROGRAM KAFKA_BROKER [--answers 100] [--seed 1] [--result FILE]
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from brokers import Kafka
from kafka_proxy import KafkaProxy
from mangling import bounded, mangled
from program import Program, write_houses
from streaming import stream_position, weights_of

SECONDS, MOST_RUNS = 90, 60
EVENTS, BATCH = 60, 3
STRANGE = (b"\0" * 100, b"\xff" * 4, b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x7f\xff\xff\xff", b"\0\0\0\0")


class Mangler:
    def __init__(self, seed, share):
        self.random, self.share = random.Random(seed), share
        self.mangled = 0
        self.lock = threading.Lock()

    def __call__(self, framed):
        """What is sent in place of an answer, and whether the connection goes on."""
        with self.lock:
            if self.random.random() >= self.share:
                return framed, True
            self.mangled += 1
            return self.mangle(framed), self.random.random() < 0.7

    def mangle(self, framed):
        return mangled(self.random, framed, STRANGE, self.inserted, least=10)

    def inserted(self):
        return bytes(self.random.randrange(256) for _ in range(self.random.choice((1, 2, 8))))


def run_once(program, folder, port, counts):
    """The exit code; None if it had to be killed."""
    command = [program.path, "stream", "r", "--from", f"kafka://127.0.0.1:{port}/rows", "--until-end", "--batch", str(BATCH), "-q", "--anyway",
               "--patience", "2", "--save-every", "0.001", "--broker-config", "settings"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=bounded) as process:
        try:
            _, error = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            counts["hangs"] += 1
            process.kill()
            process.communicate()
            return None
    counts["runs"] += 1
    # librdkafka checks its own buffers by assertions, one of which a broker can reach: only it can mend that.
    if process.returncode == -signal.SIGABRT and re.search(rb"rd\w*\.c:\d+: \w+: Assertion", error):
        counts["aborts_of_librdkafka"] += 1
    elif process.returncode < 0 or process.returncode == 4:
        counts["signals"] += 1
        print(f"run {counts['runs']} ended with {process.returncode}: {error.decode(errors='replace')}", file=sys.stderr)
    counts["ended_with_an_error"] += process.returncode == 3
    return process.returncode


def learn_through(program, folder, kafka, seed, counts):
    """The rows of the broker through a door that mangles, as often as it takes; the last time, what is left, without it."""
    shutil.copy(folder / "m", folder / "r")
    mangler = Mangler(seed, 0.1)
    door = KafkaProxy(kafka.address, change=mangler)
    for _ in range(MOST_RUNS):
        if run_once(program, folder, door.port, counts) == 0 and stream_position(folder / "r").get("rows") == EVENTS:
            break
    door.close()
    counts["answers"] += mangler.mangled
    found = stream_position(folder / "r")
    counts["rows_lost"] += max(0, EVENTS - found.get("rows", 0))
    counts["rows_doubled"] += max(0, found.get("rows", 0) - EVENTS)
    counts["other_beliefs"] += weights_of(folder / "r") != weights_of(folder / "expected")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("broker")
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result")
    options = parser.parse_args()
    counts = {"answers": 0, "runs": 0, "signals": 0, "hangs": 0, "aborts_of_librdkafka": 0, "ended_with_an_error": 0, "rows_lost": 0, "rows_doubled": 0,
              "other_beliefs": 0, "seconds": 0.0}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = Program(options.program, folder)
        write_houses(folder / "train.csv", 200, 1)
        program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4", "--encoding", "standard")
        rows = [{"area": str(20 + k), "side": "north", "garden": "1", "price": str(80 + 3 * k)} for k in range(EVENTS)]
        lines = ["area,side,garden,price", *(",".join(row.values()) for row in rows)]
        (folder / "more.csv").write_text("\n".join(lines) + "\n")
        program.expect(0, "update", "m", "more.csv", "-o", "expected", "--anyway")
        # Few events in an answer make many answers.
        (folder / "settings").write_text("fetch.message.max.bytes=600\nqueued.min.messages=1\n")
        kafka = Kafka(options.broker, partitions=1)
        for begin in range(0, EVENTS, 4):
            kafka.send(rows[begin:begin + 4])  # a batch of its own each
        trial = 0
        while counts["answers"] < options.answers:
            learn_through(program, folder, kafka, options.seed + trial, counts)
            trial += 1
        kafka.stop()
    counts["seconds"] = round(time.monotonic() - begun, 1)
    print(json.dumps(counts))
    if options.result:
        pathlib.Path(options.result).write_text(json.dumps(counts, indent=1) + "\n")
    wrong = ("signals", "hangs", "rows_lost", "rows_doubled", "other_beliefs")
    return 1 if any(counts[name] for name in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
