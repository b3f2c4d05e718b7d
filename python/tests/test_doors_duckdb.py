"""Models as functions of DuckDB, against the same predictions in Python."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

import postrider

duckdb = pytest.importorskip("duckdb")

from postrider.experimental.duckdb import register, train  # noqa: E402

HOUSES = """CREATE TABLE houses AS
    SELECT i AS number, CASE WHEN i % 19 = 0 THEN NULL ELSE (40 + i * 37 % 100)::DECIMAL(9, 2) END AS area, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS side,
           DATE '1990-01-01' + (i * 29 % 5000)::INT AS built, i % 2 = 0 AS garden,
           80.0 + 2 * (i * 37 % 100) + CASE WHEN i % 3 = 0 THEN 0 ELSE 30 END + (i * 7919 % 11) AS price,
           CASE WHEN i * 37 % 100 > 50 THEN 'large' ELSE 'small' END AS size
    FROM range(1, 5001) t(i)"""
QUICK = {"effort": "quick", "max_epochs": 5, "hidden_layer_sizes": [8], "ensemble_size": 2, "encoding": "standard"}
COLUMNS = "area, side, built, garden, price"


@pytest.fixture(scope="module")
def connection():
    out = duckdb.connect()
    out.execute(HOUSES)
    return out


@pytest.fixture(scope="module")
def model(connection):
    return train(connection, f"SELECT {COLUMNS} FROM houses WHERE number <= 300", "price", **QUICK)


def arrow_of(connection, query):
    table = connection.sql(query).to_arrow_table()
    return table.set_column(table.column_names.index("area"), "area", table["area"].cast(pa.float64())) if "area" in table.column_names else table


def test_functions_predict_as_the_model_does(connection, model):
    register(connection, model, "price_of", level=0.8)
    found = connection.sql("SELECT unnest(price_of(h)) FROM houses h ORDER BY number").fetchnumpy()
    rows = arrow_of(connection, "SELECT area, side, built, garden FROM houses ORDER BY number")  # more than one vector of DuckDB
    expected = model.predict(rows)
    bounds = model.predict_interval(rows, 0.8)
    for name, values in (("mean", expected["mean"]), ("std", expected["std"]), ("low", bounds[:, 0]), ("high", bounds[:, 1])):
        np.testing.assert_allclose(found[name], values, rtol=1e-6)


def test_rows_are_found_by_name(connection, model):
    register(connection, model, "price_of")
    whole, of_struct, swapped = (
        connection.sql(f"SELECT price_of({row}).mean FROM houses h WHERE number = 5").fetchall()[0][0]
        for row in ("h", "{'area': area, 'side': side, 'built': built, 'garden': garden}", "{'garden': garden, 'side': side, 'built': built, 'area': area}")
    )
    assert whole == of_struct == swapped
    assert connection.sql("SELECT price_of(h).mean FROM houses h WHERE number < 0").fetchall() == []
    missing = connection.sql("SELECT price_of({'area': NULL::DOUBLE, 'side': 'west', 'built': NULL::DATE, 'garden': NULL::BOOL}).std").fetchall()[0][0]
    assert missing > 2 * connection.sql("SELECT price_of(h).std FROM houses h WHERE number = 5").fetchall()[0][0]


def test_a_query_is_learned_as_a_table(connection, model):
    rows = arrow_of(connection, f"SELECT {COLUMNS} FROM houses WHERE number <= 300")
    rows = rows.set_column(rows.column_names.index("price"), "price", rows["price"].cast(pa.float64()))
    expected = postrider.TableModel(**QUICK).fit(rows, "price")
    new = pa.table({"area": [60.0], "side": ["north"], "built": [datetime.date(2000, 1, 1)], "garden": [True]})
    assert model.predict(new)["mean"] == expected.predict(new)["mean"]


def test_classes_updates_and_files(connection, tmp_path):
    model = train(connection, "SELECT area, side, size FROM houses WHERE number <= 300", "size", **{**QUICK, "max_epochs": 40}, reading={"numeric": ["area"]})
    model.save(tmp_path / "size.safetensors")
    register(connection, tmp_path / "size.safetensors", "size_of")
    found = connection.sql("SELECT size, unnest(size_of(h)) FROM houses h WHERE area IS NOT NULL").fetchnumpy()
    expected = model.predict_proba(arrow_of(connection, "SELECT area, side FROM houses WHERE area IS NOT NULL"))
    np.testing.assert_allclose(found["probability"], expected.max(axis=1), rtol=1e-6)
    assert np.mean(found["size"] == found["class"]) > 0.9
    register(connection, model, "size_of")  # in place of the former one
    before = connection.sql("SELECT size_of(h).probability FROM houses h WHERE number = 5").fetchall()
    model.update(arrow_of(connection, "SELECT area, side, size FROM houses WHERE number BETWEEN 301 AND 600"), anyway=True)
    assert connection.sql("SELECT size_of(h).probability FROM houses h WHERE number = 5").fetchall() != before


def test_what_is_wrong_is_said(connection, model):
    register(connection, model, "price_of")
    for query, part in (
        ("SELECT price_of({'area': 3})", "side"),
        ("SELECT price_of({'area': 'wide', 'side': 'north', 'built': DATE '2000-01-01', 'garden': true})", "wide"),
        ("SELECT price_of(area, side) FROM houses", "takes one row"),
        ("SELECT price_of(area) FROM houses", "takes one row"),
    ):
        with pytest.raises(duckdb.Error, match=part):
            connection.sql(query).fetchall()
    with pytest.raises(ValueError, match="name = 'a b'"):
        register(connection, model, "a b")
    with pytest.raises(ValueError, match="level = 2"):
        register(connection, model, level=2)
    with pytest.raises(ValueError, match="cost"):
        train(connection, "SELECT area, price FROM houses", "cost")
