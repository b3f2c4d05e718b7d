#!/usr/bin/env python3
"""Runs the gallery of models against their references and writes ../results/gallery.json and check.json.

  build/python/venv/bin/python experiments/graph/gallery/run.py [--data-sets 5] [--data DIR] [--out DIR] [--only NAME ...] [--anew] [--checks]

"""

import argparse
import inspect
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import conjugate  # noqa: E402
import hyperparameters  # noqa: E402
import latent  # noqa: E402
import likelihoods  # noqa: E402
import linear  # noqa: E402
import states  # noqa: E402
import topics  # noqa: E402

GROUPS = {
    "linear": (linear.MODELS, "exact"),
    "hyperparameters": (hyperparameters.MODELS, "quadrature"),
    "likelihoods": (likelihoods.MODELS, "400,000 weighted draws"),
    "latent": (latent.MODELS, "long chains, R-hat below 1.01"),
    "hidden states": (states.CHAINS, "forward and backward sums"),
    "mixtures": (states.MIXTURES, "a grid"),
    "conjugate": (conjugate.EXACT, "scipy's distributions"),
    "conjugate with hyperparameters": (conjugate.MIXED, "a grid"),
    "switches": (states.SWITCHES, "a grid of the level and sums over states"),
}
REFERENCES = {"clusters": "a grid"}  # where it is not that of the group
# Largest error of means, in standard deviations; ratios of standard deviations; error of the evidence.
GOALS = {
    "linear": (1e-9, 1 - 1e-9, 1 + 1e-9, 1e-9),
    "hyperparameters": (0.02, 0.98, 1.02, None),
    "likelihoods": (0.03, 0.95, 1.02, 0.05),
    "latent": (0.15, 0.85, 1.10, None),
    "hidden states": (1e-12, 1, 1, 1e-9),  # probabilities
    "mixtures": (0.15, 0.85, 1.10, None),
    "conjugate": (1e-9, 1 - 1e-9, 1 + 1e-9, 1e-9),
    "conjugate with hyperparameters": (0.02, 0.98, 1.02, None),
    "switches": (0.1, 0, np.inf, None),  # of means alone
}


def measured(model_of, data_sets):
    """The largest errors over some data sets, and what check() said of each."""
    error, low, high, evidence, seconds, checks = 0.0, np.inf, 0.0, 0.0, 0.0, []
    for seed in range(data_sets):
        model, x, reference = model_of(np.random.default_rng(seed))
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            posterior = model.infer()
        belief = posterior[x]
        seconds += time.perf_counter() - start
        mean, sd, log_evidence = reference()
        found, found_sd = (belief.probabilities, 1.0) if hasattr(belief, "probabilities") else (belief.mean, belief.sd)
        mean, sd = np.reshape(mean, np.shape(found)), np.reshape(sd, np.shape(found_sd))
        ratios = found_sd / sd
        error = max(error, float(np.abs((found - mean) / sd).max()))
        low, high = min(low, float(ratios.min())), max(high, float(ratios.max()))
        if log_evidence is not None:
            evidence = max(evidence, abs(posterior.log_evidence - log_evidence))
        if (check := checked(posterior)) is None:
            continue
        checks.append(
            {
                "verdict": check.verdict,
                "pareto_k": check.pareto_k,
                "bad": bool(ratios.min() < 0.8 or ratios.max() > 1.25),
                **moments_of(check),
            }
        )
    return {
        "mean_error": error,
        "sd_ratio_low": low,
        "sd_ratio_high": high,
        "evidence_error": evidence if log_evidence is not None else None,
        "seconds": seconds / data_sets,
        "converged": posterior.converged,
        "engine": posterior.engine,
        "flagged": sum(check["verdict"] != "certified" for check in checks),
    }, checks


def moments_of(check):
    return {
        "chains": check.chains,
        "steps": check.steps,
        "draws": check.effective_draws,
        "mean_shift": check.mean_shift,
        "sd_ratio_low": check.sd_ratio_low,
        "sd_ratio_high": check.sd_ratio_high,
    }


def checked_again(model_of, entry):
    """What check() says of runs of which the references have told before whether they were bad."""
    for seed, known in enumerate(entry["checks"]):
        model, *_ = model_of(np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check = model.infer().check()
        known.update({"verdict": check.verdict, "pareto_k": check.pareto_k, **moments_of(check)})
    entry["flagged"] = sum(check["verdict"] != "certified" for check in entry["checks"])


def checked(posterior):
    """What check() says, or nothing where there is nothing that it can weigh."""
    try:
        return posterior.check()
    except ValueError:
        return None


def lines_of(model_of):
    """Lines of the model itself: those that name it."""
    return sum("model" in line and "return" not in line for line in inspect.getsource(model_of).splitlines())


def reached(group, entry):
    mean, low, high, evidence = GOALS[group]
    return (
        entry["mean_error"] <= mean
        and entry["sd_ratio_low"] >= low
        and entry["sd_ratio_high"] <= high
        and (evidence is None or entry["evidence_error"] is None or entry["evidence_error"] <= evidence)
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data-sets", type=int, default=5)
    arguments.add_argument("--out", type=Path, default=Path(__file__).resolve().parent.parent / "results")
    arguments.add_argument("--only", nargs="*", default=[], help="these models, also if they were run before")
    arguments.add_argument("--data", type=Path, help="where the data sets are: topics are found in farm-ads, too")
    arguments.add_argument("--anew", action="store_true", help="forget the models that were run before")
    arguments.add_argument("--checks", action="store_true", help="check() alone, again, without references")
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "gallery.json"
    # Written model by model: a run that is cut off goes on where it was.
    found = json.loads(path.read_text()) if path.exists() and not given.anew else []
    for entry in found:
        if entry["group"] in GROUPS:
            entry["reference"] = REFERENCES.get(entry["name"], GROUPS[entry["group"]][1])
    done = {entry["name"] for entry in found if entry["data_sets"] == given.data_sets}
    for group, (models, reference) in GROUPS.items():
        for model_of in models:
            name = model_of.__name__
            if name not in given.only if given.only else name in done and not given.checks:
                continue
            if given.checks:
                entry = next(other for other in found if other["name"] == name)
                checked_again(model_of, entry)
                print(line_of(entry), flush=True)
                continue
            measures, checks = measured(model_of, given.data_sets)
            entry = {
                "name": name,
                "group": group,
                "what": model_of.__doc__,
                "reference": REFERENCES.get(name, reference),
                "data_sets": given.data_sets,
                "lines": lines_of(model_of),
                **measures,
                "checks": checks,
            }
            entry["reached"] = bool(reached(group, entry))
            names = [other["name"] for other in found]
            place = names.index(name) if name in names else len(names)
            found[place : place + 1] = [entry]
            path.write_text(json.dumps(found, indent=1) + "\n")
            print(line_of(entry), flush=True)
    if "topics" in given.only or not (given.only or any(entry["name"] == "topics" for entry in found)):
        found = [other for other in found if other["name"] != "topics"] + [topics.entry(given.data)]
    path.write_text(json.dumps(found, indent=1) + "\n")
    counts = counts_of(found)
    (given.out / "check.json").write_text(json.dumps(counts, indent=1) + "\n")
    print(counts)


def counts_of(found):
    """How many runs were bad, with a ratio of standard deviations outside of 0.8 to 1.25, and how many of each kind check() flagged."""
    counts = {"flagged_bad": 0, "bad": 0, "flagged_good": 0, "good": 0}
    for check in (check for entry in found for check in entry["checks"]):
        kind = "bad" if check["bad"] else "good"
        counts[kind] += 1
        counts[f"flagged_{kind}"] += check["verdict"] != "certified"
    return counts


def line_of(entry):
    evidence = "" if entry["evidence_error"] is None else f"evidence {entry['evidence_error']:.2g}"
    return (
        f"{entry['name']:22} means {entry['mean_error']:.2g}  sd {entry['sd_ratio_low']:.4f} to "
        f"{entry['sd_ratio_high']:.4f}  {evidence:18} {entry['seconds']:.2f} s  flagged {entry['flagged']}  "
        f"{'reached' if entry['reached'] else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
