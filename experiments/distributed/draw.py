#!/usr/bin/env python3
"""Writes the tables of docs/results/distributed.md, docs/forgetting-and-merging.md and docs/scale.md from the result files of this folder.

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


def netem(found):
    refused = "; ".join(f"`{text}`" for text in found["refused"])
    if not found["runs"]:
        return ["", f"*A slow network that loses packets*: not tried; the machine refused: {refused}."]
    ended = [run for run in found["runs"] if "error" not in run]
    runs = ", ".join(f"{run['engine']} ({run['seconds']:.0f} s, {run['lost']:,} of {run['frames']:,} frames lost)" for run in ended)
    runs += "".join(f"; {run['engine']} did not end: {run['error']}" for run in found["runs"] if run not in ended)
    word = "the same bytes" if all(run["same_bytes"] for run in ended) else "NOT the same bytes"
    return ["", f"*A slow network that loses packets*: {found['namespaces']} network namespaces with {1000 * found['delay_seconds']:.0f} ms delay and "
                f"{100 * found['loss']:.0f} % loss each way come to {word} as one process: {runs}."
            + (f" The kernel has no netem (`{found['refused'][0].split(': ', 1)[-1]}`), so {found['delayed_by']} delayed and lost the frames."
               if found["refused"] else " Frames were delayed and lost by netem.")]


def forgetting(found):
    lines = [f"{found['set']}, {found['shards']} shards, {found['epochs']} epochs, one shard forgotten:", "",
             "| | log-likelihood of test rows | of the forgotten rows |", "|---|---|---|"]
    for key, name in (("with_all_rows", "with all rows"), ("taken_out", "taken out"),
                      ("refreshed", f"refreshed for {found['epochs_refreshed']} epochs"), ("trained_anew", "trained without it")):
        lines.append(f"| {name} | {found[key]['test']:.4f} | {found[key]['forgotten_rows']:.4f} |")
    return lines


def merging(found):
    cuts = found["cuts"]
    lines = [f"{found['set']}, {found['shards']} shards in two halves, means over {found['splits']} splits; log-likelihood of test rows:", "",
             "| | " + " | ".join(f"rows cut {cut['cut']}" for cut in cuts) + " |", "|---" * (1 + len(cuts)) + "|"]
    def row(name, of_cut):
        lines.append(f"| {name} | " + " | ".join(of_cut(cut) for cut in cuts) + " |")
    for key, name in (("first_half", "first half alone"), ("second_half", "second half alone"), ("merged", "merged, not refreshed")):
        row(name, lambda cut, key=key: f"{cut[key]:.4f}")
    for i, step in enumerate(cuts[0]["refreshed"]):
        row(f"refreshed for {step['epochs']} epoch{'s' if step['epochs'] > 1 else ''}", lambda cut, i=i: f"{cut['refreshed'][i]['ll']:.4f}")
    row("refreshed until the score rises no more", lambda cut: f"{cut['to_the_end']:.4f} ({cut['epochs_to_the_end']:.0f} epochs)")
    row("trained with all rows", lambda cut: f"{cut['all_rows']:.4f} ({cut['epochs_all_rows']:.0f} epochs)")
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


def limits(found, of_round):
    """Why two processes are not twice as fast."""
    def word(is_met):
        return "is met" if is_met else "is missed"
    lines = [f"- At least 1.7 times as fast: {word(found['speedup_two_processes'] >= 1.7)}, with {found['speedup_two_processes']:.2f} in the median of "
             f"{', '.join(f'{each:.2f}' for each in sorted(found['speedups']))}. Two processes that know nothing of each other come to {found['speedup_side_by_side']:.2f} times "
             "the work of one: it is not the machine that limits them.",
             f"- The simulator within 20 %: {word(abs(found['simulated_over_measured'] - 1) <= 0.2)}, with {found['simulated_over_measured']:.2f}."]
    if of_round is None:
        return lines
    own, per_group, per_sum = of_round["seconds_repeated"], of_round["seconds_per_group"], found["seconds_per_sum_two"]
    expected = (2 * per_group + own) / (per_group + own + per_sum)
    lines.append(f"- Each process repeats some work in every round: beliefs of {of_round['weights']:,} weights are packed, and made anew from the sum. That takes {1e3 * own:.0f} ms of "
                 f"processor time beside {1e3 * per_group:.0f} ms for a group of {of_round['rows_per_group']} rows (both taken on a busy machine, where all is slower); a round has two groups, "
                 f"one for each process, so that (2 groups + round) / (group + round + sum) = {expected:.2f} is what it leaves. What is below that was not measured apart: waiting for "
                 "the slower of the two, and copies of beliefs and changes, some of which were left out of a round since the speedup was measured; it is to be measured again. Larger groups, or more of them in a round, "
                 "bring it nearer to 2.")
    return lines


def main():
    options = parser_of(HERE, __doc__).parse_args()
    lines = []
    for name, write in (("quality", quality), ("guard", guard), ("bytes", same_bytes), ("faults", faults), ("netem", netem)):
        found = read(options, name)
        lines += write(found) if found else []
    write_page(options.docs / "results" / "distributed.md", {"distributed": lines})
    blocks = {}
    for name, write in (("forgetting", forgetting), ("merging", merging)):
        found = read(options, name)
        blocks[name] = write(found) if found else [f"Not measured yet: the part `{name}` of `experiments/distributed` does it."]
    write_page(options.docs / "forgetting-and-merging.md", blocks)
    if found := read(options, "speed"):
        write_page(options.docs / "scale.md", {"speed": speed(found), "limits": limits(found, read(options, "round"))})


main()
