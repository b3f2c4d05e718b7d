#!/usr/bin/env python3
"""Sparse classification beside Vowpal Wabbit and logistic regression, on the same rows: writes results/sparse.json.

Usage: experiments/streams/sparse.py --data DIR [--out DIR] [--program POSTRIDER] [--sets a9a,w8a,farm-ads]

One pass each: ours, and Vowpal Wabbit with its defaults and the logistic loss. Several passes: ours, and scikit-learn's logistic regression
with its defaults. Training rows come in random orders, the same for all, since the file of w8a is sorted by class; what happens in the
file's order is written beside. One pass depends on the order, so that its figures are means over ten. The number of passes was chosen on
training rows of a9a, and nothing else was: see docs/design/trials-streams.md.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import vowpalwabbit
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
sys.path.insert(0, str(HERE))
from data_sets import text_of  # noqa: E402
from rows_of_sets import SETS, lines_of  # noqa: E402

from postrider.experimental.sparse_model import SparseModel  # noqa: E402

PASSES = 30
ORDER_SEED, ORDERS = 20240601, 10
REPEATS = 10  # of the training rows, where time is measured
TIMINGS = 7  # of which the fastest counts
VW_OPTIONS = "--loss_function logistic --quiet"


def matrix_of(lines):
    """Inputs as compressed sparse rows, and whether each row is of class 1."""
    ends, columns, labels = [0], [], []
    for line in lines:
        label, *pairs = line.split()
        labels.append(float(label) > 0)
        columns.extend(int(pair.split(":")[0]) - 1 for pair in pairs)
        ends.append(len(columns))
    return csr_matrix((np.ones(len(columns)), columns, ends)), np.array(labels)


def vw_line(line):
    label, *pairs = line.split()
    return f"{1 if float(label) > 0 else -1} | {' '.join(pairs)}"


def log_loss(labels, probabilities):
    kept = np.clip(np.where(labels, probabilities, 1 - probabilities), 1e-15, None)
    return float(-np.log(kept).mean())


def by_vw(lines, train, test):
    model = vowpalwabbit.Workspace(VW_OPTIONS + " --link logistic")
    for row in train:
        model.learn(vw_line(lines[row]))
    found = np.array([model.predict("| " + lines[row].partition(" ")[2]) for row in test])
    model.finish()
    return found


def one_pass(lines, inputs, labels, train, test):
    """Log-losses on the test rows."""
    model = SparseModel()
    model.update(inputs[train], labels[train])
    return {
        "ours": log_loss(labels[test], model.predict_proba(inputs[test])[:, 1]),
        "vw": log_loss(labels[test], by_vw(lines, train, test)),
    }


def several_passes(inputs, labels, train, test):
    model = SparseModel(passes=PASSES)
    model.fit(inputs[train], labels[train])
    logistic = LogisticRegression().fit(inputs[train], labels[train])
    return {
        "ours_passes": log_loss(labels[test], model.predict_proba(inputs[test])[:, 1]),
        "logistic": log_loss(labels[test], logistic.predict_proba(inputs[test])[:, 1]),
    }


def mean_of(found):
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def measure(data, name):
    lines, splits = lines_of(data, name)
    inputs, labels = matrix_of(lines)
    often, as_filed = [], []
    in_order = [[] for _ in range(ORDERS)]
    for train, test in splits:
        draw = np.random.default_rng(ORDER_SEED)
        orders = [draw.permutation(train) for _ in range(ORDERS)]
        for order, found in zip(orders, in_order, strict=True):
            found.append(one_pass(lines, inputs, labels, order, test))
        often.append(several_passes(inputs, labels, orders[0], test))
        as_filed.append(one_pass(lines, inputs, labels, train, test))
        print(name, in_order[0][-1], often[-1], flush=True)
    once = [mean_of(found) for found in in_order]
    return {
        **mean_of(once),
        **mean_of(often),
        "orders": once,
        "orders_won": sum(found["ours"] <= found["vw"] for found in once),
        "passes": PASSES,
        "splits": len(splits),
        "in_file_order": mean_of(as_filed),
    }


def seconds(action):
    """Processor time of all threads of this process."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def speed(data):
    """Rows a second from text files on one core, ours and theirs in turn."""
    lines, [(train, _)] = lines_of(data, "a9a")
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        libsvm, vw = pathlib.Path(folder) / "rows.libsvm", pathlib.Path(folder) / "rows.vw"
        libsvm.write_text("".join(lines[row] + "\n" for row in train) * REPEATS, encoding="utf-8")
        vw.write_text("".join(vw_line(lines[row]) + "\n" for row in train) * REPEATS, encoding="utf-8")
        ours, ours_of_vw, theirs = [], [], []
        for _ in range(TIMINGS):
            ours.append(seconds(lambda: SparseModel().update(libsvm)))
            ours_of_vw.append(seconds(lambda: SparseModel().update(vw)))
            theirs.append(seconds(lambda: vowpalwabbit.Workspace(f"-d {vw} {VW_OPTIONS}").finish()))
    rows = len(train) * REPEATS
    rate = {"ours": rows / min(ours), "ours_of_vw_text": rows / min(ours_of_vw), "vw": rows / min(theirs)}
    rate["ratio"] = rate["ours_of_vw_text"] / rate["vw"]
    return rate


def peak_memory(data, program):
    """Bytes of a process that learns farm-ads in one pass, and in several."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "rows"
        text.write_text(text_of(pathlib.Path(data) / "sparse/farm-ads/farm-ads.libsvm"), encoding="utf-8")
        for name, passes in (("one_pass", 1), ("passes", PASSES)):
            # Each in a process between, whose only child it is.
            code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
                    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            printed = subprocess.run([sys.executable, "-c", code, program, "sparse", "learn", str(text), "-o", f"{folder}/{name}",
                                      "--passes", str(passes)], check=True, capture_output=True, text=True).stdout
            found[name] = 1024 * int(printed)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--out", default=str(HERE / "results"))
    parser.add_argument("--program", default=str(HERE.parents[1] / "build/release/src/cli/postrider"))
    parser.add_argument("--sets", default=",".join(SETS))
    arguments = parser.parse_args()
    if not arguments.data:
        parser.error("--data: say where the data sets are, or set POSTRIDER_DATA")
    result = {name: measure(arguments.data, name) for name in arguments.sets.split(",")}
    if "farm-ads" in result:
        result["farm-ads"]["peak_bytes"] = peak_memory(arguments.data, arguments.program)
    if "a9a" in result:
        result["a9a"]["rows_per_second"] = speed(arguments.data)
    result["versions"] = {"vowpalwabbit": vowpalwabbit.__version__}
    path = pathlib.Path(arguments.out) / "sparse.json"
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
