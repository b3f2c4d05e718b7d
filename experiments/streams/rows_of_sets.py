"""The lines of the sets of sparse rows, and which are for training and for tests."""
import csv
import pathlib

import numpy as np
from data_sets import text_of

csv.field_size_limit(10**9)

SETS = ("a9a", "w8a", "farm-ads")


def lines_of(data, name):
    """The lines of a set, and of each split the places of its training and its test rows."""
    folder = pathlib.Path(data) / "sparse" / name
    if name == "a9a":
        train, test = (text_of(folder / f"a9a.{part}.libsvm").splitlines() for part in ("train", "test"))
        lines = train + test
        return lines, [(np.arange(len(train)), np.arange(len(train), len(lines)))]
    lines = text_of(folder / f"{name}.libsvm").splitlines()
    splits = []
    with open(folder / "splits.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            test = np.array(row["test_indices"].split(), dtype=int)
            splits.append((np.setdiff1d(np.arange(len(lines)), test), test))
    return lines, splits
