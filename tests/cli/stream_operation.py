#!/usr/bin/env python3
"""`postrider stream` as whoever operates it sees it: readiness, metrics, logs and commands through faults and mistakes.

Usage: stream_operation.py PROGRAM [KAFKA_BROKER]
"""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

from brokers import Kafka, Redis, free_port
from streaming import ROWS, StreamCase

SECONDS = 40


class Operated(StreamCase):
    program_path = property(lambda _: PROGRAM)

    def start(self, *arguments):
        """A stream with metrics; what it says goes to a file."""
        told = open(self.folder / "told", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        self.addCleanup(told.close)
        process = subprocess.Popen([self.program.path, "stream", *arguments, "--metrics", "0"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=told)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.wait_for(lambda: "/metrics" in self.told())
        self.address = re.search(r"http://127.0.0.1:\d+", self.told())[0]
        return process

    def told(self):
        return (self.folder / "told").read_text()

    def wait_for(self, holds, what=""):
        until = time.monotonic() + SECONDS
        while not holds():
            self.assertLess(time.monotonic(), until, what or self.told())
            time.sleep(0.05)

    def asked(self, path):
        try:
            with urllib.request.urlopen(self.address + path, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def figure(self, name):
        found = re.search(rf"^postrider_stream_{name} (\S+)$", self.asked("/metrics")[1], re.MULTILINE)
        return found and found[1]

    def redis(self):
        redis = Redis(self.folder)
        self.addCleanup(lambda: redis.process.poll() is None and redis.kill())
        return redis

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_an_outage_of_redis(self):
        """Not ready while the broker is away, alive throughout, and figures by the same names."""
        redis = self.redis()
        for row in self.rows[:50]:
            redis.add("rows", row)
        shutil.copy(self.folder / "m", self.folder / "r")
        process = self.start("r", "--from", f"redis://127.0.0.1:{redis.port}/rows", "--events", str(ROWS))
        self.wait_for(lambda: self.figure("rows_total") == "50")
        self.wait_for(lambda: self.figure("lag_seconds") == "0")
        self.assertEqual(self.asked("/ready"), (200, "ok\n"))
        self.assertEqual(self.figure("source_answers"), "1")
        before = set(re.findall(r"^postrider_stream_\w+", self.asked("/metrics")[1], re.MULTILINE))
        redis.kill()
        self.wait_for(lambda: "; waiting for it" in self.told())
        self.wait_for(lambda: self.asked("/ready")[0] == 503)
        self.assertIn(f"redis://127.0.0.1:{redis.port}/rows: ", self.asked("/ready")[1])
        self.assertEqual(self.asked("/live")[0], 200)
        self.assertEqual((self.figure("lag_seconds"), self.figure("source_answers")), ("NaN", "0"))
        self.assertEqual(before, set(re.findall(r"^postrider_stream_\w+", self.asked("/metrics")[1], re.MULTILINE)))
        redis.start()
        self.wait_for(lambda: self.asked("/ready")[0] == 200)
        for row in self.rows[50:]:
            redis.add("rows", row)
        self.assertEqual(process.wait(timeout=SECONDS), 0, self.told())
        self.assertEqual(self.weights("r"), self.learned_by_update())

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_a_redis_that_takes_no_more_clients_is_waited_for(self):
        redis = self.redis()
        for row in self.rows[:50]:
            redis.add("rows", row)
        source = f"redis://127.0.0.1:{redis.port}/rows"
        shutil.copy(self.folder / "m", self.folder / "r")
        process = self.start("r", "--from", source, "--events", str(ROWS))
        self.wait_for(lambda: self.figure("rows_total") == "50")

        def say(connection, text):
            connection.sendall(text.encode() + b"\r\n")
            return connection.recv(4096)

        with redis.connect() as other:
            self.assertEqual(say(other, "CONFIG SET maxclients 1"), b"+OK\r\n")
            say(other, "CLIENT KILL TYPE normal SKIPME yes")
            self.wait_for(lambda: "max number of clients" in self.told())
            self.wait_for(lambda: self.asked("/ready")[0] == 503)
            self.assertIsNone(process.poll())
            # At the start it is waited for as long as for one that is not there.
            code, _, error = self.program.call("stream", "m", "--from", source, "--patience", "1", "--until-end", "-o", "o")
            self.assertEqual(code, 3, error)
            self.assertIn("max number of clients reached; waiting for it, 1 s at most", error)
            self.assertEqual(say(other, "CONFIG SET maxclients 100"), b"+OK\r\n")
        for row in self.rows[50:]:
            redis.add("rows", row)
        self.assertEqual(process.wait(timeout=SECONDS), 0, self.told())
        self.assertEqual(self.weights("r"), self.learned_by_update())

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_a_key_that_is_not_there(self):
        redis = self.redis()
        redis.add("rows", self.rows[0])
        source = f"redis://127.0.0.1:{redis.port}/"
        before = (self.folder / "m").read_bytes()
        self.assertIn(f"{source}rosw: there is no key rosw, and --until-end does not wait for one; is it misspelt?",
                      self.program.expect(3, "stream", "m", "--from", source + "rosw", "--until-end"))
        self.assertIn("there is no key rosw", self.program.expect(3, "stream", "m", "--from", source + "rows,rosw", "--until-end"))
        self.assertEqual((self.folder / "m").read_bytes(), before)
        # One that is there and empty is read to its end, and one that is followed may come later.
        redis.call("XTRIM", "rows", "MAXLEN", "0")
        _, printed, error = self.program.call("stream", "m", "--from", source + "rows", "--until-end", "-o", "o")
        self.assertIn("0 rows", printed)
        self.assertIn("there is nothing in rows yet; nothing to read", error)
        process = self.start("m", "--from", source + "later", "-o", "l", "--events", "1")
        self.wait_for(lambda: "there is no key later yet; waiting for its events" in self.told())
        redis.add("later", self.rows[0])
        self.assertEqual(process.wait(timeout=SECONDS), 0)

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_an_outage_of_kafka(self):
        kafka = Kafka(BROKER, partitions=1)
        self.addCleanup(kafka.stop)
        kafka.send(self.rows[:50])
        process = self.start("m", "--from", f"kafka://{kafka.address}/rows", "-o", "k")
        self.wait_for(lambda: self.figure("rows_total") == "50" and self.asked("/ready")[0] == 200)
        self.assertEqual(self.figure("lag_events"), "0")
        kafka.outage(True)
        self.wait_for(lambda: self.asked("/ready")[0] == 503)
        self.assertIn("; waiting for it", self.told())
        self.assertEqual((self.asked("/live")[0], self.figure("lag_events"), self.figure("lag_seconds")), (200, "NaN", None))
        kafka.outage(False)
        self.wait_for(lambda: self.asked("/ready")[0] == 200)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=SECONDS), 0)

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_a_broker_that_never_was_there(self):
        """Whoever looks finds a program that lives and is not ready, not a port that nobody listens on."""
        process = self.start("m", "--from", f"kafka://127.0.0.1:{free_port()}/rows", "-o", "k", "--log", "json")
        self.assertEqual((self.asked("/ready")[0], self.asked("/live")[0]), (503, 200))
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=SECONDS)

    def test_a_fatal_line_of_json(self):
        for options, code, words in ((["--from", "nowhere.csv"], 3, "nowhere.csv"), (["--from", "more.csv", "--batch", "0"], 2, "--batch = 0"),
                                     (["--from", "more.csv", "--bacth", "1"], 2, "--bacth"), ([], 2, "--from")):
            found, _, error = self.program.call("stream", "m", "-o", "o", "--log", "json", *options)
            self.assertEqual(found, code, error)
            lines = [json.loads(line) for line in error.splitlines()]
            self.assertEqual((lines[-1]["level"], lines[-1]["exit_code"]), ("error", code))
            self.assertIn(words, lines[-1]["message"])
            self.assertRegex(lines[-1]["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        # As text it has its time as the other lines have.
        error = self.program.call("stream", "m", "--from", "nowhere.csv")[2]
        self.assertRegex(error, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ postrider: stream: .*nowhere.csv")

    def test_changes_have_fields(self):
        rows = [{**row, "price": row["price"] if k < 250 else str(400 + float(row["price"]))}
                for k, row in enumerate(row for row in self.rows if row["price"])]
        (self.folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.program.expect(0, "stream", "m", "--from", "s.jsonl", "-o", "out", "--on-change", "cat >> changes", "--anyway")
        self.wait_for(lambda: (self.folder / "changes").exists() and "drift" in (self.folder / "changes").read_text(), "no change")
        time.sleep(0.3)
        changes = [json.loads(line) for line in (self.folder / "changes").read_text().splitlines()]
        drift = next(each for each in changes if each["kind"] == "drift" and each["column"] == "garden")
        self.assertEqual((drift["drift"], drift["model"], drift["source"]), ("missing", "out", "s.jsonl"))
        self.assertTrue(drift["change"].startswith("garden: "))
        missing = sum(row["garden"] == "" for row in rows) / len(rows)
        self.assertAlmostEqual(drift["found"], missing, delta=0.02)
        self.assertEqual(drift["learned"], 0)
        for change in (each for each in changes if each["kind"] == "change"):
            told = re.search(r"after row (\d+): ([\d.]+) nats per row lost, told after row (\d+)", change["change"])
            self.assertEqual((change["began_after_row"], change["told_after_row"]), (int(told[1]), int(told[3])))
            self.assertAlmostEqual(change["nats_per_row_lost"], float(told[2]), delta=0.006)
        self.assertTrue(any(each["kind"] == "change" for each in changes), changes)

    def test_rows_that_wait_are_not_passed_over(self):
        events = [{"area": 50, "side": "north", "garden": 1, "order": k} for k in range(3)]
        (self.folder / "early.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
        (self.folder / "late.jsonl").write_text('{"order": 1, "price": 170}\n{"area": 60, "side": "west", "garden": 2, "price": 180}\n')
        self.program.expect(0, "stream", "m", "--from", "early.jsonl", "--join", "order", "-o", "w", "-q")
        before = (self.folder / "w").read_bytes()
        said = self.program.expect(2, "stream", "w", "--from", "late.jsonl")
        self.assertIn("--join: must be given, since 3 rows of the model wait for their target: --join order finds it. --leave-waiting goes on", said)
        self.program.expect(2, "stream", "w", "--from", "late.jsonl", "--anyway")
        self.assertEqual((self.folder / "w").read_bytes(), before)
        for option in ("--leave-waiting", "--no-learning"):
            code, _, error = self.program.call("stream", "w", "--from", "late.jsonl", "-o", "left", "--force", option)
            self.assertEqual(code, 0, error)
            self.assertIn("they stay in its file, and targets that come alone are refused", error)
        self.assertIn("joined 1  waiting 2", self.program.expect(0, "stream", "w", "--from", "late.jsonl", "--join", "order"))

    def test_places_are_those_of_the_source(self):
        """Not the number in a batch, which nobody but the program knows."""
        bad = [{"area": "wide", "side": "north"}, {"area": 1e300, "side": "north"}]
        good = [{"area": 50 + k, "side": "north", "garden": 1, "price": 170 + 3 * k} for k in range(20)]
        (self.folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in good + bad))
        text = "area,side,garden,price\n" + "".join(f"{row['area']},north,1,{row.get('price', '')}\n" for row in good + bad)
        (self.folder / "s.csv").write_text(text)
        for name in ("s.jsonl", "s.csv"):
            self.program.expect(0, "stream", "m", "--from", name, "-o", "out", "--force", "--refused", name + ".refused", "--batch", "8",
                                "--anyway")
            refused = [json.loads(line) for line in (self.folder / (name + ".refused")).read_text().splitlines()]
            self.assertEqual([each["refused"].split()[1] for each in refused], ["21", "22"])
            self.assertRegex(refused[0]["reason"], r'^column "area": "wide" is not a number')
            self.assertRegex(refused[1]["reason"], r"^area = 1e\+300: must be at most 1e120 in size$")


PROGRAM = pathlib.Path(sys.argv[1]).resolve()
BROKER = sys.argv[2] if len(sys.argv) > 2 else None

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
