"""The tables of docs/paper.md, from result files."""

QUANTITIES = {
    "training_nll": "training NLL",
    "extrapolation_nll": "extrapolation NLL",
    "calibration": "calibration error",
    "epochs": "epochs",
}
STUDIES = {"small": "83 weights", "mismatch": "mismatch", "large": "1932 weights"}
READINGS = {"same": "same", "fresh": "fresh"}
STOPS = {"paper": "the paper's", "score": "by the score"}


def number(value, quantity):
    if quantity == "epochs":
        return f"{value:g}"
    return f"{value:+.3f}" if quantity == "calibration" else f"{value:.2f}"


def cell(found, quantity):
    low, high = (number(found[key], quantity) for key in ("low", "high"))
    return f"{number(found['median'], quantity)} ({low} to {high}) [{found['iqr']:.2f}]"


def study_table(result, seeds):
    """One row per reading, rule and stop; `seeds` is few or many."""
    lines = ["| prior means | messages | stop | " + " | ".join(QUANTITIES.values()) + " | stopped |",
             "|---|---|---|" + "---|" * (len(QUANTITIES) + 1)]
    published = []
    for quantity in QUANTITIES:
        value = result["published"].get(quantity)
        text = ""
        if value:
            text = number(value["value"], quantity) + (f" [{value['iqr']:.2f}]" if "iqr" in value else "")
            text += ", one seed" if value["seeds"] == 1 else ""
        published.append(text)
    lines.append("| | the paper | the paper's | " + " | ".join(published) + " | |")
    for stop, stop_name in STOPS.items():
        for rule in ("direct", "conditioned"):
            for reading in READINGS:
                found = result.get(f"{reading}_{rule}_{stop}")
                if not found:
                    continue
                found = found[seeds]
                cells = " | ".join(cell(found[quantity], quantity) for quantity in QUANTITIES)
                lines.append(f"| {reading} | {rule} | {stop_name} | {cells} | {found['stopped']} of {found['seeds']} |")
    lines.append(f"| | lowest possible | | {result['training_floor']:.2f} | {result['extrapolation_floor']:.2f} | 0 | | |")
    return lines


def summary_table(summary):
    lines = ["| network | quantity | paper | direct | conditioned | where a study of the paper's size falls, direct | verdict |",
             "|---|---|---|---|---|---|---|"]
    for study, name in STUDIES.items():
        for quantity, entry in summary[study].items():
            def medians(rule):
                return ", ".join(f"{number(found['median'], quantity)} ({reading})"
                                 for reading, found in entry[rule].items())
            likely = ", ".join(f"{number(found['likely_low'], quantity)} to {number(found['likely_high'], quantity)} "
                               f"({reading}; {100 * found['share_below_paper']:.0f} % below the paper's)"
                               for reading, found in entry["direct"].items())
            seeds = "one seed" if entry["paper_seeds"] == 1 else f"{entry['paper_seeds']} seeds"
            lines.append(f"| {name} | {QUANTITIES[quantity]} | {number(entry['paper'], quantity)} ({seeds}) "
                         f"| {medians('direct')} | {medians('conditioned')} | {likely} | {entry['verdict']} |")
    return lines


def properness(results):
    runs, improper, bounded = (sum(result[key] for result in results.values())
                               for key in ("runs", "improper_runs", "bounded_precisions"))
    return [f"Of {runs:,} runs, {improper} had a precision that was not positive after some epoch or a score that was "
            f"no number; {bounded} precisions were held at the prior's because rounding would have taken them below."]


def large_curve(large):
    """Training NLL by epoch: how fast."""
    names = [(reading, rule) for rule in ("direct", "conditioned") for reading in READINGS]
    lines = ["| epoch | " + " | ".join(f"{rule}, {reading}" for reading, rule in names) + " |",
             "|---|" + "---|" * len(names)]
    curves = [large[f"{reading}_{rule}_paper"]["curve"]["median"] for reading, rule in names]
    last = len(curves[0])
    for epoch in [epoch for epoch in (1, 2, 3, 5, 10) if epoch < last] + [last]:
        lines.append(f"| {epoch} | " + " | ".join(f"{curve[epoch - 1]:.3f}" for curve in curves) + " |")
    return lines
