#!/usr/bin/env python3
"""Trains the regressors that people use today, with their defaults, on the splits of the UCI sets and on bike sharing.

Needs what experiments/peers-env installs. Usage:
  build/peers/venv/bin/python experiments/uci/peers.py --data DIR [--sets NAME ...] [--methods NAME ...] [--splits N] [--again]
Writes results/peers.json after every run, and a run that is there is not repeated: cut off, the same command goes on. --splits takes the
first N splits of each set; all sets have their first split before any has its second. --again forgets what the file has of the sets and methods named.
`--methods postrider` runs ours through the Python package, with the defaults, where that is installed.
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import one_thread  # noqa: E402, F401
from regression_runs import METHODS, compare, open_runs, options_of, test, versions_of  # noqa: E402

# Not ours, whose results on the nine sets the C++ program writes, and none whose work grows with the cube of the rows.
PEERS = [name for name in METHODS if name not in ("postrider", "gaussian_process")]


def main():
    options = options_of(__doc__, HERE / "results", METHODS, PEERS)
    compare(options, open_runs(options.results / "peers.json"), versions_of(options.methods), test)


if __name__ == "__main__":
    main()
