"""SparseModel as a user calls it: kinds of rows, targets, files."""

import inspect
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from postrider import BayesianMLPClassifier
from postrider.experimental.sparse_model import SparseModel, hashed_columns

DRAW = np.random.default_rng(3)
WEIGHTS = DRAW.normal(size=20)


def rows_of(count, seed):
    draw = np.random.default_rng(seed)
    chosen = np.array([np.sort(draw.choice(20, 4, replace=False)) for _ in range(count)])
    scores = WEIGHTS[chosen].sum(axis=1)
    return chosen, scores, (draw.random(count) < 1 / (1 + np.exp(-scores))).astype(int)


def matrix_of(chosen):
    count = len(chosen)
    return csr_matrix((np.ones(4 * count), chosen.ravel(), np.arange(0, 4 * count + 1, 4)), shape=(count, 20))


def test_probabilities_are_near_the_true_ones():
    chosen, scores, labels = rows_of(5000, 1)
    for model in (SparseModel(), SparseModel(passes=10), SparseModel(target="probit")):
        model.fit(matrix_of(chosen), labels)
        found = model.predict_proba(matrix_of(chosen))
        assert found.shape == (5000, 2)
        assert np.allclose(found.sum(axis=1), 1)
        assert np.abs(found[:, 1] - 1 / (1 + np.exp(-scores))).mean() < 0.03
        assert (model.predict(matrix_of(chosen)) == (found[:, 1] > 0.5)).all()


def test_all_kinds_of_rows_are_the_same_rows(tmp_path):
    chosen, _, labels = rows_of(300, 2)
    libsvm, vw = tmp_path / "rows.libsvm", tmp_path / "rows.vw"
    libsvm.write_text("".join(f"{y} {' '.join(f'{i + 1}:1' for i in row)}\n" for row, y in zip(chosen, labels, strict=True)))
    vw.write_text("".join(f"{y} | {' '.join(str(i + 1) for i in row)}\n" for row, y in zip(chosen, labels, strict=True)))
    records = [{"": [str(i + 1) for i in row]} for row in chosen]
    paths = []
    for number, given in enumerate(((matrix_of(chosen), labels), (libsvm,), (vw,), (records, labels))):
        model = SparseModel()
        model.update(*given)
        paths.append(tmp_path / f"model{number}")
        model.save(paths[-1])
    assert all(path.read_bytes() == paths[0].read_bytes() for path in paths)


def test_dictionaries_tables_and_missing_values():
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    records = [{"user": "ann", "age": 0.5, "tags": ["a", "b"], "counts": {"x": 2.0}}, {"user": None, "age": 1, "tags": [], "counts": {}}]
    model = SparseModel()
    model.update(records, [1, 0])
    assert model.n_weights_ == 5  # ann, age, two tags, x
    assert model.weight("tags", "a")[0] > 0
    assert model.weight("user", "nobody")[0] == 0
    names = [{"user": "ann", "item": "tea"}, {"user": "bob", "item": "tea"}]
    expected = SparseModel().update(names, [1, 0]).predict_proba(names)
    for table in (arrow.Table.from_pylist(names), pandas.DataFrame(names)):
        assert (SparseModel().update(table, [1, 0]).predict_proba(table) == expected).all()


def test_numbers_with_intervals_and_latent_vectors():
    draw = np.random.default_rng(5)
    users, items = draw.normal(size=(15, 2)), draw.normal(size=(15, 2))
    pairs = draw.integers(15, size=(2500, 2))
    rows = [{"user": f"u{u}", "item": f"i{i}"} for u, i in pairs]
    targets = 3 + (users[pairs[:, 0]] * items[pairs[:, 1]]).sum(axis=1) + 0.3 * draw.normal(size=2500)
    errors = []
    for latent in (0, 4):
        model = SparseModel(target="number", latent=latent, passes=20).fit(rows[:2000], targets[:2000])
        mean, std = model.predict(rows[2000:], return_std=True)
        errors.append(np.sqrt(np.mean((mean - targets[2000:]) ** 2)))
        assert abs(np.mean(np.abs(mean - targets[2000:]) < 1.645 * std) - 0.9) < 0.06
    assert errors[1] < 0.4 < errors[0]
    with pytest.raises(ValueError, match="has no classes"):
        model.predict_proba(rows)


def test_drift_follows_a_change(tmp_path):
    chosen, scores, labels = rows_of(12000, 8)
    labels[6000:] = 1 - labels[6000:]
    losses = []
    for drift in (False, True):
        model = SparseModel(drift=drift)
        model.update(matrix_of(chosen[:6000]), labels[:6000])
        model.update(matrix_of(chosen[6000:9000]), labels[6000:9000])
        losses.append(model.update(matrix_of(chosen[9000:]), labels[9000:]).update_log_loss_)
    assert losses[1] < losses[0] - 0.05
    assert math.isclose(sum(model.drift_rates_.values()), 1)
    assert model.drift_rates_[0] < 0.1
    model.save(tmp_path / "model")
    assert SparseModel.load(tmp_path / "model").drift_rates_ == model.drift_rates_


def test_draws_are_spread_as_the_belief():
    chosen, _, labels = rows_of(50, 4)
    model = SparseModel().update(matrix_of(chosen), labels)
    mean, std = model.score_beliefs(matrix_of(chosen)[:1])
    drawn = np.array([model.sample(matrix_of(chosen)[:1], seed)[0] for seed in range(4000)])
    assert abs(drawn.mean() - mean[0]) < 4 * std[0] / math.sqrt(4000)
    assert abs(drawn.std() / std[0] - 1) < 0.06


def test_goes_on_after_loading(tmp_path):
    chosen, _, labels = rows_of(400, 6)
    rows = matrix_of(chosen)
    stayed = SparseModel(target="probit", passes=3, seed=9).update(rows[:200], labels[:200])
    stayed.save(tmp_path / "model")
    back = SparseModel.load(tmp_path / "model")
    assert back._settings == stayed._settings
    for model in (stayed, back):
        model.update(rows[200:], labels[200:])
    assert (stayed.predict_proba(rows) == back.predict_proba(rows)).all()
    assert stayed.log_loss_ == back.log_loss_
    assert stayed.prior_variances_ == back.prior_variances_


def test_weights_of_rows_and_idle_weights():
    rows, labels = [{"a": 1.0}, {"b": 1.0}], [1, 0]
    model = SparseModel().update(rows, labels, sample_weight=[1, 0])
    assert model.weight("a")[0] > 0
    assert model.n_weights_ == 1  # a row that does not count touches nothing
    assert model.drop_idle(100) == 1


def test_mistakes_are_told(tmp_path):
    with pytest.raises(ValueError, match="target = \"both\""):
        SparseModel(target="both")
    with pytest.raises(ValueError, match="target of row 0 = 3"):
        SparseModel().update([{"a": 1}], [3])
    with pytest.raises(ValueError, match="\"a\" of row 0: must be a text"):
        SparseModel().update([{"a": object()}], [1])
    with pytest.raises(ValueError, match="targets = 1: must be one for each of 2 rows"):
        SparseModel().update([{"a": 1}, {"a": 2}], [1])
    (tmp_path / "bad").write_text("1 | a\n1 b\n")
    with pytest.raises(ValueError, match="line 2: has no"):
        SparseModel().update(tmp_path / "bad")
    with pytest.raises(TypeError, match="list of dictionaries"):
        SparseModel().update(3, [1])


def test_signature_has_the_options_of_the_library():
    signature = inspect.signature(SparseModel)
    assert set(signature.parameters) == {"target", "passes", "latent", "drift", "seed"}


def test_hashed_columns_are_those_of_the_names(tmp_path):
    rows = [{"user": "a", "n": 2.0}, {"user": "b"}, {"user": "a", "item": ["x", "y"]}]
    matrix, targets = hashed_columns(rows, 1000)
    assert matrix.shape == (3, 1000) and targets is None
    assert sorted(matrix[0].data) == [1.0, 2.0]
    (of_a,) = set(matrix[0].indices[matrix[0].data == 1.0])
    assert of_a in matrix[2].indices and of_a not in matrix[1].indices
    # Later rows have the same columns, whatever came before.
    assert hashed_columns(rows[2:], 1000)[0].indices.tolist() == matrix[2].indices.tolist()
    # From a file with its targets, block after block.
    lines = [f"{1 if number % 3 else -1} {number % 50 + 1}:1 60:0.5" for number in range(5000)]
    (tmp_path / "rows").write_text("\n".join(lines) + "\n")
    matrix, targets = hashed_columns(tmp_path / "rows", 4096)
    assert matrix.shape == (5000, 4096) and targets.tolist() == [1 if number % 3 else -1 for number in range(5000)]
    assert matrix[7].indices.tolist() == matrix[4957].indices.tolist()
    assert hashed_columns([], 8)[0].shape == (0, 8)
    with pytest.raises(ValueError, match="columns = 0: must be within"):
        hashed_columns(rows, 0)


def test_a_network_on_names_learns_what_a_sum_cannot():
    rows = [{"user": user, "item": item} for user in "abc" for item in "xyz"] * 60
    likes = [int((ord(row["user"]) + ord(row["item"])) % 3 == 0) for row in rows]
    linear = SparseModel(passes=10).fit(rows, likes).predict_proba(rows)[:, 1]
    matrix, _ = hashed_columns(rows, 256)
    network = BayesianMLPClassifier((8,), ensemble_size=1, random_state=0).fit(matrix, likes).predict_proba(matrix)[:, 1]
    assert np.abs(linear - likes).mean() > 0.4
    assert np.abs(network - likes).mean() < 0.1
