#!/usr/bin/env python3
"""Whether `postrider` names what is wrong with a table: 60 that were spoiled, by one fault or two, and 30 clean ones.

Each table is looked at by `train --dry-run`; then a model is trained and evaluated on other rows, as a user would. A fault is named
if one of these warns of its kind and, where it has one, its column. A clean table that has any warning is a false alarm.
Thresholds were found with `--develop`, on tables and faults of other kinds and seeds.
"""
import argparse
import itertools
import json
import os
import pathlib
import subprocess
import tempfile

import made_tables as made
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
TRAINING = ("--max-epochs", "40", "--ensemble-size", "8", "--encoding", "standard")
SPOILED, CLEAN = 60, 30
PUBLIC = ("german-credit", "spambase", "letter")


def write(path, table):
    lines = [",".join(table)]
    quoted = [[f'"{v}"' if "," in v else v for v in cells] for cells in table.values()]
    lines += [",".join(row) for row in zip(*quoted, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def called(program, *words):
    done = subprocess.run([program, *map(str, words)], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def warnings_of(program, folder, training, test, more=(), has_model=True):
    """What all steps say, each as (kind, column, text)."""
    write(folder / "train.csv", training)
    call = ("train", folder / "train.csv", "--target", made.TARGET, "--json", *more)
    found = called(program, *call, "--dry-run")["warnings"]
    if has_model:
        write(folder / "test.csv", test)
        model = folder / "m.safetensors"
        found += called(program, *call, *TRAINING, "-o", model, "--force")["warnings"]
        found += called(program, "evaluate", model, folder / "test.csv", "--json")["warnings"]
    return sorted({(w["kind"], w["column"], w["text"]) for w in found})


def drawn(kind, seed, rows):
    """Rows to learn and others of the same kind."""
    table = made.as_texts(kind(np.random.default_rng(seed), 2 * rows))
    return table


def halves(table):
    rows = made.rows_of(table)
    return made.picked(table, range(rows // 2)), made.picked(table, range(rows // 2, rows))


def spoiled(kinds, faults, seed, develop):
    """A table with these faults: rows to learn, rows to evaluate, and what must be named."""
    draw = np.random.default_rng(seed)
    fitting = [k for k in kinds if fits(k, faults)]
    table = drawn(fitting[int(draw.integers(len(fitting)))], seed, int(draw.integers(500, 900)))
    shared = [f for f in faults if f in (made.leak, made.identifier, made.coverage, made.target, made.sentinel, made.dates, made.spelling)]
    wanted = [(f.__name__, f(draw, table, develop)) for f in shared]
    training, test = halves(table)
    for fault in faults:
        if fault not in shared:
            wanted.append((fault.__name__, fault(draw, training, develop)))
    if made.learned_rows in faults:
        known = draw.choice(made.rows_of(training), made.rows_of(test) // 3, replace=False)
        for name, cells in test.items():
            cells.extend(training[name][k] for k in known)
    if made.disagreement in faults:
        test = changed(draw, training, test)
    return training, test, wanted


def in_order(table):
    """The same rows in the order of their targets."""
    targets = table[made.TARGET] if made.is_classes(table) else [float(cell) for cell in table[made.TARGET]]
    return made.picked(table, sorted(range(made.rows_of(table)), key=lambda row: targets[row]))


def changed(draw, training, test):
    """Rows whose target was measured otherwise."""
    if made.is_classes(test):
        order = draw.permutation(made.rows_of(test))
        rare = made.rarest(training)
        return test | {made.TARGET: [rare if k % 2 else test[made.TARGET][k] for k in order]}
    y = np.array(test[made.TARGET], float)
    return test | {made.TARGET: [f"{v:.6g}" for v in y + 2 * np.std(y)]}


def fits(kind, faults):
    of_classes = made.is_classes(made.as_texts(kind(np.random.default_rng(0), 40)))
    if any(f in made.OF_CLASSES for f in faults):
        return of_classes
    if any(f in made.OF_NUMBERS for f in faults):
        return not of_classes and kind not in (made.counts, made.survey)
    # Counts and ratings have ties: another row easily has the same one.
    return not any(f in (made.leak, made.copies, made.identifier, made.disagreement) for f in faults) or kind not in (made.counts, made.survey)


def suite(develop):
    """Faults alone, then in pairs."""
    alone = [(f,) for f in made.FAULTS] * 2
    pairs = [
        pair for pair in itertools.combinations(made.FAULTS, 2)
        if set(pair) not in made.APART and not (set(pair) & set(made.OF_CLASSES) and set(pair) & set(made.OF_NUMBERS))
    ]
    order = np.random.default_rng(77 if develop else 7).permutation(len(pairs))
    return alone + [pairs[k] for k in itertools.islice(itertools.cycle(order), SPOILED - len(alone))]


def public_tables(data):
    for name in PUBLIC:
        path = pathlib.Path(data, "tabular", name, "data.csv") if data else None
        if path and path.exists():
            yield name, path


def last_column(path):
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().split(",")[-1]


def clean_tables(kinds, develop):
    for k in range(CLEAN):
        kind = kinds[k % len(kinds)]
        yield f"{kind.__name__} {k}", drawn(kind, (9000 if develop else 500) + k, 120 if k % 5 == 4 else 700)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--data", default=os.environ.get("POSTRIDER_DATA"))
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--quick", action="store_true", help="few tables, and nothing is written")
    parser.add_argument("--develop", action="store_true", help="the tables by which thresholds were found; nothing is written")
    options = parser.parse_args()
    program = pathlib.Path(options.build, "src/cli/postrider").resolve()
    kinds, every = made.KINDS[options.develop], 12 if options.quick else 1
    result = {"named": 0, "faults": 0, "false_alarms": 0, "clean": 0, "other_warnings": 0, "missed": [], "alarms": []}
    with tempfile.TemporaryDirectory() as room:
        folder = pathlib.Path(room)
        for k, faults in list(enumerate(suite(options.develop)))[::every]:
            training, test, wanted = spoiled(kinds, faults, (4000 if options.develop else 100) + k, options.develop)
            more = ("--constant-noise",) if made.coverage in faults else ()
            needs_model = any(f in (made.coverage, made.learned_rows, made.disagreement) for f in faults)
            found = warnings_of(program, folder, training, test, more, needs_model)
            for kind, column in wanted:
                is_named = any(one[0] == kind and one[1] == (column or one[1]) for one in found)
                result["faults"] += 1
                result["named"] += is_named
                if not is_named:
                    result["missed"].append({"table": k, "fault": kind, "column": column, "warnings": found})
                    print("missed", result["missed"][-1], flush=True)
            others = [one for one in found if one[0] not in [w[0] for w in wanted]]
            result["other_warnings"] += len(others)
            if others and options.develop:
                print(k, [f.__name__ for f in faults], others, flush=True)
        for place, (name, table) in list(enumerate(clean_tables(kinds, options.develop)))[::every]:
            training, test = halves(table)
            if place % 3 == 1:  # files are often in the order of what they tell
                training = in_order(training)
            add_clean(result, name, warnings_of(program, folder, training, test))
    if not options.quick and not options.develop:
        result["public"] = {
            name: [w["text"] for w in called(program, "train", path, "--target", last_column(path), "--classify", "--json", "--dry-run")["warnings"]]
            for name, path in public_tables(options.data)
        }
        (options.results / "warnings.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
        write_page(result)
    print({key: value for key, value in result.items() if not isinstance(value, (list, dict))})
    if result["named"] < 0.95 * result["faults"] or result["false_alarms"] > 0.05 * result["clean"]:
        raise SystemExit("too few faults were named, or too many clean tables blamed")


def write_page(result):
    """The figures into the page."""
    page = HERE.parents[1] / "docs" / "warnings.md"
    before, begin, rest = page.read_text().partition("<!-- figures: written by experiments/tabular/spoiled.py -->\n")
    _, end, after = rest.partition("<!-- figures: end -->")
    figures = (
        f"Of {SPOILED} tables with one fault or two, {result['named']} of {result['faults']} faults were named. "
        f"Of {result['clean']} clean tables, {result['false_alarms']} had a warning of any kind.\n"
    )
    page.write_text(before + begin + figures + end + after)


def add_clean(result, name, found):
    result["clean"] += 1
    if found:
        result["false_alarms"] += 1
        result["alarms"].append({"table": name, "warnings": found})
        print("alarm", result["alarms"][-1], flush=True)


if __name__ == "__main__":
    main()
