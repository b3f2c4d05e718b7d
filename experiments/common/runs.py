"""A result file that grows run by run: what it has is not run again, so that a long comparison may be cut off and continued."""
import importlib.metadata
import json
import os
import pathlib
import re

DIGITS = 7  # significant ones: the rest is noise, and the file is kept


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def installed(packages):
    """Name and version of the package that each method needs; a method whose package is missing is left out, and said so."""
    found = {}
    for method, package in packages.items():
        try:
            found[method] = f"{package} {importlib.metadata.version(package)}"
        except importlib.metadata.PackageNotFoundError:
            print(f"  {method}: {package} is not installed", flush=True)
    return found


def compact(found):
    """One line for each run."""
    text = json.dumps(found, indent=1)
    for innermost in (r"\[[^\[\]{}]*\]", r"{[^{}]*}"):
        text = re.sub(innermost, lambda match: " ".join(match.group().split()), text)
    return text + "\n"


class Runs:
    """For each set and method the runs by split: file[set][method]["runs"][split], beside what `summarise` makes of them."""

    def __init__(self, path, summarise):
        self.path = pathlib.Path(path)
        self.summarise = summarise  # from the list of runs, ordered by split, to a dict
        self.found = self.unpacked(json.loads(self.path.read_text(encoding="utf-8"))) if self.path.exists() else {}

    def packed(self):
        """What the file holds; a class that keeps more in it than the runs says how, here and below."""
        return self.found

    def unpacked(self, stored):
        return stored

    def has(self, name, method, split):
        return str(split) in self.found.get(name, {}).get(method, {}).get("runs", {})

    def forget(self, name, method):
        self.found.get(name, {}).pop(method, None)

    def describe(self, name, facts):
        self.found.setdefault(name, {}).update(rounded(facts))

    def put(self, name, method, split, run, version):
        entry = self.found.setdefault(name, {}).setdefault(method, {"runs": {}})
        runs = entry["runs"] | {str(split): rounded(run)}
        runs = {key: runs[key] for key in sorted(runs, key=int)}
        self.found[name][method] = {"version": version, "splits": len(runs),
                                    **rounded(self.summarise(list(runs.values()))), "runs": runs}
        self.write()

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".part")
        beside.write_text(compact(self.packed()), encoding="utf-8")
        os.replace(beside, self.path)  # whole, or as it was
