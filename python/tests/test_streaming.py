"""Arrow streams as rows of numbers, against numpy and pyarrow's own conversion."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, as_row_batches, update_stream

NUMBERS = [
    pa.int8(),
    pa.uint8(),
    pa.int16(),
    pa.uint16(),
    pa.int32(),
    pa.uint32(),
    pa.int64(),
    pa.uint64(),
    pa.float16(),
    pa.float32(),
    pa.float64(),
    pa.bool_(),
]


def as_numpy(table):
    """The second way: pyarrow makes Python objects, and numpy an array of them."""
    columns = [
        [np.nan if value is None else float(value) for value in column.to_pylist()]
        for column in table.columns
    ]
    return np.array(columns, float).reshape(len(columns), len(table)).T


def stacked(blocks):
    return np.concatenate([inputs for inputs, _ in blocks])


@st.composite
def columns(draw, rows):
    kind = draw(st.sampled_from(NUMBERS))
    if pa.types.is_boolean(kind):
        values = st.booleans()
    elif pa.types.is_floating(kind):
        values = st.floats(width={"halffloat": 16, "float": 32, "double": 64}[str(kind)])
    else:
        reach = np.iinfo(kind.to_pandas_dtype())
        values = st.integers(int(reach.min), int(reach.max))
    cells = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
    if pa.types.is_float16(kind):
        cells = [None if cell is None else np.float16(cell) for cell in cells]
    return pa.array(cells, kind)


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 40))
    table = pa.table({f"c{i}": draw(columns(rows)) for i in range(draw(st.integers(1, 5)))})
    begin = draw(st.integers(0, rows - 1))
    return table.slice(begin, draw(st.integers(1, rows - begin)))


@settings(max_examples=200, deadline=None)
@given(tables(), st.integers(1, 50), st.integers(1, 50))
def test_any_table_of_numbers_is_numpys(table, batch, rows):
    batched = pa.Table.from_batches(table.to_batches(max_chunksize=batch))
    blocks = list(as_row_batches(batched, rows=rows))
    assert [len(inputs) for inputs, _ in blocks[:-1]] == [rows] * (len(blocks) - 1)
    np.testing.assert_array_equal(stacked(blocks), as_numpy(table))


def test_blocks_are_row_major_and_own_their_memory():
    table = pa.table({"a": np.arange(1000.0), "b": -np.arange(1000)})
    blocks = list(as_row_batches(table, rows=300))
    del table
    assert [inputs.shape for inputs, _ in blocks] == [(300, 2)] * 3 + [(100, 2)]
    assert all(inputs.flags.c_contiguous and inputs.dtype == np.float64 for inputs, _ in blocks)
    np.testing.assert_array_equal(stacked(blocks)[:, 1], -np.arange(1000.0))


def test_wide_tables():
    random = np.random.default_rng(1)
    values = random.normal(size=(700, 300))
    table = pa.table({f"c{i}": values[:, i] for i in range(300)})
    np.testing.assert_array_equal(stacked(as_row_batches(table)), values)


@pytest.mark.parametrize("kind", ["pyarrow", "reader", "polars", "duckdb", "pandas"])
def test_every_library(kind):
    table = pa.table({"a": [1, 2, None, 4], "b": [0.5, None, 2.5, 3.5], "f": [True, False] * 2})
    if kind == "reader":
        source = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    elif kind == "polars":
        source = pl.from_arrow(table)
    elif kind == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        connection = duckdb.connect()
        connection.register("source", table)
        source = connection.sql("select * from source")
    else:
        source = (
            table if kind == "pyarrow" else table.to_pandas(types_mapper={pa.bool_(): None}.get)
        )
    np.testing.assert_array_equal(stacked(as_row_batches(source)), as_numpy(table))


def test_targets_keep_their_type_and_rows_without_are_passed_over():
    table = pa.table(
        {
            "x": [1.0, 2.0, 3.0, 4.0],
            "real": [0.5, None, 1.5, float("nan")],
            "whole": pa.array([1, None, 3, 4], pa.int8()),
            "text": ["b", None, "a", "b"],
            "flag": [True, None, False, True],
        }
    )

    def read(target, **more):
        ((inputs, targets),) = as_row_batches(table, target, features=["x"], **more)
        return inputs.ravel().tolist(), targets

    inputs, targets = read("real")
    assert (inputs, targets.tolist()) == ([1, 3], [0.5, 1.5])
    inputs, targets = read("whole")
    assert (inputs, targets.tolist(), targets.dtype) == ([1, 3, 4], [1, 3, 4], np.int64)
    assert read("text")[1].tolist() == ["b", "a", "b"]
    assert read("flag")[1].tolist() == ["true", "false", "true"]
    encoded = table.set_column(3, "text", table["text"].dictionary_encode())
    ((_, targets),) = as_row_batches(encoded, "text", features=["x"])
    assert targets.tolist() == ["b", "a", "b"]
    assert list(as_row_batches(table.slice(1, 1), "text", features=["x"])) == []


def test_mistakes_are_named():
    table = pa.table({"x": [1.0], "k": ["a"], "when": pa.array([0], pa.date32())})
    with pytest.raises(ValueError, match='column "k" is a text: an input must be a number'):
        as_row_batches(table, "x")
    with pytest.raises(ValueError, match='column "when" is a date'):
        as_row_batches(table, features=["when"])
    with pytest.raises(ValueError, match='inputs = "z": must be one of the columns'):
        as_row_batches(table, features=["z"])
    with pytest.raises(ValueError, match="rows = 0: must be at least 1"):
        as_row_batches(table, features=["x"], rows=0)
    with pytest.raises(TypeError, match="data is .*list.*: must have __arrow_c_stream__"):
        as_row_batches([[1.0]])
    with pytest.raises(ValueError, match="target = 'k': must have a value in at least one row"):
        update_stream(Recorder(), table.slice(0, 0), "k", features=["x"])


class Recorder:
    def __init__(self):
        self.calls = []

    def partial_fit(self, X, y, classes=None):
        self.calls.append((X, y, classes))


def test_update_stream_learns_block_by_block():
    table = pa.table({"a": np.arange(10), "b": np.arange(10) * 0.5, "y": list("pqpqpqpqpq")})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    estimator = Recorder()
    assert (
        update_stream(estimator, reader, "y", features=["b", "a"], classes=["p", "q"], rows=4)
        is estimator
    )
    assert [len(inputs) for inputs, _, _ in estimator.calls] == [4, 4, 2]
    assert [None if classes is None else classes.tolist() for _, _, classes in estimator.calls] == [
        ["p", "q"],
        None,
        None,
    ]
    np.testing.assert_array_equal(estimator.calls[2][0], [[4, 8], [4.5, 9]])
    assert estimator.calls[2][1].tolist() == ["p", "q"]


def test_estimators_learn_streams_as_they_learn_blocks():
    random = np.random.default_rng(2)
    inputs = random.normal(size=(600, 3))
    target = inputs[:, 0] - np.abs(inputs[:, 1])
    label = np.where(target > -0.5, "up", "down")
    columns = {"a": inputs[:, 0], "b": inputs[:, 1], "c": inputs[:, 2]}
    for estimator, values, more in (
        (BayesianMLPRegressor, target, {}),
        (BayesianMLPClassifier, label, {"classes": ["down", "up"]}),
    ):
        table = pa.table({**columns, "y": values})
        streamed = estimator(hidden_layer_sizes=(8,), random_state=0)
        update_stream(streamed, pa.Table.from_batches(table.to_batches(70)), "y", rows=250, **more)
        by_hand = estimator(hidden_layer_sizes=(8,), random_state=0)
        for first in range(0, 600, 250):
            block = slice(first, first + 250)
            by_hand.partial_fit(inputs[block], values[block], **more)
        np.testing.assert_array_equal(streamed.predict(inputs), by_hand.predict(inputs))
        assert streamed.score(inputs, values) > 0.5


def test_streams_are_read_no_further_than_needed():
    drawn = []

    def batches():
        for number in range(50):
            drawn.append(number)
            yield pa.record_batch({"x": np.full(100, float(number))})

    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.float64())]), batches())
    for number, (inputs, _) in enumerate(as_row_batches(reader, rows=100)):
        assert (inputs == number).all() and len(drawn) <= number + 2
    assert len(drawn) == 50


@pytest.mark.slow
def test_the_measurement_of_a_large_data_set_runs(tmp_path):
    script = pathlib.Path(__file__).resolve().parents[2] / "bench" / "python" / "stream.py"
    result = tmp_path / "result.json"
    subprocess.run(
        [sys.executable, script, "--quick", "--scratch", tmp_path, "--result", result],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert list(tmp_path.iterdir()) == [result]
    data = json.loads(result.read_text())
    assert data["learned_rows"] == data["rows"] == 131_072
    assert data["megabytes"] > 20 and data["peak_resident_mb"] < 1000
    # The target has a standard deviation of 1.3, of which the noise has 0.1.
    assert 0.1 < data["root_mean_square_error"]["partial_fit"] < 0.2
