#!/usr/bin/env python3
"""Intervals while a model learns row by row: fitted to 500 rows, then 5,000 more, each predicted just before it is learned.

Needs the Python package. Usage:
  build/peers/venv/bin/python experiments/calibration/streams.py [--only TABLE ...]
Writes results/streams.json, table by table. The goal: of every thousand rows, intervals of 90 % hold 88 to 92 %. It is a hard one. By chance alone,
true intervals miss it on one thousand in 33, so that only intervals which learn from their own misses can meet it on all forty.
"""
import argparse
import json
import pathlib
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import one_thread  # noqa: E402, F401
import numpy as np  # noqa: E402
from goals import goal, goal_lines, within  # noqa: E402
from made import clean, listed  # noqa: E402
from methods import SEED  # noqa: E402
from tables import STREAMED, make  # noqa: E402

FITTED, STREAMED_ROWS, PART = 500, 5000, 1000
COVERAGE, OF_EVERY_PART = 0.9, (0.88, 0.92)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--only", nargs="+", choices=STREAMED, default=STREAMED, metavar="TABLE")
    return parser.parse_args()


def held_one_by_one(model, inputs, targets):
    """For each row whether its interval, given by what was learned before, held its target."""
    held = []
    for row in range(len(targets)):
        one, target = inputs[row:row + 1], targets[row:row + 1]
        lower, upper = model.predict_interval(one, COVERAGE)[0]
        held.append(lower <= target[0] <= upper)
        model.partial_fit(one, target)
    return np.array(held)


def stream(name):
    from postrider import BayesianMLPRegressor
    warnings.simplefilter("ignore")  # nothing changes in these streams, and whoever warns of it is judged by coverage
    table = make(name, rows=FITTED + STREAMED_ROWS)
    inputs, targets = table.inputs.numbers, table.targets
    begin = time.process_time()
    model = BayesianMLPRegressor(random_state=SEED).fit(inputs[:FITTED], targets[:FITTED])
    fitted = time.process_time()
    held = held_one_by_one(model, inputs[FITTED:], targets[FITTED:])
    return {"name": name, "coverage_by_thousand": [float(part.mean()) for part in held.reshape(-1, PART)], "seconds_of_fit": fitted - begin,
            "seconds": time.process_time() - fitted}


def goals_of(entries):
    failing = [entry["name"] for entry in entries if not all(within(share, OF_EVERY_PART) for share in entry["coverage_by_thousand"])]
    shares = [share for entry in entries for share in entry["coverage_by_thousand"]]
    value = sum(within(share, OF_EVERY_PART) for share in shares) / len(shares)
    return {"coverage by thousand": goal(value, "88-92 % of every thousand rows of every table", not failing, failing)}


def put(path, entry):
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"tables": []}
    entries = [other for other in found["tables"] if other["name"] != entry["name"] and other["name"] in STREAMED] + [clean(entry)]
    entries.sort(key=lambda each: STREAMED.index(each["name"]))
    goals = clean(goals_of(entries))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{\n "goals": {json.dumps(goals)},\n "tables": {listed(entries, " ")}\n}}\n', encoding="utf-8")
    return goals


def main():
    options = parse()
    path = options.results / "streams.json"
    for name in options.only:
        entry = stream(name)
        goals = put(path, entry)
        print(f"  {name}: " + " ".join(f"{share:.3f}" for share in entry["coverage_by_thousand"]) + f", {entry['seconds']:.1f} s", flush=True)
    print("\n".join([*goal_lines(goals), str(path)]))


if __name__ == "__main__":
    main()
