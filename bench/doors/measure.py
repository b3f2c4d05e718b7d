#!/usr/bin/env python3
"""What calls from SQL cost, what R's check says, and how far ONNX is off; merges its keys into bench/results/doors.json.

  bench/doors/measure.py [onnx] [r] [sql] [--prefix DIR] [--check FILE] [--out FILE]

  sql_rows_per_second   rows that one session predicts with mean, std and interval: PostgreSQL by whole rows, DuckDB by vectors; a model of
                        1,000 rows of four columns by the effort quick, sixteen networks
  r_check               the verdict of R CMD check, as tools/doors-check has left it
  onnx_error            the largest difference of a mean or a standard deviation between ONNX Runtime and the library, in units of the target's standard
                        deviation, or of a probability, over models of each encoding and of classes; and of which model

Needs the package with the extras duckdb and onnx, and onnxruntime; PostgreSQL; and what tools/doors-check has built. Other keys of the file stay.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
from postrider import BayesianMLPClassifier, BayesianMLPRegressor, TableModel
from postrider.experimental.duckdb import register
from postrider.experimental.onnx import export_onnx

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/doors"))
from server import Server  # noqa: E402

ROWS, REPEATS, LEARNED = 5000, 3, 1000
TABLE = f"""CREATE TABLE houses AS SELECT i AS number, (40 + i * 37 % 1000 / 10.0)::double precision AS area, CASE WHEN i % 3 = 0 THEN 'north' ELSE 'south' END AS side,
 (i * 29 % 97)::double precision AS age, (i * 7919 % 31)::double precision AS distance,
 (80 + 2 * (i * 37 % 1000 / 10.0) + CASE WHEN i % 3 = 0 THEN 0 ELSE 30 END - 0.3 * (i * 29 % 97) + (i * 104729 % 17))::double precision AS price FROM """


def best_rate(call):
    """Rows of a second, in the fastest of some calls."""
    seconds = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - begin)
    return round(ROWS / min(seconds))


def sql_rates(prefix):
    connection = duckdb.connect()
    connection.execute(TABLE + f"range(1, {ROWS + 1}) t(i)")
    model = TableModel(effort="quick", ensemble_size=16).fit(connection.sql("SELECT area, side, age, distance, price FROM houses LIMIT " + str(LEARNED)).to_arrow_table(), "price")
    register(connection, model, "price_of")
    rates = {"duckdb": best_rate(lambda: connection.sql("SELECT sum(p.mean), sum(p.low) FROM (SELECT price_of(h) p FROM houses h)").fetchall())}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, ROOT / "sql/postgresql", prefix)
        server.start()
        try:
            server.sql(f"CREATE EXTENSION postrider; {TABLE} generate_series(1, {ROWS}) i;")
            model.save(Path(folder) / "model")
            content = (Path(folder) / "model").read_bytes().hex()
            server.sql(f"CREATE TABLE taken (model bytea);\nCOPY taken FROM STDIN;\n\\\\x{content}\n\\.\nINSERT INTO postrider_models SELECT 'house', model FROM taken;")
            predict = "SELECT sum((p).mean), sum((p).low) FROM (SELECT postrider_predict('house', h) p FROM houses h OFFSET 0) s"
            rates["postgresql"] = best_rate(lambda: server.sql(predict))
        finally:
            server.stop()
    return rates


def rows(count, seed):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.uniform(-3, 3, count), random.lognormal(0, 1, count), 2000 + random.integers(0, 30, count), random.integers(0, 2, count)])
    return X, 3 * np.sin(X[:, 0]) + X[:, 1] + 0.1 * (X[:, 2] - 2000) + X[:, 3] + random.normal(0, 0.1 + 0.3 * np.abs(X[:, 0]), count)


def asked(model, X):
    with tempfile.TemporaryDirectory() as folder:
        export_onnx(model, Path(folder) / "m.onnx")
        session = onnxruntime.InferenceSession(Path(folder) / "m.onnx", providers=["CPUExecutionProvider"])
    print("asked a model in ONNX Runtime", flush=True)
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True))


def onnx_errors():
    (X, y), (new, _) = rows(1000, 1), rows(1000, 2)
    out = {}
    for encoding in ("standard", "quantile", "piecewise", "bins"):
        for scale, target in (("plain", y), ("root", np.maximum(0, y + 1) ** 2)):
            model = BayesianMLPRegressor(effort="quick", max_epochs=20, encoding=encoding, target_scale=scale, learned_shape=False).fit(X, target)
            found, (mean, std) = asked(model, new), model.predict(new, return_std=True)
            out[f"{encoding}, {scale}"] = max(np.abs(found["mean"] - mean).max(), np.abs(found["std"] - std).max()) / target.std()
    for classes in (2, 4):
        labels = np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))
        model = BayesianMLPClassifier(effort="quick", max_epochs=20).fit(X, labels)
        out[f"{classes} classes"] = np.abs(asked(model, new)["probabilities"] - model.predict_proba(new)).max()
    worst = max(out, key=out.get)
    return {"largest": float(f"{out[worst]:.2g}"), "of": worst, "models": len(out)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=["onnx", "r", "sql"], default=["onnx", "r", "sql"])
    parser.add_argument("--prefix", type=Path, default=ROOT / "build/doors/prefix")
    parser.add_argument("--check", type=Path, default=ROOT / "build/doors/r/r.txt")
    parser.add_argument("--out", type=Path, default=ROOT / "bench/results/doors.json")
    chosen = parser.parse_args()
    found = {}
    if "onnx" in chosen.parts:
        found["onnx_error"] = onnx_errors()
    if "r" in chosen.parts:
        found["r_check"] = chosen.check.read_text().strip().lower()
    if "sql" in chosen.parts:
        found["sql_rows_per_second"] = sql_rates(chosen.prefix)
    known = json.loads(chosen.out.read_text()) if chosen.out.exists() else {}
    chosen.out.write_text(json.dumps(known | found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
