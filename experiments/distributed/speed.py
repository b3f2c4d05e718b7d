#!/usr/bin/env python3
"""Two processes beside one, measured and simulated; and what larger jobs would take.

    experiments/distributed/speed.py --program build/release/experiments/distributed/distributed_speed --mpirun mpirun

writes results/speed.json. Both cores should be idle. Ratios are taken within a round of one and two processes.

    experiments/distributed/speed.py --round --program ...

writes results/round.json instead: what a round costs besides the group that it refreshes, and that each process
repeats. It is measured in processor time of one process, so that the machine may be busy.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "bench" / "scale"))
import simulate  # noqa: E402

# 10 Gbit/s and 50 us: what a rack of ordinary machines has.
NETWORK = simulate.Network(bandwidth=1.25e9, latency=50e-6)
WEIGHTS = (10**6, 10**8, 10**9)
MACHINES = (2, 64, 1024)
ROWS = 10**9


def measured(arguments: argparse.Namespace, ranks: int) -> dict[str, float]:
    call = [arguments.mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "core", "-n", str(ranks), arguments.program]
    if arguments.quick:
        call.append("--quick")
    done = subprocess.run(call, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def throughput_side_by_side(arguments: argparse.Namespace, alone: float) -> float:
    """The throughput of two processes that know nothing of each other, each on a core of its own: what the machine allows at most."""
    call = [arguments.program] + (["--quick"] if arguments.quick else [])
    cores = sorted(os.sched_getaffinity(0))[:2]
    both = [
        subprocess.Popen(["taskset", "--cpu-list", str(core), *call], stdout=subprocess.PIPE, text=True) for core in cores
    ]
    seconds = [json.loads(each.communicate()[0].splitlines()[-1])["seconds_per_epoch"] for each in both]
    return len(both) * alone / statistics.mean(seconds)


def constants(one: dict[str, float]) -> simulate.Machine:
    """From a run by one process: the time of sums is that of numbers in and out of the beliefs."""
    work = one["seconds_per_epoch"] / (one["rows"] * one["weights"])
    return simulate.Machine(seconds_per_row_and_weight=work, seconds_per_number=0.0)


def simulated(one: dict[str, float], two: dict[str, float]) -> float:
    job = simulate.Job(
        weights=int(one["weights"]), rows=int(one["rows"]), group_size=int(one["rows"] // one["groups"]), shards=int(one["shards"])
    )
    machine = constants(one)
    alone = simulate.seconds_per_epoch(job, machine, 1, 0.0)
    together = simulate.seconds_per_epoch(job, machine, 2, two["seconds_per_sum"])
    return one["seconds_per_epoch"] * together / alone


def measured_round(arguments: argparse.Namespace) -> dict[str, float]:
    """The median of some runs, by the time that is repeated."""
    found = []
    for _ in range(arguments.rounds):
        done = subprocess.run([arguments.program, "--round"], check=True, capture_output=True, text=True)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return sorted(found, key=lambda each: each["seconds_repeated"])[len(found) // 2]


def larger_jobs(machine: simulate.Machine) -> list[dict[str, float]]:
    out = []
    for weights in WEIGHTS:
        for machines in MACHINES:
            job = simulate.Job(weights=weights, rows=ROWS, group_size=1, shards=machines)
            seconds = simulate.ideal_seconds(job, machine, machines, NETWORK)
            alone = ROWS * weights * machine.seconds_per_row_and_weight
            out.append(
                {
                    "weights": weights,
                    "machines": machines,
                    "hours_per_epoch": seconds / 3600,
                    "efficiency": alone / machines / seconds,
                    "gigabytes_per_sum": 16 * weights / 1e9,
                    "store_gigabytes_per_machine": 8 * weights * 100 * machines / machines / 1e9,
                }
            )
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=FOLDER / "results" / "speed.json")
    parser.add_argument("--round", action="store_true", help="what a round costs by itself")
    arguments = parser.parse_args()
    if arguments.round:
        result = measured_round(arguments)
        arguments.out.with_name("round.json").write_text(json.dumps(result, indent=1) + "\n")
        print(json.dumps(result, indent=1))
        return
    pairs = [(measured(arguments, 1), measured(arguments, 2)) for _ in range(arguments.rounds)]
    speedups = [one["seconds_per_epoch"] / two["seconds_per_epoch"] for one, two in pairs]
    ratios = [simulated(one, two) / two["seconds_per_epoch"] for one, two in pairs]
    best = min(pairs, key=lambda pair: pair[0]["seconds_per_epoch"])
    machine = constants(best[0])
    result = {
        "speedup_two_processes": statistics.median(speedups),
        "speedups": speedups,
        "speedup_side_by_side": throughput_side_by_side(arguments, best[0]["seconds_per_epoch"]),
        "simulated_over_measured": statistics.median(ratios),
        "weights": int(best[0]["weights"]),
        "rows": int(best[0]["rows"]),
        "groups": int(best[0]["groups"]),
        "shards": int(best[0]["shards"]),
        "seconds_per_epoch_one": best[0]["seconds_per_epoch"],
        "nanoseconds_per_row_and_weight": 1e9 * machine.seconds_per_row_and_weight,
        "seconds_per_sum_two": statistics.median(two["seconds_per_sum"] for _, two in pairs),
        "larger_jobs": larger_jobs(machine),
    }
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps({key: value for key, value in result.items() if key != "larger_jobs"}, indent=1))


if __name__ == "__main__":
    main()
