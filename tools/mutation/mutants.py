"""The list of mutants: read from tests/mutants, one file per layer, and put into a source text."""

import random
import tomllib
from dataclasses import dataclass
from pathlib import Path

FIELDS = ("name", "file", "breaks", "find", "replace", "tests")


class ListError(Exception):
    """The list itself is wrong: what the message says must be put right."""


@dataclass(frozen=True)
class Mutant:
    layer: str
    name: str
    file: Path      # relative to the root
    breaks: str     # one sentence: what is wrong with it
    find: str
    replace: str
    tests: tuple    # names in ctest, in the order in which they are tried

    def apply(self, text):
        """The text with the mutant in it."""
        found = text.count(self.find)
        if found != 1:
            raise ListError(f"{self.name} is stale: {self.file} holds the text to find {found} times instead of once")
        return text.replace(self.find, self.replace)


def mutant_from(layer, entry):
    name = entry.get("name", "without a name")
    missing = [field for field in FIELDS if field not in entry]
    unknown = sorted(set(entry) - set(FIELDS))
    if missing or unknown:
        raise ListError(f"{layer}: {name}: missing {missing}, unknown {unknown}")
    if not entry["tests"]:
        raise ListError(f"{layer}: {name}: names no test that should notice it")
    if entry["find"] == entry["replace"]:
        raise ListError(f"{layer}: {name}: changes nothing")
    return Mutant(layer, name, Path(entry["file"]), entry["breaks"], entry["find"], entry["replace"],
                  tuple(entry["tests"]))


def read_list(folder):
    """All mutants of the folder, by layer and in the order of their files."""
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ListError(f"{path.name}: {error}") from None
        mutants += [mutant_from(path.stem, entry) for entry in table.get("mutant", [])]
    names = [mutant.name for mutant in mutants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ListError(f"more than one mutant is called {', '.join(twice)}")
    return mutants


def problems_of(mutants, root):
    """One line for each mutant that its file no longer has a place for."""
    problems = []
    for mutant in mutants:
        path = root / mutant.file
        try:
            mutant.apply(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            problems.append(f"{mutant.name} is stale: there is no {mutant.file}")
        except ListError as error:
            problems.append(str(error))
    return problems


def chosen(mutants, names, sample=None, seed=0):
    """Those named, by their own name or by their layer's (all if none is), or so many of them."""
    known = {mutant.name for mutant in mutants} | {mutant.layer for mutant in mutants}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ListError(f"neither a mutant nor a layer: {', '.join(unknown)}")
    out = [mutant for mutant in mutants if not names or mutant.name in names or mutant.layer in names]
    if sample is not None and sample < len(out):
        kept = set(random.Random(seed).sample(range(len(out)), sample))
        out = [mutant for index, mutant in enumerate(out) if index in kept]
    return out
