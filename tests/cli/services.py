#!/usr/bin/env python3
"""Files of packaging/ that run the program as a service: units of systemd, Kubernetes' objects and a container's recipe, held against the real program.

Usage: services.py PROGRAM
"""

import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from program import Program, write_houses

try:
    import yaml
except ImportError:  # Debian's python3-yaml; the test is then left out
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = sorted((ROOT / "packaging" / "systemd").glob("*.service"))
OBJECTS = sorted((ROOT / "packaging" / "kubernetes").glob("*.yaml"))
RECIPE = ROOT / "packaging" / "container" / "Containerfile"
# These are of the system itself, in every image.
EVERYWHERE = ("libc.so", "libm.so", "libgcc_s.so", "ld-linux")
STARTED_WITHIN = 20  # seconds


def fields(unit):
    """The lines of a unit by their names; of several the last."""
    return dict(line.split("=", 1) for line in unit.read_text(encoding="utf-8").splitlines() if re.match(r"[A-Z]\w+=", line))


def objects(path):
    return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


def containers():
    for path in OBJECTS:
        for each in objects(path):
            if "template" in each["spec"]:
                pod = each["spec"]["template"]["spec"]
                yield path.name, pod, pod["containers"][0]


def told(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def status_of(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class Services(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        program = Program(PROGRAM, cls.folder)
        write_houses(cls.folder / "train.csv", 100, 1)
        program.expect(0, "train", "train.csv", "--target", "price", "-o", "prices.safetensors", "--max-epochs", "2", "--hidden", "4", "--encoding", "standard")
        (cls.folder / "tokens").write_text("a token of sixteen letters\n", encoding="utf-8")
        (cls.folder / "broker").write_text("# nothing\n", encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def here(self, words):
        """A call with files of this test in place of those of a service, its port, and Redis at an address that refuses."""
        port, out = free_port(), []
        for word in words:
            name = word.rsplit("/", 1)[-1]
            if re.match(r"(/var/lib/postrider|/models|/tokens|/broker|%d)/", word):
                word = str(self.folder / name)
            out.append("redis://127.0.0.1:1/sales" if word.startswith("redis://") else word)
        for option in ("--port", "--metrics"):
            if option in out:
                out[out.index(option) + 1] = str(port)
        return out, port

    def start(self, words):
        call, port = self.here(words)
        log = (self.folder / "log").open("w+", encoding="utf-8")
        self.addCleanup(log.close)
        process = subprocess.Popen([PROGRAM, *call], stdout=log, stderr=subprocess.STDOUT, cwd=self.folder,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.addCleanup(lambda: process.poll() is None and (process.kill(), process.wait()))
        return process, port, log

    def said(self, log):
        log.seek(0)
        return log.read()

    def wait_for(self, process, port, path, log):
        end = time.monotonic() + STARTED_WITHIN
        while time.monotonic() < end:
            status = status_of(port, path)
            if status is not None:
                return status
            self.assertIsNone(process.poll(), self.said(log))
            time.sleep(0.05)
        self.fail("no answer: " + self.said(log))

    def assert_ends(self, process, seconds, log):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=seconds), 0, self.said(log))

    def test_the_server_of_the_unit_starts_reloads_and_ends(self):
        unit = fields(ROOT / "packaging" / "systemd" / "postrider-serve.service")
        process, port, log = self.start(shlex.split(unit["ExecStart"])[1:])
        self.assertEqual(self.wait_for(process, port, "/live", log), 200)
        self.assertEqual(status_of(port, "/ready"), 200)
        self.assertEqual(status_of(port, "/models"), 401)  # without a token
        self.assertEqual(unit["ExecReload"], "/bin/kill -HUP $MAINPID")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertEqual(status_of(port, "/ready"), 200)
        self.assert_ends(process, float(unit["TimeoutStopSec"]), log)

    def test_the_stream_of_the_unit_lives_while_its_broker_does_not_answer(self):
        unit = fields(ROOT / "packaging" / "systemd" / "postrider-stream.service")
        process, port, log = self.start(shlex.split(unit["ExecStart"])[1:])
        self.assertEqual(self.wait_for(process, port, "/live", log), 200)
        self.assertEqual(status_of(port, "/ready"), 503)
        process.send_signal(signal.SIGTERM)
        # It has not begun: that there is no broker is what it ends with, or 0.
        self.assertIn(process.wait(timeout=float(unit["TimeoutStopSec"])), (0, 3), self.said(log))

    def test_probes_and_patience_of_kubernetes_are_the_servers(self):
        (server,) = [(pod, each) for _, pod, each in containers() if each["args"][0] == "serve"]
        pod, each = server
        process, port, log = self.start([{"0.0.0.0": "127.0.0.1"}.get(word, word) for word in each["args"]])
        self.assertEqual(self.wait_for(process, port, each["livenessProbe"]["httpGet"]["path"], log), 200)
        self.assertEqual(status_of(port, each["readinessProbe"]["httpGet"]["path"]), 200)
        self.assertGreater(pod["terminationGracePeriodSeconds"], float(each["args"][each["args"].index("--grace-seconds") + 1]))
        self.assertEqual(int(each["args"][each["args"].index("--port") + 1]), each["ports"][0]["containerPort"])
        self.assert_ends(process, pod["terminationGracePeriodSeconds"], log)

    def test_the_stream_of_kubernetes_takes_its_call(self):
        (words,) = [each["args"] for _, _, each in containers() if each["args"][0] == "stream"]
        process, _, log = self.start(words)
        end = time.monotonic() + STARTED_WITHIN
        while "127.0.0.1:1" not in self.said(log) and time.monotonic() < end and process.poll() is None:
            time.sleep(0.05)
        self.assertIn("127.0.0.1:1", self.said(log))  # the broker that it waits for
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=30), (0, 3))

    def test_objects_of_kubernetes_go_together(self):
        for path in OBJECTS:
            kinds = {each["kind"]: each for each in objects(path)}
            (work,) = [each for kind, each in kinds.items() if kind in ("Deployment", "StatefulSet")]
            labels = work["spec"]["template"]["metadata"]["labels"]
            self.assertEqual(work["spec"]["selector"]["matchLabels"], labels)
            pod = work["spec"]["template"]["spec"]
            mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
            self.assertEqual(set(mounts), {each["name"] for each in pod["volumes"]})
            files = [word for word in pod["containers"][0]["args"] if word.startswith("/")]
            self.assertTrue(files)
            for file in files:
                self.assertTrue(file.startswith(tuple(f"{mount}/" for mount in mounts.values())), file)
            if "Service" in kinds:
                service = kinds["Service"]["spec"]
                self.assertEqual(service["selector"], labels)
                self.assertEqual(service["ports"][0]["targetPort"], pod["containers"][0]["ports"][0]["name"])
                self.assertIn(kinds["Service"]["metadata"]["name"], pod["containers"][0]["args"])  # as --allow-host

    def test_units_of_owners_have_calls_that_the_module_takes(self):
        source = (ROOT / "python" / "postrider" / "experimental" / "owners.py").read_text(encoding="utf-8")
        for role in ("owner", "worker"):
            call = shlex.split(fields(ROOT / "packaging" / "systemd" / f"postrider-{role}@.service")["ExecStart"])
            self.assertEqual(call[1:4], ["-m", "postrider.experimental.owners", role])
            for option in [word for word in call if word.startswith("--")]:
                self.assertIn(f'"{option}"', source)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not there")
    def test_systemd_takes_the_units(self):
        for unit in UNITS:
            # Programs that are not installed would be told of in place of mistakes.
            name = unit.name.replace("@.", "@0.")
            copy = self.folder / name
            text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)
            copy.write_text(re.sub(r"^Documentation=.*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(copy)], check=False, capture_output=True, text=True)
            told = [line for line in done.stderr.splitlines() if name in line]
            self.assertEqual((done.returncode, told), (0, []), done.stderr)

    def test_the_container_has_the_libraries_of_the_program(self):
        recipe = RECIPE.read_text(encoding="utf-8")
        installed = re.search(r"--no-install-recommends (.*)", recipe)[1].rstrip("\\ ").split()
        # What it names itself, or the library in which it may be linked here; MPI is there on this machine, and not in the image.
        binaries = [PROGRAM, *re.findall(r"libpostrider\S* => (\S+)", told("ldd", PROGRAM))]
        direct = {name for path in binaries for name in re.findall(r"NEEDED.*\[(.*)\]", told("readelf", "-d", path))}
        self.assertTrue(direct)
        self.assertIn("-DBUILD_SHARED_LIBS=OFF", recipe)  # the program alone is copied
        for name in direct:
            if name.startswith((*EVERYWHERE, "libpostrider", "libmpi")):
                continue
            stem = name.partition(".so")[0]
            package = {"libz": "zlib1g", "libcrypto": "libssl3"}.get(stem, stem)
            self.assertTrue(any(each.startswith(package) for each in installed), name)

    def test_the_container_copies_what_is_there_and_has_no_rights(self):
        recipe = RECIPE.read_text(encoding="utf-8")
        self.assertIn("cmake --preset to-use", recipe)
        self.assertRegex(recipe, r"(?m)^USER 10001$")
        self.assertIn('ENTRYPOINT ["/usr/bin/postrider"]', recipe)
        self.assertLess(recipe.index("useradd"), recipe.index("USER 10001"))
        for _, pod, each in containers():
            self.assertEqual(pod["securityContext"]["runAsUser"], 10001)
            self.assertFalse(each["securityContext"]["allowPrivilegeEscalation"])


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
