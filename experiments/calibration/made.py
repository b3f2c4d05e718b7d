#!/usr/bin/env python3
"""Ours and other methods on tables of known truth: coverage, interval score, and whether a model's own score is what it reaches on new rows.

Needs what experiments/peers-env installs and, for ours, the Python package. Usage:
  build/peers/venv/bin/python experiments/calibration/made.py [--method NAME ...] [--peers] [--only TABLE ...] [--sixteen] [--missing] [--jobs N]
Without --method and --peers it runs ours. Each result goes into results/made.json at once, beside those of other tables and methods, so that
parts may be run one after another; --missing leaves out what the file has. --summary runs nothing. At the end the goals are judged and printed.
"""
import argparse
import concurrent.futures
import fcntl
import json
import math
import os
import pathlib
import sys
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import one_thread  # noqa: E402, F401
from goals import average_lines, goal_lines, goals_of  # noqa: E402
from measures import measure  # noqa: E402
from methods import METHODS, OURS, PEERS  # noqa: E402
from runs import installed, rounded  # noqa: E402
from tables import DESIGNS, SIXTEEN, make  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--method", nargs="+", choices=list(METHODS), default=[])
    parser.add_argument("--peers", action="store_true", help=f"the same as --method {' '.join(PEERS)}")
    parser.add_argument("--only", nargs="+", choices=list(DESIGNS), metavar="TABLE", help="these tables; --list names all")
    parser.add_argument("--sixteen", action="store_true", help="the tables of the tests")
    parser.add_argument("--missing", action="store_true", help="only what the file does not have")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each with one thread")
    parser.add_argument("--summary", action="store_true", help="run nothing, judge the file")
    parser.add_argument("--list", action="store_true", help="print the names of the tables")
    return parser.parse_args()


def clean(value):
    """As JSON has it: seven digits, and nothing that is not a number."""
    if isinstance(value, dict):
        return {key: clean(one) for key, one in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else rounded(value)


def listed(entries, indent):
    """One line for each entry."""
    return "[" + ",".join(f"\n{indent} {json.dumps(entry)}" for entry in entries) + f"\n{indent}]"


def text_of(found):
    peers = ",".join(f"\n  {json.dumps(name)}: {listed(entries, '  ')}" for name, entries in found["peers"].items())
    goals = ",".join(f"\n  {json.dumps(name)}: {json.dumps(each)}" for name, each in found["goals"].items())
    return (f'{{\n "versions": {json.dumps(found["versions"])},\n "goals": {{{goals}\n }},\n "tables": {listed(found["tables"], " ")},\n'
            f' "peers": {{{peers}\n }}\n}}\n')


class ResultFile:
    """made.json. Every change reads it anew under a lock, so that two runs at a time lose nothing of one another."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def read(self):
        empty = {"versions": {}, "goals": {}, "tables": [], "peers": {}}
        return empty | (json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {})

    def entries(self, method):
        found = self.read()
        return found["tables"] if method == OURS else found["peers"].get(method, [])

    def change(self, change):
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            found = self.read()
            change(found)
            found["goals"] = clean(goals_of(found))
            beside = self.path.with_suffix(".part")
            beside.write_text(text_of(found), encoding="utf-8")
            os.replace(beside, self.path)  # whole, or as it was
        finally:
            os.close(folder)
        return found

    def put(self, method, version, entry):
        def change(found):
            entries = found["tables"] if method == OURS else found["peers"].setdefault(method, [])
            entries[:] = [other for other in entries if other["name"] != entry["name"] and other["name"] in DESIGNS] + [clean(entry)]
            entries.sort(key=lambda each: list(DESIGNS).index(each["name"]))
            found["versions"][method] = version
        self.change(change)


def versions_of(methods):
    """Versions of the packages of each method; a method that misses one is left out, and said so."""
    found = {}
    for method in methods:
        packages = METHODS[method][1]
        versions = installed({package: package for package in packages})
        if len(versions) == len(packages):
            found[method] = ", ".join(versions.values())
    return found


def run(method, name):
    warnings.simplefilter("ignore")  # methods warn of small tables, which are meant to be small
    return measure(method, make(name))


def tell(method, entry):
    parts = [f"{key} {entry[key]:.3f}" for key in ("test", "best_possible", "score", "interval_score", "seconds") if entry[key] is not None]
    held = [f"held {entry['coverage']['0.9']:.3f}"] if entry["coverage"] else []
    print(f"  {entry['name']} {method}: {', '.join(held + parts)}", flush=True)


def run_all(file, tasks, versions, jobs):
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        running = {pool.submit(run, *task): task for task in tasks}
        for done in concurrent.futures.as_completed(running):
            method, name = running[done]
            try:
                entry = done.result()
            except Exception as problem:  # the other tables are still worth their time
                print(f"  {name} {method}: FAILED, {type(problem).__name__}: {problem}", flush=True)
                continue
            file.put(method, versions[method], entry)
            tell(method, entry)


def main():
    options = parse()
    if options.list:
        print("\n".join(DESIGNS))
        return
    file = ResultFile(options.results / "made.json")
    if not options.summary:
        versions = versions_of([*options.method, *(PEERS if options.peers else ())] or [OURS])
        names = options.only or (SIXTEEN if options.sixteen else DESIGNS)
        known = {method: {entry["name"] for entry in file.entries(method)} if options.missing else () for method in versions}
        run_all(file, [(method, name) for name in names for method in versions if name not in known[method]], versions, options.jobs)
    found = file.change(lambda found: None)
    print("\n".join([*average_lines(found, OURS), *goal_lines(found["goals"])]))
    print(file.path)


if __name__ == "__main__":
    main()
