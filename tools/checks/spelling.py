#!/usr/bin/env python3
"""No common misspelling, by codespell; .codespellrc names the words that are right here."""

import shutil
import subprocess
import sys

from tree import ROOT, files

SUFFIXES = (".md", ".py", ".cc", ".h", ".c", ".txt", ".cmake", ".toml", ".yml", ".cff")

if shutil.which("codespell") is None:
    sys.exit("codespell is missing: tools/install-deps installs it")
names = [path.as_posix() for path in files(*SUFFIXES)]
sys.exit(subprocess.run(["codespell", *names], cwd=ROOT, check=False).returncode)
