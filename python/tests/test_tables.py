"""TableModel: data frames, Arrow streams and files; the command line's model file."""

import json
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import postrider
from postrider import TableModel, read_schema
from trained import fitted, streamed

SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 5, "n_jobs": 1}


def people(rows=300, seed=3):
    """Numbers, texts, booleans and missing cells; rounded, so that CSV has the same numbers."""
    random = np.random.default_rng(seed)
    x = np.round(random.normal(size=rows), 4)
    kind = random.choice(["north", "south", "west"], rows)
    flag = random.random(rows) < 0.4
    y = np.round(np.sin(2 * x) + (kind == "west") + 0.5 * flag + 0.1 * random.normal(size=rows), 4)
    return pa.table(
        {
            "x": pa.array(x, mask=random.random(rows) < 0.1),
            "count": pa.array(random.integers(0, 9, rows), pa.int16()),
            "kind": pa.array(kind, mask=random.random(rows) < 0.1),
            "flag": pa.array(flag),
            "y": pa.array(y, mask=random.random(rows) < 0.05),
        }
    )


@pytest.fixture(scope="module")
def model():
    return fitted(people(), "y", **SMALL)


def model_bytes(model, folder):
    model.save(folder / "model.safetensors")
    return (folder / "model.safetensors").read_bytes()


def test_schema_is_inferred_and_shown(model):
    columns = {column.name: column for column in model.schema}
    assert columns["kind"].kind == "categorical"
    assert columns["kind"].categories == ["north", "south", "west"]
    assert columns["flag"].categories == ["false", "true"]
    assert columns["x"].kind == "numeric" and columns["x"].has_missing
    assert columns["y"].target and not columns["x"].target
    assert model.features == [
        "x",
        "count",
        "kind = north",
        "kind = south",
        "kind = west",
        "flag = true",
    ]
    shown = repr(model.schema).splitlines()
    assert shown[0].split() == ["column", "kind", "missing", "categories"]
    assert shown[3].split() == ["kind", "categorical", "some", "north,", "south,", "west"]
    assert "numeric target" in shown[5]
    missing = people()["y"].null_count
    assert model.history[0].rows == 300 - missing
    assert model.history[0].without_target == missing
    assert repr(model) == (
        f"<TableModel of 'y' (numeric) from 6 inputs, {300 - missing} rows learned>"
    )


def test_frames_streams_and_files_give_the_same_bytes(model, tmp_path):
    table = people()
    pa.csv.write_csv(table, tmp_path / "people.csv")
    batches = table.to_batches(max_chunksize=37)
    sources = {
        "batches": pa.Table.from_batches(batches),
        "reader": pa.RecordBatchReader.from_batches(table.schema, iter(batches)),
        "sliced": pa.concat_tables([table.slice(5, 50), table]).slice(50),
        "dictionary": table.set_column(2, "kind", table["kind"].dictionary_encode()),
        "polars": pl.from_arrow(table),
        "pandas": table.to_pandas(types_mapper=pd.ArrowDtype),
        "path": tmp_path / "people.csv",
        "text of a path": str(tmp_path / "people.csv"),
    }
    expected = model_bytes(model, tmp_path)
    for name, source in sources.items():
        assert model_bytes(fitted(source, "y", **SMALL), tmp_path) == expected, name


CELLS = {
    pa.int32(): st.integers(-5, 5) | st.integers(-(2**31), 2**31 - 1),
    pa.float64(): st.floats(allow_infinity=False) | st.sampled_from([0.0, 1.0, 0.1]),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8
    )
    | st.sampled_from(["a", "b", "1", "2.5", "NA", " a"]),
}


@st.composite
def mixed_tables(draw):
    rows = draw(st.integers(1, 30))
    columns = {}
    for place in range(draw(st.integers(2, 4))):
        kind = draw(st.sampled_from(sorted(CELLS, key=str)))
        cells = st.lists(st.none() | CELLS[kind], min_size=rows, max_size=rows)
        columns[f"c{place}"] = pa.array(draw(cells), kind)
    return pa.table(columns)


def facts(schema):
    return [
        (column.name, column.kind, column.has_missing, column.categories, column.note)
        for column in schema
    ]


@settings(max_examples=150, deadline=None)
@given(mixed_tables(), st.integers(1, 31))
def test_any_table_has_the_schema_of_its_csv(tmp_path_factory, table, batch):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    pa.csv.write_csv(table, path)
    expected = facts(read_schema(path, format="csv", delimiter=","))
    assert facts(read_schema(pa.Table.from_batches(table.to_batches(batch)))) == expected
    assert facts(read_schema(pl.from_arrow(table))) == expected


def test_duckdb_relations_are_read(model, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    table = people()
    connection = duckdb.connect()
    connection.register("people", table)
    relation = connection.sql("select * from people")
    trained = fitted(relation, "y", **SMALL)
    assert model_bytes(trained, tmp_path) == model_bytes(model, tmp_path)


def test_streams_do_not_depend_on_batches(tmp_path):
    table = people(3000)
    options = {"hidden_layer_sizes": [8], "n_jobs": 1, "sample_rows": 500, "chunk_rows": 100}
    seen = []
    whole = streamed(table, "y", progress=seen.append, **options)
    expected = model_bytes(whole, tmp_path)
    for size in (1, 99, 1000):
        reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(size))
        trained = streamed(reader, "y", **options)
        assert model_bytes(trained, tmp_path) == expected
    assert len(seen) == 26
    assert seen[-1].rows == 3000 - table["y"].null_count == whole.history[0].rows
    assert [chunk.rows for chunk in seen] == sorted(chunk.rows for chunk in seen)
    assert seen[-1].bytes_read > 0


def test_a_model_trained_here_is_the_command_lines(tmp_path, program):
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    here = fitted(people(), "y", **SMALL)
    subprocess.run(
        [
            program,
            "train",
            "people.csv",
            "--target",
            "y",
            "--hidden",
            "8",
            "--ensemble-size",
            "1",
            "--max-epochs",
            "5",
            "--quiet",
            "-o",
            "there.safetensors",
        ],
        cwd=tmp_path,
        check=True,
    )
    assert model_bytes(here, tmp_path) == (tmp_path / "there.safetensors").read_bytes()

    # The command line reads what Python saved, and Python what the command line updated.
    out = subprocess.run(
        [program, "predict", "model.safetensors", "people.csv", "--json"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    mean = here.predict(tmp_path / "people.csv")["mean"]
    np.testing.assert_allclose([row["mean"] for row in rows], mean, rtol=1e-5)
    subprocess.run(
        [program, "update", "--anyway", "model.safetensors", "people.csv", "-o", "updated.safetensors"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    updated = TableModel.load(tmp_path / "updated.safetensors")
    here.update(people(), anyway=True)
    assert model_bytes(here, tmp_path) == model_bytes(updated, tmp_path)


def test_predictions_of_numbers(model):
    table = people(100, seed=9)
    out = model.predict(table, quantiles=[0.1, 0.5, 0.9], samples=2000)
    assert set(out) == {"mean", "std", "noise_std", "quantiles", "samples"}
    assert out["mean"].shape == (100,) and out["quantiles"].shape == (100, 3)
    assert np.all(out["std"] >= out["noise_std"]) and np.all(out["std"] > 0)
    # Quantiles and draws are of one distribution, which is no Gaussian.
    for level, bound in zip((0.1, 0.5, 0.9), out["quantiles"].T):
        below = np.mean(out["samples"] < bound[:, None])
        assert abs(below - level) < 5 * np.sqrt(level * (1 - level) / out["samples"].size)
    standard_error = out["std"] / np.sqrt(2000)
    assert np.all(np.abs(out["samples"].mean(axis=1) - out["mean"]) < 5 * standard_error)
    # Chunks and columns in another order make no difference, and the target is not needed.
    again = model.predict(table.select(["flag", "kind", "x", "count"]), samples=2000, chunk_rows=7)
    np.testing.assert_array_equal(again["mean"], out["mean"])
    np.testing.assert_array_equal(again["samples"], out["samples"])


def test_evaluation_of_numbers(model):
    table = people(200, seed=9)
    known = table.filter(table["y"].is_valid())
    out = model.predict(known)
    error = out["mean"] - known["y"].to_numpy()
    evaluation = model.evaluate(table)
    assert evaluation.rows == len(known) and evaluation.without_target == 200 - len(known)
    assert evaluation.root_mean_square_error.value == pytest.approx(np.sqrt(np.mean(error**2)))
    assert evaluation.mean_absolute_error.value == pytest.approx(np.mean(np.abs(error)))
    assert evaluation.mean_absolute_error.standard_error == pytest.approx(
        np.std(np.abs(error), ddof=1) / np.sqrt(len(error))
    )
    assert evaluation.accuracy is None and evaluation.log_loss is None
    assert "+-" in repr(evaluation.log_likelihood)


def test_classes():
    table = people(400)
    model = fitted(table, "kind", ignored=["flag"], **SMALL)
    assert model.classifies and model.classes == ["north", "south", "west"]
    out = model.predict(table, samples=3)
    assert out["probabilities"].shape == (400, 3)
    np.testing.assert_allclose(out["probabilities"].sum(axis=1), 1)
    assert set(out["class"]) <= set(model.classes) and set(out["samples"].ravel()) <= set(
        model.classes
    )
    np.testing.assert_array_equal(
        out["class"], np.asarray(model.classes)[out["probabilities"].argmax(axis=1)]
    )
    known = table["kind"].is_valid().to_numpy()
    evaluation = model.evaluate(table)
    assert evaluation.accuracy.value == pytest.approx(
        np.mean((out["class"] == table["kind"].to_numpy(zero_copy_only=False))[known])
    )
    assert evaluation.root_mean_square_error is None
    assert sum(part.rows for part in evaluation.bins) == evaluation.rows == known.sum()


def test_whole_numbers_as_classes():
    table = pa.table({"x": np.linspace(-1, 1, 200), "y": (np.linspace(-1, 1, 200) > 0).astype(int)})
    model = fitted(table, "y", classify=True, **SMALL)
    assert model.classes == ["0", "1"]
    assert model.evaluate(table).accuracy.value > 0.9


def test_unknown_categories_and_libsvm(model, tmp_path):
    told = fitted(people(), "y", indicators=True, **SMALL)
    assert {"x is missing", "kind is missing"} <= set(told.features)
    row = {"x": [0.0], "count": [1], "kind": ["east"], "flag": [True]}
    missing = {**row, "kind": pa.array([None], pa.string())}
    unknown = model.predict(pa.table(row))
    assert np.isfinite(unknown["mean"]).all()
    # Nothing is claimed of either; only an indicator tells them apart.
    assert unknown["mean"] == model.predict(pa.table(missing))["mean"]
    assert told.predict(pa.table(row))["mean"] != told.predict(pa.table(missing))["mean"]
    (tmp_path / "rows.svm").write_text("".join(f"{i % 7} 1:{i} 3:{i * i}\n" for i in range(50)))
    sparse = fitted(tmp_path / "rows.svm", **SMALL)
    assert sparse.target == "label" and sparse.features == ["1", "3"]


def test_mistakes_are_named(model, tmp_path):
    table = people()
    timed = table.append_column("when", pa.array([0] * 300, pa.time64("us")))
    with pytest.raises(ValueError, match=r'column "when" is a time of day .*can be read'):
        fitted(timed, "y")
    assert fitted(timed, "y", ignored=["when"], **SMALL).target == "y"
    with pytest.raises(ValueError, match='target = "z": must be one of the columns: "x"'):
        fitted(table, "z")
    with pytest.raises(TypeError, match="ignore is not an option here: must be one of .*ignored"):
        fitted(table, "y", ignore=["x"])
    with pytest.raises(TypeError, match="classify is not an option here"):
        model.predict(table, classify=True)
    with pytest.raises(ValueError, match='missing = "guess": must be vague or mean'):
        fitted(table, "y", missing="guess")
    with pytest.raises(ValueError, match='has no column "kind", which the model needs'):
        model.update(table.select(["x", "count", "y"]))
    with pytest.raises(TypeError, match="data is .*ndarray.*must have __arrow_c_stream__"):
        fitted(np.zeros((3, 2)), "y")
    with pytest.raises(FileNotFoundError, match="cannot open"):
        fitted(tmp_path / "none.csv", "y")
    with pytest.raises(ValueError, match="no rows"):
        model.predict(table.slice(0, 0))
    with pytest.raises(ValueError, match='row 2: column "x": .*infinite'):
        fitted(pa.table({"x": [1.0, np.inf], "y": [1.0, 2.0]}), "y")
    used = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    capsule = used.__arrow_c_stream__()

    class Twice:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    assert len(read_schema(Twice())) == 5
    with pytest.raises(ValueError, match="was used before"):
        read_schema(Twice())


def test_an_error_of_the_stream_is_passed_on():
    def broken():
        yield from people().to_batches()
        raise OSError("the disk is on fire")

    reader = pa.RecordBatchReader.from_batches(people().schema, broken())
    with pytest.raises(RuntimeError, match="the disk is on fire"):
        fitted(reader, "y")


def test_parquet_and_arrow_files_are_read_by_their_path(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.normal(size=80), "side": rng.choice(["a", "b"], 80), "y": rng.normal(size=80)})
    small = {"hidden_layer_sizes": (2,), "max_epochs": 2, "ensemble_size": 1, "random_state": 1}
    expected = fitted(table, "y", **small).predict(table)["mean"].tolist()
    pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=30)
    pa.feather.write_feather(table, tmp_path / "a.arrow")
    with pa.ipc.new_stream(tmp_path / "a.arrows", table.schema) as stream:
        stream.write_table(table, max_chunksize=7)
    for name in ("a.parquet", "a.arrow", "a.arrows"):
        model = fitted(tmp_path / name, "y", **small)
        assert model.predict(tmp_path / name)["mean"].tolist() == expected
    with pytest.raises(FileNotFoundError):
        fitted(tmp_path / "nowhere.parquet", "y")


def test_columns_that_new_rows_lack_widen_the_prediction():
    random = np.random.default_rng(3)
    a, b = random.normal(size=(2, 400))
    rows = pa.table({"a": a, "b": b, "y": 3 * a + b + random.normal(0, 0.1, 400)})
    model = fitted(rows, "y", hidden_layer_sizes=[8], ensemble_size=1, max_epochs=20, encoding="standard")
    whole = model.predict(rows)
    with pytest.warns(postrider.MissingColumnsWarning, match="no column 'a': missing in all rows"):
        lacking = model.predict(rows.drop_columns(["a"]))
    assert np.all(lacking["std"] > 3 * whole["std"])
    with pytest.warns(postrider.MissingColumnsWarning):
        model.evaluate(rows.drop_columns(["a"]))
    with pytest.raises(ValueError, match='has no column "a", which the model needs'):
        model.update(rows.drop_columns(["a"]))
