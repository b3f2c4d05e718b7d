#!/usr/bin/env python3
"""`postrider serve` and clients that mean it no good: nothing that they send ends it, fills its memory or keeps others waiting.

Usage: serve_hostile.py PROGRAM
"""

import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import unittest

from program import Program, write_classes, write_houses
from serving import Server, received, seconds_of

ROW = {"area": 80, "side": "north", "garden": 12.5}
HONEST_SECONDS = 1.0  # within which whoever means well is answered


def post(body, *lines, path="/predict"):
    head = [f"POST {path} HTTP/1.1", "Host: localhost", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


def with_length(body, *lines):
    return post(body, f"Content-Length: {len(body)}", *lines)


def status_of(answer):
    return int(answer.split(b" ")[1]) if answer else None


class ServeHostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PROGRAM, cls.folder)
        write_houses(cls.folder / "train.csv", 200, 1)
        cls.program.expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4",
                           "--encoding", "standard")
        write_classes(cls.folder / "ring.csv", 200, 1)
        cls.program.expect(0, "train", "ring.csv", "--target", "where", "-o", "ring", "--max-epochs", "3", "--hidden", "4")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def serve(self, *options, model="m"):
        server = Server(PROGRAM, self.folder, model, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def assert_honest(self, server):
        self.assertLess(seconds_of(lambda: server.predict(ROW)), HONEST_SECONDS)
        self.assertLess(seconds_of(lambda: server.ask("GET", "/live")), HONEST_SECONDS)
        self.assertLess(seconds_of(lambda: server.ask("GET", "/ready")), HONEST_SECONDS)

    def test_text_that_is_not_utf8(self):
        server = self.serve()
        for method in ("GET", "POST", "DELETE"):
            status, body = server.ask(method, "/%ff%fe")
            self.assertEqual(status, 404)
            self.assertIn("there is no /��", json.loads(body)["error"])
        for query in ("level=%ff", "%ff=1", "quantiles=%c3%28"):
            self.assertEqual(server.ask("POST", "/predict?" + query, json.dumps(ROW))[0], 400)
        for target in (b"/\xff\xfe", b"/predict?level=\xff", b"/%", b"/%zz", b"*", b"http://evil/", b"/\x00"):
            server.send(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(server.ask("POST", "/predict", b'{"area": "\xff\xfe"}')[0], 400)
        self.assert_honest(server)

    def test_bodies_are_bounded_while_they_arrive(self):
        server = self.serve("--most-bytes", "1000000")
        before = server.megabytes()
        with server.connect() as client:
            client.sendall(post(b"", "Transfer-Encoding: chunked"))
            sent = 0
            try:
                while sent < 100_000_000:
                    client.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
                    sent += 0x10000
            except OSError:
                pass
        self.assertLess(sent, 50_000_000)
        self.assertEqual(status_of(server.send(post(b"ffffffff\r\n", "Transfer-Encoding: chunked"))), 413)
        self.assertEqual(status_of(server.send(post(b"1" * 17 + b"\r\n", "Transfer-Encoding: chunked"))), 400)
        self.assertEqual(status_of(server.send(post(b"1;" + b"x" * 500_000, "Transfer-Encoding: chunked"))), 400)
        self.assertEqual(status_of(server.send(post(b"", "Content-Length: 1000001"))), 413)
        self.assertEqual(status_of(server.send(post(b"", "Content-Length: 99999999999999999999999"))), 400)
        bomb = gzip.compress(b" " * 50_000_000)
        self.assertEqual(status_of(server.send(with_length(bomb, "Content-Encoding: gzip"))), 415)
        self.assertLess(server.megabytes(), before + 30)
        self.assert_honest(server)

    def test_heads_are_bounded(self):
        server = self.serve()
        before = server.megabytes()
        self.assertEqual(status_of(server.send(b"GET /" + b"a" * 3_000_000)), 431)
        self.assertEqual(status_of(server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 3_000_000)), 431)
        many = b"".join(b"X-%d: y\r\n" % k for k in range(100_000))
        self.assertEqual(status_of(server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + many)), 431)
        self.assertLess(server.megabytes(), before + 20)
        self.assert_honest(server)

    def test_answers_are_bounded(self):
        server = self.serve("--most-bytes", "200000")
        ranges = "Range: bytes=" + ",".join(["0-"] * 2001)
        body = json.dumps([ROW] * 500).encode()
        answer = server.send(with_length(body, ranges))
        self.assertEqual(status_of(answer), 200)
        self.assertLess(len(answer), 200_000)
        many = ",".join(["0.5"] * 101)
        self.assertIn("at most 100", server.predict(ROW, f"?quantiles={many}", status=400)["error"])
        some = ",".join(f"0.{k + 10}" for k in range(80))
        self.assertIn("--most-bytes", server.predict([ROW] * 500, f"?quantiles={some}", status=400)["error"])
        self.assertLess(len(server.predict({"area": "x" * 100_000}, status=400)["error"]), 5000)
        self.assert_honest(server)

    def test_answers_that_nobody_takes(self):
        server = self.serve("--most-bytes", "4000000")
        before = server.megabytes()
        body = json.dumps([ROW] * 8000).encode()
        clients = []
        for _ in range(25):  # 25 answers of a megabyte
            clients.append(server.connect())
            clients[-1].sendall(with_length(body))
        time.sleep(3)
        self.assertLess(server.megabytes(), before + 60)
        self.assert_honest(server)
        for client in clients:
            client.close()

    def test_json_takes_time_in_proportion(self):
        server = self.serve()
        body = "[" + ",".join(["{}"] * 160_000) + "]"
        self.assertLess(seconds_of(lambda: server.predict(body, status=400)), HONEST_SECONDS)
        body = '[{"area":1},' + ",".join(["[]"] * 160_000) + "]"
        self.assertLess(seconds_of(lambda: server.predict(body, status=400)), HONEST_SECONDS)
        body = "{" + ",".join(f'"k{k}":0' for k in range(200_000)) + "}"
        self.assertLess(seconds_of(lambda: self.assertIn("keys", server.predict(body, status=400)["error"])), HONEST_SECONDS)
        body = '{"other":[' + ",".join(["{}"] * 160_000) + '],"area":80}'
        self.assertLess(seconds_of(lambda: server.predict(body)), HONEST_SECONDS)
        begin = time.monotonic()
        self.assertEqual(server.stop()[0], 0)
        self.assertLess(time.monotonic() - begin, 5)

    def test_slow_clients_keep_nobody_waiting(self):
        server = self.serve("--connections", "16")
        beginnings = (b"", b"GET / HTT", with_length(b"x" * 10)[:-9], b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        clients = [server.connect() for _ in range(60)]
        for k, client in enumerate(clients):
            try:
                client.sendall(beginnings[k % len(beginnings)])
            except OSError:
                pass  # dropped already
            if k % 10 == 0:
                self.assert_honest(server)
        self.assert_honest(server)
        for client in clients:
            client.close()

    def test_slow_clients_are_given_up(self):
        server = self.serve("--most-seconds", "0.5")
        with server.connect() as slow:
            slow.sendall(b"GET / HTT")
            self.assertEqual(status_of(received(slow, 3)), 408)
        with server.connect() as slow:
            slow.sendall(post(b"", "Content-Length: 10"))
            self.assertEqual(status_of(received(slow, 3)), 408)

    def test_sigterm_has_a_deadline(self):
        server = self.serve("--grace-seconds", "1")
        is_over = threading.Event()
        clients = [server.connect() for _ in range(20)]
        for client in clients:
            client.sendall(post(b"", "Content-Length: 1000"))

        def drip():
            while not is_over.wait(0.1):
                for client in clients:
                    try:
                        client.sendall(b" ")
                    except OSError:
                        pass

        dripping = threading.Thread(target=drip)
        dripping.start()
        begin = time.monotonic()
        code, _ = server.stop()
        is_over.set()
        dripping.join()
        for client in clients:
            client.close()
        self.assertEqual(code, 0)
        self.assertLess(time.monotonic() - begin, 4)

    def test_sigterm_does_not_wait_for_those_who_say_nothing(self):
        server = self.serve("--grace-seconds", "60")
        with server.connect(), server.connect() as asks:
            asks.sendall(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b"200", asks.recv(1000))
            begin = time.monotonic()
            self.assertEqual(server.stop()[0], 0)
            self.assertLess(time.monotonic() - begin, 5)

    def test_sigterm_answers_what_has_begun(self):
        server = self.serve("--grace-seconds", "60")
        answers = []
        body = json.dumps([ROW] * 9000)
        askers = [threading.Thread(target=lambda: answers.append(server.predict(body))) for _ in range(3)]
        for asker in askers:
            asker.start()
        for _ in range(100):  # until all are connected: the three, and this one
            if "postrider_connections 4\n" in server.ask("GET", "/metrics")[1] or answers:
                break
            time.sleep(0.05)
        self.assertEqual(server.stop()[0], 0)
        for asker in askers:
            asker.join()
        self.assertEqual([len(answer["predictions"]) for answer in answers], [9000] * 3)

    def test_lengths_that_leave_room_for_doubt(self):
        server = self.serve()
        body = json.dumps(ROW).encode()
        for lines in ((f"Content-Length: {len(body)}",) * 2, (f"Content-Length: {len(body)}", "Content-Length: 3"),
                      (f"Content-Length: {len(body)}, {len(body)}",), (f"Content-Length: {len(body)}", "Transfer-Encoding: chunked"),
                      ("Transfer-Encoding: chunked", f"Content-Length: {len(body)}"), ("Content-Length: -1",), ("Content-Length: x",)):
            answer = server.send(post(body, *lines))
            self.assertEqual(status_of(answer), 400, lines)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, lines)
        self.assert_honest(server)

    def test_host(self):
        server = self.serve("--allow-host", "predictor.example")
        for host, status in (("localhost", 200), ("localhost:80", 200), ("127.0.0.1:1", 200), ("[::1]:80", 200), ("10.0.0.7", 200),
                             ("predictor.example:8080", 200), ("evil.example", 421), ("", 421), ("127.0.0.1.evil.example", 421)):
            self.assertEqual(server.ask("GET", "/health", headers={"Host": host})[0], status, host)
        self.assertEqual(status_of(server.send(b"GET / HTTP/1.1\r\n\r\n")), 400)
        self.assertEqual(status_of(server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n")), 400)
        self.assertEqual(status_of(server.send(b"GET /health HTTP/1.0\r\n\r\n")), 200)
        anybody = self.serve("--allow-host", "*")
        self.assertEqual(anybody.ask("GET", "/health", headers={"Host": "evil.example"})[0], 200)

    def test_pipelined_requests_are_answered_in_order(self):
        server = self.serve()
        rows = [{**ROW, "area": area} for area in (40, 80, 160, 20)]
        expected = [server.predict(row)["predictions"] for row in rows]
        whole = b"".join(with_length(json.dumps(row).encode()) for row in rows)
        whole += b"GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answers = server.send(whole).split(b"HTTP/1.1 ")[1:]
        self.assertEqual(len(answers), len(rows) + 1)
        found = [json.loads(answer.split(b"\r\n\r\n")[1])["predictions"] for answer in answers[:-1]]
        self.assertEqual(found, expected)
        # Whatever the pieces in which the bytes come.
        with server.connect() as client:
            for k in range(0, len(whole), 7):
                client.sendall(whole[k:k + 7])
            self.assertEqual(received(client).count(b"HTTP/1.1 200"), len(rows) + 1)

    def test_a_client_that_waits_to_be_asked(self):
        server = self.serve()
        body = json.dumps(ROW).encode()
        with server.connect() as client:
            client.sendall(post(b"", f"Content-Length: {len(body)}", "Expect: 100-continue"))
            client.settimeout(5)
            self.assertIn(b"100 Continue", client.recv(1000))
            client.sendall(body)
            self.assertEqual(status_of(received(client)), 200)

    def test_failures_are_logged_with_an_id(self):
        server = self.serve()
        _, body, headers = server.ask_whole("POST", "/predict?level=7", json.dumps(ROW))
        self.assertIn("level = 7", body)
        server.ask("GET", "/nowhere%1b[31m")
        server.ask("GET", "/health")
        said = server.stop()[1]
        lines = said.splitlines()
        self.assertEqual(len(lines), 2, said)
        self.assertIn(f"request {headers['X-Request-Id']} 400 POST /predict?level=7", lines[0])
        self.assertIn("level = 7", lines[0])
        self.assertNotIn("\x1b", said)

    def test_a_log_that_nobody_reads(self):
        server = self.serve()
        long = "/" + "x" * 3000
        for _ in range(40):
            server.send(b"".join(f"GET {long} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for _ in range(50))
                        + b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assert_honest(server)
        self.assertIn("further requests failed", server.stop()[1])

    def test_another_kind_of_model_is_not_loaded(self):
        for options, loaded in (((), False), (("--any-model",), True)):
            shutil.copy(self.folder / "m", self.folder / "served")
            server = self.serve("--watch-seconds", "0.05", *options, model="served")
            shutil.copy(self.folder / "ring", self.folder / "part")
            (self.folder / "part").rename(self.folder / "served")
            time.sleep(0.7)
            told = json.loads(server.ask("GET", "/")[1])
            self.assertEqual(told["target"], "where" if loaded else "price")
            if not loaded:
                server.predict(ROW)
                self.assertIn("postrider_failed_reloads_total 1\n", server.ask("GET", "/metrics")[1])
            said = server.stop()[1]
            self.assertEqual("the new file predicts where" in said, not loaded)
            self.assertEqual("loaded served again" in said, loaded)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
