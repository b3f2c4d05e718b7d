#!/usr/bin/env python3
"""Files and faults: what the program replaces, what it refuses, and what is left when it is cut off.

Usage: files.py PROGRAM STORED

STORED is a model file of version 0.1. A full disk is a limit on the size of files, which needs no rights,
and a small tmpfs where one can be mounted.
"""

import json
import os
import pathlib
import pty
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from program import Program, write_classes, write_houses

QUICK = ["--max-epochs", "2", "--hidden", "4", "--ensemble-size", "1", "--quiet"]
LONG = ["--max-epochs", "4000", "--patience", "4000", "--ensemble-size", "1"]


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = Program(PATH, cls.folder)
        write_houses(cls.folder / "train.csv", 120, 1)
        write_houses(cls.folder / "many.csv", 3000, 5)
        write_houses(cls.folder / "more.csv", 40, 2)
        cls.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", *QUICK)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_ok(self, *arguments):
        return self.program.expect(0, *arguments)

    def refused(self, code, *arguments):
        before = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        said = self.program.expect(code, *arguments)
        after = {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        self.assertEqual(before, after, "what is refused changes nothing")
        return said

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def leftovers(self, folder=None):
        return [p.name for p in (folder or self.folder).iterdir() if p.name.endswith(".part")]

    # --- what is replaced ---------------------------------------------------------------------------

    def test_the_same_kind_is_replaced(self):
        for _ in range(2):
            self.run_ok("train", "train.csv", "-t", "price", "-o", "again", *QUICK)
            self.run_ok("predict", "again", "more.csv", "-o", "again.csv")
            self.run_ok("predict", "again", "more.csv", "--json", "-o", "again.jsonl")
            self.run_ok("report", "again", "more.csv", "-o", "again.html", "--quiet")
            self.run_ok("graph", "again", "-o", "again.dot")
            self.run_ok("update", "again", "more.csv", "--quiet", "-o", "updated")
        self.write("empty", "")
        self.run_ok("predict", "again", "more.csv", "-o", "empty")

    def test_another_kind_is_not(self):
        letter = self.write("letter.txt", "Dear all,\n")
        self.assertIn("is not a model; --force replaces it",
                      self.refused(2, "train", "train.csv", "-t", "price", "-o", letter, *QUICK))
        self.assertIn("is not a model", self.refused(2, "update", "m", "more.csv", "-o", letter))
        self.assertIn("is not predictions", self.refused(2, "predict", "m", "more.csv", "-o", letter))
        self.assertIn("is not predictions", self.refused(2, "predict", "m", "more.csv", "-o", "train.csv"))
        self.assertIn("is not a report", self.refused(2, "report", "m", "more.csv", "-o", letter))
        self.assertIn("is not a graph", self.refused(2, "graph", "m", "-o", letter))
        self.assertIn("is not a checkpoint", self.refused(
            2, "train", "train.csv", "-t", "price", "-o", "x", "--checkpoint", letter, *QUICK))
        self.run_ok("graph", "m", "-o", letter, "--force")
        self.assertTrue((self.folder / letter).read_text().startswith("graph"))

    def test_inputs_are_never_replaced(self):
        os.link(self.folder / "more.csv", self.folder / "hard.csv")
        for arguments in (["predict", "m", "more.csv", "-o", "more.csv"], ["predict", "m", "more.csv", "-o", "m"],
                          ["predict", "m", "more.csv", "-o", "./hard.csv"],
                          ["report", "m", "more.csv", "-o", "m"], ["graph", "m", "-o", "m"],
                          ["update", "m", "more.csv", "-o", "more.csv"],
                          ["train", "train.csv", "-t", "price", "-o", "train.csv"],
                          ["train", "train.csv", "-t", "price", "-o", "new", "--checkpoint", "new"]):
            self.assertIn("is also a file that this command reads or writes",
                          self.refused(2, *arguments, "--force"))

    def test_only_plain_files_are_replaced(self):
        os.symlink("m", self.folder / "link")
        os.mkfifo(self.folder / "pipe")
        for path, why in (("/dev/null", "a device"), ("pipe", "a pipe")):
            self.assertIn(why, self.program.expect(3, "predict", "m", "more.csv", "-o", path, "--force"))
        os.symlink("other", self.folder / "other_link")
        self.assertIn("a symbolic link", self.program.expect(
            3, "predict", "m", "more.csv", "-o", "other_link", "--force"))
        self.assertIn("a symbolic link", self.program.expect(3, "update", "link", "more.csv"))
        self.assertTrue((self.folder / "link").is_symlink())
        for name in ("link", "pipe", "other_link"):
            (self.folder / name).unlink()

    def test_permissions_are_kept(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "mine", *QUICK)
        (self.folder / "mine").chmod(0o600)
        self.run_ok("update", "mine", "more.csv", "--quiet")
        self.assertEqual((self.folder / "mine").stat().st_mode & 0o777, 0o600)

    def test_standard_output(self):
        done = subprocess.run([self.program.path, "train", "train.csv", "-t", "price", "-o", "-", *QUICK[:-1]],
                              cwd=self.folder, capture_output=True, check=True)
        self.assertIn(b"learned", done.stderr)
        (self.folder / "piped").write_bytes(done.stdout)
        self.assertEqual(self.run_ok("predict", "piped", "more.csv"), self.run_ok("predict", "m", "more.csv", "-o", "-"))
        self.assertTrue(self.run_ok("report", "m", "more.csv", "-o", "-").startswith("<!DOCTYPE html>"))
        self.assertTrue(self.run_ok("graph", "m", "-o", "-").startswith("graph"))

    # --- faults -------------------------------------------------------------------------------------

    def test_any_changed_bit_is_refused(self):
        whole = (self.folder / "m").read_bytes()
        generator = random.Random(4)
        for _ in range(40):
            bit = generator.randrange(8 * len(whole))
            changed = bytearray(whole)
            changed[bit // 8] ^= 1 << bit % 8
            (self.folder / "bit").write_bytes(changed)
            self.program.expect(3, "predict", "bit", "more.csv")

    def test_inspect_tells_of_checksums(self):
        self.assertIn("all agree", self.run_ok("inspect", "m"))
        self.assertTrue(json.loads(self.run_ok("inspect", "m", "--json"))["checksums"])
        self.assertIn("damage may go unnoticed", self.run_ok("inspect", STORED))
        self.assertFalse(json.loads(self.run_ok("inspect", STORED, "--json"))["checksums"])

    def test_of_many_updates_at_once_none_is_lost(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "shared", *QUICK)
        running = [subprocess.Popen([self.program.path, "update", "shared", "more.csv", "--quiet", "--anyway"], cwd=self.folder,
                                    stderr=subprocess.PIPE, text=True) for _ in range(40)]
        succeeded = 0
        for one in running:
            said = one.communicate()[1]
            if one.returncode == 0:
                succeeded += 1
            else:
                self.assertEqual(one.returncode, 3)
                self.assertIn("another program has written it", said)
        self.assertGreater(succeeded, 0)
        history = json.loads(self.run_ok("inspect", "shared", "--json"))["history"]
        self.assertEqual(len(history), 1 + succeeded)
        self.assertEqual(self.leftovers(), [])

    def full(self, arguments, limit):
        def few_bytes():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([self.program.path, *arguments], cwd=self.folder, preexec_fn=few_bytes,
                              capture_output=True, text=True)

    def test_a_write_that_fails_leaves_what_was_there(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "kept", *QUICK)
        self.run_ok("predict", "kept", "many.csv", "-o", "kept.csv")
        for arguments, name in ((["update", "kept", "more.csv", "--quiet"], "kept"),
                                (["predict", "kept", "many.csv", "-o", "kept.csv"], "kept.csv"),
                                (["train", "train.csv", "-t", "price", "-o", "kept", *QUICK], "kept")):
            before = (self.folder / name).read_bytes()
            done = self.full(arguments, 1000)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"cannot write {name}: it would be larger", done.stderr)
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertEqual(self.leftovers(), [])

    def test_a_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("no tmpfs can be mounted here")
        try:
            said = self.program.expect(3, "predict", "m", "many.csv", "-o", "disk/out.csv")
            self.assertIn("cannot write disk/out.csv: the disk is full", said)
            self.assertEqual(list(disk.iterdir()), [])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_full_output_device_is_an_exit_code(self):
        for arguments in (["inspect", "m"], ["predict", "m", "many.csv"], ["evaluate", "m", "more.csv"],
                          ["train", "train.csv", "-t", "price", "-o", "-", *QUICK]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([self.program.path, *arguments], cwd=self.folder, stdout=full,
                                      stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3, arguments)
            self.assertIn("cannot write standard output", done.stderr)

    def test_killed_at_any_moment_a_file_is_whole(self):
        self.run_ok("train", "train.csv", "-t", "price", "-o", "killed", *QUICK)
        generator = random.Random(6)
        for _ in range(15):
            running = subprocess.Popen([self.program.path, "update", "killed", "more.csv", "--quiet", "--anyway"],
                                       cwd=self.folder, stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0, 0.05))
            running.kill()
            running.wait()
            self.run_ok("inspect", "killed")
        for name in self.leftovers():
            (self.folder / name).unlink()

    def test_signals_save_what_was_learned(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)):
            def as_usual():
                for each in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(each, signal.SIG_DFL)
            main, side = pty.openpty()
            running = subprocess.Popen([self.program.path, "train", "many.csv", "-t", "price", "-o", "stopped", *LONG],
                                       cwd=self.folder, stderr=side, stdout=subprocess.PIPE, text=True,
                                       preexec_fn=as_usual)
            os.close(side)
            seen = b""
            while b"epoch 2/4000" not in seen:
                seen += os.read(main, 4096)
            running.send_signal(number)
            printed = running.communicate(timeout=60)[0]
            os.close(main)
            self.assertEqual(running.returncode, code)
            self.assertIn("interrupted: the model has what was best until now", printed)
            self.run_ok("evaluate", "stopped", "more.csv")

    def test_a_hangup_that_is_ignored_stays_ignored(self):
        running = subprocess.Popen([self.program.path, "train", "train.csv", "-t", "price", "-o", "nohup", "--max-epochs", "30",
                                    "--ensemble-size", "1", "--quiet"], cwd=self.folder,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.05)
        running.send_signal(signal.SIGHUP)
        self.assertEqual(running.wait(timeout=60), 0)

    # --- names --------------------------------------------------------------------------------------

    def test_control_characters_do_not_reach_a_terminal(self):
        name = "pri\x1b[31mce\x07\u009b31m"
        text = (self.folder / "train.csv").read_text().replace("price", name, 1)
        self.write("hostile.csv", text)
        calls = [["train", "hostile.csv", "-t", name, "-o", "hostile", *QUICK[:-1]], ["inspect", "hostile"],
                 ["train", "hostile.csv", "-t", "none\x1b[2J", "-o", "hostile", *QUICK],
                 ["predict", "hostile\x1b]0;title\x07", "train.csv"], ["predict", "hostile", "hostile.csv"]]
        for arguments in calls:
            main, side = pty.openpty()
            running = subprocess.Popen([self.program.path, *arguments], cwd=self.folder, stdout=side, stderr=side)
            os.close(side)
            seen = b""
            try:
                while chunk := os.read(main, 4096):
                    seen += chunk
            except OSError:
                pass  # the other side is closed
            running.wait()
            os.close(main)
            self.assertNotEqual(seen, b"")
            for forbidden in (b"\x1b", b"\x07", "\u009b".encode()):
                self.assertNotIn(forbidden, seen, arguments)

    def test_cells_that_a_spreadsheet_would_run(self):
        classes = {"inside": "=HYPERLINK(1)", "outside": "-1"}
        write_classes(self.folder / "ring.csv", 200, 3)
        text = (self.folder / "ring.csv").read_text()
        for old, new in classes.items():
            text = text.replace(old, new)
        self.write("ring.csv", text.replace("where", "+sum(A1)", 1))
        self.run_ok("train", "ring.csv", "-t", "+sum(A1)", "-o", "ring", "--classify", *QUICK)
        lines = self.run_ok("predict", "ring", "ring.csv").splitlines()
        self.assertTrue(lines[0].startswith("'+sum(A1),"))
        first = {line.split(",")[0] for line in lines[1:]}
        self.assertLessEqual(first, {"'=HYPERLINK(1)", "-1"})
        said = {json.loads(line)["+sum(A1)"] for line in self.run_ok("predict", "ring", "ring.csv", "--json").splitlines()}
        self.assertLessEqual(said, {"=HYPERLINK(1)", "-1"})


PATH = sys.argv.pop(1)
STORED = str(pathlib.Path(sys.argv.pop(1)).resolve())
unittest.main()
