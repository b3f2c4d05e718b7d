#!/usr/bin/env python3
"""How long it takes from rows to a model, ours and others' side by side, each with its defaults.

Needs what experiments/peers-env --with-postrider installs; for the made tables also the program. Usage:
  build/peers/venv/bin/python bench/time_to_model/time_to_model.py --data DIR [--sets NAME ...] [--methods NAME ...] [--splits N] [--again]
Methods take turns: all have a split of a set before any has the next, so that a ratio is of one state of the machine. Of the sets, seconds are
the processor's and of the fit alone, on one thread. `large` are made tables of 100,000 and 1,000,000 rows, each method in a process of its own.
Writes bench/results/time_to_model.json after every run, and a run that is there is not repeated: cut off, the same command goes on. --splits takes
at most the first N of each set; --again forgets what the file has of the sets and methods named; --table runs nothing and prints the tables of the
file in Markdown. --smoke runs yacht once and 2,000 made rows, and writes to build/time_to_model_smoke.json.
"""
import argparse
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "experiments" / "common")]
import one_thread  # noqa: E402, F401
import large  # noqa: E402
import sets  # noqa: E402
from results import Results, tables  # noqa: E402

LARGE = "large"  # all of the made tables
SMOKE_SET, SMOKE_ROWS = "yacht", 2000


def parse(arguments=None):
    made = [large.name_of(rows) for rows in large.SIZES]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/src/cli/postrider", help="ours, for the made tables")
    parser.add_argument("--sets", nargs="+", choices=[*sets.SPLITS, LARGE, *made], default=[*sets.SPLITS, LARGE])
    parser.add_argument("--methods", nargs="+", choices=sets.METHODS, default=sets.METHODS)
    parser.add_argument("--splits", type=int, default=max(sets.SPLITS.values()), help="at most")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true", help="run nothing, print the tables of the file")
    parser.add_argument("--smoke", action="store_true", help="small and once, to see that it runs")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.smoke:
        options.sets, options.splits = [*([SMOKE_SET] if options.data else []), large.name_of(SMOKE_ROWS)], 1
    options.sets = list(dict.fromkeys(name for given in options.sets for name in (made if given == LARGE else [given])))
    options.out = options.out or ROOT / ("build/time_to_model_smoke.json" if options.smoke else "bench/results/time_to_model.json")
    if not options.table and not options.data and any(not large.is_large(name) for name in options.sets):
        parser.error("the sets need --data DIR or POSTRIDER_DATA; --sets large needs none")
    return options


def run_split(runs, name, found, split, versions):
    for method, version in versions.items():
        if runs.has(name, method, split) or (name, method) in sets.LEFT_OUT:
            continue
        run = sets.run(name, method, found, split)
        runs.put(name, method, split, run, version)
        print(f"  {name} {method} {split}: " + ", ".join(f"{key} {value:.4g}" for key, value in run.items() if key != "parts"), flush=True)


def run_sets(runs, names, options):
    versions = sets.versions_of(options.methods)
    read = {name: sets.read(options.data, name) for name in names}
    for name, found in read.items():
        runs.describe(name, {"rows": sets.rows_of(name, found)})
    for split in range(options.splits):
        for name, found in read.items():
            if split < min(sets.SPLITS[name], len(found.splits)):
                run_split(runs, name, found, split, versions)


def run_large(runs, names, options):
    versions = large.versions(options.methods, options.program)
    for name in names:
        large.run_table(runs, large.rows_of(name), versions, options.program)


def main():
    options = parse()
    if options.table:
        if not options.out.exists():
            sys.exit(f"{options.out} does not exist: nothing was measured yet")
        print("\n".join(tables(json.loads(options.out.read_text(encoding="utf-8")))))
        return
    runs = Results(options.out)
    for name in options.sets if options.again or options.smoke else ():
        for method in options.methods:
            runs.forget(name, method)
    made = [name for name in options.sets if large.is_large(name)]
    others = [name for name in options.sets if name not in made]
    if others:
        run_sets(runs, others, options)
    if made:
        run_large(runs, made, options)
    print(runs.path)


if __name__ == "__main__":
    main()
