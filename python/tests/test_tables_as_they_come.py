"""Tables of business: money, percentages, dates, words for missing, many categories, targets of 0 and 1."""

import datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from postrider import TableModel, read_schema
from trained import fitted

SMALL = {
    "hidden_layer_sizes": [8],
    "ensemble_size": 1,
    "max_epochs": 3,
    "n_jobs": 1,
}


def sales(rows=200, seed=1):
    random = np.random.default_rng(seed)
    day = datetime.datetime(2025, 1, 1, 8)
    hours = random.integers(0, 9000, rows)
    return pl.DataFrame(
        {
            "when": [day + datetime.timedelta(hours=int(h)) for h in hours],
            "price": [f"${p:,.2f}" for p in random.uniform(1, 9999, rows)],
            "discount": [f"{d} %" for d in random.integers(0, 30, rows)],
            "amount": random.choice([1.0, 2.0, 3.0, -999.0], rows),
            "bought": random.integers(0, 2, rows),
        }
    )


def test_columns_are_understood():
    schema = read_schema(sales(), "bought", na=["-999"])
    columns = {column.name: column for column in schema}
    assert columns["when"].kind == "date"
    assert columns["when"].parts == ["trend", "year", "month", "weekday", "hour"]
    assert (columns["price"].kind, columns["price"].unit) == ("numeric", "$")
    assert columns["discount"].unit == "%"
    assert columns["amount"].has_missing
    assert columns["bought"].categories == ["0", "1"]
    assert "ask to regress" in columns["bought"].note


def test_a_file_and_a_frame_give_the_same_model(tmp_path):
    frame = sales()
    frame.write_csv(tmp_path / "sales.csv")
    made = []
    for data in (frame, tmp_path / "sales.csv"):
        model = fitted(data, "bought", na=["-999"], **SMALL)
        model.save(tmp_path / "model.safetensors")
        made.append((tmp_path / "model.safetensors").read_bytes())
    assert made[0] == made[1]
    loaded = TableModel.load(tmp_path / "model.safetensors")
    out = loaded.predict(frame)["probabilities"]
    assert np.array_equal(out, model.predict(tmp_path / "sales.csv")["probabilities"])
    # What stands for a missing value is kept: the same is predicted where it is null.
    nulls = frame.with_columns(
        pl.when(pl.col("amount") == -999).then(None).otherwise(pl.col("amount")).alias("amount")
    )
    assert np.array_equal(out, loaded.predict(nulls)["probabilities"])


def test_regression_of_zero_and_one():
    model = fitted(sales(), "bought", regress=True, **SMALL)
    assert set(model.predict(sales())) == {"mean", "std", "noise_std"}
    with pytest.raises(ValueError, match='regress = "bought": is also said to have classes'):
        fitted(sales(), "bought", regress=True, classify=True)


def test_dates_of_all_types():
    when = [datetime.date(2026, 11, day) for day in range(1, 29)]
    y = np.arange(28.0)
    expected = None
    for kind in (pa.date32(), pa.date64(), pa.timestamp("ms"), pa.timestamp("ns", "UTC")):
        table = pa.table({"when": pa.array(when).cast(kind), "y": y})
        model = fitted(table, "y", **SMALL)
        mean = model.predict(table)["mean"]
        expected = mean if expected is None else expected
        assert np.array_equal(mean, expected), kind
    texts = pa.table({"when": [day.isoformat() for day in when]})
    assert np.array_equal(model.predict(texts)["mean"], expected)


def test_many_categories_share_inputs():
    random = np.random.default_rng(2)
    shop = [f"shop {min(int(p), 4000)}" for p in random.pareto(0.5, 3000)]
    table = pa.table({"shop": shop, "y": random.normal(size=3000)})
    column = read_schema(table, "y")[0]
    assert column.kind == "categorical" and column.shared_inputs == 64
    assert 1 < len(column.categories) < 200
    model = fitted(table, "y", **SMALL)
    assert len(model.features) == len(column.categories) + 64
    assert np.isfinite(model.predict(pa.table({"shop": ["never seen"]}))["mean"]).all()


def test_an_odd_cell_is_missing_and_named(tmp_path):
    rows = [f"{k},{k * k}" for k in range(50)]
    rows[7] = "7O,49"
    (tmp_path / "typed.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    column = read_schema(tmp_path / "typed.csv", "y")[0]
    assert column.kind == "numeric" and column.has_missing
    assert '"7O" is none of the numbers' in column.note
    assert column.place == "line 9"
    model = fitted(tmp_path / "typed.csv", "y", **SMALL)
    assert np.isfinite(model.predict(tmp_path / "typed.csv")["mean"]).all()
