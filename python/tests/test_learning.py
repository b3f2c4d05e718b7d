"""Training: sample weights, order of rows, streams, threads, seeds."""

import numpy as np
import pytest
from scipy import sparse

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

QUICK = {"hidden_layer_sizes": (10,), "ensemble_size": 2, "max_epochs": 8, "random_state": 1}


def predictions(model, X):
    if isinstance(model, BayesianMLPRegressor):
        return np.column_stack(model.predict(X, return_std=True))
    return model.predict_proba(X)


@pytest.fixture(params=[BayesianMLPRegressor, BayesianMLPClassifier])
def case(request, sine, moons):
    return request.param, sine if request.param is BayesianMLPRegressor else moons


def test_the_order_of_rows_does_not_matter(case):
    kind, (X, y) = case
    order = np.random.default_rng(2).permutation(len(y))
    one, other = kind(**QUICK).fit(X, y), kind(**QUICK).fit(X[order], y[order])
    assert np.array_equal(predictions(one, X), predictions(other, X))


def test_whole_weights_are_repeated_rows(case):
    kind, (X, y) = case
    weights = np.random.default_rng(3).integers(0, 4, size=len(y))
    weighted = kind(**QUICK).fit(X, y, sample_weight=weights)
    repeated = kind(**QUICK).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.array_equal(predictions(weighted, X), predictions(repeated, X))


def test_small_weights_leave_more_open(case):
    kind, (X, y) = case
    whole = kind(**QUICK).fit(X, y)
    small = kind(**QUICK).fit(X, y, sample_weight=np.full(len(y), 0.02))
    if kind is BayesianMLPRegressor:
        assert np.mean(predictions(small, X)[:, 1]) > 1.5 * np.mean(predictions(whole, X)[:, 1])
    else:
        # Less sure.
        assert predictions(small, X).max(axis=1).mean() < predictions(whole, X).max(axis=1).mean()


def test_weights_of_a_stream(case):
    kind, (X, y) = case
    first = {"classes": np.unique(y)} if kind is BayesianMLPClassifier else {}
    weights = np.tile([1, 0, 2, 1], len(y) // 4)
    weighted = kind(**QUICK).partial_fit(X, y, **first, sample_weight=weights)
    repeated = kind(**QUICK).partial_fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights), **first
    )
    assert np.allclose(predictions(weighted, X), predictions(repeated, X), rtol=1e-6)


@pytest.mark.parametrize("weights", [[-1.0], [np.nan], [np.inf]])
def test_weights_that_make_no_sense(sine, weights):
    with pytest.raises(ValueError):
        BayesianMLPRegressor(**QUICK).fit(sine.X[:1], sine.y[:1], sample_weight=weights)


def test_threads_do_not_change_a_bit(case):
    kind, (X, y) = case
    one, two = kind(**QUICK, n_jobs=1).fit(X, y), kind(**QUICK, n_jobs=2).fit(X, y)
    assert np.array_equal(predictions(one, X), predictions(two, X))
    assert two.set_params(n_jobs=1) is two
    assert np.array_equal(predictions(one, X), predictions(two, X))


def test_seeds(case):
    kind, (X, y) = case

    def learned(random_state):
        return predictions(kind(**{**QUICK, "random_state": random_state}).fit(X, y), X)

    assert np.array_equal(learned(5), learned(5))
    assert not np.array_equal(learned(5), learned(6))
    assert not np.array_equal(learned(None), learned(None))
    state = np.random.RandomState(0)
    assert not np.array_equal(learned(state), learned(state))
    np.random.seed(4)
    first = learned(None)
    np.random.seed(4)
    assert np.array_equal(first, learned(None))


def test_a_stream_learns_what_arrays_and_lists_say(case):
    kind, (X, y) = case
    first = {"classes": np.unique(y)} if kind is BayesianMLPClassifier else {}
    arrays, lists = kind(**QUICK), kind(**QUICK)
    arrays.partial_fit(X[:200], y[:200], **first)
    lists.partial_fit(X[:200], y[:200], **first)
    for row in range(200, 260):
        arrays.partial_fit(X[row : row + 1], y[row : row + 1])  # looked at in C++ only
        lists.partial_fit([list(X[row])], [y[row]])
    assert np.array_equal(predictions(arrays, X), predictions(lists, X))


def test_the_fast_way_refuses_what_the_slow_way_refuses(sine):
    model = BayesianMLPRegressor(**QUICK).partial_fit(*sine)
    before = predictions(model, sine.X)
    for X, y in [
        (np.ones((1, 2)), np.ones(1)),
        (np.ones((2, 1)), np.ones(1)),
        (np.ones((1, 1)), np.array([np.nan])),
        (np.array([[np.inf]]), np.ones(1)),
        (np.ones((0, 1)), np.ones(0)),
    ]:
        with pytest.raises(ValueError):
            model.partial_fit(X, y)
    assert np.array_equal(before, predictions(model, sine.X))


def test_sparse_rows_are_the_same_rows(case):
    kind, (X, y) = case
    rows = np.where(np.abs(X) < 0.5, 0, X)
    dense, thin = kind(**QUICK).fit(rows, y), kind(**QUICK).fit(sparse.csr_array(rows), y)
    assert np.array_equal(predictions(dense, rows), predictions(thin, sparse.coo_array(rows)))


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_zeros_of_sparse_rows_stay_zeros(case, form):
    kind, (X, y) = case
    rows = np.repeat(X, 4, axis=1) * (np.random.default_rng(1).uniform(size=(len(X), 4 * X.shape[1])) < 0.2)
    model = kind(**QUICK).fit(form(rows), y)
    assert set(model.encodings_) == {"standard"}
    assert np.array_equal(predictions(model, rows), predictions(model, form(rows)))
    more = kind(**QUICK).partial_fit(form(rows), y, **({"classes": np.unique(y)} if hasattr(model, "classes_") else {}))
    assert np.array_equal(predictions(more, rows), predictions(more, form(rows)))


def test_sparse_rows_are_never_made_dense(monkeypatch):
    rng = np.random.default_rng(0)
    rows = sparse.random(60, 200_000, density=1e-4, random_state=0, format="csr")
    y = np.asarray(rows.sum(axis=1)).ravel() + rng.normal(size=60)
    for kind in ("csr_matrix", "csc_matrix", "coo_matrix"):
        monkeypatch.setattr(getattr(sparse, kind), "toarray", None)
    model = BayesianMLPRegressor(hidden_layer_sizes=(4,), ensemble_size=1, max_epochs=1, random_state=0)
    model.fit(rows, y).partial_fit(rows, y)
    assert model.predict(rows).shape == model.predict_interval(rows)[:, 0].shape == (60,)
    assert model.sample_y(rows, 2).shape == (60, 2)
    assert np.isfinite(model.log_likelihood(rows, y))


def test_sparse_rows_in_any_order_with_repeated_places(sine):
    rows = sparse.csr_array(([1.0, 2.0, 3.0, 4.0], [2, 0, 2, 1], [0, 3, 4]), shape=(2, 4))
    same = sparse.csr_array([[2.0, 0.0, 4.0, 0.0], [0.0, 4.0, 0.0, 0.0]])
    model = BayesianMLPRegressor(**QUICK).fit(sparse.vstack([rows] * 20), [1.0, 2.0] * 20)
    assert np.array_equal(predictions(model, rows), predictions(model, same))
    assert rows.nnz == 4, "what is given stays as it is"


def test_missing_inputs_claim_nothing(sine):
    X = np.column_stack([sine.X, np.random.default_rng(0).normal(size=len(sine.X))])
    X[::3, 1] = np.nan
    model = BayesianMLPRegressor(**QUICK).fit(X, sine.y)
    known, unknown = model.predict([[1.0, 0.0], [np.nan, 0.0]], return_std=True)[1]
    assert unknown > 2 * known


def test_history(case):
    kind, (X, y) = case
    model = kind(**QUICK).fit(X, y)
    assert {row["member"] for row in model.history_} == {0, 1}
    assert model.n_iter_ == 8 and len(model.history_) == 16
    assert all(row["seconds"] > 0 for row in model.history_)
    # Members are judged together, by rows that one of them has not learned.
    first, second = ([r["score"] for r in model.history_ if r["member"] == m] for m in (0, 1))
    assert first == second
    deviation = np.std(y) if kind is BayesianMLPRegressor else 1
    # The two together predict rows a little better, or the score pays for what these rows have set.
    assert model.out_of_fold_score_ == pytest.approx(max(first) - np.log(deviation), abs=0.2)
    assert 0 < model.out_of_fold_score_error_ < 0.5


def test_the_former_name_of_the_score_still_tells_it(case):
    kind, (X, y) = case
    model = kind(**QUICK).fit(X, y)
    with pytest.warns(DeprecationWarning, match="out_of_fold_score_"):
        assert model.leave_batch_out_score_ == model.out_of_fold_score_


def test_beliefs_are_views_of_the_networks(case):
    kind, (X, y) = case
    model = kind(**QUICK).fit(X, y)
    first, last = model.beliefs_[1]
    assert first.mean.shape == (10, X.shape[1] + 1) and last.mean.shape[1] == 11
    assert np.allclose(first.mean * first.precision, first.precision_mean, rtol=1e-6)
    assert np.allclose(first.std**2 * first.precision, 1, rtol=1e-6)
    for array in (first.mean, first.std, first.precision, first.precision_mean):
        assert not array.flags.writeable
    again = model.beliefs_[1][0]
    assert np.shares_memory(again.precision, first.precision)
    before = first.precision.copy()
    model.partial_fit(X[:5], y[:5])
    assert np.any(first.precision > before)
    view = first.precision
    del model, first, again
    assert np.all(np.isfinite(view))


def test_certificate(case):
    kind, (X, y) = case
    found = kind(**QUICK).fit(X, y).certificate(X, y, rows=2, messages=4)
    assert found.passed
    assert found.inconsistent == 0 < found.compared
    assert f"no inconsistency found in {found.compared} messages" in str(found)
    assert found.details["rows"] == 2
    assert "product" in str(found)
