#!/usr/bin/env python3
"""What Python adds: a fit and a row of a stream, against the same in C++, in turns.

Both sides train a 13-50-1 network on the same 10 000 rows for the same number of epochs, with one
thread. Each round asks both, one right after the other; the ratio is the median of the rounds', since a
shared machine is faster in one minute and slower in another. That of the two best times is told as well. A fit is timed by the processor's clock, which counts all threads of the process and is
the wall's on a machine that does nothing else; a row by the wall's, as the median of many.

Usage: bench/python/overhead.py --program build/release/bench/python/fit [--rounds 25] [--result FILE]
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

ROWS, COLUMNS, EPOCHS, STREAMED = 10_000, 13, 20, 5_000
RESULT = pathlib.Path(__file__).resolve().parents[1] / "results" / "python_overhead.json"


def problem():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=ROWS)
    return X, y


def seconds_of(work, clock=time.perf_counter):
    begin = clock()
    work()
    return clock() - begin


def in_cpp(program, path):
    shown = subprocess.run([program, path, *map(str, (ROWS, COLUMNS, EPOCHS, STREAMED))], check=True,
                           capture_output=True, text=True).stdout
    return dict(zip(("fit", "wall", "row"), map(float, shown.split())))


def new(kind):
    return kind((50,), ensemble_size=1, max_epochs=EPOCHS, patience=EPOCHS, random_state=1)


def seconds_per_row(model, X, y):
    return statistics.median(
        seconds_of(lambda row=row: model.partial_fit(X[row:row + 1], y[row:row + 1])) for row in range(STREAMED))


def in_python(X, y):
    regressor, stream = new(BayesianMLPRegressor), new(BayesianMLPRegressor).partial_fit(X, y)
    labels = (y > 0).astype(np.int64)
    classes = new(BayesianMLPClassifier).partial_fit(X, labels, classes=[0, 1])
    slices = statistics.median(seconds_of(lambda row=row: (X[row:row + 1], y[row:row + 1])) for row in range(STREAMED))
    begin = time.perf_counter()
    fit = seconds_of(lambda: regressor.fit(X, y), time.process_time)
    return {"fit": fit, "wall": time.perf_counter() - begin,
            "row": seconds_per_row(stream, X, y) - slices,
            "row_of_lists": statistics.median(
                seconds_of(lambda row=row: stream.partial_fit([list(X[row])], [y[row]])) for row in range(200)),
            "row_with_label": seconds_per_row(classes, X, labels) - slices}


def measured(program, rounds):
    X, y = problem()
    cpp, python = [], []
    with tempfile.NamedTemporaryFile() as file:
        file.write(X.tobytes() + y.tobytes())
        file.flush()
        for _ in range(rounds):
            cpp.append(in_cpp(program, file.name))
            python.append(in_python(X, y))

    def best(of, key):
        return min(each[key] for each in of)

    ratios = [p["fit"] / c["fit"] for p, c in zip(python, cpp)]
    return {
        "network": "13-50-1", "rows": ROWS, "epochs": EPOCHS, "rounds": rounds,
        "cpp_fit_s": best(cpp, "fit"), "python_fit_s": best(python, "fit"),
        "ratio": statistics.median(ratios), "ratio_of_best": best(python, "fit") / best(cpp, "fit"),
        "ratios_by_round": ratios,
        "cpp_wall_s": best(cpp, "wall"), "python_wall_s": best(python, "wall"),
        "load": os.getloadavg()[0],
        "cpp_row_us": 1e6 * best(cpp, "row"), "python_row_us": 1e6 * best(python, "row"),
        "added_per_row_us": 1e6 * (best(python, "row") - best(cpp, "row")),
        "python_row_with_label_us": 1e6 * best(python, "row_with_label"),
        "python_row_of_lists_us": 1e6 * best(python, "row_of_lists"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--result", type=pathlib.Path, default=RESULT)
    options = parser.parse_args()
    result = measured(options.program, options.rounds)
    options.result.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


main()
