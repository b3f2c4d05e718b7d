#!/usr/bin/env python3
"""How much memory training takes: the command line with its defaults, and with less for stored messages.

Usage: experiments/tabular/memory.py --data DIR [--build DIR] [--results DIR] [--quick]
Trains adult (without its first fold, on which the model is then evaluated) and farm-ads, each in a process of its own, and writes
results/memory.json: the largest resident set of the process, its seconds, and of adult the log-loss. --quick trains adult
for one epoch and on 2,000 rows, and writes nothing.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from data_sets import text_of  # noqa: E402
from measured_process import measured  # noqa: E402
from program_calls import parsed  # noqa: E402

# What the two sets may take with the defaults, and adult with little memory, in megabytes of a million bytes.
MOST = {"adult": 400, "adult, little memory": 150, "farm-ads": 500}
LITTLE = 100_000_000  # bytes of stored messages: the rest is for rows, beliefs and the program itself
QUICK_ROWS = 2000


def adult(folder, to, rows):
    """Writes the rows of the first fold and the others."""
    lines = text_of(folder / "data.csv").splitlines()
    splits = list(csv.reader(io.StringIO(text_of(folder / "splits.csv"))))
    left_out = {int(number) for number in splits[1][1].split()}
    parts = {"train.csv": [lines[0]], "test.csv": [lines[0]]}
    for number, line in enumerate(lines[1 : rows + 1]):
        parts["test.csv" if number in left_out else "train.csv"].append(line)
    for name, part in parts.items():
        (to / name).write_text("\n".join(part) + "\n")


def trained(program, arguments, model, test=None):
    out = measured([program, "train", *arguments, "--classify", "-o", model, "--force", "--quiet"])
    if test is not None:
        found = subprocess.run([program, "evaluate", model, test, "--json"], check=True, capture_output=True, text=True)
        out["log_loss"] = json.loads(found.stdout)["log_loss"]["value"]
    return out


def main():
    options = parsed(__doc__)
    if options is None:
        return
    data, program = options.data, options.program
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        to = pathlib.Path(folder)
        adult(data / "tabular" / "adult", to, QUICK_ROWS if options.quick else sys.maxsize)
        rows = [to / "train.csv", "--target", "y"] + (["--max-epochs", "1"] if options.quick else [])
        found["adult"] = trained(program, rows, to / "model", to / "test.csv")
        found["adult, little memory"] = trained(program, [*rows, "--store-budget", str(LITTLE)], to / "model", to / "test.csv")
        if not options.quick:
            found["farm-ads"] = trained(program, [data / "sparse/farm-ads/farm-ads.libsvm.zst"], to / "model")
    for name, of in found.items():
        of["at_most_megabytes"] = MOST[name]
        print(name, of)
    if not options.quick:
        (options.results / "memory.json").write_text(json.dumps(found, indent=2) + "\n")
    if any(of["peak_megabytes"] > of["at_most_megabytes"] for of in found.values()):
        sys.exit("more memory than allowed")


if __name__ == "__main__":
    main()
