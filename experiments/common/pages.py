"""Writes numbers, and blocks of a page between two comments, so that what pages say comes from result files."""
import argparse
import json
import pathlib


def short(value):
    """As many digits as say something: 1234, 12.3, 0.0123."""
    for least, digits in ((100, 0), (10, 1), (1, 2)):
        if abs(value) >= least:
            return f"{value:,.{digits}f}"
    return f"{value:.3g}"


def write_block(text, name, lines):
    begin, end = f"<!-- {name}: written by draw.py -->", f"<!-- {name}: end -->"
    head, rest = text.split(begin)
    return head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]


def write_page(page, blocks):
    text = page.read_text()
    for name, lines in blocks.items():
        text = write_block(text, name, lines)
    page.write_text(text)
    print(page)


def parser_of(folder, description):
    """Options of a script that draws from the results of an experiment's folder."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--results", type=pathlib.Path, default=folder / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=folder.parents[1] / "docs")
    return parser


def fill_block(folder, description, page, name, table, results="summary.json"):
    """The whole of a script that writes one table of a page under docs/ from a result file of an experiment's folder."""
    options = parser_of(folder, description).parse_args()
    summary = json.loads((options.results / results).read_text())
    write_page(options.docs / page, {name: table(summary)})
