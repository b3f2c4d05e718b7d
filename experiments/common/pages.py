"""Writes blocks of a page between two comments, so that its numbers come from result files."""
import argparse
import json
import pathlib


def write_block(text, name, lines):
    begin, end = f"<!-- {name}: written by draw.py -->", f"<!-- {name}: end -->"
    head, rest = text.split(begin)
    return head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def fill_block(folder, description, page, name, table):
    """The whole of a script that writes one table of a page under docs/ from the summary of an experiment's folder."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=folder / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=folder.parents[1] / "docs")
    options = parser.parse_args()
    path = options.docs / page
    summary = json.loads((options.results / "summary.json").read_text())
    path.write_text(write_block(path.read_text(), name, table(summary)))
    print(path)
