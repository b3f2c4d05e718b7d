#!/usr/bin/env python3
"""`postrider serve` with several models, versions, tokens, tensors and sparse rows; requests that are answered together.

Usage: serve_models.py PROGRAM
"""

import json
import pathlib
import sys
import tempfile
import threading
import time
import unittest

from program import Program, write_classes, write_houses
from serving import Server

ROW = {"area": 80, "side": "north", "garden": 12.5}
TOKEN, OTHER = "a-token-of-a-test-1", "another-token-of-a-test"


def bearer(token):
    return {"Authorization": "Bearer " + token}


class ServeModels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PROGRAM, cls.folder)
        write_houses(cls.folder / "train.csv", 200, 1)
        for name, seed in (("m.safetensors", 1), ("other", 2)):
            cls.program.expect(0, "train", "train.csv", "--target", "price", "-o", name, "--max-epochs", "3", "--hidden", "4",
                               "--encoding", "standard", "--seed", str(seed))
        write_classes(cls.folder / "ring.csv", 200, 1)
        cls.program.expect(0, "train", "ring.csv", "--target", "where", "-o", "ring", "--max-epochs", "3", "--hidden", "4")
        (cls.folder / "clicks.txt").write_text("".join(f"{1 if k % 3 else -1} {k % 3 + 1}:1 {k % 5 + 10}:0.5\n" for k in range(300)),
                                               encoding="utf-8")
        cls.program.expect(0, "sparse", "learn", "clicks.txt", "-o", "clicks")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def serve(self, models, *options):
        server = Server(PROGRAM, self.folder, models, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def post(self, server, path, body, status=200, headers=None):
        found, answer = server.ask("POST", path, body if isinstance(body, str) else json.dumps(body), headers)
        self.assertEqual(found, status, answer)
        return json.loads(answer)

    def test_models_and_versions_by_name(self):
        server = self.serve(["m.safetensors", "m:2=other", "ring"])
        listed = json.loads(server.ask("GET", "/models")[1])["models"]
        self.assertEqual([(one["name"], one["version"]) for one in listed], [("m", "1"), ("m", "2"), ("ring", "1")])
        first = self.post(server, "/predict", ROW)
        self.assertEqual(self.post(server, "/models/m/versions/1/predict", ROW), first)
        self.assertNotEqual(self.post(server, "/models/m/versions/2/predict", ROW), first)
        self.assertEqual(self.post(server, "/models/m/predict", ROW), self.post(server, "/models/m/versions/2/predict", ROW))
        self.assertIn(self.post(server, "/models/ring/predict", {"x": 3, "y": 3})["predictions"][0]["where"], ("inside", "outside"))
        self.assertEqual(json.loads(server.ask("GET", "/models/ring")[1])["target"], "where")
        for path in ("/models/none/predict", "/models/m/versions/3/predict"):
            self.assertIn("there is no model", self.post(server, path, ROW, status=404)["error"])
        for path in ("/models/", "/models//predict", "/models/m/versions/1/2/predict", "/models/m/nothing", "/v2/models/m/predict"):
            self.assertEqual(server.ask("POST", path, json.dumps(ROW))[0], 404, path)
        self.assertIn('postrider_drifted_columns{model="ring",version="1"} 0\n', server.ask("GET", "/metrics")[1])

    def test_mistakes_in_names(self):
        self.assertIn("another file is version 1 of m", self.program.expect(2, "serve", "m.safetensors", "m=other"))
        self.assertIn("must be FILE, NAME=FILE", self.program.expect(2, "serve", "a/b=other"))

    def test_tokens(self):
        tokens = self.folder / "tokens"
        tokens.write_text(f"# of the shop\n\n{TOKEN}\n{OTHER}\n", encoding="utf-8")
        server = self.serve("m.safetensors", "--tokens", "tokens", "--watch-seconds", "0.05")
        self.assertEqual(len(self.post(server, "/predict", ROW, headers=bearer(TOKEN))["predictions"]), 1)
        self.post(server, "/predict", ROW, headers=bearer(OTHER))
        for headers in ({}, bearer("x"), bearer(""), bearer(TOKEN + "1"), bearer(TOKEN[:-1]), bearer("# of the shop"), {"Authorization": TOKEN},
                        {"Authorization": "Basic " + TOKEN}, bearer(TOKEN + OTHER)):
            self.assertIn("Bearer", self.post(server, "/predict", ROW, 401, headers)["error"])
        for path in ("/", "/metrics", "/models", "/nowhere", "/v2"):
            self.assertEqual(server.ask("GET", path)[0], 401)
        for path in ("/live", "/ready", "/health", "/v2/health/ready"):
            self.assertEqual(server.ask("GET", path)[0], 200)
        (self.folder / "part").write_text("a-token-that-is-new\n", encoding="utf-8")
        (self.folder / "part").rename(tokens)
        time.sleep(0.5)
        self.post(server, "/predict", ROW, 401, bearer(TOKEN))
        self.post(server, "/predict", ROW, 200, bearer("a-token-that-is-new"))
        self.assertNotIn(TOKEN, server.stop()[1])

    def test_files_of_tokens_that_make_no_sense(self):
        for text, words in (("# none\n", "has no token"), ("short\n", "line 1: a token must have at least 16")):
            (self.folder / "bad").write_text(text, encoding="utf-8")
            said = self.program.expect(3, "serve", "m.safetensors", "--tokens", "bad")
            self.assertIn(words, said)
            self.assertNotIn("short", said)
        self.program.expect(3, "serve", "m.safetensors", "--tokens", "nowhere")

    def test_tensors_of_kserve(self):
        server = self.serve("houses=m.safetensors")
        self.assertEqual(json.loads(server.ask("GET", "/v2")[1])["name"], "postrider")
        told = json.loads(server.ask("GET", "/v2/models/houses")[1])
        self.assertEqual((told["name"], told["versions"]), ("houses", ["1"]))
        self.assertEqual({one["name"]: one["datatype"] for one in told["inputs"]}, {"area": "FP64", "side": "BYTES", "garden": "FP64"})
        self.assertEqual([one["name"] for one in told["outputs"]], ["mean", "std", "low", "high"])
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/houses/ready", "/v2/models/houses/versions/1/ready"):
            self.assertEqual(server.ask("GET", path)[0], 200)
        rows = [ROW, {"area": 40, "side": "west", "garden": None}]
        expected = self.post(server, "/predict", rows)["predictions"]

        def tensor(name, datatype):
            return {"name": name, "shape": [2], "datatype": datatype, "data": [row[name] for row in rows]}

        body = {"id": "seven", "inputs": [tensor("area", "FP64"), tensor("side", "BYTES"), tensor("garden", "FP64")]}
        found = self.post(server, "/v2/models/houses/infer", body)
        self.assertEqual((found["model_name"], found["model_version"], found["id"]), ("houses", "1", "seven"))
        for output in found["outputs"]:
            self.assertEqual((output["shape"], output["datatype"]), ([2], "FP64"))
            self.assertEqual(output["data"], [row[output["name"]] for row in expected])
        self.assertIn("quantile 0.5", [one["name"] for one in self.post(server, "/v2/models/houses/infer?quantiles=0.5", body)["outputs"]])
        for wrong, words in (({}, "must be"), ({"inputs": [{**tensor("area", "FP64"), "shape": [3]}]}, "shape must be [2]"),
                             ({"inputs": [{**tensor("area", "FP64"), "data": [1, "x"]}]}, "mixes"),
                             ({"inputs": [{**tensor("area", "FP64"), "name": "no"}]}, "none of its inputs"),
                             ({"inputs": [tensor("area", "FP64"), {"name": "garden", "shape": [1], "datatype": "FP64", "data": [1]}]}, "has 1 rows"),
                             ({"inputs": [{"name": "area", "shape": [20000], "datatype": "FP64", "data": [1] * 20000}]}, "more than 10000"),
                             ("[[[[[[[[[[[[", "nested too deeply"), ("nonsense", "not JSON")):
            self.assertIn(words, self.post(server, "/v2/models/houses/infer", wrong, 400)["error"])

    def test_sparse_rows(self):
        server = self.serve(["clicks", "m.safetensors"])
        (self.folder / "new.txt").write_text("1:1 10:0.5\n2:1 11:0.5\n", encoding="utf-8")
        printed = self.program.expect(0, "sparse", "predict", "clicks", "new.txt").splitlines()
        found = self.post(server, "/predict", "1:1 10:0.5\n2:1 11:0.5\n")["predictions"]
        self.assertEqual(len(found), 2)
        for row, line in zip(found, printed[1:], strict=True):
            self.assertAlmostEqual(row["probability"], float(line.split(",")[0]), places=4)
        self.assertEqual(json.loads(server.ask("GET", "/")[1])["kind"], "sparse")
        self.post(server, "/models/m/predict", ROW)
        self.assertIn("error", self.post(server, "/predict", "1:x\n", 400))
        self.assertIn("compressed", json.loads(server.ask("POST", "/predict", b"\x1f\x8b\x08\x00")[1])["error"])

    def test_requests_are_answered_together(self):
        """Many at a time, of which some make no sense: each gets the answer that it gets alone."""
        server = self.serve("m.safetensors")
        bodies = [json.dumps({**ROW, "area": 20 + 3 * k}) for k in range(40)] + ["nonsense", json.dumps([ROW] * 7), '{"x": 1}']
        expected = [server.ask("POST", "/predict", body) for body in bodies]
        found = [[None] * len(bodies) for _ in range(4)]

        def ask(turn, k):
            found[turn][k] = server.ask("POST", "/predict", bodies[k])

        askers = [threading.Thread(target=ask, args=(turn, k)) for turn in range(4) for k in range(len(bodies))]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        for turn in found:
            self.assertEqual(turn, expected)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
