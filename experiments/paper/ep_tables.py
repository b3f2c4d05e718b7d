"""The tables on expectation propagation in docs/paper.md, from its result file."""
from paper_tables import QUANTITIES, cell

PROBLEMS = {"small_same": "83 weights, same", "small_fresh": "83 weights, fresh", "mismatch_fresh": "mismatch, fresh",
            "large_same": "1932 weights, same", "large_fresh": "1932 weights, fresh"}
METHODS = {"direct": "direct", "conditioned": "conditioned", "keep": "EP, keep", "skip": "EP, skip",
           "skip_damped": "EP, skip, damped", "clip": "EP, clip to 1e-3", "clip_less": "EP, clip to 1e-6"}
EDGES = {"product_to_weight": "product to weight", "product_to_input": "product to input",
         "relu_to_input": "ReLU to its input"}
REASONS = {"weight_cavity": "a weight's cavity", "product": "a product", "relu": "a ReLU"}


def percent(count):
    if not count["sent"]:
        return ""
    if not count["negative"]:
        return "0"
    return f"{100 * count['negative'] / count['sent']:.2f} % ({100 * count['deep'] / count['sent']:.2f} %)"


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def failures(ep):
    lines = ["| problem | seeds that end | in epoch | examples before it: median | fewest to most | where the integral does not exist |",
             "|---|---|---|---|---|---|"]
    for problem, name in PROBLEMS.items():
        entry = ep[problem]
        found = entry["methods"]["plain"]["failures"]
        before = found["examples_before"]
        epochs = sorted({int(epoch) for epoch in found["epoch"]})
        reasons = ", ".join(f"{REASONS[key]} ({count})" for key, count in found["reason"].items() if count)
        lines.append(f"| {name} | {found['seeds']} of {entry['seeds']} | {', '.join(map(str, epochs))} | {median(before):g} of "
                     f"{entry['examples']} | {min(before):g} to {max(before):g} | {reasons} |")
    return lines


def sites(ep):
    lines = ["| problem | messages | " + " | ".join(EDGES.values()) + " | of all sent | product to its result, not used: messages |",
             "|---|---|" + "---|" * (len(EDGES) + 2)]
    for problem, name in PROBLEMS.items():
        for method, label in METHODS.items():
            found = ep[problem]["methods"][method]
            shares = " | ".join(percent(found["sites"][edge]) for edge in EDGES)
            used = found["used"]
            lines.append(f"| {name} | {label} | {shares} | {used['negative']:,} of {used['sent']:,} "
                         f"| {found['sites']['product_to_term']['negative']:,} |")
    return lines


def layers(ep):
    """By layer, where negative messages are left out."""
    lines = ["| problem | layer | " + " | ".join(EDGES.values()) + " |", "|---|---|" + "---|" * len(EDGES)]
    for problem in ("small_fresh", "mismatch_fresh", "large_fresh"):
        found = ep[problem]["methods"]["skip"]["sites"]
        names = sorted({key for edge in EDGES for key in found[edge] if key.startswith("layer_")})
        for layer in names:
            shares = " | ".join(percent(found[edge][layer]) if layer in found[edge] else "" for edge in EDGES)
            lines.append(f"| {PROBLEMS[problem]} | {layer.removeprefix('layer_')} | {shares} |")
    return lines


def scores(ep):
    lines = ["| problem | messages | " + " | ".join(QUANTITIES.values()) + " | stopped |",
             "|---|---|" + "---|" * (len(QUANTITIES) + 1)]
    for problem, name in PROBLEMS.items():
        for method, label in METHODS.items():
            found = ep[problem]["methods"][method]
            cells = " | ".join(cell(found[quantity], quantity) for quantity in QUANTITIES)
            lines.append(f"| {name} | {label} | {cells} | {found['stopped']} of {ep[problem]['seeds']} |")
    return lines


def epochs(ep):
    """Negative messages by epoch, where they are left out."""
    lines = ["| problem | epoch | " + " | ".join(EDGES.values()) + " |", "|---|---|" + "---|" * len(EDGES)]
    for problem in ("small_fresh", "mismatch_fresh", "large_fresh"):
        found = ep[problem]["methods"]["skip"]["sites"]
        last = ep[problem]["epochs_run"]
        for epoch in [epoch for epoch in (1, 2, 3, 5, 10) if epoch < last] + [last]:
            shares = " | ".join(f"{100 * found[edge]['share_by_epoch'][epoch - 1]:.2f} %" for edge in EDGES)
            lines.append(f"| {PROBLEMS[problem]} | {epoch} | {shares} |")
    return lines


def accuracy(ep):
    found = ep["accuracy"]
    return [f"Against adaptive quadrature of their definition, {found['compared']:,} messages for random incoming ones, of which "
            f"{found['negative']:,} are negative, are right to {found['product']:.0e} (products) and {found['relu']:.0e} (ReLUs) "
            f"of the cavity's precision and standard deviation, and every sign is. {found['negative_to_term']:,} of the negative ones go from a product "
            f"to its result."]


def guarded(ep):
    sent, guards = (sum(ep[problem]["methods"]["conditioned"][key] if key == "guarded" else
                        ep[problem]["methods"]["conditioned"]["sites"]["relu_to_input"]["sent"] for problem in PROBLEMS)
                    for key in ("sent", "guarded"))
    return [f"The conditioned rule meets this division too, at its ReLUs: its guard replaced {guards:,} of {sent:,} messages "
            f"({100 * guards / sent:.1f} %) by those of the linearised ReLU. Its products divide nothing."]


def blocks(ep):
    return {"ep accuracy": accuracy(ep), "ep guarded": guarded(ep), "ep failures": failures(ep), "ep sites": sites(ep), "ep layers": layers(ep),
            "ep epochs": epochs(ep), "ep scores": scores(ep)}
