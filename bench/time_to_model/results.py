"""The result file of time_to_model.py and its tables: the runs, and what is said of them."""
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "experiments" / "common")]
import large  # noqa: E402
from pages import short  # noqa: E402
from regressors import TITLES  # noqa: E402
from runs import Runs, rounded  # noqa: E402
from sets import METHODS, OURS, RIVAL, SPLITS  # noqa: E402

SCORES = ("seconds", "log_likelihood", "log_loss", "rmse", "error")
SCORES_OF_LARGE = ("wall_seconds", "processor_seconds", "peak_mb", "rmse", "log_likelihood", "load")


def entries_of(found):
    """By method what was run of one set."""
    return {method: found[method] for method in METHODS if method in found}


def facts_of(found):
    return {key: value for key, value in found.items() if key not in METHODS}


def comparable(entries):
    """By method the runs of the splits that all have: a mean over others would be of other rows."""
    common = set.intersection(*({*entry["runs"]} for entry in entries.values()))
    return {method: [run for split, run in entry["runs"].items() if split in common] for method, entry in entries.items()}


def means(runs_by_method, keys):
    """By key and method the mean over runs, of those that have it."""
    found = {}
    for key in keys:
        by_method = {method: statistics.fmean(run[key] for run in runs) for method, runs in runs_by_method.items() if all(key in run for run in runs)}
        if by_method:
            found[key] = by_method
    return found


def set_of(found):
    runs = comparable(entries_of(found))
    splits = len(next(iter(runs.values())))
    return facts_of(found) | {"splits": splits} | (means(runs, SCORES) if splits else {})


def large_of(found):
    return facts_of(found) | means(comparable(entries_of(found)), SCORES_OF_LARGE)


def parts_of(entry):
    """Seconds of each part of our training, over all runs that say them."""
    told = [run["parts"] for run in entry["runs"].values() if "parts" in run]
    return {part: statistics.fmean(seconds.get(part, 0.0) for seconds in told) for part in dict.fromkeys(part for seconds in told for part in seconds)}


def shaped(found):
    """What the file says of the runs, in the order of SPLITS and of the rows, whatever was run first."""
    run = {name: one for name, one in found.items() if entries_of(one)}
    sets = {name: run[name] for name in SPLITS if name in run}
    made = sorted(large.rows_of(name) for name in run if large.is_large(name))
    parts = {name: parts_of(one[OURS]) for name, one in sets.items() if OURS in one}
    return rounded({
        "sets": {name: set_of(one) for name, one in sets.items()},
        "parts": {name: seconds for name, seconds in parts.items() if seconds},
        "large": {str(rows): large_of(run[large.name_of(rows)]) for rows in made},
        "versions": {method: entry["version"] for one in run.values() for method, entry in entries_of(one).items()}})


class Results(Runs):
    """The file holds what is said, and under `runs` what it is said of."""

    def __init__(self, path):
        super().__init__(path, lambda runs: {})

    def packed(self):
        return shaped(self.found) | {"runs": self.found}

    def unpacked(self, stored):
        return stored["runs"]


def line(cells):
    return "| " + " | ".join(cells) + " |"


def heading(cells):
    return [line(cells), "|" + "---|" * len(cells)]


def cell(by_method, method):
    return short(by_method[method]) if method in by_method else "-"


def ratio(by_method):
    return short(by_method[OURS] / by_method[RIVAL]) if OURS in by_method and RIVAL in by_method else "-"


def seconds_table(sets):
    titles = [TITLES[method] for method in METHODS]
    lines = heading(["seconds", "rows", "splits", *titles, f"{TITLES[OURS]} / {TITLES[RIVAL]}"])
    for name, found in sets.items():
        seconds = found.get("seconds", {})
        lines.append(line([name, f"{found['rows']:,}", str(found["splits"]), *(cell(seconds, method) for method in METHODS), ratio(seconds)]))
    return lines


def large_table(tables):
    lines = heading(["made rows", "method", "seconds", "MB at most", "RMSE", "log-likelihood"])
    for rows, found in tables.items():
        for method in (method for method in large.METHODS if method in found["wall_seconds"]):
            numbers = [short(found[key][method]) for key in ("wall_seconds", "peak_mb")]
            scores = [f"{found[key][method]:.4f}" for key in ("rmse", "log_likelihood")]
            lines.append(line([f"{int(rows):,}", TITLES[method], *numbers, *scores]))
        lines.append(line([f"{int(rows):,}", "the truth", "", "", *(f"{found[f'{key}_of_truth']:.4f}" for key in ("rmse", "log_likelihood"))]))
    return lines


PART_TITLES = {"epochs": "epochs of the networks that are kept", "choosing_and_judging": "choosing encodings, all rows in the end, judging"}


def parts_table(parts):
    lines = heading(["seconds of ours, by the clock", *PART_TITLES.values()])
    return lines + [line([name, *(cell(seconds, part) for part in PART_TITLES)]) for name, seconds in parts.items()]


def tables(stored):
    """What the pages show, in Markdown."""
    lines = seconds_table(stored["sets"]) if stored["sets"] else []
    lines += ["", *parts_table(stored["parts"])] if stored["parts"] else []
    return lines + ([""] if lines and stored["large"] else []) + (large_table(stored["large"]) if stored["large"] else [])
