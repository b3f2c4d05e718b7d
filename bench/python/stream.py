#!/usr/bin/env python3
"""Trains on a Parquet data set that is larger than the memory it may use.

Files of random numbers are written by a process of their own; then they are read as record batches
and learned row by row, by a TableModel and by partial_fit of an estimator. Prints rows and megabytes
per second and the most memory that this process ever had resident, with all that Python and pyarrow
take.

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
    """A reader of record batches, a row group at a time: a scanner would read a gigabyte ahead."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    data = ds.dataset(folder, format="parquet")
    return pa.RecordBatchReader.from_batches(data.schema, (
        batch for file in data.get_fragments() for group in file.split_by_row_group() for batch in group.to_batches()))


def peak_resident_mb():
    """What this program alone had: `ru_maxrss` begins at what the process that started it had."""
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        return int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) * 1024 / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def read(folder, seed):
    """Turns all of it into rows of numbers, without learning."""
    import postrider

    return sum(len(inputs) for inputs, _ in postrider.as_row_batches(batches(folder), "y"))


def train_table(folder, seed):
    import postrider

    return postrider.TableModel(hidden_layer_sizes=[HIDDEN], random_state=seed).update(batches(folder), "y")


def train_estimator(folder, seed):
    import postrider

    estimator = postrider.BayesianMLPRegressor(hidden_layer_sizes=(HIDDEN,), random_state=seed)
    return postrider.update_stream(estimator, batches(folder), "y")


def timed(work, folder, seed):
    """What it returns, its seconds and those of the processor, in all threads."""
    begin, begin_processor = time.perf_counter(), time.process_time()
    out = work(folder, seed)
    return out, time.perf_counter() - begin, time.process_time() - begin_processor


def speeds(rows, megabytes, seconds, processor_seconds):
    return {"seconds": seconds, "rows_per_s": rows / seconds, "mb_per_s": megabytes / seconds,
            "rows_per_processor_s": rows / processor_seconds}


def errors_of(model, estimator, seed):
    """Root mean square errors in rows that were not written."""
    import numpy as np
    import pyarrow as pa

    inputs, target = chunk(seed + 1, 0)
    test = pa.table([*inputs, target], names=[f"x{i}" for i in range(INPUTS)] + ["y"])
    return {"table_model": model.evaluate(test).root_mean_square_error.value,
            "partial_fit": float(np.sqrt(np.mean((estimator.predict(inputs.T) - target) ** 2)))}


def measure(folder, options):
    import postrider  # noqa: F401  # its import is nobody's time

    files = list(folder.iterdir())
    stored = sum(path.stat().st_size for path in files) / 1e6
    rows, *reading = timed(read, folder, options.seed)
    model, *learning = timed(train_table, folder, options.seed)
    estimator, *fitting = timed(train_estimator, folder, options.seed)
    return {
        "quick": options.quick,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "inputs": INPUTS,
        "hidden_units": HIDDEN,
        "files": len(files),
        "megabytes": stored,
        "rows": rows,
        "learned_rows": model.history[-1].rows,
        "read": speeds(rows, stored, *reading),
        "table_model": speeds(rows, stored, *learning),
        "partial_fit": speeds(rows, stored, *fitting),
        # Before the test rows are made: they are no part of training.
        "peak_resident_mb": peak_resident_mb(),
        "goal_resident_mb": GOAL_MB,
        "noise": NOISE,
        "root_mean_square_error": errors_of(model, estimator, options.seed),
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
    for name in ("read", "table_model", "partial_fit"):
        print(f"{name}: {result[name]['rows_per_s']:,.0f} rows/s, {result[name]['mb_per_s']:.1f} MB/s")
    print(f"{result['megabytes']:,.0f} MB, {result['rows']:,} rows, at most {result['peak_resident_mb']:.0f} MB resident")
    if options.result:
        options.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if result["peak_resident_mb"] >= GOAL_MB or result["learned_rows"] != result["rows"]:
        sys.exit(f"peak_resident_mb = {result['peak_resident_mb']:.0f}: must be below {GOAL_MB}, with all rows learned")


if __name__ == "__main__":
    main()
