#!/usr/bin/env python3
"""Whether training keeps to a time budget, and how soon it hears Ctrl-C: the program on a terminal of its own, with made tables.

  bench/time_to_model/budgets.py --program build/release/src/cli/postrider [--rows 1000,10000,100000] [--result bench/results/budgets.json]

For each table: the wall time of training with several budgets over the budget, and for signals at several moments the seconds until the program says
that it was heard, until it ends, and whether it left a model. The machine's load is written, too: where others work, all of this takes longer.
"""

import argparse
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import made_rows  # noqa: E402

BUDGETS = {1_000: (1, 3), 10_000: (5, 15), 100_000: (10, 25)}
SIGNALS = {1_000: (0.3, 1, 2), 10_000: (0.5, 3, 8), 100_000: (3, 8, 16)}
HEARD = b"interrupted:"
PATIENCE = 300


def table(rows, folder):
    path = folder / f"{rows}.csv"
    made_rows.write_table(path, "training", rows)
    return path


def command(program, path, model, *options):
    return [program, "train", path, "--target", made_rows.TARGET, "--output", model, "--force", *options]


def with_budget(program, path, seconds, folder):
    model, begin = folder / "budget.safetensors", time.monotonic()
    model.unlink(missing_ok=True)
    subprocess.run(command(program, path, model, "--quiet", "--time-budget", f"{seconds}s"), check=True, timeout=PATIENCE)
    return {"budget": seconds, "seconds": round(time.monotonic() - begin, 3), "model": model.exists()}


def interrupted(program, path, after, folder):
    """On a pseudo-terminal, since what is heard is shown there at once. Begins to count when training is announced."""
    model = folder / "interrupted.safetensors"
    model.unlink(missing_ok=True)
    screen, side = pty.openpty()
    process = subprocess.Popen(command(program, path, model), stdout=side, stderr=side, stdin=side)
    os.close(side)
    said, heard, sent, begin = b"", None, None, None
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if select.select([screen], [], [], 0.005)[0]:
            try:
                piece = os.read(screen, 65536)
            except OSError:
                break
            said += piece
            if not piece:
                break
        now = time.monotonic()
        if begin is None and b"training usually takes" in said:
            begin = now
        if sent is None and begin is not None and now - begin >= after:
            process.send_signal(signal.SIGINT)
            sent, said = now, b""
        if sent is not None and heard is None and HEARD in said:
            heard = now
    process.wait(PATIENCE)
    ended = time.monotonic()
    os.close(screen)
    if sent is None:
        return {"after": after, "ended_before": True}
    return {"after": after, "heard": None if heard is None else round(heard - sent, 3), "ended": round(ended - sent, 3), "model": model.exists()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--rows", default=",".join(map(str, BUDGETS)))
    parser.add_argument("--result", type=pathlib.Path)
    options = parser.parse_args()
    found = {"cores": os.cpu_count(), "load_before": round(os.getloadavg()[0], 1), "tables": []}
    program = options.program.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for rows in map(int, options.rows.split(",")):
            path = table(rows, folder)
            found["tables"].append({
                "rows": rows,
                "budgets": [with_budget(program, path, seconds, folder) for seconds in BUDGETS[rows]],
                "interrupts": [interrupted(program, path, after, folder) for after in SIGNALS[rows]],
            })
            print(json.dumps(found["tables"][-1]), flush=True)
    found["load_after"] = round(os.getloadavg()[0], 1)
    over = [each["seconds"] / each["budget"] for one in found["tables"] for each in one["budgets"]]
    heard = [each["heard"] for one in found["tables"] for each in one["interrupts"] if each.get("heard") is not None]
    found |= {"most_over_budget": round(max(over), 3), "latest_heard": max(heard, default=None)}
    print(f"at most {found['most_over_budget']:.2f} of a budget, heard within {found['latest_heard']} s")
    if options.result:
        options.result.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
