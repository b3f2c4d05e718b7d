"""Made tables of many rows: each method in processes of its own, from a CSV file to a file with its model, on two threads.

Seconds are the wall's and of the whole process, as a user waits for it: it starts, reads the table, learns and writes the model.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "experiments" / "common")]
import made_rows  # noqa: E402
from measured_process import measured  # noqa: E402
from one_thread import VARIABLES  # noqa: E402
from sets import OURS, versions_of  # noqa: E402

SIZES = (100_000, 1_000_000)
TEST_ROWS = 20_000
THREADS = 2
# NGBoost and the random forest are left out: a thousand trees that sort all rows, and a hundred whose leaves hold one row each, take hours.
METHODS = (OURS, "light_gbm", "hist_gradient_boosting")
# Threads of others that wait for each other spin by default. Where the machine has other work, that takes many times as long as the fit itself.
PEER_VARIABLES = {**dict.fromkeys(VARIABLES, str(THREADS)), "OMP_WAIT_POLICY": "passive"}
PREFIX = "large-"  # of the names among other sets, which end with the number of rows


def name_of(rows):
    return f"{PREFIX}{rows}"


def rows_of(name):
    return int(name.removeprefix(PREFIX))


def is_large(name):
    return name.startswith(PREFIX)


def versions(methods, program):
    """As for the other sets, but that ours is the program's."""
    found = versions_of([method for method in methods if method in METHODS and method != OURS])
    if OURS not in methods:
        return found
    if not pathlib.Path(program).exists():
        print(f"  {OURS}: there is no program {program}", flush=True)
        return found
    return {OURS: told(program, "--version").strip()} | found


def told(*command, **variables):
    """What a command prints that runs with these variables besides those of the environment."""
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True, env=os.environ | variables).stdout


def run_ours(program, folder):
    model = folder / "model.safetensors"
    took = measured([program, "train", folder / "training.csv", "--target", made_rows.TARGET, "--threads", THREADS, "--output", model,
                     "--force", "--quiet"])
    found = json.loads(told(program, "evaluate", model, folder / "test.csv", "--json"))
    return took, {"rmse": found["root_mean_square_error"]["value"], "log_likelihood": found["log_likelihood"]["value"]}


def run_peer(method, folder):
    command, model = [sys.executable, HERE / "peer_program.py"], folder / f"{method}.pickle"
    took = measured([*command, "train", method, THREADS, folder / "training.csv", model], **PEER_VARIABLES)
    return took, json.loads(told(*command, "evaluate", method, THREADS, folder / "training.csv", model, folder / "test.csv", **PEER_VARIABLES))


def run(method, folder, program):
    """The folder holds training.csv and test.csv."""
    load = os.getloadavg()[0]  # of the machine, which the wall's seconds depend on
    took, scores = run_ours(program, folder) if method == OURS else run_peer(method, folder)
    return {"wall_seconds": took["wall_seconds"], "processor_seconds": took["processor_seconds"], "peak_mb": took["peak_megabytes"], **scores, "load": load}


def facts(rows):
    """What is known of a table: its noise, and what the truth reaches on the rows to test on."""
    truth = made_rows.scores_of_truth(made_rows.made_rows("test", test_rows(rows)))
    return {"rows": rows, "noise": made_rows.NOISE, **{f"{key}_of_truth": value for key, value in truth.items()}}


def test_rows(rows):
    return min(rows, TEST_ROWS)


def run_table(runs, rows, versions, program):
    """What the file does not have of one table, whose rows are made only if something is missing."""
    name = name_of(rows)
    missing = [method for method in versions if not runs.has(name, method, 0)]
    if not missing:
        return
    runs.describe(name, facts(rows))
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        made_rows.write_table(folder / "training.csv", "training", rows)
        made_rows.write_table(folder / "test.csv", "test", test_rows(rows))
        for method in missing:
            found = run(method, folder, program)
            runs.put(name, method, 0, found, versions[method])
            print(f"  {name} {method}: RMSE {found['rmse']:.4f}, LL {found['log_likelihood']:.3f}, {found['wall_seconds']:.1f} s, "
                  f"{found['peak_mb']:.0f} MB", flush=True)
