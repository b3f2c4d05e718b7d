"""The list of mutants: read from tests/mutants, one file per layer, and put into a source text."""

import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from mutation.definitions import definitions

FIELDS = ("name", "in", "breaks", "find", "replace", "tests")
OPTIONAL = ("file",)
FOLDERS = ("src", "include")
ENDINGS = (".h", ".cc")


class ListError(Exception):
    """The list itself is wrong: what the message says must be put right."""


@dataclass(frozen=True)
class Mutant:
    layer: str
    name: str
    inside: str     # the function or type that it changes, with as many names around it as tell it from others
    file: str       # how the path of its file ends, where names alone are not enough; else empty
    breaks: str     # one sentence: what is wrong with it
    find: str
    replace: str
    tests: tuple    # names in ctest, in the order in which they are tried


@dataclass(frozen=True)
class Place:
    """Where a mutant changes the sources."""
    path: Path      # relative to the root
    begin: int
    end: int

    def put(self, text, replacement):
        return text[:self.begin] + replacement + text[self.end:]


def pattern_of(find):
    """The text to find; how its lines are broken and indented does not matter."""
    return re.compile(r"\s+".join(re.escape(word) for word in find.split()))


class Sources:
    """The sources below a root, read and taken apart when they are asked for."""

    def __init__(self, root):
        paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*")) if path.suffix in ENDINGS]
        self._texts = {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}
        self._definitions = {}

    def text(self, path):
        return self._texts[path]

    def definitions(self, path):
        if path not in self._definitions:
            self._definitions[path] = definitions(self._texts[path])
        return self._definitions[path]

    def called(self, name, file=""):
        """Path and definition of each that is called so."""
        last = name.split("::")[-1]
        for path, text in self._texts.items():
            if path.as_posix().endswith(file) and last in text:
                yield from ((path, one) for one in self.definitions(path) if one.is_called(name))

    def places(self, inside, find, file=""):
        """Each place of the text in definitions of that name; one inside of another of the same name counts once."""
        pattern = pattern_of(find)
        found = {Place(path, *match.span()) for path, one in self.called(inside, file)
                 for match in pattern.finditer(self.text(path), one.begin, one.end)}
        return sorted(found, key=lambda place: (place.path, place.begin))

    def place(self, mutant):
        """Where a mutant goes; it is stale if there is no such place, or more than one."""
        found = self.places(mutant.inside, mutant.find, mutant.file)
        if len(found) == 1:
            return found[0]
        where = f"{mutant.inside} of {mutant.file}" if mutant.file else mutant.inside
        if not any(self.called(mutant.inside, mutant.file)):
            raise ListError(f"{mutant.name} is stale: nothing is called {where}")
        raise ListError(f"{mutant.name} is stale: {where} holds the text to find {len(found)} times instead of once")


def mutant_from(layer, entry):
    name = entry.get("name", "without a name")
    missing = [field for field in FIELDS if field not in entry]
    unknown = sorted(set(entry) - set(FIELDS) - set(OPTIONAL))
    if missing or unknown:
        raise ListError(f"{layer}: {name}: missing {missing}, unknown {unknown}")
    if not entry["tests"]:
        raise ListError(f"{layer}: {name}: names no test that should notice it")
    if entry["find"].split() == entry["replace"].split():
        raise ListError(f"{layer}: {name}: changes nothing")
    return Mutant(layer, name, entry["in"], entry.get("file", ""), entry["breaks"], entry["find"], entry["replace"],
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
    """One line for each mutant that the sources no longer have a place for."""
    sources, problems = Sources(root), []
    for mutant in mutants:
        try:
            sources.place(mutant)
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
