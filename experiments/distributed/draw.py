#!/usr/bin/env python3
"""Writes the tables of docs/distributed.md and docs/scale.md from the result files of this folder.

Usage: experiments/distributed/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import parser_of, write_page  # noqa: E402


def read(options, name):
    path = options.results / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def quality(sets):
    lines = ["| set | virtual workers | log-likelihood | difference to one place | epochs to its score, times | halved |",
             "|---|---|---|---|---|---|"]
    for name, rows in sets.items():
        for row in rows:
            is_one = row["workers"] == 0
            lines.append(
                f"| {name} | {'in one place' if is_one else row['workers']} | {row['ll']:.4f} | "
                + (" | | |" if is_one else
                   f"{row['ll_difference']:+.4f} ± {row['ll_se']:.4f} | {row['epochs_to_score_ratio']:.2f} | {row['halved']:.0f} |"))
    return ["One network, defaults; differences are paired over splits, with their standard error.", ""] + lines + ["", *goals(sets)]


def goals(sets):
    """Which runs are as good as in one place, and which are not."""
    runs = [(name, row) for name, rows in sets.items() for row in rows if row["workers"] > 0]
    def missed(is_missed):
        found = [f"{name} with {row['workers']}" for name, row in runs if is_missed(row)]
        return f"{len(runs) - len(found)} of {len(runs)}" + (f"; missed: {', '.join(found)}" if found else "")
    return ["- No worse than in one place by more than one standard error: " + missed(lambda row: row["ll_difference"] <= -row["ll_se"]) + ".",
            "- At most 1.1 times the epochs to its score: " + missed(lambda row: row["epochs_to_score_ratio"] > 1.1) + "."]


def guard(found):
    return ["", f"*The guard*: with {100 * found['rows_in_flight']:.0f} % of the rows of {found['set']} in flight, sixteen workers, "
                f"the rows in flight were halved {found['halved']:.0f} times in all runs together, to {100 * found['rows_in_flight_in_the_end']:.2f} % in the end; "
                f"the log-likelihood differs by {found['ll_difference']:+.4f} ± {found['ll_se']:.4f} from training in one place"
                + ("." if found["ll_difference"] > -found["ll_se"] else ", more than one standard error below: the goal is missed.")]


def same_bytes(found):
    runs = {}
    for run in found["runs"]:
        runs.setdefault(run["engine"], []).append(str(run["ranks"]))
    listed = "; ".join(f"{engine} with {', '.join(ranks)}" for engine, ranks in runs.items())
    word = "the same" if found["identical"] else "NOT the same"
    return ["", f"*Bytes*: the model files of these runs are {word} to the byte: {listed}."]


def faults(found):
    lines = ["", "*A worker killed* at random moments of the run, of four:", "",
             "| engine | kills | survived | same bytes | recovery, median | longest |", "|---|---|---|---|---|---|"]
    for engine, row in found.items():
        if isinstance(row, dict) and "kills" in row:
            took = row["recovery_seconds"]
            lines.append(f"| {engine} | {row['kills']} | {row['survived']} | {row['same_bytes']} | {took['median']:.2f} s | {took['largest']:.2f} s |")
    return lines


def forgetting(found):
    lines = [f"{found['set']}, {found['shards']} shards, {found['epochs']} epochs, one shard forgotten:", "",
             "| | log-likelihood of test rows | of the forgotten rows |", "|---|---|---|"]
    for key, name in (("with_all_rows", "with all rows"), ("taken_out", "taken out"),
                      ("refreshed", f"refreshed for {found['epochs_refreshed']} epochs"), ("trained_anew", "trained without it")):
        lines.append(f"| {name} | {found[key]['test']:.4f} | {found[key]['forgotten_rows']:.4f} |")
    return lines


def speed(found):
    lines = [f"Measured here: {found['weights']:,} weights, {found['rows']:,} rows in {found['groups']} groups, {found['shards']} shards. "
             f"Two processes are {found['speedup_two_processes']:.2f} times as fast as one (goal 1.7); the simulator's time of two is "
             f"{found['simulated_over_measured']:.2f} of the measured. A row and weight take {found['nanoseconds_per_row_and_weight']:.2f} ns, a sum of both processes "
             f"{1e3 * found['seconds_per_sum_two']:.0f} ms.", "",
             "Simulated with these constants and a network of 10 Gbit/s, 10^9 rows, one in a hundred in flight:", "",
             "| weights | machines | hours per epoch | efficiency | GB per sum |", "|---|---|---|---|---|"]
    for job in found["larger_jobs"]:
        lines.append(f"| 10^{len(str(job['weights'])) - 1} | {job['machines']:,} | {job['hours_per_epoch']:,.2f} | {100 * job['efficiency']:.0f} % | {job['gigabytes_per_sum']:g} |")
    return lines


def main():
    options = parser_of(HERE, __doc__).parse_args()
    lines = []
    for name, write in (("quality", quality), ("guard", guard), ("bytes", same_bytes), ("faults", faults)):
        found = read(options, name)
        lines += write(found) if found else []
    blocks = {"distributed": lines}
    if found := read(options, "forgetting"):
        blocks["forgetting"] = forgetting(found)
    write_page(options.docs / "distributed.md", blocks)
    if found := read(options, "speed"):
        write_page(options.docs / "scale.md", {"speed": speed(found)})


main()
