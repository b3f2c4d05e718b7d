"""Whether calls of the Python package that worked before still work, as griffe reads its sources.

    python python_interface.py KEPT            ends with 1 if something would break
    python python_interface.py --write KEPT    keeps what there is

KEPT is an archive of the sources without what stands inside functions.
"""

import argparse
import ast
import io
import pathlib
import sys
import tarfile
import tempfile

import griffe

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "python"


class Signatures(ast.NodeTransformer):
    """Leaves of a function what a caller sees."""

    def visit_FunctionDef(self, node):
        node.body = [ast.Expr(ast.Constant(...))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef


def keep(path):
    with tarfile.open(path, "w:xz") as archive:
        for source in sorted((SOURCES / "postrider").rglob("*.py")):
            text = ast.unparse(Signatures().visit(ast.parse(source.read_text(encoding="utf-8")))).encode()
            entry = tarfile.TarInfo(source.relative_to(SOURCES).as_posix())
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))


def load(folder):
    return griffe.load("postrider", search_paths=[folder], allow_inspection=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kept", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    if chosen.write:
        keep(chosen.kept)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(chosen.kept) as archive:
            archive.extractall(folder)
        breaks = [one.explain(style=griffe.ExplanationStyle.ONE_LINE) for one in griffe.find_breaking_changes(load(folder), load(SOURCES))]
    for one in breaks:
        print(one)
    print(f"{len(breaks)} calls of the Python package would break")
    return 1 if breaks else 0


if __name__ == "__main__":
    sys.exit(main())
