"""Tables of the networks as factor graphs, for experiments/README.md."""

NETWORKS = {
    "w1932_fresh": "1932 weights",
    "w83_fresh": "83 weights",
    "w83_same": "83 weights, prior means those of the data",
}
METHODS = {
    "direct": "direct, the paper's",
    "conditioned": "conditioned",
    "conditioned_longer": "conditioned, to a change of 0.01",
}


def score(column, prefix=""):
    median, error, iqr = (column[prefix + name] for name in ("median", "standard_error", "iqr"))
    return f"{median:.2f} ({error:.2f}) [{iqr:.2f}]"


def networks_table(networks):
    many = networks["w83_fresh"]["direct"]["plain_many_seeds"]["seeds"]
    lines = [
        f"| network | rules | training NLL | other seeds | extrapolation NLL | other seeds | {many} seeds | epochs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for network, methods in networks.items():
        for method, found in methods.items():
            training, beyond = found["training_nll"], found["extrapolation_nll"]
            more = found.get("plain_many_seeds")
            lines.append(
                f"| {NETWORKS[network]} | {METHODS[method]} "
                f"| {score(training)} | {score(training, 'other_seeds_')} "
                f"| {score(beyond)} | {score(beyond, 'other_seeds_')} "
                f"| {score(more['extrapolation_nll']) if more else ''} | {found['epochs']['median']:g} |")
        floors = next(iter(methods.values()))
        lines.append(f"| {NETWORKS[network]} | lowest possible | {floors['training_floor']:.2f} | "
                     f"| {floors['extrapolation_floor']:.2f} | | | |")
    return lines


def networks_agree(networks):
    lines = ["| network | rules | after a batch | after an epoch | the same after a nudge of 1e-14 | training NLL at the end "
             "| extrapolation NLL at the end |", "|---|---|---|---|---|---|---|"]
    for network, methods in networks.items():
        for method, found in methods.items():
            gaps = [max(abs(a - b) for a, b in zip(found[name]["by_seed"], found[name]["plain_by_seed"]))
                    for name in ("training_nll", "extrapolation_nll")]
            work = found.get("work") or methods["conditioned_longer"]["work"]
            distances = (work[name] for name in ("distance_after_batch", "distance_after_epoch",
                                                 "distance_of_nudged_after_epoch"))
            lines.append(f"| {NETWORKS[network]} | {METHODS[method]} | "
                         + " | ".join(f"{x:.0e}" for x in (*distances, *gaps)) + " |")
    return lines
