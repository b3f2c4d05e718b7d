#!/usr/bin/env python3
"""Trains on a Parquet data set that is larger than the memory it may use.

Files of random numbers are written by a process of their own; then they are read as record batches
and learned row by row. Prints rows and megabytes per second and the most memory that this process
ever had resident, with all that Python and pyarrow take.

Needs postrider and pyarrow. Usage: bench/python/stream.py [--quick] [--scratch DIR] [--megabytes N] [--result FILE]
"""

import argparse
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

INPUTS = 20
HIDDEN = 16
FILES = 10
GROUP_ROWS = 65_536  # of a row group, which is what pyarrow reads at once
NOISE = 0.1
GOAL_MB = 1000


def chunk(seed, first):
    """Columns of a row group: standard normal inputs, and a target that bends in two of them."""
    import numpy as np

    random = np.random.default_rng([seed, first])
    inputs = random.standard_normal((INPUTS, GROUP_ROWS))
    target = inputs[0] + np.abs(inputs[1]) - 0.5 * inputs[2] + NOISE * random.standard_normal(GROUP_ROWS)
    return inputs, target


def write(folder, megabytes, seed):
    """Plain encoding and no compression: the files have the size of their numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{i}" for i in range(INPUTS)] + ["y"]
    schema = pa.schema([(name, pa.float64()) for name in names])
    group_bytes = GROUP_ROWS * len(names) * 8
    groups = -(-megabytes * 1_000_000 // group_bytes)
    files = min(FILES, groups)
    for file in range(files):
        path = folder / f"part-{file:02}.parquet"
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            for group in range(file * groups // files, (file + 1) * groups // files):
                inputs, target = chunk(seed, group)
                writer.write_table(pa.table([*inputs, target], schema=schema), row_group_size=GROUP_ROWS)


def batches(folder):
    """A reader of record batches that has few of them at a time."""
    import pyarrow.dataset as ds

    return ds.dataset(folder, format="parquet").scanner(
        batch_size=GROUP_ROWS, batch_readahead=2, fragment_readahead=1).to_reader()


def peak_resident_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def read_only(folder):
    """Seconds of turning all of it into rows of numbers, without learning."""
    import postrider

    begin = time.perf_counter()
    rows = sum(len(inputs) for inputs, _ in postrider.as_row_batches(batches(folder), "y"))
    return rows, time.perf_counter() - begin


def train(folder, seed):
    import postrider

    begin = time.perf_counter()
    model = postrider.TableModel.train_stream(batches(folder), "y", hidden=[HIDDEN], seed=seed)
    return model, time.perf_counter() - begin


def error_of(model, seed):
    """Root mean square error in rows that were not written."""
    import pyarrow as pa

    inputs, target = chunk(seed + 1, 0)
    test = pa.table([*inputs, target], names=[f"x{i}" for i in range(INPUTS)] + ["y"])
    return model.evaluate(test).root_mean_square_error.value


def measure(folder, options):
    files = list(folder.iterdir())
    stored = sum(path.stat().st_size for path in files) / 1e6
    rows, reading = read_only(folder)
    model, learning = train(folder, options.seed)
    learned = model.history[-1].rows
    return {
        "quick": options.quick,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "inputs": INPUTS,
        "hidden_units": HIDDEN,
        "files": len(files),
        "megabytes": stored,
        "rows": rows,
        "learned_rows": learned,
        "read_mb_per_s": stored / reading,
        "read_rows_per_s": rows / reading,
        "train_seconds": learning,
        "train_mb_per_s": stored / learning,
        "train_rows_per_s": learned / learning,
        # Before the test rows are made: they are no part of training.
        "peak_resident_mb": peak_resident_mb(),
        "goal_resident_mb": GOAL_MB,
        "noise": NOISE,
        "root_mean_square_error": error_of(model, options.seed),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 MB, to see that it works")
    parser.add_argument("--megabytes", type=int, default=5000)
    parser.add_argument("--scratch", type=pathlib.Path, help="where the files are put meanwhile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--result", type=pathlib.Path, help="a JSON file, such as bench/results/python_stream.json")
    parser.add_argument("--write", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.quick:
        options.megabytes = 20
    if options.write:
        write(options.write, options.megabytes, options.seed)
        return
    with tempfile.TemporaryDirectory(dir=options.scratch, prefix="postrider-stream-") as folder:
        # What the generator takes is not what training takes.
        subprocess.run([sys.executable, __file__, "--write", folder, "--megabytes", str(options.megabytes),
                        "--seed", str(options.seed)], check=True)
        result = measure(pathlib.Path(folder), options)
    for key, value in result.items():
        print(f"{key}: {value:,.1f}" if isinstance(value, float) and value > 10 else f"{key}: {value}")
    if options.result:
        options.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if result["peak_resident_mb"] >= GOAL_MB or result["learned_rows"] != result["rows"]:
        sys.exit(f"peak_resident_mb = {result['peak_resident_mb']:.0f}: must be below {GOAL_MB}, with all rows learned")


if __name__ == "__main__":
    main()
