"""Files of ONNX predict as the models that wrote them."""

import json

import numpy as np
import pytest
from scipy import special, stats

from postrider import BayesianMLPClassifier, BayesianMLPRegressor, TableModel

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

from postrider.experimental import _onnx_graph as graph_of  # noqa: E402
from postrider.experimental.onnx import export_onnx  # noqa: E402

# The library sweeps networks in single precision, the file in double: errors in units of the target's standard deviation, or of a probability.
CLOSE = 1e-5
QUICK = {"effort": "quick", "max_epochs": 20, "hidden_layer_sizes": [12, 8], "ensemble_size": 3, "learned_shape": False, "target_scale": "plain"}


def rows(count, seed=1):
    """Columns of different kinds: even, skewed, of a far mean, of two numbers."""
    random = np.random.default_rng(seed)
    X = np.column_stack([random.uniform(-3, 3, count), random.lognormal(0, 1, count), 2000 + random.integers(0, 30, count), random.integers(0, 2, count)])
    y = 3 * np.sin(X[:, 0]) + X[:, 1] + 0.1 * (X[:, 2] - 2000) + X[:, 3] + random.normal(0, 0.1 + 0.3 * np.abs(X[:, 0]), count)
    return X, y


def asked(path, X):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True)), session.get_modelmeta().custom_metadata_map


# Rows among, between and far from those learned, and on their numbers.
def new_rows(X):
    far = X[:40] * 3 - X[:40].mean(axis=0)
    far[:, 2] = 2000 + far[:, 1]
    return np.concatenate([X[:50], rows(200, seed=9)[0], far])


def expect_same(model, path, X, unit):
    found, _ = asked(path, X)
    mean, std = model.predict(X, return_std=True)
    assert np.max(np.abs(found["mean"] - mean)) < CLOSE * unit
    assert np.max(np.abs(found["std"] - std)) < CLOSE * unit
    assert np.all(found["noise_std"] <= found["std"] * (1 + CLOSE))
    return found


@pytest.mark.parametrize("encoding", ["standard", "quantile", "piecewise", "bins", "relevance"])
def test_encodings(encoding, tmp_path):
    X, y = rows(400)
    model = BayesianMLPRegressor(**QUICK, encoding=encoding).fit(X, y)
    assert model.encoding == encoding
    export_onnx(model, tmp_path / "m.onnx")
    # Ranks and knots go on in straight lines far away, so that values are large: errors are relative there.
    near = rows(300, seed=5)[0]
    expect_same(model, tmp_path / "m.onnx", np.concatenate([X, near]), y.std())
    X_far = new_rows(X)
    found, _ = asked(tmp_path / "m.onnx", X_far)
    mean, std = model.predict(X_far, return_std=True)
    np.testing.assert_allclose(found["mean"], mean, rtol=1e-4, atol=CLOSE * y.std())
    np.testing.assert_allclose(found["std"], std, rtol=1e-4, atol=CLOSE * y.std())


@pytest.mark.parametrize("options", [{"varying_noise": False}, {"activation": "relu"}, {"activation": "identity"}, {"precision": "float64"}, {"noise_std": 0.3},
                                     {"hidden_layer_sizes": [9]}, {"ensemble_size": 1}], ids=str)  # fmt: skip
def test_options(options, tmp_path):
    X, y = rows(300)
    model = BayesianMLPRegressor(**{**QUICK, "encoding": "standard", **options}).fit(X, y)
    export_onnx(model, tmp_path / "m.onnx")
    expect_same(model, tmp_path / "m.onnx", rows(100, seed=3)[0], y.std())


@pytest.mark.parametrize("varying_noise", [True, False])
def test_roots(varying_noise, tmp_path):
    X, y = rows(300)
    y = np.maximum(0, y + 1) ** 2
    model = BayesianMLPRegressor(**{**QUICK, "encoding": "standard", "target_scale": "root", "varying_noise": varying_noise}).fit(X, y)
    export_onnx(model, tmp_path / "m.onnx")
    found = expect_same(model, tmp_path / "m.onnx", rows(100, seed=3)[0], y.std())
    assert found["mean"].min() >= 0


def test_noise_is_that_of_tables(tmp_path):
    import pyarrow as pa

    X, y = rows(300)
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "name": [f"row {k}" for k in range(300)], "y": y})
    model = TableModel(**QUICK).fit(table, "y")
    export_onnx(model, tmp_path / "m.onnx")
    found, about = asked(tmp_path / "m.onnx", X[:, :2])
    assert json.loads(about["columns"]) == ["a", "b"]
    np.testing.assert_allclose(found["noise_std"], model.predict(table)["noise_std"], rtol=1e-4)
    with pytest.raises(ValueError, match="column 'side' is categorical"):
        export_onnx(TableModel(**QUICK).fit(table.append_column("side", pa.array(["n", "s", "w"] * 100)), "y"), tmp_path / "other.onnx")
    assert not (tmp_path / "other.onnx").exists()


@pytest.mark.parametrize("classes", [2, 4])
def test_classes(classes, tmp_path):
    X, y = rows(400)
    labels = np.array([f"class {k}" for k in np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))])
    model = BayesianMLPClassifier(effort="quick", max_epochs=15, hidden_layer_sizes=[10], ensemble_size=3).fit(X, labels)
    export_onnx(model, tmp_path / "m.onnx")
    new = rows(200, seed=4)[0]
    found, about = asked(tmp_path / "m.onnx", new)
    assert json.loads(about["classes"]) == list(model.classes_)
    assert np.max(np.abs(found["probabilities"] - model.predict_proba(new))) < CLOSE
    assert np.allclose(found["probabilities"].sum(axis=1), 1)


def test_missing_cells_are_not_predicted(tmp_path):
    X, y = rows(300)
    for encoding in ("standard", "quantile", "piecewise", "bins"):
        export_onnx(BayesianMLPRegressor(**{**QUICK, "max_epochs": 2, "encoding": encoding}).fit(X, y), tmp_path / "m.onnx")
        for column in range(4):
            new = X[:3].copy()
            new[1, column] = np.nan
            found, _ = asked(tmp_path / "m.onnx", new)
            assert [list(np.isnan(values)) for values in found.values()] == [[False, True, False]] * 3


def test_a_learned_shape_is_left_out_only_if_that_is_asked_for(tmp_path):
    random = np.random.default_rng(1)
    X = random.uniform(-3, 3, (600, 2))
    y = np.sin(3 * X[:, 0]) * np.cos(2 * X[:, 1]) + 0.05 * random.normal(size=600)
    options = {**QUICK, "effort": "standard", "hidden_layer_sizes": [4], "ensemble_size": 8, "encoding": "standard"}
    model = BayesianMLPRegressor(**{**options, "learned_shape": True}).fit(X, y)
    model.save(tmp_path / "model")
    assert b"neighbours.length" in (tmp_path / "model").read_bytes()
    with pytest.raises(ValueError, match="leave_out_shape=True"):
        export_onnx(model, tmp_path / "m.onnx")
    assert not (tmp_path / "m.onnx").exists()
    export_onnx(model, tmp_path / "m.onnx", leave_out_shape=True)
    found, _ = asked(tmp_path / "m.onnx", X)
    assert np.max(np.abs(found["mean"] - mean_of_networks(model, X, y))) < CLOSE * y.std()
    assert np.max(np.abs(found["mean"] - model.predict(X))) > CLOSE * y.std()


def mean_of_networks(model, X, y):
    """Networks of one hidden layer of standardised inputs, by the moments of a normal number that is cut at zero."""
    inputs = (X - X.mean(axis=0)) / X.std(axis=0)
    out = []
    for hidden, output in model.beliefs_:
        weights, variances = hidden.mean.astype(float), hidden.std.astype(float) ** 2
        mean = inputs @ weights[:, :-1].T + weights[:, -1]
        spread = np.sqrt(inputs**2 @ variances[:, :-1].T + variances[:, -1])
        above = mean * special.ndtr(mean / spread) + spread * stats.norm.pdf(mean / spread)
        slope = 0.05
        last = output.mean.astype(float)[0]
        out.append((slope * mean + (1 - slope) * above) @ last[:-1] + last[-1])
    return np.mean(out, axis=0) * y.std() + y.mean()


def test_streams_and_several_targets_are_refused(tmp_path):
    X, y = rows(300)
    with pytest.raises(ValueError, match="stream"):
        export_onnx(BayesianMLPRegressor(**QUICK).fit(X, y).partial_fit(X[:50], y[:50]), tmp_path / "m.onnx")
    with pytest.raises(ValueError, match="several targets"):
        export_onnx(BayesianMLPRegressor(**QUICK).fit(X, np.column_stack([y, -y])), tmp_path / "m.onnx")


@pytest.mark.parametrize(("formula", "reference", "x"), [
    (graph_of.normal_below, special.ndtr, np.linspace(-36, 36, 2001)),
    (graph_of.normal_density, stats.norm.pdf, np.linspace(-36, 36, 2001)),
    (graph_of.normal_quantile, special.ndtri, np.linspace(1e-9, 1 - 1e-9, 2001)),
])  # fmt: skip
def test_normal_distribution(formula, reference, x):
    graph = graph_of.Graph()
    model = graph.model(1, {"y": (formula(graph_of.Value(graph, "X")), ["rows", 1])}, {})
    (found,) = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"X": x[:, None]})
    np.testing.assert_allclose(found[:, 0], reference(x), rtol=1e-12, atol=1e-15)
