#!/usr/bin/env python3
"""Writes what README.md and the first pages quote: how Postrider compares, what the command line prints, which packages were tried.

The peers' scores and ours come from experiments/uci/results and experiments/tabular/results, as those of docs/real-data.md and docs/results do;
times from bench/results/time_to_model.json, where all methods take turns in one run;
the lines of the command line from docs/tour.md, which a test compares with the program; the packages from
bench/results/packages.json. Run it after these have changed.
Usage: docs/draw.py
"""
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "experiments" / part) for part in ("common", "uci")]
from pages import write_page  # noqa: E402
from peer_tables import better, comparable  # noqa: E402

COMPARED = ("README.md", "docs/is-it-for-me.md")
# How the lines of docs/tour.md begin that README.md shows: regular expressions.
SHOWN = ("  learned ", "  network ", "  score ", "  noise ", " +this model ", "  root mean square error ", "  CRPS ",
         "  log-likelihood ", "  interval ", "  90 % ")
PUBLISHED = {"pbp": "PBP", "tagi": "TAGI (cuTAGI's method)", "dropout_2018": "MC dropout, tuned", "ensembles": "deep ensembles"}
BOOSTED = {"catboost": "CatBoost", "light_gbm": "LightGBM", "xgboost": "XGBoost", "random_forest": "random forest", "ngboost": "NGBoost"}
FASTER = {"catboost": "CatBoost", "light_gbm": "LightGBM"}
CLASSIFIERS = {"mlp_classifier": "scikit-learn's MLPClassifier", "random_forest": "random forest", "light_gbm": "LightGBM"}


def read(name):
    return json.loads((ROOT / "experiments" / name).read_text())


def published(summary):
    for key, title in PUBLISHED.items():
        pairs = [(found, found["anchors"][key]) for found in summary.values()]
        likelier = sum(ours["ll"] > theirs["ll"] for ours, theirs in pairs)
        closer = sum(ours["rmse"] < theirs["rmse"] for ours, theirs in pairs)
        yield f"| regression: {title}, as published | {likelier} of {len(pairs)} | {closer} of {len(pairs)} | - |"


def sets_of_times(score):
    """The sets whose times are known and that have this score, which says whether numbers or classes are predicted."""
    found = json.loads((ROOT / "bench" / "results" / "time_to_model.json").read_text())["sets"]
    return [one["seconds"] for one in found.values() if score in one]


def ratios(times, key):
    """Our processor seconds to theirs, on each set that has both."""
    return [one["postrider"] / one[key] for one in times if key in one and "postrider" in one]


def ratio_text(ratio):
    return f"{ratio:,.{1 if ratio < 10 else 0}f}"


def slower(times, key):
    found = ratios(times, key)
    return f"{ratio_text(statistics.median(found))} times" if found else "-"


def boosted(sets):
    times = sets_of_times("rmse")
    for key, title in BOOSTED.items():
        yield f"| regression: {title}, defaults | {better(sets, key, 'll')} | {better(sets, key, 'rmse')} | {slower(times, key)} |"


def against_process(few_rows):
    """On how many sets ours has the higher log-likelihood, on how many the lower error, and how many there are."""
    against = [found["postrider_against_gaussian_process"] for found in few_rows.values()]
    return sum(one["ll_difference"] > 0 for one in against), sum(one["rmse_ratio"] < 1 for one in against), len(against)


def process(few_rows):
    likelier, closer, count = against_process(few_rows)
    yield f"| regression from 30 to 300 rows: a Gaussian process | {likelier} of {count} | {closer} of {count} | - |"


def process_sentence(few_rows):
    likelier, closer, count = against_process(few_rows)
    sizes = sorted({found["rows"] for found in few_rows.values()})
    sizes_text = ", ".join(map(str, sizes[:-1])) + f" and {sizes[-1]}"
    return [f"From {sizes_text} rows of {count // len(sizes)} sets, the process has the lower error on {count - closer} of {count}, "
            f"Postrider the higher log-likelihood on {likelier} of {count}."]


def classifiers(summary):
    times = sets_of_times("log_loss")
    for key, title in CLASSIFIERS.items():
        both = [found for found in summary.values() if key in found and "postrider" in found]
        likelier = sum(found["postrider"]["log_loss"] < found[key]["log_loss"] for found in both)
        closer = sum(found["postrider"]["accuracy"] > found[key]["accuracy"] for found in both)
        yield f"| classification: {title}, defaults | {likelier} of {len(both)} | {closer} of {len(both)} | {slower(times, key)} |"


def ranges(times):
    """From the set on which we are nearest to each library to that on which we are farthest."""
    by_title = {title: ratios(times, key) for key, title in FASTER.items()}
    return ", ".join(f"{ratio_text(min(all_of))} to {ratio_text(max(all_of))} times {title}'s" for title, all_of in by_title.items())


def faster():
    return (f"The last column is a median over the sets of a run in which these methods take turns. From set to set it is {ranges(sets_of_times('rmse'))} in "
            f"regression, and {ranges(sets_of_times('log_loss'))} in classification.")


def table():
    summary, classes = read("uci/results/summary.json"), read("tabular/results/summary.json")
    sets = comparable(read("uci/results/peers.json"), summary)
    return ["| Postrider with its defaults, against | log-likelihood better on | error lower on | processor time of training, ours to theirs |",
            "|---|---|---|---|",
            *published(summary), *boosted(sets), *process(read("uci/results/few_rows.json")), *classifiers(classes),
            "", faster()]


def excerpt():
    """The first line of the tour for each beginning, in the order of the tour."""
    lines = (ROOT / "docs" / "tour.md").read_text().splitlines()
    places = [next(place for place, line in enumerate(lines) if re.match(start, line)) for start in SHOWN]
    return ["```text", *(lines[place] for place in sorted(places)), "```"]


def names(listed):
    return ", ".join(f"`{one['file']}`" for one in listed)


def wheel_outcome(wheel):
    twice = "; the same bytes twice" if wheel["same_bytes_twice"] is True else ""
    return f"the README's Python lines ran on Python {' and '.join(wheel['readme_ran_on_python'])}{twice}"


def packages():
    """What tools/packages built and tried; a kind that its result does not have is left out."""
    found = json.loads((ROOT / "bench" / "results" / "packages.json").read_text())
    on = found["built_on"]
    lines = [f"Version {found['version']}, on {on['system']}, {on['machine']}, {on['compiler']}:", "", "| package | what came out |", "|---|---|"]
    lines += [f"| wheel {names([wheel])} | {wheel_outcome(wheel)} |" for wheel in found.get("wheels", [])]
    lines += [f"| source distribution {names([one])} | built without network |" for one in found.get("source_distribution", [])]
    if "debian" in found:
        debian = found["debian"]
        tests = ", ".join(f"{name} {'passed' if said == 'PASS' else 'failed'}" for name, said in debian["tests_in_an_empty_debian_12"].items())
        lines.append(f"| Debian {names(debian['packages'])} | tests in an empty Debian 12: {tests}; lintian: {debian['lintian']} |")
    if "conan" in found:
        conan = found["conan"]
        lines.append(f"| Conan `{conan['reference']}`, `dependencies={conan['dependencies']}` | its test {conan['test_package']} |")
    if "conda" in found:
        lines.append(f"| conda's recipe | rendered, {'built' if found['conda']['built'] else 'not built'} |")
    if "vcpkg" in found:
        lines.append(f"| vcpkg's port | read, {'built' if found['vcpkg']['built'] else 'not built'} |")
    return lines


def doors():
    return json.loads((ROOT / "bench" / "results" / "doors.json").read_text())


def sql_rates():
    rates = doors()["sql_rows_per_second"]
    return [f"One session predicts {rates['postgresql']:,} rows of four columns in a second in PostgreSQL, and {rates['duckdb']:,} in DuckDB, with mean, standard deviation and "
            "interval, on a busy machine of two cores. The model has sixteen networks, learned from 1,000 rows by the effort `quick`."]


def onnx_error():
    error = doors()["onnx_error"]
    return [f"Of {error['models']} models, with each encoding, targets as they are and as roots, and classes, the largest difference to the library is {error['largest']:.1e} "
            f"standard deviations of the target, or as a probability ({error['of']})."]


def main():
    for page in COMPARED:
        write_page(ROOT / page, {"compared": table()})
    write_page(ROOT / "README.md", {"tour": excerpt()})
    write_page(ROOT / "docs/switch/from-gaussian-process.md", {"process": process_sentence(read("uci/results/few_rows.json"))})
    write_page(ROOT / "docs/install.md", {"packages": packages()})
    write_page(ROOT / "docs/doors/sql.md", {"sql": sql_rates()})
    write_page(ROOT / "docs/doors/onnx.md", {"onnx": onnx_error()})


if __name__ == "__main__":
    main()
