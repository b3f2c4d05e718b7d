"""The tables of docs/paper.md about the gradient baselines, from result files."""

ADAMS = [("adam_0.001", "Adam 0.001"), ("adam_0.01", "Adam 0.01"), ("adam_0.1", "Adam 0.1"), ("adam_1", "Adam 1"),
         ("adamw_0.1_0.01", "AdamW 0.1, decay 0.01"), ("adamw_0.1_0.1", "AdamW 0.1, decay 0.1"),
         ("adamw_0.1_1", "AdamW 0.1, decay 1"), ("adamw_0.1_10", "AdamW 0.1, decay 10"),
         ("adamw_0.01_1", "AdamW 0.01, decay 1"), ("adamw_1_1", "AdamW 1, decay 1")]
STEPS = {"batches": "batches", "full": "all rows"}
RULES = {"direct": "DMA, direct", "conditioned": "DMA, conditioned"}


def number(value, sign=False):
    if value is None:
        return "-"
    if abs(value) >= 1e4:
        return f"{value:.0e}"
    return f"{value:+.3f}" if sign else f"{value:.2f}"


def median(found, quantity, mean=False):
    """Median (its interval) [range between the quartiles]."""
    if quantity not in found:
        return "-"
    value, sign = found[quantity], quantity == "calibration"
    text = f"{number(value['median'], sign)} ({number(value['low'], sign)} to {number(value['high'], sign)}) [{number(value['iqr'])}]"
    return text + (f", mean {number(value['mean'])}" if mean else "")


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def published_text(entry):
    if not entry:
        return ""
    return number(entry["paper"]) + (f" [{number(entry['paper_iqr'])}]" if "paper_iqr" in entry else "") + (
        ", one seed" if entry["paper_seeds"] == 1 else "")


def adam_table(result, summary, study, quantity, mean=False, extra=None):
    """One row per setting: the paper's value, ours by both readings, over many seeds and over the paper's number."""
    head = ["method", "paper", f"batches, {result['many_seeds']} seeds", f"all rows at once, {result['many_seeds']} seeds"]
    few = result["few_seeds"] < result["many_seeds"]
    if few:
        head += [f"batches, {result['few_seeds']} seeds", f"all rows, {result['few_seeds']} seeds"]
    if extra:
        head += [f"{extra[1]}, batches", f"{extra[1]}, all rows"]
    rows = []
    for rule, name in RULES.items():
        cell = study[f"fresh_{rule}_paper"]
        published = study["published"].get(quantity) if rule == "direct" else None
        row = [name, f"{number(published['value'])}" + (f" [{number(published['iqr'])}]" if "iqr" in published else ", one seed")
               if published else "", median(cell["compared"], quantity, mean), ""]
        if few:
            row += [median(cell["few"], quantity, mean), ""]
        if extra:
            row += [median(cell["compared"], extra[0]), ""]
        rows.append(row)
    for key, name in ADAMS:
        arms = {steps: result["arms"].get(f"{steps}_{key}") for steps in STEPS}
        if not arms["batches"]:
            continue
        entry = summary.get(key.split("_", 1)[1] if key.startswith("adamw") else key.split("_")[1] + "_0")
        row = [name, published_text(entry)] + [median(arm["many"], quantity, mean) for arm in arms.values()]
        if few:
            row += [median(arm["few"], quantity, mean) for arm in arms.values()]
        if extra:
            row += [median(arm["many"], extra[0]) for arm in arms.values()]
        rows.append(row)
    floor = study["training_floor" if quantity == "training_nll" else "extrapolation_floor"]
    rows.append(["lowest possible", "", number(floor)] + [""] * (len(head) - 3))
    return table(head, rows)


def baseline_summary(summary):
    rows = []
    def add(problem, name, entry):
        ours = ", ".join(f"{number(found['median'], entry['quantity'] == 'calibration')} ({reading_of(arm)})"
                         for arm, found in entry["ours"].items())
        likely = ", ".join(f"{number(found['likely_low'])} to {number(found['likely_high'])} ({reading_of(arm)})"
                           for arm, found in entry["ours"].items())
        seeds = "one seed" if entry["paper_seeds"] == 1 else f"{entry['paper_seeds']} seeds"
        rows.append([problem, name, entry["quantity"].replace("_nll", " NLL"), f"{number(entry['paper'])} ({seeds})", ours,
                     likely, entry["verdict"]])
    names = {key.split("_", 1)[1] if key.startswith("adamw") else key.split("_")[1] + "_0": name for key, name in ADAMS}
    for part, problem in (("adam", "83 weights"), ("mismatch_adam", "mismatch"), ("large_adam", "1932 weights")):
        for key, entry in summary[part].items():
            add(problem, names[key], entry)
    for part, name in (("laplace", "diagonal Laplace"), ("ivon", "IVON, finite runs")):
        for entry in summary[part].values():
            add("83 weights", name, entry)
    return table(["problem", "method", "quantity", "paper", "ours", "where a study of the paper's size falls", "verdict"], rows)


def reading_of(arm):
    for steps, name in STEPS.items():
        if arm.startswith(steps):
            return name
    return {"printed_prior": "printed prior", "own_prior": "DMA's prior", "paper": "the paper's setting"}[arm]


def laplace_table(result, study):
    head = ["method", "prior", "extrapolation NLL", "calibration error", "training NLL", "first 20 seeds: extrapolation NLL",
            "calibration error"]
    rows = [["the paper's DMA", "", "0.82 [1.96]", "-0.09 [0.44]", "", "", ""],
            ["the paper's diagonal Laplace", "N(0, 2/fan-in)", "0.77 [1.91]", "-0.10 [0.35]", "", "", ""]]
    for rule, name in RULES.items():
        cell = study[f"fresh_{rule}_paper"]
        rows.append([name, "its own"] + laplace_cells(cell))
    for arm, name in (("printed_prior", "N(0, 2/fan-in)"), ("own_prior", "that of DMA")):
        rows.append(["diagonal Laplace", name] + laplace_cells(result["arms"][arm]))
    return table(head, rows)


def laplace_cells(cell):
    """Message passing has more seeds than it is compared on."""
    return [median(cell.get("compared", cell["many"]), quantity) for quantity in ("extrapolation_nll", "calibration", "training_nll")] + [
        median(cell["few"], quantity) for quantity in ("extrapolation_nll", "calibration")]


def setting(found):
    return f"rate {found['rate']:g}, β₂ {found['beta2']:g}, δ {found['delta']:g}, h₀ {found['first_curvature']:g}"


IVON_ARMS = [("paper", "the paper's"), ("paper_scaled", "the paper's, rate × (h₀ + δ)"), ("paper_low", "the paper's"),
             ("paper_high", "the paper's"), ("best", "best of our sweep"), ("paper_long", "the paper's"),
             ("paper_high_long", "the paper's"), ("best_long", "best of our sweep")]


def ivon_table(result):
    head = ["setting", "", "epochs", "diverged", "of the first 20", "extrapolation NLL", "calibration error", "training NLL",
            "first seed: extrapolation NLL"]
    rows = [["the paper", "rate 0.6, β₂ 0.9999, δ 0.1", "500", "", "14", "2.11 [5.27], 6 finite seeds", "", "",
             "-0.40 after 2000 epochs"]]
    for key, name in IVON_ARMS:
        arm = result["arms"][key]
        many, few = arm["many"], arm["few"]
        rows.append([name, setting(arm), str(arm["epochs"]), f"{many['diverged']} of {many['seeds']}", str(few["diverged"]),
                     *(median(many, quantity) for quantity in ("extrapolation_nll", "calibration", "training_nll")),
                     number(arm["first_seed"]["extrapolation_nll"])])
    return table(head, rows)


def has_converged(run, sweep):
    return run["final_nll"] is not None and run["final_nll"] < sweep["converged_below"]


def sweep_lines(sweep):
    """How many settings end well, by where the curvature starts and by delta."""
    deltas = sorted({run["delta"] for found in sweep["by_curvature"].values() for run in found["runs"].values()})
    head = ["h₀", "settings that end below 1"] + [f"δ {delta:g}" for delta in deltas] + ["best final NLL", "its setting"]
    rows = [["paper, not given", "26 of 160"] + ["0"] * (len(deltas) - 2) + ["26 in all", ""] + ["-0.31", "rate 0.6, β₂ 0.9999, δ 0.1"]]
    for curvature, found in sweep["by_curvature"].items():
        runs = found["runs"].values()
        rows.append([curvature, f"{sum(has_converged(run, sweep) for run in runs)} of {sweep['configurations']}"]
                    + [str(sum(has_converged(run, sweep) for run in runs if run["delta"] == delta)) for delta in deltas]
                    + [number(found["best"]["final_nll"]), setting(found["best"])])
    return table(head, rows)


def method_table(results):
    """The paper's qualitative comparison of methods, measured."""
    small, adam, ivon, laplace, ep = (results[name] for name in ("small", "adam", "ivon", "laplace", "ep"))
    sites = ep["small_fresh"]["methods"]

    def negative(method):
        used = sites[method]["used"]
        return f"{used['negative']:,} of {used['sent']:,}" if used["negative"] else "0"

    head = ["method", "set by hand", "epochs", "extrapolation NLL", "calibration error", "diverged", "sites of negative precision"]
    rows = []
    for rule, name in RULES.items():
        cell = small[f"fresh_{rule}_paper"]["compared"]
        rows.append([name, "batch, stop", f"{cell['epochs']['median']:g}", median(cell, "extrapolation_nll"),
                     median(cell, "calibration"), f"{small['improper_runs']} of {cell['seeds']}", negative(rule)])
    def add(name, settings, arm, epochs):
        rows.append([name, settings, str(epochs), median(arm["many"], "extrapolation_nll"), median(arm["many"], "calibration"),
                     f"{arm['many']['diverged']} of {arm['many']['seeds']}", "has none"])
    for steps, text in STEPS.items():
        add(f"Adam 0.1, {text}", "rate, batch, epochs", adam["arms"][f"{steps}_adam_0.1"], adam["epochs"])
        best = min((key for key, _ in ADAMS if key.startswith("adamw")),
                   key=lambda key: adam["arms"][f"{steps}_{key}"]["many"]["extrapolation_nll"]["median"])
        add(f"{dict(ADAMS)[best]}, {text}: best of six", "rate, decay, batch, epochs", adam["arms"][f"{steps}_{best}"],
            adam["epochs"])
    add("diagonal Laplace", "rate, batch, epochs, prior", laplace["arms"]["printed_prior"], laplace["epochs"])
    add("diagonal Laplace, DMA's prior", "rate, batch, epochs", laplace["arms"]["own_prior"], laplace["epochs"])
    for key, name in (("paper", "IVON, the paper's setting"), ("best", "IVON, best of our sweep")):
        add(name, "rate, β₁, β₂, δ, h₀, epochs", ivon["arms"][key], ivon["arms"][key]["epochs"])

    def ended(method):
        return f"{sites[method]['failures']['seeds']} of {ep['small_fresh']['seeds']}"

    rows.append(["EP as it is defined", "batch, stop", "-", "-", "-", ended("plain"), negative("plain")])
    for key, name in (("skip", "EP, negative sites skipped"), ("clip", "EP, negative sites clipped")):
        found = sites[key]
        rows.append([name, "batch, stop, remedy", f"{found['epochs']['median']:g}", median(found, "extrapolation_nll"),
                     median(found, "calibration"), ended(key), negative(key)])
    return table(head, rows)
