#!/usr/bin/env python3
"""Attacks `postrider serve` with hostile requests while an honest client goes on asking, and counts what came of it.

  bench/attack/serve.py [--program PROGRAM] [--quick] [--out FILE]

Trains a small model and serves it with its defaults. Per kind: tries, refused (a status of 400 and above, or the connection
closed), same (answered as an honest request is), silently_different, nan, aborts (the server ended). Writes them among the
attacks of bench/results/attack.json, with the longest time of an honest request and the most memory. Exit code 1 if a goal is
not reached: no abort, honest requests within a second, memory below 4 times --most-bytes and 100 MB.
"""
import argparse
import concurrent.futures
import http.client
import json
import pathlib
import random
import re
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/cli"))
import hostile  # noqa: E402
from program import Program, write_houses  # noqa: E402
from serving import Server  # noqa: E402

KEYS = ("tries", "refused", "same", "other_model", "silently_different", "nan", "aborts")
MOST_BYTES = 16 << 20
MOST_MEGABYTES = 4 * MOST_BYTES / (1 << 20) + 100
MOST_SECONDS = 1.0
ATTACKERS = 6


class Honest:
    """Asks for one row, and whether the server is ready, again and again; a process of its own, which no attacker slows down."""

    def __init__(self, port):
        self.process = subprocess.Popen([sys.executable, __file__, "--honest", str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def result(self):
        return json.loads(self.process.communicate("", timeout=60)[0])


class Asking:
    def __init__(self, port):
        self.port, self.failed = port, []

    def timed(self, action):
        begin = time.monotonic()
        try:
            action()
        except (OSError, http.client.HTTPException, AssertionError) as error:
            self.failed.append(repr(error))
        return time.monotonic() - begin

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body)
        answer = connection.getresponse()
        out = answer.read()
        connection.close()
        assert answer.status == 200, out
        return out

    def run(self):
        expected, seconds, ready = self.ask("POST", "/predict", hostile.GOOD), [], []

        def predict():
            assert self.ask("POST", "/predict", hostile.GOOD) == expected

        while not select.select([sys.stdin], [], [], 0.02)[0]:
            seconds.append(self.timed(predict))
            ready.append(self.timed(lambda: self.ask("GET", "/ready")))
        print(json.dumps({"seconds": seconds, "ready": ready, "failed": self.failed}))


def answer_to(port, request, seconds):
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.settimeout(seconds)
        out = b""
        try:
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
            while piece := client.recv(1 << 20):
                out += piece
        except OSError:
            pass
        return out


def outcome_of(answer, expected):
    """Every answer on the connection: refused, or as an honest client has it."""
    found = "refused"
    for part in re.split(rb"(?=HTTP/1\.1 \d\d\d )", answer):
        if not part.startswith(b"HTTP/1.1 200") or b"\r\n\r\n" not in part:
            continue
        body = part.split(b"\r\n\r\n", 1)[1]
        if b"NaN" in body or b"nan" in body or b"Infinity" in body:
            return "nan"
        if b"predictions" not in body:
            continue
        found = "same"
        try:
            rows = json.loads(body)["predictions"]
        except ValueError:
            continue  # cut off by a connection that was closed
        if any(not all(value is not None for value in row.values()) for row in rows):
            return "nan"
        # Only a request for the honest row alone must have its answer; mutated rows are other rows.
        if expected is not None and rows and rows[0] != expected[0]:
            return "silently_different"
    return found


SAME_ROWS = {"requests together", "garbage after a request", "as many rows as allowed", "idle after a request"}


class Attack:
    def __init__(self, server, expected, seed):
        self.server, self.expected, self.seed = server, expected, seed
        self.held, self.lock = [], threading.Lock()

    def one(self, name, make, number):
        draw = random.Random(f"{self.seed} {name} {number}")
        try:
            if name in hostile.HELD:
                self.hold(make(draw))
                return "refused"
            answer = answer_to(self.server.port, make(draw), 5)
        except OSError:
            return "refused"
        return outcome_of(answer, self.expected if name in SAME_ROWS else None)

    def hold(self, beginning):
        client = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
        with self.lock:
            self.held.append(client)
            oldest = self.held.pop(0) if len(self.held) > 400 else None
        if oldest:
            oldest.close()
        client.settimeout(1)
        client.sendall(beginning)

    def run(self, name, make, tries):
        with concurrent.futures.ThreadPoolExecutor(ATTACKERS) as pool:
            outcomes = list(pool.map(lambda number: self.one(name, make, number), range(tries)))
        out = dict.fromkeys(KEYS, 0) | {"tries": tries}
        for outcome in outcomes:
            out[outcome] += 1
        out["aborts"] = 0 if self.server.process.poll() is None else 1
        return {"name": "serve: " + name, "what": "requests over HTTP, while an honest client asks", "by": "bench/attack/serve.py", **out}

    def close(self):
        for client in self.held:
            client.close()


def kinds(quick):
    for group, many, few in ((hostile.LIGHT, 720, 6), (hostile.HEAVY, 16, 1), (hostile.HELD, 150, 20)):
        for name, make in group.items():
            yield name, make, few if quick else many


def attack(program, quick):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_houses(folder / "train.csv", 200, 1)
        Program(program, folder).expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4",
                                        "--encoding", "standard")
        server = Server(program, folder, "m", "--most-bytes", str(MOST_BYTES))
        attacker = None
        try:
            expected = server.predict(hostile.ROW)["predictions"]
            honest = Honest(server.port)
            attacker = Attack(server, expected, seed=1)
            attacks = []
            for name, make, tries in kinds(quick):
                attacks.append(attacker.run(name, make, tries))
                print(json.dumps(attacks[-1]), flush=True)
                if attacks[-1]["aborts"]:
                    break
            honest = honest.result()
            megabytes = server.megabytes() if server.process.poll() is None else None
        finally:
            if attacker:
                attacker.close()
            code = server.stop()[0] if server.process.poll() is None else None
    seconds = sorted(honest["seconds"])
    summary = {"by": "bench/attack/serve.py", "kinds": len(attacks), "hostile_requests": sum(one["tries"] for one in attacks),
               "honest_requests": len(seconds), "honest_failed": len(honest["failed"]), "honest_longest_seconds": seconds[-1],
               "honest_p99_seconds": seconds[int(0.99 * (len(seconds) - 1))], "ready_longest_seconds": max(honest["ready"]),
               "most_megabytes": megabytes, "allowed_megabytes": MOST_MEGABYTES, "exit_code_after_sigterm": code}
    return attacks, summary, honest["failed"]


def merge(path, attacks, summary):
    """The attacks of other programs stay as they are."""
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"program": "bench/attack", "attacks": []}
    found["attacks"] = [one for one in found["attacks"] if one.get("by") != summary["by"]] + attacks
    found["totals"] = {key: sum(one[key] for one in found["attacks"]) for key in KEYS}
    found["serve"] = summary
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/src/cli/postrider"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--honest", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.honest:
        return Asking(options.honest).run() or 0
    attacks, summary, failed = attack(pathlib.Path(options.program).resolve(), options.quick)
    print(json.dumps(summary), *failed[:5], sep="\n")
    path = options.out or (None if options.quick else ROOT / "bench/results/attack.json")
    if path:
        merge(path, attacks, summary)
    wrong = sum(one[key] for one in attacks for key in ("aborts", "nan", "silently_different"))
    # A machine that runs tests has other things to do: there the time is not judged.
    is_late = summary["honest_longest_seconds"] > MOST_SECONDS and not options.quick
    is_large = summary["most_megabytes"] is None or summary["most_megabytes"] > MOST_MEGABYTES
    return 1 if wrong or failed or is_late or is_large or summary["exit_code_after_sigterm"] != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
