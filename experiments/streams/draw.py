#!/usr/bin/env python3
"""Writes the tables of streams in docs/results, docs/sparse-model.md, docs/owners.md and docs/scale.md from the results.

Usage: experiments/streams/draw.py [--results DIR] [--docs DIR]
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
from pages import parser_of, write_page  # noqa: E402

PARTS = {"regression": "kin8nm, after a fit", "regression_from_nothing": "kin8nm, from nothing",
         "classification": "letter, after a fit", "classification_from_nothing": "letter, from nothing"}
DAYS = {"": "drift, `horizon` 24, square roots of the targets", "plain_targets": "the same, plain targets",
        "former": "no drift, `horizon` 1: streams before", "refitted": "fitted anew every week on all days before (one network, 20 epochs, square roots)"}
METHODS = {"ours": "ours", "without_drift": "ours without drift, one network", "last_label": "the last label again",
           "river_logistic": "river: logistic regression, standardised", "river_hoeffding_adaptive_tree": "river: adaptive Hoeffding tree",
           "river_adaptive_random_forest": "river: adaptive random forest"}
PASSES = {"plain": "one pass without drift, one network", "ours": "one pass with drift", "epochs": "five epochs, one network"}


def cuts_table(cuts):
    calls = [row["cut"] for row in cuts["regression"]]
    lines = ["| 1000 rows in so many calls | " + " | ".join(calls) + " |", "|---|" + "---|" * len(calls)]
    for part, name in PARTS.items():
        cells = [f"{row['ll']:.3f} ± {row['ll_se']:.3f}, {100 * row['coverage']:.1f} %" for row in cuts[part]]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


SETS = ("a9a", "w8a", "farm-ads")


def sparse_table(sparse):
    lines = ["| set | ours, one pass | Vowpal Wabbit, one pass | orders in which ours is lower | ours, 30 passes | logistic regression |",
             "|---|---|---|---|---|---|"]
    for name in SETS:
        found = sparse[name]
        lines.append(f"| {name} | {found['ours']:.4f} | {found['vw']:.4f} | {found['orders_won']} of {len(found['orders'])} | "
                     f"{found['ours_passes']:.4f} | {found['logistic']:.4f} |")
    return lines


def order_table(sparse):
    lines = ["| set, one pass in the file's order | ours | Vowpal Wabbit |", "|---|---|---|"]
    for name in SETS:
        found = sparse[name]["in_file_order"]
        lines.append(f"| {name} | {found['ours']:.4f} | {found['vw']:.4f} |")
    return lines


def speed_lines(sparse):
    rate, peak = sparse["a9a"]["rows_per_second"], sparse["farm-ads"]["peak_bytes"]
    return [f"From text files of a9a's rows on one core, in processor time: {rate['ours'] / 1e6:.2f} million rows a second of LIBSVM text, "
            f"{rate['ours_of_vw_text'] / 1e6:.2f} of Vowpal Wabbit's; Vowpal Wabbit itself {rate['vw'] / 1e6:.2f}. farm-ads takes "
            f"{peak['one_pass'] / 1e6:.0f} MB in one pass and {peak['passes'] / 1e6:.0f} MB in thirty, all of the program counted."]


def growth_table(growth):
    lines = ["| weights | models side by side | bytes, at most | bytes per weight | ns per weight | ns per new weight |", "|---|---|---|---|---|---|"]
    for row in growth:
        lines.append(f"| {row['weights']:,} | {row['models_side_by_side']} | {row['bytes'] / 1e6:,.0f} MB | {row['bytes'] / row['weights']:.1f} | "
                     f"{row['ns_per_weight']:.0f} | {row['ns_per_new_weight']:.0f} |")
    return lines


def ratings_table(ratings):
    lines = ["| model | RMSE | 90 % intervals hold | log-likelihood |", "|---|---|---|---|"]
    for name, found in ((f"{ratings['latent']} latent numbers each", ratings), ("weights alone", ratings["without_latent_vectors"])):
        lines.append(f"| {name} | {found['rmse']:.4f} | {100 * found['coverage']:.1f} % | {found['log_likelihood']:.3f} |")
    return lines


def bike_table(bike):
    lines = ["| | log-likelihood | rows in 90 % intervals | of a thousand, least | most |", "|---|---|---|---|---|"]
    for key, name in DAYS.items():
        one = bike[key] if key else bike
        windows = one["windows"]["coverage"]
        lines.append(f"| {name} | {one['log_likelihood']:.3f} | {100 * one['coverage']:.1f} % | "
                     f"{100 * min(windows):.1f} % | {100 * max(windows):.1f} % |")
    return lines


def classes_table(sets):
    lines = ["| log-loss (share right) | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets)]
    for key, name in METHODS.items():
        cells = [f"{one[key]['log_loss']:.3f} ({100 * one[key]['accuracy']:.1f} %)" if key in one else "" for one in sets.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def changes_table(changes):
    """The generated stream, change by change."""
    lines = ["| change at row | back after, rows | before | reported after, rows |", "|---|---|---|---|"]
    now, before = changes["generated"], changes["generated_former"]
    for at, delay, former, told in zip(now["at"], now["delay"], before["delay"], now["told_after"], strict=True):
        when = f"{told + 1:.0f}" if told >= 0 else "not reported"
        lines.append(f"| {at:.0f} | {delay:.0f} | {former:.0f} | {when} |")
    return lines


def ride_changes(changes, bike):
    """Both runs with plain targets. Where nothing is reported there is no delay to measure: the windows of all rows stand for it."""
    now, before, least = changes["bike"], changes["bike_former"], min(bike["plain_targets"]["windows"]["coverage"])
    reported = "no change" if now["told"] == 0 else f"{now['told']} changes"
    return [f"On the rides by the hour, with plain targets, the model reports {reported}: they grow slowly, and beliefs that drift follow them; the worst thousand rows after the first 2000 have {100 * least:.1f} % in the 90 % interval. "
            f"Without drift and with a horizon of 1, it reports {before['told']} changes."]


def onepass_table(onepass):
    lines = ["| | RMSE | log-likelihood | seconds |", "|---|---|---|---|"]
    for key, name in PASSES.items():
        one = onepass[key]
        lines.append(f"| {name} | {one['rmse']:.4f} | {one['log_likelihood']:.3f} | {one['seconds']:.1f} |")
    return lines


def network_table(networks):
    """Networks on hashed columns beside the sparse model."""
    lines = ["| set | sparse model, one pass | 30 passes | network, one pass | network, fitted | columns |", "|---|---|---|---|---|---|"]
    for name in SETS:
        found = networks[name]
        cells = [f"{found[method]['log_loss']:.4f}" for method in ("sparse_once", "sparse_passes", "network_once", "network_fit")]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {found['columns']:,} |")
    return lines


def faults_lines(faults):
    """Losses, then how good models are that learn side by side."""
    owner, worker = (faults["recovery_seconds"][kind] for kind in ("owner", "worker"))
    good = faults["quality"]
    lines = [f"*Losses.* {faults['owners']} owners, {faults['workers']} workers, a redis-server with the {faults['events']:,} rows of a9a in two streams, all on one machine "
             f"that others used, too. One process was ended by SIGKILL at a random moment of each run, every one in turn: in {faults['exact']} of {faults['kills']} runs the files of the owners, with all sums, counts and "
             "positions, were the same to the byte as those of a run that nobody disturbed. From the kill until the owners were beyond the round in which it happened: "
             f"{owner['median']:.1f} s in the median and {owner['longest']:.1f} s at most for an owner, {worker['median']:.1f} s and {worker['longest']:.1f} s for a worker; with a snapshot every "
             f"{faults['rounds_between_snapshots']} rounds. Undisturbed, it learned {faults['events_per_second']:,.0f} events a second, in the second half {faults['events_per_second_of_second_half']:,.0f}: early on, rounds have a few events.", "",
             "*How good.* Log-loss of a9a's test rows after one pass, means over five orders of the rows. In one place: "
             f"{good['one_place']:.5f}.", "", "| batches side by side | events of a batch, at most | log-loss | difference | rounds | bytes per event |", "|---|---|---|---|---|---|"]
    for row in good["workers"]:
        lines.append(f"| {row['workers']} | {row['batch']:,} | {row['log_loss']:.5f} | {row['difference']:+.5f} | {row['rounds']} | {row['bytes_per_event']:.0f} |")
    return lines


WEIGHTS, MACHINES, RATE = 1e9, 64, 1e6  # of the plan; events a second
PLAN_BATCH = 4096  # events of a partition in a round
UTILISATION = 0.5  # of the processors
SNAPSHOT_SECONDS, MONTHS_PER_LOSS = 300, 1


def clicks_table(constants, faults):
    """The plan, from constants that were measured on one machine."""
    flight, worker, owner = constants["flight"], constants["worker"], constants["owner"]
    own, rate = WEIGHTS / MACHINES, RATE / MACHINES
    of_owner = worker["keys_per_event"] * (owner["ns_per_answered_weight"] + owner["ns_per_added_weight"]) / 1e3
    of_worker = constants["source"]["us_to_read_and_parse"] + worker["us_to_learn"] + 2 * worker["us_to_pack"]
    cores = rate * (of_owner + of_worker) / 1e6 / UTILISATION
    partitions = MACHINES * max(1, round(rate * of_worker / 1e6 / UTILISATION + 0.5))
    round_seconds = partitions * PLAN_BATCH / RATE
    requests = 2 * MACHINES * flight["us_per_request"] / 1e6
    sent = rate * worker["bytes_per_event"]
    pause, reading = own * owner["ns_per_written_weight"] / 1e9, own * owner["ns_per_read_weight"] / 1e9
    replay = SNAPSHOT_SECONDS / 2 * UTILISATION
    begin = faults["recovery_seconds"]["owner"]["median"]
    back = begin + reading + replay
    days = 30 * MONTHS_PER_LOSS / MACHINES
    rows = [
        ("state of a machine", f"{own / 1e6:.1f} million weights of {owner['bytes_per_weight']:.0f} bytes: {own * owner['bytes_per_weight'] / 1e9:.2f} GB"),
        ("names of an event, and weights asked for", f"{worker['inputs_per_event']}, of which {worker['keys_per_event']:.0f} are left when a batch of {worker['batch']:,} asks for each once"),
        ("processor time of an event", f"{of_worker + of_owner:.0f} µs: {constants['source']['us_to_read_and_parse']:.0f} to read it from Redis in Python, {worker['us_to_learn']:.1f} to learn it, {of_owner:.1f} of the owners"),
        ("cores of a machine", f"{cores:.1f}, half of the time busy, for {rate:,.0f} events a second"),
        ("network of a machine", f"{worker['bytes_per_event']:.0f} bytes for each event: {8 * sent / 1e9:.2f} Gbit/s out and as much in"),
        ("a round", f"{partitions} partitions with {PLAN_BATCH:,} events each: {round_seconds:.2f} s until an event counts; {2 * MACHINES} requests of {flight['us_per_request'] / 1e3:.2f} ms by each worker, "
                    f"{100 * requests / round_seconds:.0f} % of the round"),
        ("events side by side", f"{partitions * PLAN_BATCH:,} in a round, which one for 32 before allows after {32 * partitions * PLAN_BATCH / RATE:.0f} s"),
        ("a snapshot", f"{own * owner['file_bytes_per_weight'] / 1e9:.2f} GB, {pause:.0f} s of processor time; every {SNAPSHOT_SECONDS / 60:.0f} minutes that is {100 * pause / SNAPSHOT_SECONDS:.0f} % of the time"),
        ("a lost owner", f"{begin:.1f} s until the process is back, {reading:.0f} s to read its file, and {SNAPSHOT_SECONDS / 2:.0f} s of events on average learned again by all at twice the speed, {replay:.0f} s: {back:.0f} s"),
        ("losses", f"if a machine is lost once a month, one every {24 * days:.0f} hours: {100 * back / (86400 * days):.2f} % of the time"),
    ]
    return ["| | |", "|---|---|"] + [f"| {name} | {text} |" for name, text in rows]


def main():
    options = parser_of(HERE, __doc__).parse_args()

    def read(name):
        return json.loads((options.results / f"{name}.json").read_text())

    write_page(options.docs / "results" / "streams.md", {
        "streams": cuts_table(read("cuts")),
        "bike": bike_table(read("bike")),
        "classes": classes_table({name: read(name) for name in ("elec2", "weather")}),
        "changes": changes_table(read("changes")),
        "ridechanges": ride_changes(read("changes"), read("bike")),
        "onepass": onepass_table(read("onepass"))})
    of_sparse = read("sparse")
    write_page(options.docs / "results" / "sparse.md", {
        "sparse": sparse_table(of_sparse), "order": order_table(of_sparse), "speed": speed_lines(of_sparse),
        "growth": growth_table(read("scale")), "ratings": ratings_table(read("ratings"))})
    write_page(options.docs / "sparse-model.md", {"network": network_table(read("hashed_network"))})
    write_page(options.docs / "owners.md", {"faults": faults_lines(read("faults"))})
    write_page(options.docs / "scale.md", {"clicks": clicks_table(read("click_plan"), read("faults"))})


if __name__ == "__main__":
    main()
