#!/usr/bin/env python3
"""Explanations of predictions where the truth is known: sums, order of importance, error and time, beside the package shap.

Needs the Python package, and for the other methods shap and LightGBM, as experiments/peers-env --with-postrider installs them. Usage:
  build/peers/venv/bin/python experiments/explain/explain.py [--quick] [--only TABLE ...] [--results DIR]
Each table's entry goes into results/summary.json at once, beside those of other tables; --page writes these into the page. --quick: two tables of few rows, without other
methods, into build/explain-quick unless --results says where.

Of each table: `sum_error`, the largest difference between sums of contributions and prediction less baseline; `rank_correlation` of the
columns' importance (mean size of contributions) with that of the true function by the same measure; `shap_rank_correlation`, that of
shap's TreeExplainer on LightGBM; `seconds` of a processor per 1,000 rows, and `shap_seconds` those of shap's KernelExplainer on the same
model with the same background and one thread, in the same run; `error` and `shap_error`, root mean square differences of both to the exact contributions of the model,
all subsets predicted, relative to the size of these.

Models are of beliefs alone (learned_shape=False). What networks leave over makes each prediction slower by a factor that all methods share.
"""
import argparse
import importlib.util
import json
import pathlib
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "common")]
import one_thread  # noqa: E402, F401
import numpy as np  # noqa: E402
from truths import TRUTHS, exact_contributions, made, rank_correlation  # noqa: E402

ROWS, NEW, BACKGROUND = 2000, 200, 32
KERNEL_ROWS = 5  # a row takes a second and more
GOALS = {"sum_error": 1e-6, "rank_correlation": 0.95, "faster": 100}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--only", nargs="+", choices=[truth.name for truth in TRUTHS], metavar="TABLE")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--page", action="store_true", help="writes the figures of results/summary.json into docs/python/explaining.md, and runs nothing")
    return parser.parse_args()


def fitted(truth, table, quick):
    """A model, and what it says: the mean, or the probability of the second class."""
    from postrider import BayesianMLPClassifier, BayesianMLPRegressor

    options = {"random_state": 1, "n_jobs": 1, **({"max_epochs": 5} if quick else {})}
    if truth.classes:
        model = BayesianMLPClassifier(**options).fit(table.x, table.y)
        return model, lambda x: model.predict_proba(x)[:, 1]
    model = BayesianMLPRegressor(learned_shape=False, **options).fit(table.x, table.y)
    return model, model.predict


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values))))


def by_shap(truth, table, said, exact, true_importance):
    """The other methods: LightGBM's importance by TreeExplainer, and the model's contributions by KernelExplainer."""
    import lightgbm
    import shap

    trees = (lightgbm.LGBMClassifier if truth.classes else lightgbm.LGBMRegressor)(n_jobs=1, verbose=-1, random_state=1)
    trees.fit(table.x, table.y)
    explainer = shap.TreeExplainer(trees, table.background, feature_perturbation="interventional",
                                   model_output="probability" if truth.classes else "raw")
    of_trees = np.abs(np.asarray(explainer.shap_values(table.new, check_additivity=False))).mean(axis=0)
    kernel = shap.KernelExplainer(said, table.background)
    np.random.seed(1)
    began = time.process_time()
    of_kernel = np.asarray(kernel.shap_values(table.new[:KERNEL_ROWS], silent=True))
    seconds = (time.process_time() - began) * 1000 / KERNEL_ROWS
    return {"shap_rank_correlation": rank_correlation(of_trees, true_importance), "shap_seconds": seconds,
            "shap_error": root_mean_square(of_kernel - exact) / root_mean_square(exact)}


def measured(truth, quick):
    table = made(truth, *((200, 10, 4) if quick else (ROWS, NEW, BACKGROUND)))
    model, said = fitted(truth, table, quick)
    place = 1 if truth.classes else 0
    began = time.process_time()
    found = model.explain(table.new, table.background)
    seconds = (time.process_time() - began) * 1000 / len(table.new)
    sums = found.contributions.sum(axis=1)
    true_importance = np.abs(exact_contributions(truth.said, table.new, table.background)).mean(axis=0)
    out = {"interacts": truth.interacts, "sum_error": float(np.abs(sums - (found.prediction - found.baseline)).max()),
           "rank_correlation": rank_correlation(np.abs(found.contributions[:, :, place]).mean(axis=0), true_importance),
           "seconds": seconds}
    if quick:
        return out
    exact = exact_contributions(said, table.new[:KERNEL_ROWS], table.background)
    out["error"] = root_mean_square(found.contributions[:KERNEL_ROWS, :, place] - exact) / root_mean_square(exact)
    if importlib.util.find_spec("shap") is not None:
        out |= by_shap(truth, table, said, exact, true_importance)
    return out


def goals_of(tables):
    """Whether each goal is reached on all tables."""
    def all_of(holds):
        return all(holds(entry) for entry in tables.values())
    return {
        "sums are exact to 1e-6": all_of(lambda one: one["sum_error"] <= GOALS["sum_error"]),
        "rank correlation is at least 0.95": all_of(lambda one: one["rank_correlation"] >= GOALS["rank_correlation"]),
        "at least 100 times as fast as Kernel SHAP": all_of(
            lambda one: "shap_seconds" not in one or one["shap_seconds"] >= GOALS["faster"] * one["seconds"]),
        "no more error than Kernel SHAP": all_of(lambda one: "shap_error" not in one or one["error"] <= one["shap_error"]),
    }


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def text_of(tables):
    lines = ",".join(f'\n  "{name}": {json.dumps(rounded(entry))}' for name, entry in tables.items())
    settings = {"rows": ROWS, "new_rows": NEW, "background": BACKGROUND, "kernel_rows": KERNEL_ROWS, "learned_shape": False}
    goals = ",".join(f'\n  "{name}": {json.dumps(holds)}' for name, holds in goals_of(tables).items())
    return f'{{\n "settings": {json.dumps(settings)},\n "goals": {{{goals}\n }},\n "tables": {{{lines}\n }}\n}}\n'


def write_page(tables):
    """The figures into the page."""
    page = HERE.parents[1] / "docs" / "python" / "explaining.md"
    begin, end = "<!-- figures: written by experiments/explain/explain.py -->\n", "<!-- figures: end -->"
    before, _, rest = page.read_text().partition(begin)
    lines = ["| table | sums are off by | order of columns (LightGBM with TreeExplainer) | error (Kernel SHAP) | seconds for 1,000 rows (Kernel SHAP) |\n", "|---|---|---|---|---|\n"]
    for name, one in tables.items():
        kind = "columns act together" if one["interacts"] else "a sum"
        lines.append(f"| {name}, {kind} | {one['sum_error']:.0e} | {one['rank_correlation']:.3f} ({one['shap_rank_correlation']:.3f}) | "
                     f"{one['error']:.1%} ({one['shap_error']:.1%}) | {one['seconds']:.1f} ({one['shap_seconds']:.0f}) |\n")
    faster = [one["shap_seconds"] / one["seconds"] for one in tables.values()]
    lines.append(f"\nKernel SHAP takes {min(faster):.0f} to {max(faster):.0f} times as long. Measured: {len(tables)} of {len(TRUTHS)} tables.\n")
    page.write_text(before + begin + "".join(lines) + end + rest.partition(end)[2])


def main():
    asked = parse()
    if asked.page:
        return write_page(json.loads((HERE / "results" / "summary.json").read_text())["tables"])
    results = asked.results or (HERE.parents[1] / "build" / "explain-quick" if asked.quick else HERE / "results")
    results.mkdir(parents=True, exist_ok=True)
    path = results / "summary.json"
    tables = json.loads(path.read_text())["tables"] if path.exists() and not asked.quick else {}
    chosen = [truth for truth in TRUTHS if truth.name in (asked.only or ["linear", "tangled odds"] if asked.quick or asked.only else
                                                          [each.name for each in TRUTHS])]
    for truth in chosen:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tables[truth.name] = measured(truth, asked.quick)
        tables = {each.name: tables[each.name] for each in TRUTHS if each.name in tables}
        path.write_text(text_of(tables))
        print(truth.name, json.dumps(rounded(tables[truth.name])), flush=True)
    goals = goals_of(tables)
    for name, holds in goals.items():
        print(f"{'yes' if holds else 'NO '}  {name}")
    # Few epochs on few rows order columns as they can.
    kept = [holds for name, holds in goals.items() if not (asked.quick and name.startswith("rank"))]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
