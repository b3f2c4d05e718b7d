#!/usr/bin/env python3
"""Draws the pictures of docs/graph/gallery from what its pages compute, and writes into them what run.py measured.

  build/python/venv/bin/python experiments/graph/gallery/draw.py [--only PAGE ...] [--results DIR] [--docs DIR]
"""

import contextlib
import io
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "common"), str(HERE)]
import figures  # noqa: E402
import pictures_of_lines  # noqa: E402
import pictures_of_rates  # noqa: E402
import pictures_of_series  # noqa: E402
from pages import parser_of, write_page  # noqa: E402

PICTURES = {**vars(pictures_of_lines), **vars(pictures_of_series), **vars(pictures_of_rates)}
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[.*?\]\(\S*/gallery/(\w+)\.png\)", re.MULTILINE)
PLACE = re.compile(r"<!-- (\w+): written by draw.py -->")


def draw(page, folder):
    """Runs the blocks of a page, and draws with the names of each what its section shows."""
    text, names = page.read_text(), {"__name__": "__main__"}
    blocks = [*BLOCK.finditer(text)]
    ends = [*(block.start() for block in blocks[1:]), len(text)]
    for block, end in zip(blocks, ends if blocks else [], strict=True):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block[1], str(page), "exec"), names)
        picture = PICTURE.search(text, block.end(), end)
        if picture:
            figures.save(PICTURES[picture[1]](names), folder / f"{picture[1]}.png")


def sentence(entry):
    """What run.py measured of a model, in words."""
    if entry["group"] == "topics":
        return topics_of(entry)
    what = entry["what"].rstrip(".")
    evidence = "" if entry["evidence_error"] is None else f", the log-evidence {amount(entry['evidence_error'])}"
    missed = "" if entry["reached"] else " This misses the goal of its kind."
    if entry["group"] == "hidden states":
        return [
            f"Measured: {what[0].lower()}{what[1:]}, {entry['data_sets']} data sets against {entry['reference']}. Probabilities differ by at "
            f"most {amount(entry['mean_error'])}{evidence}."
        ]
    return [
        f"Measured: {what[0].lower()}{what[1:]}, {entry['data_sets']} data sets against {reference_of(entry)}. Means differ by at most "
        f"{amount(entry['mean_error'])} standard deviations{evidence}; standard deviations are {entry['sd_ratio_low']:.3f} to "
        f"{entry['sd_ratio_high']:.3f} of the reference's; {time_of(entry['seconds'])} for each.{missed}"
    ]


def topics_of(entry):
    """Perplexities beside variational Bayes, corpus by corpus."""
    lines = [
        f"Measured: perplexity of held-out documents, half of each given and the other half judged, beside {entry['reference']} with the same "
        f"priors, 100 passes of it. The ratio is at most {entry['perplexity_ratio']:.3f}.",
        "",
        "| corpus | documents | words known | topics | perplexity | variational Bayes | ratio | true topics | time | of variational Bayes |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in entry["corpora"]:
        truth = f"{each['true_topics']:.1f}" if "true_topics" in each else "-"
        lines.append(
            f"| {each['name']} | {each['documents']} | {each['vocabulary']} | {each['topics']} | {each['perplexity']:.1f} | "
            f"{each['variational_bayes']:.1f} | {each['ratio']:.3f} | {truth} | {time_of(each['seconds'])} | "
            f"{time_of(each['variational_bayes_seconds'])} |"
        )
    return lines


def amount(value):
    return f"{value:.1e}" if value < 1e-3 else f"{value:.3f}"


def time_of(seconds):
    return f"{seconds:.1f} s" if seconds > 1 else f"{1e3 * seconds:.0f} ms" if seconds > 0.01 else f"{1e3 * seconds:.1f} ms"


def reference_of(entry):
    return {"exact": "the exact solution", "quadrature": "a fine grid of the hyperparameters"}.get(entry["reference"], entry["reference"])


def table(found):
    lines = ["| model | reference | means | standard deviations | log-evidence | time | goal |", "|---|---|---|---|---|---|---|"]
    for entry in found:
        if entry["group"] == "topics":
            lines.append(
                f"| {entry['what'].rstrip('.')} | {entry['reference']}: perplexity at most {entry['perplexity_ratio']:.3f} times its | - | - | - | "
                f"{time_of(entry['seconds'])} | {'reached' if entry['reached'] else 'missed'} |"
            )
            continue
        evidence = "-" if entry["evidence_error"] is None else amount(entry["evidence_error"])
        lines.append(
            f"| {entry['what'].rstrip('.')} | {entry['reference']} | {amount(entry['mean_error'])} | {entry['sd_ratio_low']:.3f} to "
            f"{entry['sd_ratio_high']:.3f} | {evidence} | {time_of(entry['seconds'])} | {'reached' if entry['reached'] else 'missed'} |"
        )
    return lines


def summary(found, random, counts):
    reached = sum(entry["reached"] for entry in found)
    return [
        f"{reached} of {len(found)} models reach the goal of their kind, on five data sets each. Of {random['models']} random models, "
        f"extreme numbers included, {random['not_finite']} end with a belief that is not finite; {random['not_converged']} do not settle, "
        f"{random['silent']} of them without a warning. `check()` flagged {counts['flagged_bad']} of {counts['bad']} runs in which a standard "
        f"deviation was off by more than a fifth, and {counts['flagged_good']} of {counts['good']} others.",
    ]


def main():
    parser = parser_of(HERE.parent, __doc__)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    read = {name: json.loads((given.results / f"{name}.json").read_text()) for name in ("gallery", "random", "check")}
    by_name = {entry["name"]: entry for entry in read["gallery"]}
    for page in sorted((given.docs / "graph" / "gallery").glob("*.md")):
        if given.only and page.stem not in given.only:
            continue
        draw(page, given.docs / "figures" / "gallery")
        places = [name for name in PLACE.findall(page.read_text()) if name in by_name]
        blocks = {name: sentence(by_name[name]) for name in places}
        if page.stem == "index":
            blocks = {"all": table(read["gallery"]), "summary": summary(read["gallery"], read["random"], read["check"])}
        write_page(page, blocks)


if __name__ == "__main__":
    main()
