"""The data sets as the C++ experiments read them: the same rows, the same splits. Needs numpy alone."""
import csv
import dataclasses
import io
import pathlib
import subprocess

import numpy as np

UCI = ("bostonHousing", "concrete", "energy", "kin8nm", "naval-propulsion-plant", "power-plant", "protein-tertiary-structure",
       "wine-quality-red", "yacht")
TABULAR = ("adult", "spambase", "letter", "german-credit", "covertype-15k")

MOST_TEST_ROWS = 2000  # of what few rows are tested on

BIKE_TABLE = "stream/bike-sharing-hourly/hour.csv"
# Besides the target: row number and date stand in no model, and the other two add up to the target.
BIKE_LEFT_OUT = ("instant", "dteday", "casual", "registered", "cnt")
BIKE_SPLITS, BIKE_SEED, BIKE_TEST_SHARE = 5, 1, 0.2


@dataclasses.dataclass
class RegressionSet:
    inputs: np.ndarray
    targets: np.ndarray
    splits: list  # of each split the rows to test on


@dataclasses.dataclass
class Column:
    name: str
    values: np.ndarray  # numbers, or texts of a categorical column
    levels: list | None  # none: a number


@dataclasses.dataclass
class LabelledSet:
    columns: list
    labels: np.ndarray
    splits: list

    def one_hot(self):
        """One column per number and per level, as in tabular/encoded.cc."""
        parts = [column.values[:, None] if column.levels is None else column.values[:, None] == np.array(column.levels)[None, :]
                 for column in self.columns]
        return np.hstack(parts).astype(float)


def text_of(path):
    """The text of a file that is plain or, if only that is there, compressed by zstd with .zst appended."""
    path = pathlib.Path(path)
    if path.exists():
        return path.read_text(encoding="utf-8")
    return subprocess.run(["zstd", "-dc", f"{path}.zst"], check=True, capture_output=True, text=True).stdout


def rows_of(path):
    """All lines but the heading, as lists of texts."""
    return list(csv.reader(io.StringIO(text_of(path))))[1:]


def read_splits(path):
    return [np.array(indices.split(), int) for _, indices in rows_of(path)]


def parts_of(split, rows):
    """The row numbers to train on and those to test on, both ascending."""
    is_test = np.zeros(rows, bool)
    is_test[split] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def rows_at(inputs, rows):
    """Rows of an array or of a frame of pandas."""
    return inputs[rows] if isinstance(inputs, np.ndarray) else inputs.iloc[rows]


def few_rows_parts(rows, training, most_training, draw):
    """The first rows of a seeded order to train on, and others to test on: the same ones however many are trained on."""
    order = np.random.RandomState(draw).permutation(rows)
    return order[:training], order[most_training:][:MOST_TEST_ROWS]


def read_uci(data, name):
    folder = pathlib.Path(data) / "uci" / name
    table = np.loadtxt(io.StringIO(text_of(folder / "data.csv")), delimiter=",", skiprows=1)
    return RegressionSet(table[:, :-1], table[:, -1], read_splits(folder / "splits.csv"))


def read_tabular(data, name):
    folder = pathlib.Path(data) / "tabular" / name
    rows = rows_of(folder / "data.csv")
    columns = []
    for k, (heading, kind, levels) in enumerate(rows_of(folder / "columns.csv")):
        values = [row[k] for row in rows]
        # A level that is missing ("?") is a level like any other.
        columns.append(Column(heading, np.array(values), levels.split("|")) if kind == "categorical"
                       else Column(heading, np.array(values, float), None))
    return LabelledSet(columns, np.array([int(row[-1]) for row in rows]), read_splits(folder / "splits.csv"))


def bike_splits(rows):
    """Random fifths, each drawn anew, and the last fifth in time."""
    count = round(BIKE_TEST_SHARE * rows)
    draw = np.random.RandomState(BIKE_SEED)  # its stream is promised to stay as it is
    return [np.sort(draw.permutation(rows)[:count]) for _ in range(BIKE_SPLITS)], [np.arange(rows - count, rows)]


def read_bike(data, in_time):
    table = list(csv.DictReader(io.StringIO(text_of(pathlib.Path(data) / BIKE_TABLE))))
    names = [name for name in table[0] if name not in BIKE_LEFT_OUT]
    inputs = np.array([[float(row[name]) for name in names] for row in table])
    return RegressionSet(inputs, np.array([float(row["cnt"]) for row in table]), bike_splits(len(table))[int(in_time)])


def read_regression(data, name):
    if name in ("bike-random", "bike-time"):
        return read_bike(data, name == "bike-time")
    return read_uci(data, name)


REGRESSION = (*UCI, "bike-random", "bike-time")
