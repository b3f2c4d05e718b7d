#!/usr/bin/env python3
"""`postrider serve`, asked by a real client: predictions, limits, new versions of the model, signals, hostile bodies.

Usage: serve.py PROGRAM
"""

import concurrent.futures
import csv
import fcntl
import http.client
import json
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest

from program import Program, write_classes, write_houses
from serving import Server

ROW = {"area": 80, "side": "north", "garden": 12.5}


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PROGRAM, cls.folder)
        write_houses(cls.folder / "train.csv", 200, 1)
        write_houses(cls.folder / "new.csv", 20, 2, missing=0.3)
        for name, seed in (("m", 1), ("other", 2)):
            cls.program.expect(0, "train", "train.csv", "--target", "price", "-o", name, "--max-epochs", "3", "--hidden", "4",
                               "--encoding", "standard", "--seed", str(seed))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def serve(self, model="m", *options):
        server = Server(PROGRAM, self.folder, model, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def expected(self, model, *options):
        printed = self.program.expect(0, "predict", model, "new.csv", *options)
        return [{key: float(text) for key, text in row.items()} for row in csv.DictReader(printed.splitlines())]

    def assert_same(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected, strict=True):
            self.assertEqual(list(one), list(other))
            for key, value in one.items():
                self.assertAlmostEqual(value, other[key], delta=1e-4 * abs(value) + 1e-4)

    def test_explains_what_it_predicts(self):
        server = self.serve()
        answer = server.predict([ROW, {**ROW, "area": 120}], "?explain=1")
        expected = server.predict([ROW, {**ROW, "area": 120}])["predictions"]
        self.assertEqual(len(answer["explanations"]), 2)
        for one, row in zip(answer["explanations"], expected, strict=True):
            self.assertEqual(list(one), ["mean", "std"])
            self.assertAlmostEqual(one["mean"]["prediction"], row["mean"], delta=1e-4 * abs(row["mean"]))
            for quantity in one.values():
                self.assertEqual(list(quantity["contributions"]), ["area", "side", "garden"])
                moved = sum(quantity["contributions"].values())
                self.assertAlmostEqual(quantity["baseline"] + moved, quantity["prediction"], delta=1e-6)
        self.assertNotIn("explanations", server.predict([ROW], "?explain=0"))
        status, body = server.ask("POST", "/predict?explain=1", json.dumps([ROW] * 33).encode(), {"Content-Type": "application/json"})
        self.assertEqual(status, 400)
        self.assertIn("at most 32 are explained", body)

    def test_predicts_as_the_command_does(self):
        server = self.serve()
        with open(self.folder / "new.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        expected = self.expected("m")
        self.assert_same(server.predict(rows)["predictions"], expected)
        self.assert_same(server.predict({"rows": rows})["predictions"], expected)
        self.assert_same(server.predict(rows[3])["predictions"], expected[3:4])
        numbers = [{"area": float(row["area"]), "side": row["side"], "garden": float(row["garden"]) if row["garden"] else None}
                   for row in rows]
        self.assert_same(server.predict(numbers)["predictions"], expected)
        self.assert_same(server.predict(rows, "?level=0.5&quantiles=0.1,0.9")["predictions"],
                         self.expected("m", "--level", "0.5", "--quantiles", "0.1,0.9"))
        status, body = server.ask("POST", "/predict", (self.folder / "new.csv").read_bytes(), {"Content-Type": "text/csv"})
        self.assertEqual(status, 200)
        self.assert_same(json.loads(body)["predictions"], expected)

    def test_classes_and_what_the_server_tells(self):
        write_classes(self.folder / "ring.csv", 200, 1)
        self.program.expect(0, "train", "ring.csv", "--target", "where", "-o", "ring", "--max-epochs", "3", "--hidden", "4",
                            "--force")
        server = self.serve("ring")
        found = server.predict({"x": 3, "y": 3})["predictions"][0]
        self.assertAlmostEqual(found["probability of inside"] + found["probability of outside"], 1, places=4)
        self.assertIn(found["where"], ("inside", "outside"))
        told = json.loads(server.ask("GET", "/")[1])
        self.assertEqual([column["name"] for column in told["columns"]], ["x", "y"])
        self.assertEqual((told["target"], told["classes"]), ("where", ["inside", "outside"]))
        self.assertEqual(json.loads(server.ask("GET", "/health")[1]), {"status": "ok"})
        metrics = server.ask("GET", "/metrics")[1]
        for line in ('postrider_requests_total{result="answered"} 1', "postrider_rows_total 1",
                     'postrider_request_seconds_bucket{le="+Inf"} 1', "# TYPE postrider_request_seconds histogram"):
            self.assertIn(line + "\n", metrics)

    def test_rows_that_do_not_look_as_those_learned(self):
        server = self.serve()
        with open(self.folder / "train.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["far"] for row in server.predict(rows[:50], "?far=1")["predictions"]}, {0})
        self.assertIn("postrider_drifted_columns 0\n", server.ask("GET", "/metrics")[1])
        moved = [{**row, "area": 1000 * float(row["area"])} for row in rows]
        self.assertEqual({row["far"] for row in server.predict(moved * 2, "?far=1")["predictions"]}, {1})
        metrics = server.ask("GET", "/metrics")[1]
        self.assertIn("postrider_drifted_columns 1\n", metrics)
        self.assertIn('postrider_column_drift{column="area",kind="unit"}', metrics)

    def test_what_is_refused(self):
        server = self.serve("m", "--most-rows", "3", "--most-bytes", "2000")
        for body, words in (("nonsense", "JSON object"), ("[1]", "JSON object"), ('{"area": "wide"}', 'column "area": "wide"'),
                            ('[{"area": 1}, {"area": []}]', "must be a number"), ([ROW] * 4, "at most 3"),
                            ("[" * 900, "JSON object"), ('{"x":' * 300, "nested too deeply"), ("", "JSON object")):
            self.assertIn(words, server.predict(body, status=400)["error"])
        self.assertIn("level = 2", server.predict(ROW, "?level=2", status=400)["error"])
        self.assertIn("must be a number", server.predict(ROW, "?quantiles=a", status=400)["error"])
        self.assertEqual(server.ask("POST", "/predict", b"x" * 3000)[0], 413)
        self.assertIn("POST /predict", server.ask("GET", "/nowhere")[1])
        status, body = server.ask("POST", "/predict", "area\n1\n2\n3\n4\n", {"Content-Type": "text/csv"})
        self.assertEqual(status, 400)
        # It is as if nothing had been: no cell of a refused row is in the next one.
        self.assert_same(server.predict({"side": "west"})["predictions"], server.predict([{"side": "west"}])["predictions"])
        self.assertIn('postrider_requests_total{result="refused"} 12\n', server.ask("GET", "/metrics")[1])

    def test_tables_may_lack_columns(self):
        """As rows of JSON may: the same predictions, and the answer names what was not there."""
        server = self.serve()
        for text, row, absent in (("area,side\n50,north\n", {"area": 50, "side": "north"}, ["garden"]),
                                  ("garden\n1\n", {"garden": 1}, ["area", "side"])):
            status, body = server.ask("POST", "/predict", text, {"Content-Type": "text/csv"})
            self.assertEqual(status, 200, body)
            by_json = server.predict(row)
            self.assert_same(json.loads(body)["predictions"], by_json["predictions"])
            self.assertEqual(json.loads(body)["missing_columns"], absent)
            self.assertEqual(by_json["missing_columns"], absent)
        # Whether any row has it, and however many ask at a time.
        self.assertEqual(server.predict([{"area": 1}, {"garden": None}])["missing_columns"], ["side"])
        self.assertNotIn("missing_columns", server.predict([{"area": 1}, {"garden": None, "side": "west"}]))
        rows = [{"area": 50}, {"side": "west", "garden": 1}, {"area": 50, "side": "west", "garden": 1}]
        expected = [["side", "garden"], ["area"], None]
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            for k, answer in enumerate(pool.map(lambda k: server.predict(rows[k % 3]), range(300))):
                self.assertEqual(answer.get("missing_columns"), expected[k % 3])
        self.assertNotIn("missing_columns", server.ask("POST", "/predict", (self.folder / "new.csv").read_bytes(),
                                                       {"Content-Type": "text/csv"})[1])
        status, body = server.ask("POST", "/predict", "colour\nred\n", {"Content-Type": "text/csv"})
        self.assertEqual(status, 400, body)

    def test_rows_of_another_table_are_refused(self):
        server = self.serve()
        for body in ('{"colour": "red"}', "{}", [{}], '{"price": 3}'):
            self.assertIn("has none of the columns that the model knows: area, side, garden", server.predict(body, status=400)["error"])
        self.assertIn("row 2: has none", server.predict([ROW, {"colour": 1}], status=400)["error"])
        self.assertIn("a number of its JSON is too large", server.predict('{"area": 1e999}', status=400)["error"])
        self.assertEqual(len(server.predict([{"area": None}])["predictions"]), 1)

    def test_a_port_that_is_taken_says_so(self):
        server = self.serve()
        said = self.program.expect(3, "serve", "m", "--port", str(server.port))
        self.assertIn(f"cannot listen on 127.0.0.1:{server.port}: Address already in use", said)

    def test_what_is_refused_says_where(self):
        server = self.serve()
        for body, words in (([ROW, {**ROW, "area": "wide"}], 'row 2: column "area"'), ([ROW, {**ROW, "garden": 1e300}], "garden = 1e+300"),
                            ([ROW, {**ROW, "garden": 1e300}], "see row 2"), ({**ROW, "area": -1e200}, "area = -1e+200")):
            self.assertIn(words, server.predict(body, status=400)["error"])
        self.assertIn('query = "lvel": must be level', server.predict(ROW, "?lvel=0.5", status=400)["error"])
        for method, path, allowed in (("GET", "/predict", "POST"), ("POST", "/health", "GET"), ("DELETE", "/", "GET")):
            status, body = server.ask(method, path)
            self.assertEqual(status, 405)
            self.assertIn(f"it takes {allowed}", body)
        status, body = server.ask("POST", "/predict", "--b\r\n\r\n--b--", {"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual((status, "a form is not accepted" in body), (400, True))

    def test_bodies_of_any_type_are_read_whole(self):
        server = self.serve()
        rows = json.dumps([ROW] * 1000)  # a client that names no type, as curl does, is taken for a form
        for headers in ({"Content-Type": "application/x-www-form-urlencoded"}, {}):
            status, body = server.ask("POST", "/predict", rows, headers)
            self.assertEqual(status, 200, body)
            self.assertEqual(len(json.loads(body)["predictions"]), 1000)

    def test_a_new_version_is_loaded_without_a_failed_request(self):
        shutil.copy(self.folder / "m", self.folder / "served")
        server = self.serve("served", "--watch-seconds", "0.05")
        first = server.predict(ROW)["predictions"][0]["mean"]
        wrong, means, is_over = [], set(), threading.Event()

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            while not is_over.is_set():
                connection.request("POST", "/predict", json.dumps(ROW))
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200:
                    wrong.append(body)
                means.add(json.loads(body)["predictions"][0]["mean"])
            connection.close()

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for version in ("other", "m", "other"):
            shutil.copy(self.folder / version, self.folder / "part")
            (self.folder / "part").rename(self.folder / "served")
            time.sleep(0.5)
        # One that is damaged is not taken.
        (self.folder / "part").write_bytes(b"damaged")
        (self.folder / "part").rename(self.folder / "served")
        time.sleep(0.5)
        is_over.set()
        for asker in askers:
            asker.join()
        self.assertEqual(wrong, [])
        self.assertEqual(len(means), 2)
        self.assertIn(first, means)
        self.assertNotEqual(server.predict(ROW)["predictions"][0]["mean"], first)
        code, said = server.stop()
        self.assertEqual(code, 0)
        self.assertEqual(said.count("loaded served again"), 3)
        self.assertIn("the model stays as it was", said)

    def test_a_hangup_asks_for_new_models(self):
        shutil.copy(self.folder / "m", self.folder / "served")
        server = self.serve("served", "--watch-seconds", "1000")
        first = server.predict(ROW)["predictions"][0]["mean"]
        shutil.copy(self.folder / "other", self.folder / "part")
        (self.folder / "part").rename(self.folder / "served")
        for _ in range(2):
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
        self.assertNotEqual(server.predict(ROW)["predictions"][0]["mean"], first)
        whole = (self.folder / "m").read_bytes()
        for size in (300, len(whole) - 10):
            (self.folder / "part").write_bytes(whole[:size])
            (self.folder / "part").rename(self.folder / "served")
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
        code, printed = server.stop()
        self.assertEqual(code, 0)
        self.assertEqual(printed.count("loaded served again"), 1)
        self.assertEqual(len(re.findall(r"^\d{4}-\d\d-\d\dT[\d:]+Z SIGHUP: looking for new models and tokens$", printed, re.MULTILINE)), 4)
        for said in ("it is cut short, within its header", "the file is cut short, by 10 bytes"):
            self.assertIn(said, printed)

    def test_a_terminal_that_is_gone_is_the_end(self):
        """A server that was started by hand does not outlive the window without being told to."""
        main, side = pty.openpty()

        def with_terminal():
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.setsid()
            fcntl.ioctl(side, termios.TIOCSCTTY, 0)

        process = subprocess.Popen([PROGRAM, "serve", "m", "--port", "0"], cwd=self.folder, stdin=side, stdout=side, stderr=side,
                                   preexec_fn=with_terminal)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(side)
        self.assertIn(b"http://", os.read(main, 4096))
        process.send_signal(signal.SIGHUP)  # with the terminal there, it is a question
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        os.close(main)
        self.assertEqual(process.wait(timeout=20), 129)

    def test_a_row_is_named_once(self):
        server = self.serve()
        self.assertRegex(server.predict([ROW, {"area": "wide"}], status=400)["error"], r'^row 2: column "area": "wide" is not a number')
        self.assertRegex(server.predict({"area": "wide"}, status=400)["error"], r'^column "area": "wide" is not a number')

    def test_hostile_bodies(self):
        server = self.serve()
        draw = random.Random(1)
        good = json.dumps([ROW, ROW])
        for _ in range(300):
            body = bytearray(good.encode())
            for _ in range(draw.randint(1, 6)):
                at = draw.randrange(len(body))
                choice = draw.random()
                if choice < 0.4:
                    body[at] = draw.randrange(256)
                elif choice < 0.7:
                    del body[at:at + draw.randint(1, 5)]
                    body = body or bytearray(b"x")
                else:
                    body[at:at] = draw.choice([b"[", b"{", b'"', b"null", b"1e999", b"\x00", b"\xff", b"-", b'"area":'])
            status, _ = server.ask("POST", "/predict", bytes(body))
            self.assertIn(status, (200, 400))
        self.assertEqual(len(server.predict([ROW, ROW])["predictions"]), 2)

    def test_mistakes_of_the_call(self):
        self.assertIn("--port = 70000: must", self.program.expect(2, "serve", "m", "--port", "70000"))
        server = self.serve()
        self.assertIn("cannot listen on", self.program.expect(3, "serve", "m", "--port", str(server.port)))
        self.assertEqual(server.stop(signal.SIGINT)[0], 130)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
