#!/usr/bin/env python3
"""The program beside others: shells that complete its words, and Graphviz that draws its graphs. What is not installed is
skipped.

Usage: neighbours.py PROGRAM
"""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

from program import Program, write_houses

LONGEST_WAIT = 60  # seconds, on a machine that is busy


def needs(name):
    return unittest.skipUnless(shutil.which(name), f"there is no {name}")


class Terminal:
    """A shell that believes a person sits in front of it."""

    def __init__(self, command, folder):
        self.main, side = pty.openpty()
        self.shell = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, cwd=folder, start_new_session=True,
                                      env=dict(os.environ, HOME=str(folder), TERM="dumb", PS1="> "))
        os.close(side)

    def type(self, keys):
        os.write(self.main, keys.encode())

    def wait_for(self, text):
        """What was shown until this text came, or the time was over."""
        seen, end = "", time.monotonic() + LONGEST_WAIT
        while text not in seen and time.monotonic() < end:
            if select.select([self.main], [], [], 0.2)[0]:
                seen += os.read(self.main, 4096).decode(errors="replace")
        return seen

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.main)


class Neighbours(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.program = Program(PATH, self.folder)

    def script(self, shell, name):
        (self.folder / name).write_text(self.program.expect(0, "completion", shell))

    def printed_by(self, *command):
        return subprocess.run(command, cwd=self.folder, env=dict(os.environ, HOME=str(self.folder)), check=True,
                              capture_output=True, text=True).stdout

    def test_bash(self):
        self.script("bash", "c.bash")
        ask = "source c.bash; COMP_WORDS=(postrider train --check); COMP_CWORD=2; _postrider; echo ${COMPREPLY[@]}"
        self.assertEqual(self.printed_by("bash", "-c", ask).split(), ["--checkpoint", "--checkpoint-every"])

    @needs("fish")
    def test_fish(self):
        self.script("fish", "c.fish")

        def offered(words):
            lines = self.printed_by("fish", "--no-config", "-c", f"source c.fish; complete -C '{words}'").splitlines()
            return [line.split("\t")[0] for line in lines]

        self.assertEqual(offered("postrider train --check"), ["--checkpoint", "--checkpoint-every"])
        self.assertEqual(offered("postrider insp"), ["inspect"])
        self.assertEqual(offered("postrider factor c"), ["certify"])

    # As a file that zsh loads at the first word to be completed, and as one that the user's settings read.
    @needs("zsh")
    def test_zsh(self):
        self.script("zsh", "_postrider")
        for begin in ("fpath=($PWD $fpath); autoload -U compinit; compinit -u -D",
                      "autoload -U compinit; compinit -u -D; source ./_postrider"):
            terminal = Terminal(["zsh", "-f", "-i"], self.folder)
            self.addCleanup(terminal.close)
            terminal.type(begin + "; echo rea''dy\n")
            terminal.wait_for("ready\r\n")
            for typed, completed in (("postrider train --checkpoint-e", "postrider train --checkpoint-every"),
                                     ("postrider insp", "postrider inspect")):
                terminal.type("\x15" + typed + "\t")
                self.assertIn(completed, terminal.wait_for(completed))

    @needs("dot")
    def test_graphviz(self):
        write_houses(self.folder / "train.csv", 60, 1)
        self.program.expect(0, "train", "train.csv", "-t", "price", "-o", "m", "--max-epochs", "1", "--hidden", "3", "--ensemble-size",
                            "1", "--constant-noise", "--quiet")
        for options, products in (([], None), (["--full"], 3 * (5 + 1) + 1 * (3 + 1))):
            (self.folder / "m.dot").write_text(self.program.expect(0, "graph", "m", *options))
            drawn = xml.etree.ElementTree.fromstring(self.printed_by("dot", "-Tsvg", "m.dot"))
            texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
            if products is None:
                self.assertTrue(any("3 units" in text for text in texts), texts)
            else:
                # 5 inputs: area, three sides, garden; one bias for each unit.
                self.assertEqual(texts.count("product"), products)


PATH = sys.argv.pop(1)
unittest.main()
