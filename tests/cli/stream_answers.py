#!/usr/bin/env python3
"""A server that answers as Redis does, but for bytes that are mangled: the program neither dies by a signal nor hangs.

Each answer is of the right form with some bytes changed, cut, doubled or put in, or of a form that no server sends. One in three is
mangled; whatever is not learned from it is asked for again, so that the program comes to its end.

Usage: stream_answers.py PROGRAM [--answers 500] [--seed 1] [--result bench/results/attack.json]
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from mangling import Door, bounded, mangled
from program import Program, write_houses

STRANGE = [b"*1\r\n*2\r\n:5\r\n*1\r\n:7\r\n", b"*1\r\n*0\r\n", b"*1\r\n*1\r\n$4\r\nrows\r\n", b"*1\r\n*2\r\n$4\r\nrows\r\n*1\r\n*0\r\n",
           b"*1\r\n*2\r\n$4\r\nrows\r\n:3\r\n", b"*1\r\n*2\r\n$4\r\nrows\r\n*1\r\n*2\r\n$3\r\n1-1\r\n:1\r\n", b"$9999999999\r\n", b"*2147483647\r\n",
           b"*-2\r\n", b"*1\r\n" * 200, b"\x00" * 100, b"HTTP/1.1 400 Bad Request\r\n\r\n", b":12\r\n", b"+OK\r\n", b"$-1\r\n",
           b"*1\r\n*2\r\n$4\r\nrows\r\n*1\r\n*2\r\n$1\r\nx\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n", b"*1\r\n$-1\r\n", b"%1\r\n+a\r\n+b\r\n", b""]
SECONDS = 60


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def listed(items):
    return b"*%d\r\n" % len(items) + b"".join(items)


class Server(Door):
    """As much of Redis as the program asks for, with entries of one key."""

    def __init__(self, rows, seed, share):
        self.entries = [(1_700_000_000_000 + k, row) for k, row in enumerate(rows)]
        self.random, self.share = random.Random(seed), share
        self.mangled = 0
        super().__init__()
        self.open()

    def talk(self, connection):
        with connection, connection.makefile("rb") as questions:
            try:
                while words := self.words(questions):
                    answer = self.answer(words)
                    if self.random.random() < self.share:
                        self.mangled += 1
                        answer = self.mangle(answer)
                        connection.sendall(answer)
                        if self.random.random() < 0.5:
                            return  # else it is silent, or goes on
                    else:
                        connection.sendall(answer)
            except OSError:
                pass

    @staticmethod
    def words(questions):
        count = questions.readline()
        if not count:
            return None
        out = []
        for _ in range(int(count[1:])):
            size = int(questions.readline()[1:])
            out.append(questions.read(size + 2)[:-2])
        return out

    def entry(self, time_of, row):
        fields = [bulk(part.encode()) for pair in row.items() for part in pair]
        return listed([bulk(b"%d-0" % time_of), listed(fields)])

    def answer(self, words):
        if words[0] == b"INFO":
            return bulk(b"# Replication\r\nrole:master\r\nmaster_replid:" + b"a" * 40 + b"\r\n")
        if words[0] == b"EXISTS":
            return b":1\r\n"
        if words[0] == b"XRANGE":
            begin, end = (int(word.split(b"-")[0]) if word not in (b"-", b"+") else {b"-": 0, b"+": 1 << 62}[word] for word in words[2:4])
            return listed([self.entry(*each) for each in self.entries if begin <= each[0] <= end][:1])
        most, after = int(words[2]), int(words[-1].split(b"-")[0])
        found = [self.entry(*each) for each in self.entries if each[0] > after][:most]
        return listed([listed([bulk(b"rows"), listed(found)])]) if found else b"*-1\r\n"

    def mangle(self, answer):
        return mangled(self.random, answer, STRANGE, self.inserted)

    def inserted(self):
        return self.random.choice((b"*3\r\n", b"$-5\r\n", b"\r\n", b":", bytes([self.random.randrange(256)])))


def write_result(path, counts):
    """Into the attacks of bench/results/attack.json, as their part on brokers."""
    found = json.loads(path.read_text(encoding="utf-8"))
    found["brokers"] = {"by": "tests/cli/stream_answers.py", "mangled_answers": counts["answers"], **counts}
    del found["brokers"]["answers"]
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--answers", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result")
    options = parser.parse_args()
    counts = {"answers": 0, "runs": 0, "signals": 0, "hangs": 0, "ended_with_an_error": 0, "seconds": 0.0}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        program = Program(options.program, folder)
        write_houses(folder / "train.csv", 200, 1)
        program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4", "--encoding", "standard")
        rows = [{"area": str(20 + k), "side": "north", "garden": "1", "price": str(80 + 3 * k)} for k in range(60)]
        while counts["answers"] < options.answers:
            server = Server(rows, options.seed + counts["runs"], 1 / 3)
            command = [program.path, "stream", "m", "--from", f"redis://127.0.0.1:{server.port}/rows", "--until-end", "--batch", "3", "-o",
                       "out", "-q", "--anyway", "--patience", "1.5"]
            with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=bounded) as process:
                try:
                    _, error = process.communicate(timeout=SECONDS)
                except subprocess.TimeoutExpired:
                    counts["hangs"] += 1
                    process.kill()
                    _, error = process.communicate()
                code = process.returncode
            server.close()
            counts["runs"] += 1
            counts["answers"] += server.mangled
            if code < 0 and code != -signal.SIGKILL or code == 4:
                counts["signals"] += 1
                print(f"run {counts['runs']} ended with {code}: {error.decode(errors='replace')}", file=sys.stderr)
            counts["ended_with_an_error"] += code == 3
    counts["seconds"] = round(time.monotonic() - begun, 1)
    print(json.dumps(counts))
    if options.result:
        write_result(pathlib.Path(options.result), counts)
    return 1 if counts["signals"] or counts["hangs"] else 0


if __name__ == "__main__":
    sys.exit(main())
