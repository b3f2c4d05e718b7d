#!/usr/bin/env python3
"""`postrider stream` with several servers of Redis, of which one takes over from another: by Sentinel, in a cluster, from a list.

Usage: stream_servers.py PROGRAM
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

from brokers import Certificates, Redis, Sentinel
from streaming import ROWS, StreamCase

TIME = 1_700_000_000_000  # of the first events


@unittest.skipUnless(shutil.which("redis-server"), "no redis-server")
class Servers(StreamCase):
    program_path = property(lambda _: PROGRAM)

    def setUp(self):
        super().setUp()
        shutil.copy(self.folder / "m", self.folder / "r")

    def server(self, name, *options, certificates=None):
        (self.folder / name).mkdir()
        out = Redis(self.folder / name, *options, certificates=certificates)
        self.addCleanup(out.kill)
        return out

    def follow(self, source, *options):
        """The program, once it has learned what is there; it ends when it has all rows."""
        process = subprocess.Popen([self.program.path, "stream", "r", "--from", source, "--events", str(ROWS), "--save-every", "0.05",
                                    *options], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def wait_until_learned(self, process, count):
        for _ in range(400):
            try:
                found = self.position("r")
            except (StopIteration, OSError):
                found = {}
            if found.get("kind") == "follow" and found["rows"] + found["without_target"] >= count:
                return
            if process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(process.stdout.read() if process.poll() is not None else "has not learned them")

    def expect_all_once(self, process):
        printed, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, printed)
        self.assertEqual(self.weights("r"), self.learned_by_update(), printed)
        return printed

    def fail_over(self, certificates=None, *settings):
        secure = ["--tls-replication", "yes"] if certificates else []
        master = self.server("a", *secure, certificates=certificates)
        replica = self.server("b", "--replicaof", "127.0.0.1", str(master.port), *secure, certificates=certificates)
        replica.wait_for(["INFO", "replication"], "master_link_status:up")
        sentinel = Sentinel(self.folder / "s", master, certificates=certificates)
        self.addCleanup(sentinel.kill)
        sentinel.wait_for(["SENTINEL", "replicas", "shop"], str(replica.port))
        for row in self.rows[:150]:
            master.add("rows", row)
        replica.wait_for(["XLEN", "rows"], ":150")
        scheme = "rediss" if certificates else "redis"
        # One that is not there is passed over.
        source = f"{scheme}+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/shop/rows"
        process = self.follow(source, *settings)
        self.wait_until_learned(process, 150)
        master.kill()
        sentinel.wait_for(["SENTINEL", "get-master-addr-by-name", "shop"], str(replica.port))
        replica.wait_for(["ROLE"], "master")
        for row in self.rows[150:300]:
            replica.add("rows", row)
        self.wait_until_learned(process, 300)
        # The master that was comes back and is none; whoever begins anew finds the right one, and the same source.
        process.terminate()
        self.assertEqual(process.wait(30), 0)
        master.start()
        for row in self.rows[300:]:
            replica.add("rows", row)
        printed = self.program.expect(0, "stream", "r", "--from", source, "--until-end", *settings)
        self.assertIn(f"{ROWS - 300} rows", printed)
        self.assertEqual(self.weights("r"), self.learned_by_update())
        wrong = source.replace("/shop/", "/market/").replace("127.0.0.1:1,", "")
        self.assertIn("knows no master market", self.program.expect(3, "stream", "r", "--from", wrong, "--until-end", *settings))

    def test_sentinel(self):
        self.fail_over()

    def test_sentinel_by_tls(self):
        if "libssl" not in subprocess.run(["ldd", str(PROGRAM)], capture_output=True, text=True).stdout:
            self.skipTest("built without OpenSSL")
        certificates = Certificates(self.folder / "certificates")
        (self.folder / "settings").write_text("".join(f"ssl.{name}.location={certificates.of(file)}\n" for name, file in (
            ("ca", "authority.pem"), ("certificate", "client.pem"), ("key", "client.key"))))
        self.fail_over(certificates, "--broker-config", "settings")

    def test_a_server_that_lacks_what_came_last(self):
        """It gives smaller ids to what comes next, since its clock is behind."""
        first, second = self.server("a"), self.server("b")
        for place, row in enumerate(self.rows[:150]):
            for server in (first, second):
                server.add("rows", row, f"{TIME}-{place}")
        for place, row in enumerate(self.rows[150:200]):
            first.add("rows", row, f"{TIME + 1000}-{place}")
        process = self.follow(f"redis://127.0.0.1:{first.port},127.0.0.1:{second.port}/rows")
        self.wait_until_learned(process, 200)
        for place, row in enumerate(self.rows[200:]):
            second.add("rows", row, f"{TIME + 500}-{place}")
        first.kill()
        printed = self.expect_all_once(process)
        self.assertIn(f"lacks 50 events of rows that had come behind {TIME}-149", printed)

    # --- clusters ------------------------------------------------------------------------------------

    def cluster(self):
        nodes = [self.server(name, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0")
                 for name in "abcd"]
        for node, begin, end in zip(nodes, (0, 5461, 10923), (5460, 10922, 16383)):
            node.call("CLUSTER", "ADDSLOTSRANGE", str(begin), str(end))
        for node in nodes[1:]:
            node.call("CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port))
        for node in nodes:
            node.wait_for(["CLUSTER", "INFO"], "cluster_known_nodes:4")
        for node in nodes[:3]:
            node.wait_for(["CLUSTER", "INFO"], "cluster_state:ok")
        return nodes

    @staticmethod
    def identity(node):
        return node.call("CLUSTER", "MYID").split("\r\n")[1]

    @staticmethod
    def slot(node, key):
        return int(node.call("CLUSTER", "KEYSLOT", key)[1:])

    def key_of(self, node, begin, end):
        """A key whose slot is within these."""
        return next(key for key in (f"rows{k}" for k in range(1000)) if begin <= self.slot(node, key) <= end)

    def test_a_cluster_moves_a_key_and_loses_a_node(self):
        a, b, c, d = self.cluster()
        key = self.key_of(a, 10923, 16383)
        slot = self.slot(a, key)
        for row in self.rows[:100]:
            c.add(key, row)
        # Any node is asked, and names the one that has the key.
        source = f"redis://127.0.0.1:{a.port}/{key}"
        printed = self.program.expect(0, "stream", "r", "--from", source, "--until-end")
        self.assertIn("100 rows", printed)
        # The key is on its way to another one: "ASK".
        b.call("CLUSTER", "SETSLOT", str(slot), "IMPORTING", self.identity(c))
        c.call("CLUSTER", "SETSLOT", str(slot), "MIGRATING", self.identity(b))
        for row in self.rows[100:150]:
            c.add(key, row)
        self.assertIn("OK", c.call("MIGRATE", "127.0.0.1", str(b.port), key, "0", "5000"))
        self.assertTrue(c.call("XLEN", key).startswith("-ASK"))
        self.assertIn("50 rows", self.program.expect(0, "stream", "r", "--from", source, "--until-end"))
        for node in (b, c, a):
            node.call("CLUSTER", "SETSLOT", str(slot), "NODE", self.identity(b))
        # Its node is lost, and a replica takes over.
        d.call("CLUSTER", "REPLICATE", self.identity(b))
        d.wait_for(["INFO", "replication"], "master_link_status:up")
        process = self.follow(source)
        for row in self.rows[150:250]:
            b.add(key, row)
        d.wait_for(["CLUSTER", "COUNTKEYSINSLOT", str(slot)], ":1")
        self.wait_until_learned(process, 250)
        b.kill()
        d.wait_for(["ROLE"], "master")
        for row in self.rows[250:]:
            d.add(key, row)
        # Its events are counted from where it began.
        self.wait_until_learned(process, ROWS)
        process.terminate()
        printed, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, printed)
        self.assertEqual(self.weights("r"), self.learned_by_update(), printed)

    def test_keys_of_several_nodes(self):
        nodes = self.cluster()
        keys = [self.key_of(nodes[0], begin, end) for begin, end in ((0, 5460), (5461, 10922), (10923, 16383))]
        # Two slots of one node do not go together either.
        keys.append(next(key for key in (f"more{k}" for k in range(1000)) if self.slot(nodes[0], key) <= 5460))
        for place, row in enumerate(self.rows):
            nodes[(0, 1, 2, 0)[place % 4]].add(keys[place % 4], row)
        for some in (keys, keys[0::3]):
            shutil.copy(self.folder / "m", self.folder / "r")
            source = f"redis://127.0.0.1:{nodes[0].port}/{','.join(some)}"
            printed = self.program.expect(0, "stream", "r", "--from", source, "--until-end", "--batch", "7")
            self.assertIn(f"{ROWS // 4 * len(some)} rows", printed)
            self.assertNotIn("waiting", printed)
            last = {key: re.findall(r"\d{13}-\d+", nodes[(0, 1, 2, 0)[keys.index(key)]].call("XREVRANGE", key, "+", "-", "COUNT", "1"))[0]
                    for key in some}
            self.assertEqual(dict(self.position("r")["position"]["partitions"]), last)
            self.assertIn("0 rows", self.program.expect(0, "stream", "r", "--from", source, "--until-end"))


PROGRAM = pathlib.Path(sys.argv[1]).resolve()

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
