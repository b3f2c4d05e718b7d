#!/usr/bin/env python3
"""docs/reference/openapi.json against a server: every path, method, status and form of an answer is as the file says.

Usage: serve_openapi.py PROGRAM OPENAPI
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from program import Program, write_houses
from serving import Server

ROW = {"area": 80, "side": "north", "garden": 12.5}
TENSORS = {"inputs": [{"name": "area", "shape": [1], "datatype": "FP64", "data": [80]}]}
TOKEN = "a-token-of-this-test"
TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}


class ServeOpenapi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        write_houses(folder / "train.csv", 200, 1)
        Program(PROGRAM, folder).expect(0, "train", "train.csv", "--target", "price", "-o", "m", "--max-epochs", "3", "--hidden", "4")
        (folder / "tokens").write_text(TOKEN + "\n", encoding="utf-8")
        cls.server = Server(PROGRAM, folder, "m", "--tokens", "tokens", "--most-bytes", "5000")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()
        cls.temporary.cleanup()

    def ask(self, method, path, body=None, **headers):
        return self.server.ask_whole(method.upper(), path, body, {"Authorization": "Bearer " + TOKEN, **headers})

    def conform(self, value, schema, where):
        if "$ref" in schema:
            return self.conform(value, self.file["components"]["schemas"][schema["$ref"].rpartition("/")[2]], where)
        self.assertIsInstance(value, TYPES[schema["type"]], where)
        if "enum" in schema:
            self.assertIn(value, schema["enum"], where)
        for name in schema.get("required", ()):
            self.assertIn(name, value, where)
        if "properties" in schema:
            self.assertLessEqual(set(value), set(schema["properties"]), f"{where}: the file leaves out what the server tells")
            for name, one in value.items():
                self.conform(one, schema["properties"][name], f"{where}.{name}")
        for one in value if isinstance(value, list) and "items" in schema else ():
            self.conform(one, schema["items"], where)

    def expect(self, operation, answer, status, where):
        found, body, headers = answer
        self.assertEqual(found, status, (where, body))
        self.assertIn(str(status), operation["responses"], where)
        content = operation["responses"][str(status)]["content"]
        kind = headers["Content-Type"].partition(";")[0]
        self.assertIn(kind, content, where)
        self.assertTrue(headers["X-Request-Id"])
        if kind == "application/json":
            self.conform(json.loads(body), content[kind]["schema"], where)

    def test_every_path(self):
        for path, methods in self.file["paths"].items():
            real = path.replace("{name}", "m").replace("{version}", "1")
            for method, operation in methods.items():
                body = None if method == "get" else json.dumps(TENSORS if path.endswith("infer") else ROW)
                self.expect(operation, self.ask(method, real, body), 200, real)
                self.expect(operation, self.ask(method, real, body, Host="evil.example"), 421, real)
                if "401" in operation["responses"]:
                    self.expect(operation, self.ask(method, real, body, Authorization="Bearer no"), 401, real)
                if "404" in operation["responses"]:
                    self.expect(operation, self.ask(method, path.replace("{name}", "none").replace("{version}", "1"), body), 404, real)
                if method == "post":
                    self.expect(operation, self.ask(method, real, "nonsense"), 400, real)
                    self.expect(operation, self.ask(method, real, "x" * 6000), 413, real)
                    self.expect(operation, self.ask(method, real, body, **{"Content-Encoding": "gzip"}), 415, real)
                    self.expect(operation, self.ask(method, real + "?level=0.5&quantiles=0.1,0.9", body), 200, real)
            other = "DELETE"
            self.assertEqual(self.ask(other, real)[0], 405, real)

    def test_every_path_that_the_server_names_is_in_the_file(self):
        said = json.loads(self.ask("GET", "/nowhere")[1])["error"]
        named = {path.replace("NAME", "{name}").rstrip(",;") for path in re.findall(r"(?<= )/[\w/]*", said.partition("; there are")[2])}
        self.assertGreater(len(named), 8)
        self.assertLessEqual(named, set(self.file["paths"]))

    def test_parameters_are_those_that_it_takes(self):
        names = {one["name"] for one in self.file["paths"]["/predict"]["post"]["parameters"]}
        said = json.loads(self.ask("POST", "/predict?nothing=1", json.dumps(ROW))[1])["error"]
        self.assertEqual(set(re.findall(r"\w+", said.partition("must be ")[2])) - {"or"}, names)


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
