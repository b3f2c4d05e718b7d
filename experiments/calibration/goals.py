"""What is asked of predictions on the made tables, and whether it holds. Needs nothing but Python.

    coverage           intervals of 90 % hold 86 to 94 % on every table of at least 500 rows, and 83 to 97 % on every other
    average coverage   and 89 to 91.5 % on average over the tables
    score              |score - test| <= 0.05 + 2 sqrt(score_error^2 + test_error^2) on 95 % of the tables
    average score      -0.04 <= score - test <= 0.02 on average
    pure noise         test is at most 0.02 below that of the training targets' mean and standard deviation, or of the shares of the classes
    interval score     lower than that of every other method, on average over the tables that both have
"""
import math

COVERAGE = "0.9"
MANY_ROWS = 500
OF_MANY_ROWS, OF_FEW_ROWS, OF_AVERAGE = (0.86, 0.94), (0.83, 0.97), (0.89, 0.915)
SCORE_SLACK, SCORE_ERRORS, SCORE_SHARE, AVERAGE_SCORE = 0.05, 2, 0.95, (-0.04, 0.02)
NOISE_SLACK = 0.02


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def within(value, bounds):
    return bounds[0] <= value <= bounds[1]


def goal(value, wanted, met, failing=()):
    return {"value": value, "goal": wanted, "met": met, "failing": list(failing)}


def coverage_bounds(entry):
    return OF_MANY_ROWS if entry["rows"] >= MANY_ROWS else OF_FEW_ROWS


def coverage_goals(entries):
    held = [entry for entry in entries if entry["coverage"]]
    if not held:
        return {}
    failing = [entry["name"] for entry in held if not within(entry["coverage"][COVERAGE], coverage_bounds(entry))]
    average = mean(entry["coverage"][COVERAGE] for entry in held)
    return {"coverage": goal(1 - len(failing) / len(held), "86-94 % on every table of at least 500 rows, 83-97 % on every other", not failing, failing),
            "average coverage": goal(average, "89-91.5 %", within(average, OF_AVERAGE))}


def score_allowance(entry):
    """How far score and test may be apart; an error that nobody states is none."""
    return SCORE_SLACK + SCORE_ERRORS * math.hypot(entry["score_error"] or 0, entry["test_error"])


def score_goals(entries):
    both = [entry for entry in entries if entry["score"] is not None and entry["test"] is not None]
    if not both:
        return {}
    failing = [entry["name"] for entry in both if abs(entry["score"] - entry["test"]) > score_allowance(entry)]
    share, average = 1 - len(failing) / len(both), mean(entry["score"] - entry["test"] for entry in both)
    return {"score": goal(share, "|score - test| <= 0.05 + 2 standard errors on 95 % of the tables", share >= SCORE_SHARE, failing),
            "average score": goal(average, "score - test from -0.04 to 0.02", within(average, AVERAGE_SCORE))}


def noise_goals(entries):
    lost = {entry["name"]: entry["mean_only"] - entry["test"] for entry in entries if entry["truth"] == "nothing" and entry["test"] is not None}
    if not lost:
        return {}
    failing = [name for name, value in lost.items() if value > NOISE_SLACK]
    return {"pure noise": goal(max(lost.values()), "loses at most 0.02 against the mean-only model on every table", not failing, failing)}


def paired_scores(ours, theirs):
    """Mean interval scores, ours and theirs, over the tables that both have."""
    scored = {entry["name"]: entry["interval_score"] for entry in theirs if entry["interval_score"] is not None}
    both = [(entry["interval_score"], scored[entry["name"]]) for entry in ours if entry["interval_score"] is not None and entry["name"] in scored]
    return [mean(side) for side in zip(*both)] if both else None


def interval_goals(ours, peers):
    pairs = {name: paired_scores(ours, entries) for name, entries in peers.items()}
    pairs = {name: pair for name, pair in pairs.items() if pair}
    if not pairs:
        return {}
    failing = [name for name, (own, other) in pairs.items() if own >= other]
    return {"interval score": goal({name: {"ours": own, "theirs": other} for name, (own, other) in pairs.items()},
                                   "lower than every other method's on average", not failing, failing)}


def goals_of(found):
    ours = found["tables"]
    return {**coverage_goals(ours), **score_goals(ours), **noise_goals(ours), **interval_goals(ours, found["peers"])}


# Printed --------------------------------------------------------------------------------------------------------------------


def shown(value):
    if isinstance(value, dict):
        return ", ".join(f"{name} {pair['ours']:.3f} against {pair['theirs']:.3f}" for name, pair in value.items())
    return f"{value:.3f}"


def goal_lines(goals):
    for name, each in goals.items():
        yield f"{name:17} {'met   ' if each['met'] else 'MISSED'} {shown(each['value'])}; goal: {each['goal']}"
        for failing in each["failing"]:
            yield f"{'':24} {failing}"


def averages(entries):
    """Over the tables that have it: coverages, interval score, what is lost to the best possible, seconds."""
    held = [entry for entry in entries if entry["coverage"]]
    keys = held[0]["coverage"] if held else ()
    tested = [entry for entry in entries if entry["test"] is not None]

    def lost(are_classes):
        return mean(entry["best_possible"] - entry["test"] for entry in tested if ("classes" in entry) == are_classes)
    return {"tables": len(entries), **{f"held by {key}": mean(entry["coverage"][key] for entry in held) for key in keys},
            "interval score": mean(entry["interval_score"] for entry in held), "nats lost": lost(False), "nats lost, classes": lost(True),
            "seconds": sum(entry["seconds"] for entry in entries)}


def average_lines(found, ours):
    for name, entries in {ours: found["tables"], **found["peers"]}.items():
        if entries:
            texts = (f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}" for key, value in averages(entries).items() if value is not None)
            yield f"{name:24} " + ", ".join(texts)
