"""What the checks share: the files of the repository and the way to report."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LAYERS = ("base", "math", "message", "factor", "certify", "graph", "sweep", "network", "data", "monitor", "warnings", "skill",
          "sparse", "drift", "encode", "train", "estimator", "distributed", "audit", "table", "capi", "mpi", "arrow_files",
          "text", "explain", "report", "io", "serve", "events", "cli", "web")

# What the programs consist of. They see the library as any user does, through its installed headers; "text" is in the library, too, for reports.
PROGRAM_LAYERS = ("text", "io", "serve", "events", "cli", "web")


def files(*suffixes):
    """Paths relative to ROOT, tracked or not yet tracked but not ignored, by suffix (all if none)."""
    # A clone that another user made is fine to read, which git must be told.
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.decode()
    paths = sorted({Path(name) for name in listing.split("\0") if name})
    return [path for path in paths
            if (ROOT / path).is_file() and (not suffixes or path.suffix in suffixes)]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def finish(problems):
    """Prints one problem per line and ends the program."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
