#!/usr/bin/env python3
"""Writes the tables of docs/benchmarks.md and of docs/results, and their figures, from the result files.

A table whose result file is missing says so. Needs matplotlib. Usage: bench/draw.py [--results DIR] [--docs DIR]
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "experiments" / "common"), str(HERE / "time_to_model")]
import quality_tables  # noqa: E402
import results as times  # noqa: E402
from pages import short, write_page  # noqa: E402
from quality_tables import reached  # noqa: E402

MISSING = ["Not measured yet."]


def calibration(data):
    before, after = (data[f"calibration_{when}"]["vector_multiply_adds_per_second"] for when in ("before", "after"))
    lanes = data["calibration_before"]["lanes"]
    return (f"{before / 1e9:.2f} and {after / 1e9:.2f} billion multiply-adds per second of vectors of "
            f"{lanes} floats before and after.")


def epoch(data):
    fair = data["libtorch_has_optimised_blas"]
    lines = ["| case | network | rows, batch | Postrider | libtorch | by hand | to libtorch | best | to hand | best "
             "| goal to libtorch | reached |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for name, case in data["cases"].items():
        if "members" in case:
            continue
        has_torch = "libtorch_adam_ms" in case

        def torch(key):
            return short(case[key]) if has_torch else "-"

        lines.append(
            f"| {name} | {case['network']} | {case['rows']:,}, {case['batch']} | {short(case['ms'])} ms | "
            f"{torch('libtorch_adam_ms')} ms | {short(case['hand_adam_ms'])} ms | {torch('ratio_to_libtorch_adam')} | "
            f"{torch('best_ratio_to_libtorch_adam')} | {short(case['ratio_to_hand_adam'])} | "
            f"{short(case['best_ratio_to_hand_adam'])} | {short(case['target_ratio'])} | "
            f"{reached(case['reached']) if has_torch and fair else '-'} |")
    lines += ["", f"Medians of {data['repeats']} rounds; `best` is the lowest ratio of a round. " + calibration(data)]
    if data["libtorch_matrix_gflops"] > 0:
        lines[-1] += (f" libtorch's product of matrices: {data['libtorch_matrix_gflops']:.0f} of "
                      f"{data['peak_gflops']:.0f} GFLOP/s.")
        if not fair:
            lines[-1] += " That is no optimised BLAS, so its times are no baseline."
    return lines


def ensembles(data):
    cases = {name: case for name, case in data["cases"].items() if "members" in case}
    if not cases:
        return MISSING
    fair = data["libtorch_has_optimised_blas"]
    lines = ["| case | network | members | Postrider, per member | libtorch | by hand | to libtorch | goal | to hand | goal | of the bound "
             "| with 1/x as measured | goal | all reached |", "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for name, case in cases.items():
        has_torch = "libtorch_adam_ms" in case
        to_torch = case.get("ratio_to_libtorch_adam", 0)
        holds = (to_torch <= case["target_ratio"] and case["ratio_to_hand_adam"] <= case["target_ratio_to_hand_adam"]
                 and case["fraction_of_bound"] >= case["target_fraction"])
        lines.append(
            f"| {name} | {case['network']} | {case['members']} | {short(case['ms_per_member'])} ms | "
            f"{short(case['libtorch_adam_ms']) + ' ms' if has_torch else '-'} | {short(case['hand_adam_ms'])} ms | "
            f"{short(to_torch) if has_torch else '-'} | {short(case['target_ratio'])} | {short(case['ratio_to_hand_adam'])} | "
            f"{short(case['target_ratio_to_hand_adam'])} | {case['fraction_of_bound']:.2f} | "
            f"{case['fraction_of_bound_with_measured_estimates']:.2f} | {case['target_fraction']} | "
            f"{reached(holds) if has_torch and fair else '-'} |")
    return lines


def ensemble_in_cache(data):
    if "ensemble_in_cache" not in data:
        return MISSING
    lines = ["| network | members | beliefs of all | ns per edge and member | bound | fraction | with 1/x as measured |",
             "|---|---|---|---|---|---|---|"]
    for name, row in data["ensemble_in_cache"].items():
        lines.append(f"| {name} | {row['members']} | {row['belief_bytes'] / 1024:.0f} KiB | {row['ns_per_edge_and_member']:.3f} | "
                     f"{row['bound_ns_per_edge_and_member']:.3f} | {row['fraction']:.2f} | "
                     f"{row['fraction_with_measured_estimates']:.2f} |")
    fraction, goal = data["ensemble_in_cache_fraction"], data["in_cache_goal"]
    return lines + ["", f"Lowest fraction {fraction:.2f}, goal at least {goal}: {reached(fraction >= goal)}."]


def in_cache(data):
    lines = ["| network | beliefs | ns per edge | bound | fraction | with 1/x as measured |", "|---|---|---|---|---|---|"]
    for name, row in data["in_cache"].items():
        lines.append(f"| {name} | {row['belief_bytes'] / 1024:.0f} KiB | {row['ns_per_edge']:.3f} | "
                     f"{row['bound_ns_per_edge']:.3f} | {row['fraction']:.2f} | "
                     f"{row['fraction_with_measured_estimates']:.2f} |")
    fraction, goal = data["in_cache_fraction"], data["in_cache_goal"]
    return lines + ["", f"Lowest fraction {fraction:.2f}, goal at least {goal}: {reached(fraction >= goal)}."]


def small_networks(data):
    lines = ["| network | ns per example | with linear layers | share of activations | bound of the edges |",
             "|---|---|---|---|---|"]
    for name, row in data["small_networks"].items():
        total, linear = row["ns_per_example"], row["ns_per_example_linear"]
        lines.append(f"| {name} | {total:,.0f} | {linear:,.0f} | {100 * (total - linear) / total:.0f} % | "
                     f"{row['edges_bound_ns']:,.0f} |")
    return lines


def out_of_cache(data):
    lines = ["| network | beliefs | ns per edge | reading | changing in place | time to bound |", "|---|---|---|---|---|---|"]
    for name, row in data["out_of_cache"].items():
        lines.append(f"| {name} | {row['belief_bytes'] / 2**20:.0f} MiB | {row['ns_per_edge']:.3f} | "
                     f"{row['read_bytes_per_second'] / 1e9:.1f} GB/s | {row['update_bytes_per_second'] / 1e9:.1f} GB/s | "
                     f"{row['ratio']:.2f} |")
    ratio, goal = data["bandwidth_ratio"], data["bandwidth_goal"]
    return lines + ["", f"Highest ratio {ratio:.2f}, goal at most {goal}: {reached(ratio <= goal)}."]


def growth(data):
    lines = ["| weights | ns per edge and example | bytes per weight: beliefs and priors | a stored message |",
             "|---|---|---|---|"]
    columns = ("weights", "ns_per_edge_and_example", "network_bytes_per_weight", "message_bytes_per_weight")
    for weights, time, network, message in zip(*(data[column] for column in columns)):
        lines.append(f"| {weights:,.0f} | {time:.3f} | {network:.1f} | {message:.1f} |")
    ratio, goal = data["worst_to_best"], data["goal"]
    return lines + ["", f"Worst to best {ratio:.2f}, goal at most {goal}: {reached(ratio <= goal)}. {data['rows']} rows in "
                        f"groups of {data['group_size']}, medians. " + calibration(data)]


def growth_of_members(data):
    if "members" not in data:
        return MISSING
    lines = ["| weights | members | ns per edge, example and member | one network |", "|---|---|---|---|"]
    columns = ("weights", "members", "ns_per_edge_example_and_member", "ns_per_edge_and_example")
    for weights, members, time, alone in zip(*(data[column] for column in columns)):
        lines.append(f"| {weights:,.0f} | {members:.0f} | {time:.3f} | {alone:.3f} |")
    ratio, goal = data["members_worst_to_best"], data["goal"]
    return lines + ["", f"Worst to best {ratio:.2f}, goal at most {goal}: {reached(ratio <= goal)}."]


def csv(data):
    lines = ["| figure | measured | goal | reached |", "|---|---|---|---|"]
    for name, key, goal, holds in (
            ("reading and parsing, one core", "read_mb_per_s", "at least 200 MB/s", lambda x: x >= 200),
            ("the same, per second of processor time", "read_mb_per_processor_s", "", None),
            ("learning as a stream", "train_mb_per_s", "", None)):
        lines.append(f"| {name} | {data[key]:.0f} MB/s | {goal} | {reached(holds(data[key])) if holds else ''} |")
    peak = data["peak_resident_mb"]
    lines.append(f"| most memory while learning | {peak:.0f} MB | below 300 MB | {reached(peak < 300)} |")
    return lines + ["", f"{data['megabytes']:,.0f} MB, {data['rows']:,} rows, one hidden layer of {data['hidden_units']} units: "
                        f"{data['train_rows_per_s']:,.0f} rows learned per second."]


def python_stream(data):
    lines = ["| | rows/s | MB/s | rows per second of processor time | error in new rows |", "|---|---|---|---|---|"]
    for name, key in (("reading into rows of numbers", "read"), ("`TableModel.update`", "table_model"),
                      ("`update_stream`, `BayesianMLPRegressor`", "partial_fit")):
        part, error = data[key], data["root_mean_square_error"].get(key)
        lines.append(f"| {name} | {part['rows_per_s']:,.0f} | {part['mb_per_s']:.0f} | {part['rows_per_processor_s']:,.0f} | "
                     f"{'' if error is None else f'{error:.4f}'} |")
    peak, goal = data["peak_resident_mb"], data["goal_resident_mb"]
    return lines + ["", f"{data['megabytes']:,.0f} MB in {data['files']} files, {data['rows']:,} rows of {data['inputs']} inputs; one hidden "
                        f"layer of {data['hidden_units']} units; noise {data['noise']}. Most memory of the whole process "
                        f"{peak:.0f} MB, goal below {goal:,} MB: {reached(peak < goal)}."]


def resume(data):
    return [f"{data['kills']} runs killed, {data['killed_after_a_checkpoint']} of them after their first checkpoint; {data['identical']} ended "
            "with the bytes of the run that was left alone."]


def budgets(data):
    lines = ["| rows | budget, seconds | ended after |", "|---|---|---|"]
    lines += [f"| {each['rows']:,} | {one['budget']} | {one['seconds']:.2f} s |" for each in data["tables"] for one in each["budgets"]]
    lines += ["", "| rows | Ctrl-C after | the line says that it was heard | the program ends | model |", "|---|---|---|---|---|"]
    for each in data["tables"]:
        for one in each["interrupts"]:
            lines.append(f"| {each['rows']:,} | {one['after']} s | " + ("training had ended | | |" if "ended_before" in one else
                         f"after {one['heard']:.2f} s | after {one['ended']:.2f} s | {'yes' if one['model'] else 'none yet'} |"))
    return [*lines, "", f"Goals: at most 10 % beyond a budget: {reached(data['most_over_budget'] <= 1.1)}; heard within a quarter of a second: "
                        f"{reached(data['latest_heard'] <= 0.25)}. {data['cores']} cores; the machine's load was {data['load_before']} before and {data['load_after']} after."]


def serve(data):
    best, reloading = data["best"], data["while_reloading"]
    speed, last = best["requests_per_second"], best["percentile_99_milliseconds"]
    return ["| single rows, one core | measured | goal | reached |", "|---|---|---|---|",
            f"| requests per second | {speed:,.0f} | at least 9,000 | {reached(speed >= 9000)} |",
            f"| requests per second of the server's processor | {best['requests_per_processor_second']:,.0f} | at least 9,000 | "
            f"{reached(best['requests_per_processor_second'] >= 9000)} |",
            f"| 99th percentile of the time to an answer | {last:.2f} ms | below 5 ms | {reached(last < 5)} |",
            f"| 99th percentile of the time to `/ready`, while others ask for ten thousand rows at a time | {data['ready_ms_under_load']:.1f} ms | at most 100 ms | "
            f"{reached(data['ready_ms_under_load'] <= 100)} |",
            f"| failed requests while the model was replaced {reloading['reloads']} times | {reloading['failed']} of {reloading['requests']:,} | 0 | "
            f"{reached(reloading['failed'] == 0)} |",
            "", f"The model of {data['set']} with its defaults, {data['connections']} connections by wrk; the best of {len(data['rounds'])} rounds. The machine had {data['cores_of_the_machine']} cores and a load of {data['load_of_the_machine']:.0f}. While the model was replaced: "
                f"{reloading['requests_per_second']:,.0f} requests per second, 99th percentile {reloading['percentile_99_milliseconds']:.2f} ms."]


def python_overhead(data):
    ratio, added = data["ratio"], data["added_per_row_us"]
    return ["| figure | C++ | Python | added | goal | reached |", "|---|---|---|---|---|---|",
            f"| fit, {data['network']}, {data['rows']:,} rows, {data['epochs']} epochs | {data['cpp_fit_s']:.3f} s | "
            f"{data['python_fit_s']:.3f} s | {100 * (ratio - 1):.1f} % | at most 5 % | {reached(ratio <= 1.05)} |",
            f"| `partial_fit` of one row in an array | {data['cpp_row_us']:.1f} us | {data['python_row_us']:.1f} us | "
            f"{added:.1f} us | below 20 us | {reached(added < 20)} |",
            f"| the same with a label, by the classifier | | {data['python_row_with_label_us']:.1f} us | | | |",
            f"| the same with lists, which scikit-learn looks at | | {data['python_row_of_lists_us']:.0f} us | | | |",
            "", f"The best of {data['rounds']} rounds; a fit in seconds of the processor. What is added to a fit is the median over rounds, whose ratios lie "
                f"between {min(data['ratios_by_round']):.3f} and {max(data['ratios_by_round']):.3f}; that of the best times is {data['ratio_of_best']:.3f}. The machine had a load of "
                f"{data['load']:.0f}, by the wall's clock the fits took {data['cpp_wall_s']:.1f} and {data['python_wall_s']:.1f} s."]


def threads(data):
    lines = ["| case | network | rows, batch | one thread | two threads | times as fast | best | lost |",
             "|---|---|---|---|---|---|---|---|"]
    for name, case in data["cases"].items():
        quality = case["quality"]
        unit = "% of accuracy" if "accuracy_one_thread" in quality else "hundredths of a nat"
        lines.append(f"| {name} | {case['network']} | {case['rows']:,}, {case['batch']} | {short(case['one_thread_ms'])} ms | "
                     f"{short(case['two_threads_ms'])} ms | {short(case['speedup'])} | {short(case['best_speedup'])} | "
                     f"{quality['points_lost']:.3g} {unit} |")
    lines += ["", f"Medians of {data['repeats']} rounds; ratios within a round, `best` the highest of one. Goal: case e at least "
              f"{short(data['goal_speedup'])} times as fast, and at most {short(data['goal_points'])} lost. Load of the machine when this "
              f"began: {data['load_before']:.1f} on two cores."]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    options = parser.parse_args()
    results = options.docs / "results"
    tables = {name.replace("_", "-"): (name, write) for name, write in quality_tables.TABLES.items()}
    pages = {
        options.docs / "benchmarks.md": {"epoch": ("epoch", epoch), "ensembles": ("epoch", ensembles), "threads": ("threads", threads)},
        results / "machine-limits.md": {
            "in-cache": ("limits", in_cache), "ensemble-in-cache": ("limits", ensemble_in_cache), "small-networks": ("limits", small_networks),
            "out-of-cache": ("limits", out_of_cache), "growth": ("growth", growth), "growth-of-members": ("growth", growth_of_members),
            "blocks": tables["blocks"]},
        results / "precision.md": {name: tables[name] for name in ("equivalence", "float-growth", "stability")},
        results / "time-to-model.md": {
            "time-to-quality": tables["time-to-quality"], "time-to-model": ("time_to_model", times.tables), "budgets": ("budgets", budgets)},
        results / "throughput.md": {
            "csv": ("csv", csv), "python-stream": ("python_stream", python_stream), "resume": ("resume", resume), "serve": ("serve", serve), "python-overhead": ("python_overhead", python_overhead)}}
    for page, blocks in pages.items():
        lines = {}
        for block, (file, write) in blocks.items():
            path = options.results / f"{file}.json"
            data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
            lines[block] = write(data) if data else MISSING
            if data and file == "float_growth":
                quality_tables.draw_float_growth(data, options.docs / "figures")
        write_page(page, lines)


main()
