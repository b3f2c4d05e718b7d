#!/usr/bin/env python3
"""Kills training with signal 9 at random moments and resumes it: the model must have the same bytes.

Each trial starts from nothing with checkpoints on, is killed after a random share of the time that
an uninterrupted run takes, and is called again with --resume until it ends. A trial that ended before
its kill does not count and is repeated.

Usage: bench/resume/kill.py --program build/release/src/cli/postrider [--kills 50] [--result FILE]
"""

import argparse
import json
import math
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROWS = 400
# One network after the other, so that kills also fall between members.
OPTIONS = ["--target", "y", "--hidden", "24,24", "--ensemble-size", "3", "--max-epochs", "30", "--patience", "30",
           "--threads", "1", "--quiet"]


def write_data(path):
    """A wave with a category and missing cells."""
    generator = random.Random(5)
    lines = ["x,kind,z,y"]
    for _ in range(ROWS):
        x, z = generator.uniform(-3, 3), generator.gauss(0, 1)
        kind = generator.choice(["north", "south", "west"])
        y = math.sin(2 * x) + 0.3 * z + (kind == "west") + 0.1 * generator.gauss(0, 1)
        shown = "" if generator.random() < 0.1 else f"{z:.4f}"
        lines.append(f"{x:.4f},{kind},{shown},{y:.4f}")
    path.write_text("\n".join(lines) + "\n")


class Trials:
    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        write_data(folder / "data.csv")

    def start(self, model, *more):
        return subprocess.Popen([self.program, "train", "data.csv", *OPTIONS, "-o", model, *more],
                                cwd=self.folder)

    def finish(self, model, *more):
        code = self.start(model, *more).wait()
        if code != 0:
            sys.exit(f"training ended with exit code {code}")

    def whole(self):
        """The bytes of the run that nobody interrupts, and its seconds."""
        begin = time.monotonic()
        self.finish("whole.safetensors", "--checkpoint", "whole.checkpoint", "--checkpoint-every", "1")
        return (self.folder / "whole.safetensors").read_bytes(), time.monotonic() - begin

    def clear(self):
        for path in self.folder.glob("killed.*"):
            path.unlink()

    def killed(self, seconds):
        """A run killed after `seconds`; false if it had ended before."""
        self.clear()
        running = self.start("killed.safetensors", "--checkpoint", "killed.checkpoint", "--checkpoint-every", "1")
        time.sleep(seconds)
        running.send_signal(signal.SIGKILL)
        return running.wait() == -signal.SIGKILL

    def resumed(self):
        self.finish("killed.safetensors", "--checkpoint", "killed.checkpoint", "--resume")
        return (self.folder / "killed.safetensors").read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--result", type=pathlib.Path, help="where the figures go, as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(options.program.resolve(), pathlib.Path(folder), options.seed)
        whole, seconds = trials.whole()
        kills = identical = with_checkpoint = 0
        while kills < options.kills:
            if not trials.killed(trials.random.uniform(0, seconds)):
                continue
            kills += 1
            with_checkpoint += (trials.folder / "killed.checkpoint").exists()
            identical += trials.resumed() == whole
    result = {"kills": kills, "identical": identical, "killed_after_a_checkpoint": with_checkpoint,
              "seconds_uninterrupted": round(seconds, 2), "model_bytes": len(whole)}
    print(json.dumps(result))
    if options.result:
        options.result.write_text(json.dumps(result, indent=2) + "\n")
    sys.exit(0 if identical == kills else 1)


main()
