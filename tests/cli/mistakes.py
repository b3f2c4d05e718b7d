#!/usr/bin/env python3
"""The twenty most likely mistakes and the exact message of each: docs/mistakes.md.

Usage: mistakes.py PROGRAM PAGE [--write]       Without --write the page is compared.
"""

import argparse
import pathlib
import shlex
import sys
import tempfile

from program import Program, write_classes, write_houses

# What went wrong, the call, and its exit code.
MISTAKES = (
    ("The target's name is misspelt", "train houses.csv --target prise", 2),
    ("No target is named", "train houses.csv", 2),
    ("An option is misspelt", "train houses.csv --traget price", 2),
    ("A command is misspelt", "trian houses.csv", 2),
    ("The file is not there", "train house.csv --target price", 3),
    ("The file is empty", "train empty.csv --target price", 3),
    ("A row has too few cells", "train ragged.csv --target price", 3),
    ("A quote is not closed", "train quote.csv --target price", 3),
    ("Text in a column that is said to be numeric", "train houses.csv --target price --numeric side", 3),
    ("The target is always the same", "train same.csv --target price", 2),
    ("The model's folder does not exist", "train houses.csv --target price -o models/m.safetensors", 2),
    ("A count that is not a number", "train houses.csv --target price --max-epochs many", 2),
    ("A column is missing in new data", "predict model.safetensors ring.csv", 3),
    ("Text where the model learned numbers", "predict model.safetensors typed.csv", 3),
    ("The data are given as the model", "predict houses.csv houses.csv", 3),
    ("The model file is damaged", "evaluate damaged.safetensors houses.csv", 3),
    ("New data have no target to compare with", "evaluate model.safetensors unknown.csv", 2),
    ("Quantiles of classes", "predict ring.safetensors ring.csv --quantiles 0.5", 2),
    ("Resuming without a checkpoint", "train houses.csv --target price --resume", 2),
    ("A checkpoint of other data",
     "train ring.csv --target where --hidden 4 --ensemble-size 1 --quiet --checkpoint houses.checkpoint --resume", 3),
)

HEAD = """# What mistakes look like

The mistakes that are made most often, and what `postrider` says to each. A test makes all of them and compares this page with
what comes; `tests/cli/mistakes.py PROGRAM docs/mistakes.md --write` writes it.
Messages go to standard error. [Exit codes](command-line.md#exit-codes) tell mistakes in the call (2) from files that cannot be
used (3).

The files: `houses.csv` has the columns `area`, `side`, `garden` and `price`, of which `side` holds texts; `ring.csv` has `x`,
`y` and the classes `where`.

"""


def write_fixtures(program):
    folder = program.folder
    write_houses(folder / "houses.csv", 60, 1)
    write_classes(folder / "ring.csv", 60, 2)
    header = "area,side,garden,price\n"
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text(header + "50,north,3,170\n60,south,180\n")
    (folder / "quote.csv").write_text(header + '50,"north,3,170\n60,south,4,180\n')
    (folder / "same.csv").write_text(header + "50,north,3,170\n60,south,4,170\n")
    (folder / "typed.csv").write_text(header + "50,north,3,170\n6O,south,4,180\n")
    (folder / "unknown.csv").write_text(header + "50,north,3,\n60,south,4,?\n")
    quick = ["--max-epochs", "2", "--hidden", "4", "--ensemble-size", "1", "--quiet"]
    program.expect(0, "train", "houses.csv", "-t", "price", "--checkpoint", "houses.checkpoint", "--checkpoint-every", "1", *quick)
    program.expect(0, "train", "ring.csv", "-t", "where", "-o", "ring.safetensors", *quick)
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "damaged.safetensors").write_bytes(whole[:len(whole) // 2])


def page_of(program):
    out = HEAD
    for number, (what, call, code) in enumerate(MISTAKES, 1):
        got, _, error = program.call(*shlex.split(call))
        if got != code or not error.startswith("postrider: "):
            sys.exit(f"{call}: exit code {got} instead of {code}\n{error}")
        out += f"## {number}. {what}\n\n```sh\npostrider {call}\n```\n\n```text\n{error}```\n\n"
    return out.rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.program, folder)
        write_fixtures(program)
        page = page_of(program)
    if options.write:
        options.page.write_text(page)
    elif page != options.page.read_text():
        sys.exit(f"{options.page} differs from what the program says; write it again with --write:\n{page}")


main()
