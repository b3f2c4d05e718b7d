#!/usr/bin/env python3
"""`postrider stream` with real sources: files, pipes, a redis-server, a broker of Kafka.

Usage: stream.py PROGRAM [KAFKA_BROKER]
"""

import csv
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

from brokers import Kafka, Redis
from program import write_classes, write_houses
from streaming import ROWS, StreamCase


class Stream(StreamCase):
    program_path = property(lambda _: PROGRAM)

    def test_a_file_is_learned_as_by_update(self):
        printed = self.program.expect(0, "stream", "m", "--from", "more.csv", "-o", "streamed", "--batch", "7")
        self.assertEqual(self.weights("streamed"), self.learned_by_update())
        self.assertRegex(printed, rf"{ROWS} rows  log-likelihood -\d+\.\d+  RMSE [\d.]+ .*rows/s\nmodel streamed\n")
        step = self.position("streamed")
        self.assertEqual(step["kind"], "follow")
        self.assertEqual(step["position"]["source"], "more.csv")
        self.assertEqual(dict(step["position"]["partitions"])["rows"], str(ROWS))
        self.assertEqual(step["rows"], sum(row["price"] != "" for row in self.rows))
        # However it is cut; and once more, nothing is left to be learned.
        self.program.expect(0, "stream", "m", "--from", "more.csv", "-o", "other", "--events", "123", "--batch", "50")
        self.program.expect(0, "stream", "other", "--from", "more.csv")
        self.assertEqual((self.folder / "other").read_bytes(), (self.folder / "streamed").read_bytes())
        self.assertIn("0 rows", self.program.expect(0, "stream", "other", "--from", "more.csv"))
        self.assertEqual((self.folder / "other").read_bytes(), (self.folder / "streamed").read_bytes())

    def test_lines_of_json_and_what_makes_no_sense(self):
        lines = [json.dumps({key: (float(text) if key != "side" and text else text or None) for key, text in row.items()})
                 for row in self.rows]
        bad = ["not json", "[1]", '{"area": {"a": 1}}', '{"area": 5000, "garden": "wide"}', "[" * 100_000]
        mixed = lines[:10] + bad + ["", '{"colour": "red"}', '{"colour": "red"}'] + lines[10:]
        code, printed, error = self.program.call("stream", "m", "--from", "-", "--format", "jsonl", "-o", "streamed",
                                                 "--predictions", "p.jsonl", text="\n".join(mixed) + "\n")
        self.assertEqual(code, 0, error)
        self.assertEqual(self.weights("streamed"), self.learned_by_update())
        self.assertIn("7 events made no sense; the first: lines 11: must be a JSON object", printed)
        predicted = [json.loads(line) for line in (self.folder / "p.jsonl").read_text().splitlines()]
        self.assertEqual(len(predicted), ROWS)
        self.assertEqual(predicted[0]["event"], "lines 1")
        for row in predicted[:3]:
            self.assertLess(row["low"], row["mean"])
            self.assertLess(row["mean"], row["high"])
        # The first row was predicted by the model as it was.
        before = list(csv.DictReader(self.program.expect(0, "predict", "m", "more.csv").splitlines()))
        self.assertAlmostEqual(predicted[0]["mean"], float(before[0]["mean"]), delta=1e-4 * abs(predicted[0]["mean"]))

    def test_nothing_but_junk_is_an_error(self):
        code, printed, error = self.program.call("stream", "m", "--from", "-", "--format", "jsonl", "-o", "junk", text="junk\n" * 300)
        self.assertEqual(code, 3, printed)
        self.assertIn("none of its 300 events made sense, and nothing was learned; the model stands where it stood; the first: lines 1: "
                      "must be a JSON object", error)

    def test_what_was_asked_for_in_the_wrong_way_can_be_asked_for_again(self):
        shutil.copy(self.folder / "m", self.folder / "wrong")
        events = [json.dumps({"Area": 1, "price": 100 + k}) + "\n" for k in range(50)]
        (self.folder / "events.jsonl").write_text("".join(events))
        code, _, error = self.program.call("stream", "wrong", "--from", "events.jsonl")
        self.assertEqual(code, 3, error)
        self.assertIn("has no value of any input of the model: area, side, garden", error)
        self.assertEqual((self.folder / "wrong").read_bytes(), (self.folder / "m").read_bytes(), "as it was, and before all events")
        self.program.expect(0, "stream", "wrong", "--from", "more.csv")
        self.assertEqual(self.weights("wrong"), self.learned_by_update(), "nothing of them is left")

    def test_far_targets_are_told(self):
        rows = [{**row, "price": "1e9"} for row in self.rows if row["price"]][:3]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        printed = self.program.call("stream", "m", "--from", "-", "--format", "jsonl", "-o", "far", text=text)[1]
        self.assertIn("3 targets beyond 10 standard deviations, learned as if they were that far", printed)

    def test_a_row_that_no_network_can_take_is_passed_over(self):
        lines = [json.dumps(row) for row in self.rows]
        bad = ['{"area": 1e300, "side": "north", "price": 100}', '{"area": 50, "side": "north", "price": -1e200}',
               '{"area": 1e25, "side": "north"}']
        (self.folder / "mixed.jsonl").write_text("\n".join(lines[:30] + bad + lines[30:]) + "\n")
        printed = self.program.expect(0, "stream", "m", "--from", "mixed.jsonl", "-o", "streamed", "--batch", "7")
        self.assertIn("3 events made no sense; the first: lines 31: area = 1e+300: must be at most 1e120 in size", printed)
        self.assertEqual(self.weights("streamed"), self.learned_by_update())
        self.assertEqual(dict(self.position("streamed")["position"]["partitions"])["lines"], str(ROWS + 3))
        # The same of a file of CSV, whose rows that cannot be read are passed over too.
        with open(self.folder / "more.csv", encoding="utf-8") as file:
            text = file.read().splitlines()
        header = text[0].split(",")
        cells = {"area": "1e300", "side": "north", "garden": "1", "price": "100"}
        far = ",".join(cells[name] for name in header)
        words = ",".join({**cells, "area": "wide"}[name] for name in header)
        (self.folder / "mixed.csv").write_text("\n".join(text[:30] + [far, words] + text[30:]) + "\n")
        printed = self.program.expect(0, "stream", "m", "--from", "mixed.csv", "-o", "other")
        self.assertIn("2 events made no sense", printed)
        self.assertEqual(self.weights("other"), self.learned_by_update())

    def test_rows_that_do_not_look_as_those_learned_are_told(self):
        rows = [{**row, "area": str(1000 * float(row["area"]))} for row in self.rows]
        for row in rows:
            del row["garden"]
        (self.folder / "moved.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        before = (self.folder / "m").read_bytes()
        printed = self.program.expect(3, "stream", "m", "--from", "moved.jsonl")
        self.assertRegex(printed, r"moved.jsonl: area: values are about .*unit\? The model is left as it was; --anyway learns")
        self.assertEqual((self.folder / "m").read_bytes(), before)
        code, _, error = self.program.call("stream", "m", "--from", "moved.jsonl", "-o", "streamed", "--anyway")
        self.assertEqual(code, 0, error)
        self.assertRegex(error, r"warning: area: values are about .*unit")
        self.assertRegex(error, r"warning: garden: 100 % of the cells are missing")
        self.assertEqual(error.count("area:"), 1)

    def test_a_file_that_was_replaced_is_refused(self):
        for name, text in (("a.csv", (self.folder / "more.csv").read_text()),
                           ("a.jsonl", "".join(json.dumps(row) + "\n" for row in self.rows))):
            (self.folder / name).write_text(text)
            self.program.expect(0, "stream", "m", "--from", name, "-o", "streamed", "--force")
            (self.folder / name).write_text("\n".join(text.splitlines()[:101]) + "\n")
            printed = self.program.expect(3, "stream", "streamed", "--from", name)
            self.assertIn(f"begins as the file of which the model has learned {ROWS}", printed)

    def test_classes(self):
        write_classes(self.folder / "train.csv", 200, 1)
        self.program.expect(0, "train", "train.csv", "--target", "where", "-o", "c", "--max-epochs", "3", "--hidden", "4")
        lines = ['{"x": 1, "y": 2, "where": "outside"}', '{"x": 0, "y": 0, "where": "nowhere"}', '{"x": 0, "y": 0}']
        code, printed, error = self.program.call("stream", "c", "--from", "-", "--format", "jsonl", text="\n".join(lines) + "\n")
        self.assertEqual(code, 0, error)
        self.assertRegex(printed, r"2 rows  log-loss \d\.\d+  accuracy [01]\.000")
        self.assertIn('"nowhere" is none of the classes', printed)

    def test_predictions_are_as_far_ahead_as_they_are_used(self):
        """However many events are there to be read: the same predictions, scores and bytes."""
        seen = {}
        for batch in ("1", "16", "256"):
            printed = self.program.expect(0, "stream", "m", "--from", "more.csv", "-o", f"b{batch}", "--batch", batch,
                                          "--predictions", f"p{batch}")
            lines = [json.loads(line) for line in (self.folder / f"p{batch}").read_text().splitlines()]
            seen[batch] = (re.search(r"log-likelihood \S+  RMSE \S+", printed)[0], lines, self.weights(f"b{batch}"))
        self.assertEqual(seen["1"], seen["16"])
        self.assertEqual(seen["1"], seen["256"])
        # Only rows behind one without a target are further ahead.
        expected, ahead = [], 0
        for row in self.rows:
            ahead += 1
            expected.append(ahead)
            ahead = 0 if row["price"] else ahead
        self.assertEqual([line["ahead"] for line in seen["1"][1]], expected)

    def test_a_horizon_of_several_rows(self):
        """Blocks are predicted before any of their rows is learned, and the bytes do not depend on how the rows came."""
        self.program.expect(0, "train", "train.csv", "--target", "price", "-o", "h", "--stream", "--horizon", "24", "--hidden", "4",
                            "--encoding", "standard")
        text = "".join(json.dumps(row) + "\n" for row in self.rows if row["price"])
        count = len(text.splitlines())
        for batch, cut in (("7", 31), ("256", 100)):
            shutil.copy(self.folder / "h", self.folder / f"h{batch}")
            (self.folder / "grows.jsonl").write_text("")
            with subprocess.Popen([self.program.path, "stream", f"h{batch}", "--from", "grows.jsonl", "--follow", "--batch", batch,
                                   "--predictions", f"q{batch}"], cwd=self.folder, stdout=subprocess.PIPE, text=True) as process:
                with open(self.folder / "grows.jsonl", "a", encoding="utf-8") as file:
                    for place in range(0, count, cut):
                        file.write("".join(line + "\n" for line in text.splitlines()[place:place + cut]))
                        file.flush()
                        time.sleep(0.4)
                time.sleep(1)
                process.send_signal(signal.SIGTERM)
                self.assertIn(f"{count % 24} rows predicted, to be learned with the rest of their block", process.stdout.read())
        self.assertEqual(self.weights("h7"), self.weights("h256"))
        lines = [json.loads(line) for line in (self.folder / "q7").read_text().splitlines()]
        self.assertEqual([line["ahead"] for line in lines], [row % 24 + 1 for row in range(count)])
        self.assertEqual((self.folder / "q7").read_bytes(), (self.folder / "q256").read_bytes())

    def test_only_predicting(self):
        before = (self.folder / "m").read_bytes()
        printed = self.program.expect(0, "stream", "m", "--from", "more.csv", "--no-learning", "--predictions", "-", "-q")
        self.assertEqual(len(printed.splitlines()), ROWS)
        self.assertEqual((self.folder / "m").read_bytes(), before)

    def test_addresses(self):
        for address in ("kafka://host", "kafka:///rows", "redis://host/", "redis://host/a,,b", "mqtt://host/rows", "redis://@host/rows",
                        "redis://host,,other/rows", "redis+sentinel://host/rows", "redis+sentinel://host//rows", "kafka://user@host/rows"):
            printed = self.program.expect(2, "stream", "m", "--from", address)
            self.assertIn(f'--from = "{address}": must', printed)

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_redis(self):
        redis = Redis(self.folder)
        self.addCleanup(redis.kill)
        for row in self.rows[:100]:
            redis.add("rows", row)
        source = f"redis://127.0.0.1:{redis.port}/rows"
        shutil.copy(self.folder / "m", self.folder / "r")
        printed = self.program.expect(0, "stream", "r", "--from", source, "--until-end")
        self.assertIn("100 rows", printed)
        self.assertIn("lag none", printed)
        # By another address it is the same source. What the user should know: events that are gone.
        other = source.replace("127.0.0.1", "localhost")
        self.assertIn("0 rows", self.program.expect(0, "stream", "r", "--from", other, "--until-end"))
        for row in self.rows[:3]:
            redis.add("short", row)
        short = source.replace("/rows", "/short")
        self.program.expect(0, "stream", "r", "--from", short, "--until-end", "-o", "s", "-q")
        redis.call("XTRIM", "short", "MAXLEN", "0")
        redis.add("short", self.rows[3])
        _, _, error = self.program.call("stream", "s", "--from", short, "--until-end", "-q")
        self.assertIn("is no longer there; events between it and", error)
        # A stream goes on while somebody follows it, and through the broker's restart.
        following = subprocess.Popen([self.program.path, "stream", "r", "--from", source, "--events", str(ROWS - 100)],
                                     cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for row in self.rows[100:250]:
            redis.add("rows", row)
        redis.kill()
        redis.start()
        for row in self.rows[250:]:
            redis.add("rows", row)
        printed, _ = following.communicate(timeout=60)
        self.assertEqual(following.returncode, 0, printed)
        self.assertEqual(self.weights("r"), self.learned_by_update())

    @unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
    def test_killed_at_any_moment_nothing_is_lost_or_learned_twice(self):
        redis = Redis(self.folder)
        self.addCleanup(redis.kill)
        for row in self.rows:
            redis.add("rows", row)
        source = f"redis://127.0.0.1:{redis.port}/rows"
        command = ["stream", "r", "--from", source, "--until-end", "--batch", "3", "--save-every", "0.001"]
        shutil.copy(self.folder / "m", self.folder / "r")
        begin = time.monotonic()
        self.program.expect(0, *command)
        usual = time.monotonic() - begin
        undisturbed = (self.folder / "r").read_bytes()
        draw = random.Random(1)
        for _ in range(KILLS):
            shutil.copy(self.folder / "m", self.folder / "r")
            with subprocess.Popen([self.program.path, *command], cwd=self.folder, stdout=subprocess.DEVNULL) as process:
                time.sleep(draw.uniform(0, usual))
                process.send_signal(signal.SIGKILL)
            self.program.expect(0, *command)
            self.assertEqual((self.folder / "r").read_bytes(), undisturbed)

    def test_an_event_of_many_objects_takes_no_time(self):
        shutil.copy(self.folder / "m", self.folder / "r")
        good = '{"area": 50, "side": "north", "garden": 1, "price": 170}\n'
        poison = '{"area": [' + ",".join(["{}"] * 160_000) + "]}\n"
        deep = '{"area": ' * 1000 + "\n"
        half = '{"area": 70, "price": 1} and more\n'
        (self.folder / "poison.jsonl").write_text(good + poison + deep + half + good, encoding="utf-8")
        begin = time.monotonic()
        printed = self.program.expect(0, "stream", "r", "--from", "poison.jsonl", "--until-end")
        self.assertLess(time.monotonic() - begin, 5)
        self.assertIn("refused 3", printed)
        self.assertEqual(self.position("r")["rows"], 2)

    def test_sigterm_saves(self):
        shutil.copy(self.folder / "m", self.folder / "r")
        with subprocess.Popen([self.program.path, "stream", "r", "--from", "-", "--format", "jsonl", "--batch", "1"],
                              cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            process.stdin.write('{"area": 50, "side": "north", "garden": 1, "price": 170}\n' * 3)
            process.stdin.flush()
            time.sleep(1)
            process.send_signal(signal.SIGTERM)  # while it waits for a line
            self.assertEqual(process.wait(timeout=10), 0)
            self.assertIn("3 rows", process.stdout.read())
        self.assertEqual(self.position("r")["rows"], 3)

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_kafka(self):
        kafka = Kafka(BROKER, partitions=1)
        self.addCleanup(kafka.stop)
        self.assertEqual(kafka.send(self.rows[:150]), 150)
        source = f"kafka://{kafka.address}/rows"
        shutil.copy(self.folder / "m", self.folder / "k")
        printed = self.program.expect(0, "stream", "k", "--from", source, "--until-end")
        self.assertIn("150 rows", printed)
        self.assertIn("lag 0 events", printed)
        kafka.send(self.rows[150:])
        printed = self.program.expect(0, "stream", "k", "--from", source, "--until-end")
        self.assertIn(f"{ROWS - 150} rows", printed)
        self.assertEqual(self.weights("k"), self.learned_by_update())
        self.assertEqual(self.position("k")["position"]["partitions"], [["rows/0", str(ROWS - 1)]])
        # The cluster is known by its id, whatever its address is.
        other = source.replace("127.0.0.1", "localhost")
        self.assertNotEqual(other, source)
        self.assertIn("0 rows", self.program.expect(0, "stream", "k", "--from", other, "--until-end"))

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_an_outage_of_kafka_is_told(self):
        kafka = Kafka(BROKER, partitions=1)
        self.addCleanup(kafka.stop)
        kafka.send(self.rows[:150])
        shutil.copy(self.folder / "m", self.folder / "k")
        with open(self.folder / "told", "w", encoding="utf-8") as told:
            process = subprocess.Popen([self.program.path, "stream", "k", "--from", f"kafka://{kafka.address}/rows", "--events",
                                        str(ROWS)],
                                       cwd=self.folder, stdout=subprocess.DEVNULL, stderr=told)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def wait_for(text):
            until = time.monotonic() + 30
            while text not in (self.folder / "told").read_text():
                self.assertLess(time.monotonic(), until, text)
                time.sleep(0.1)

        time.sleep(1.5)
        kafka.outage(True)
        wait_for("; waiting for it")
        kafka.outage(False)
        wait_for("it answers again")
        kafka.send(self.rows[150:])
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(self.weights("k"), self.learned_by_update())

    @unittest.skipUnless(len(sys.argv) > 2, "built without librdkafka")
    def test_kafka_of_several_partitions(self):
        kafka = Kafka(BROKER, partitions=3)
        self.addCleanup(kafka.stop)
        kafka.send(self.rows)
        source = f"kafka://{kafka.address}/rows"
        shutil.copy(self.folder / "m", self.folder / "k")
        self.assertIn(f"{ROWS} rows", self.program.expect(0, "stream", "k", "--from", source, "--until-end"))
        partitions = dict(self.position("k")["position"]["partitions"])
        self.assertEqual(partitions, {f"rows/{k}": str((ROWS - 1 - k) // 3) for k in range(3)})
        self.assertIn("0 rows", self.program.expect(0, "stream", "k", "--from", source, "--until-end"))


KILLS = 5
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
BROKER = sys.argv[2] if len(sys.argv) > 2 else None

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
