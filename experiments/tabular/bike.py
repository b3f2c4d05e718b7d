#!/usr/bin/env python3
"""Hourly rides of a bicycle rental as a table with its date column: the command line with its defaults.

Usage: experiments/tabular/bike.py --data DIR [--build DIR] [--results DIR] [--quick]
Learns the rides of four fifths of the hours drawn at random, and of the first four fifths in time; predicts the others and writes
results/bike.json: the error, the log-likelihood, how many rows intervals of 90 % hold, and the smallest prediction and bound, which must not
be negative. Needs numpy. --quick takes every fortieth hour and one epoch, and writes nothing.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from data_sets import BIKE_TABLE, bike_splits, text_of  # noqa: E402
from program_calls import parsed  # noqa: E402

# Goals for the root mean square error, in rides.
MOST = {"random": 38, "time": 70}
# The number of the row, and what the target is the sum of.
LEFT_OUT = "instant,casual,registered"
LEVEL = "0.9"
QUICK_STEP = 40


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def told(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def tried(program, header, rows, test, folder, more):
    """One split: what evaluate says, and the smallest numbers of predict."""
    out_of = set(test.tolist())
    training, testing, model = folder / "train.csv", folder / "test.csv", folder / "model.safetensors"
    write(training, header, (row for number, row in enumerate(rows) if number not in out_of))
    write(testing, header, (rows[number] for number in sorted(out_of)))
    told(program, "train", training, "--target", "cnt", "--ignore", LEFT_OUT, "-o", model, "--force", "--quiet", *more)
    found = json.loads(told(program, "evaluate", model, testing, "--json"))
    predicted = list(csv.DictReader(io.StringIO(told(program, "predict", model, testing, "--level", LEVEL))))
    held = [float(p["low"]) <= float(rows[number][header.index("cnt")]) <= float(p["high"])
            for p, number in zip(predicted, sorted(out_of), strict=True)]
    return {"rows": len(rows) - len(out_of),
            "rmse": found["root_mean_square_error"]["value"], "rmse_se": found["root_mean_square_error"]["standard_error"],
            "log_likelihood": found["log_likelihood"]["value"], "log_likelihood_se": found["log_likelihood"]["standard_error"],
            "held_by_90": sum(held) / len(held),
            "least_prediction": min(float(p["mean"]) for p in predicted),
            "least_bound": min(float(p["low"]) for p in predicted),
            "target_scale": json.loads(told(program, "inspect", model, "--json"))["target_scale"]["scale"]}


def main():
    options = parsed(__doc__)
    if options is None:
        return
    header, *rows = csv.reader(io.StringIO(text_of(options.data / BIKE_TABLE)))
    if options.quick:
        rows = rows[::QUICK_STEP]
    at_random, in_time = bike_splits(len(rows))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, test in (("random", at_random[0]), ("time", in_time[0])):
            found[name] = tried(options.program, header, rows, test, pathlib.Path(folder), ["--max-epochs", "1"] if options.quick else [])
            found[name]["rmse_at_most"] = MOST[name]
            print(name, found[name])
    if not options.quick:
        (options.results / "bike.json").write_text(json.dumps(found, indent=1) + "\n")
    for of in found.values():
        if of["target_scale"] == "root" and min(of["least_prediction"], of["least_bound"]) < 0:
            sys.exit("a prediction or a bound is negative")


if __name__ == "__main__":
    main()
