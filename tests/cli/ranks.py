#!/usr/bin/env python3
"""`postrider train` by the ranks of mpirun: the same bytes for any number of them, and after the loss of one.

Usage: ranks.py PROGRAM MPIRUN
"""
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, MPIRUN = sys.argv[1:3]
del sys.argv[1:3]
CALL = ["train", "rows.csv", "--target", "y", "--hidden", "12", "--seed", "3", "--force", "--quiet"]

FEW = ("--max-epochs", "12")


def write_rows(path):
    draw = random.Random(1)
    lines = ["a,b,y"]
    for _ in range(600):
        a, b = draw.uniform(-2, 2), draw.uniform(-2, 2)
        lines.append(f"{a:.5f},{b:.5f},{math.sin(a) * b + draw.gauss(0, 0.1):.5f}")
    path.write_text("\n".join(lines) + "\n")


def survives_losses():
    said = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"Open MPI\)? v?(\d+)\.", said)
    return found is not None and int(found[1]) >= 5


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        write_rows(self.path / "rows.csv")

    def tearDown(self):
        self.folder.cleanup()

    def alone(self, *more):
        subprocess.run([PROGRAM, *CALL, "--shards", "16", "--output", "alone.safetensors", *more], cwd=self.path, check=True)
        return (self.path / "alone.safetensors").read_bytes()

    def started(self, ranks, *more, options=()):
        call = [MPIRUN, "--allow-run-as-root", "--oversubscribe", *options, "-n", str(ranks), PROGRAM, *CALL, *more]
        return subprocess.Popen(call, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_the_model_is_the_same_for_any_number_of_ranks(self):
        expected = self.alone(*FEW)
        for ranks in (1, 2, 3):
            job = self.started(ranks, *FEW, "--output", "model.safetensors")
            out, errors = job.communicate(timeout=120)
            self.assertEqual(job.returncode, 0, errors)
            self.assertEqual((self.path / "model.safetensors").read_bytes(), expected)

    def test_one_rank_speaks_for_all(self):
        job = self.started(3, "--shards", "0", "--folds", "3", "--output", "model.safetensors")
        _, errors = job.communicate(timeout=120)
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("--shards = 16: does not go with --folds", errors)

    @unittest.skipUnless(survives_losses(), "only Open MPI from version 5 on goes on without a rank")
    def test_a_lost_rank_changes_nothing(self):
        more = ("--max-epochs", "20", "--patience", "20")
        expected = self.alone(*more)
        job = self.started(3, *more, "--output", "model.safetensors", "--checkpoint", "run",
                           "--checkpoint-every", "1", options=("--with-ft", "ulfm"))
        until = time.monotonic() + 60
        while not (self.path / "run" / "manifest").exists() and time.monotonic() < until:
            time.sleep(0.01)
        victims = [pid for pid in children_of(job.pid) if pid != job.pid]
        os.kill(victims[-1], signal.SIGKILL)
        _, errors = job.communicate(timeout=120)
        self.assertEqual((self.path / "model.safetensors").read_bytes(), expected, errors)


    def test_a_rank_that_hangs_ends_the_job(self):
        for victim in (1, 0):
            job = self.started(2, "--max-epochs", "100000", "--patience", "100000", "--output", "model.safetensors", "--checkpoint", "run",
                               "--checkpoint-every", "1", "--deadline", "3")
            until = time.monotonic() + 60
            while not (self.path / "run" / "manifest").exists() and time.monotonic() < until:
                time.sleep(0.01)
            os.kill(children_of(job.pid)[victim], signal.SIGSTOP)
            begin = time.monotonic()
            _, errors = job.communicate(timeout=60)
            self.assertNotEqual(job.returncode, 0)
            self.assertIn(f"postrider: train: rank {victim} has not answered within 3 s (--deadline): the job is ended. "
                          "The same call with --resume goes on from what --checkpoint has", errors)
            self.assertLess(time.monotonic() - begin, 40)
            shutil.rmtree(self.path / "run")

    def test_an_error_ends_the_job(self):
        """While an error unwinds nobody waits for others without end in MPI_Finalize."""
        (self.path / "run").mkdir()
        (self.path / "run" / "manifest").write_bytes(b"damaged")
        job = self.started(2, *FEW, "--output", "model.safetensors", "--checkpoint", "run", "--resume", "--deadline", "20")
        _, errors = job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("cannot go on from run/manifest", errors)


def children_of(pid):
    """Children of a process, in the order in which they were started."""
    task = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return sorted(int(child) for child in task.read_text().split())


if __name__ == "__main__":
    unittest.main()
