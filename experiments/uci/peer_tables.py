"""Tables of the comparison with libraries that people use today, from results/peers.json, few_rows.json and our own summary.json."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from data_sets import REGRESSION  # noqa: E402
from regressors import TITLES  # noqa: E402
from tuned_regressors import TUNED_TITLES  # noqa: E402

PEERS = ("catboost", "catboost_uncertainty", "light_gbm", "xgboost", "hist_gradient_boosting", "random_forest", "ngboost")
METHODS = ("postrider", *PEERS)
FEW_ROWS_METHODS = ("postrider", "gaussian_process", "catboost")
SCORES = {"rmse": min, "ll": max}
NEARLY = 1.03  # times the lowest RMSE


def our_runs(found):
    """The runs in the C++ program's summary, in the form of peers.json."""
    return {str(split): {"rmse": rmse, "ll": ll, "seconds": found["seconds_per_split"]}
            for split, (rmse, ll) in enumerate(zip(found["rmse_by_split"], found["ll_by_split"]))}


def runs_by_method(name, found, summary):
    runs = {method: found[method]["runs"] for method in METHODS if method in found}
    if name in summary:
        runs["postrider"] = our_runs(summary[name])
    return runs


def common_splits(runs):
    """Those that every method has: means over others would not compare."""
    return set.intersection(*(set(one) for one in runs.values()))


def means(runs, splits):
    return {method: {key: sum(one[split][key] for split in splits) / len(splits) for key in ("rmse", "ll", "seconds")}
            for method, one in runs.items()}


def comparable(peers, summary):
    """By set, in the order in which papers list them: how many splits all methods have, and the means over them."""
    out = {}
    for name in (name for name in REGRESSION if name in peers):
        runs = runs_by_method(name, peers[name], summary)
        splits = common_splits(runs) if runs else set()
        if splits:
            out[name] = len(splits), means(runs, splits)
    return out


def score_text(value, is_best, digits):
    text = f"{value:{digits}}"
    return f"**{text}**" if is_best else text


def cells(found, methods):
    best = {key: pick(one[key] for one in found.values()) for key, pick in SCORES.items()}
    return ["-" if method not in found else " / ".join(
        score_text(found[method][key], found[method][key] == best[key], digits) for key, digits in (("rmse", ".3g"), ("ll", ".2f")))
            for method in methods]


def better(sets, method, key):
    both = [found for _, found in sets.values() if method in found and "postrider" in found]
    sign = 1 if key == "ll" else -1
    return f"{sum(sign * found['postrider'][key] > sign * found[method][key] for found in both)} of {len(both)}"


def peers_table(peers, summary, name_of):
    sets = comparable(peers, summary)
    lines = ["| set | splits | " + " | ".join(TITLES[method] for method in METHODS) + " |", "|---|---|" + "---|" * len(METHODS)]
    for name, (splits, found) in sets.items():
        lines.append(f"| {name_of(name)} | {splits} | " + " | ".join(cells(found, METHODS)) + " |")
    for key, title in (("rmse", "RMSE"), ("ll", "log-likelihood")):
        lines.append(f"| *Postrider's {title} is better* | | | " + " | ".join(better(sets, method, key) for method in PEERS) + " |")
    return lines


def names_or_none(sets, name_of):
    return ", ".join(name_of(name) for name in sets) or "none"


def peers_verdict(peers, summary, name_of):
    """On which sets ours is the best of all, or nearly so."""
    sets = {name: found for name, (_, found) in comparable(peers, summary).items() if "postrider" in found}

    def best_of_others(found, key):
        return SCORES[key](one[key] for method, one in found.items() if method != "postrider")
    highest = [name for name, found in sets.items() if found["postrider"]["ll"] > best_of_others(found, "ll")]
    lowest = [name for name, found in sets.items() if found["postrider"]["rmse"] <= NEARLY * best_of_others(found, "rmse")]
    behind = [name for name in sets if name not in highest]
    return [f"- Our log-likelihood is the highest of all on {len(highest)} of {len(sets)}; not on: {names_or_none(behind, name_of)}.",
            f"- Our RMSE is the lowest, or within {100 * (NEARLY - 1):.0f} % of it, on {len(lowest)} of {len(sets)}: {names_or_none(lowest, name_of)}."]


def seconds_table(peers, summary, name_of):
    lines = ["| set | " + " | ".join(TITLES[method] for method in METHODS) + " |", "|---|" + "---|" * len(METHODS)]
    for name, (_, found) in comparable(peers, summary).items():
        lines.append(f"| {name_of(name)} | " + " | ".join(f"{found[method]['seconds']:.2f}" if method in found else "-" for method in METHODS) + " |")
    return lines


def tuned_table(tuned, name_of):
    """Means over the splits that all methods have; in bold the best."""
    lines = ["| set | splits | " + " | ".join(TUNED_TITLES.values()) + " |", "|---|---|" + "---|" * len(TUNED_TITLES)]
    ahead = dict.fromkeys(("rmse", "ll", "crps"), 0)
    for name in (name for name in REGRESSION if name in tuned):
        runs = {method: tuned[name][method]["runs"] for method in TUNED_TITLES if method in tuned[name]}
        splits = common_splits(runs) if "postrider" in runs else set()
        if not splits:
            continue
        found = {method: {key: sum(one[split][key] for split in splits) / len(splits) for key in ("rmse", "ll", "crps", "held_90")} for method, one in runs.items()}
        best = {key: pick(one[key] for one in found.values()) for key, pick in (("rmse", min), ("ll", max), ("crps", min))}
        for key in ahead:
            ahead[key] += found["postrider"][key] == best[key]
        lines.append(f"| {name_of(name)} | {len(splits)} | " + " | ".join("-" if method not in found else " / ".join(
            [score_text(found[method][key], found[method][key] == best[key], digits) for key, digits in (("rmse", ".3g"), ("ll", ".2f"), ("crps", ".3g"))]
            + [f"{100 * found[method]['held_90']:.0f} %"]) for method in TUNED_TITLES) + " |")
    sets = len(lines) - 2
    return [*lines, "", f"Of these {sets} sets Postrider has the lowest RMSE on {ahead['rmse']}, the highest log-likelihood on {ahead['ll']} and the lowest CRPS on {ahead['crps']}."]


def few_rows_table(few_rows, name_of):
    lines = ["| set, training rows | draws | " + " | ".join(TITLES[method] for method in FEW_ROWS_METHODS)
             + " | RMSE, ours to the process's | log-likelihood, ours minus the process's |", "|---|---|" + "---|" * (len(FEW_ROWS_METHODS) + 2)]
    for name, found in few_rows.items():
        runs = {method: found[method]["runs"] for method in FEW_ROWS_METHODS if method in found}
        splits = common_splits(runs)
        scores = means(runs, splits)
        ours = found.get("postrider_against_gaussian_process")
        last = f"{ours['rmse_ratio']:.2f} | {ours['ll_difference']:+.2f}" if ours else "- | -"
        title = name_of(name.split(",")[0])
        lines.append(f"| {title}, {found['rows']} | {len(splits)} | " + " | ".join(cells(scores, FEW_ROWS_METHODS)) + f" | {last} |")
    return lines
