"""Training that is spread comes to the same bytes, whoever holds the shards and whoever is lost."""

import logging
import pickle
import threading

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from spread_cases import (  # noqa: F401
    EPOCHS,
    ROWS,
    SHARDS,
    case,
    classifier,
    cut,
    expected,
    labelled_parts,
    labels,
    model_bytes,
    regression_parts,
    regressor,
    rows,
    two_target_parts,
    weighted_parts,
)

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

# --- the same bytes ------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [2, 3, 4, 9])
def test_the_number_of_workers_does_not_matter(spread, case, expected, workers):
    make, parts = case
    estimator = make()
    spread(estimator, parts(), workers=workers)
    assert model_bytes(estimator) == expected


def test_the_number_of_threads_does_not_matter(spread, case, expected):
    make, parts = case
    estimator = make().set_params(n_jobs=2)
    spread(estimator, parts(), workers=1)
    assert model_bytes(estimator) == expected


def test_saved_files_are_the_same(spread, case, tmp_path):
    make, parts = case
    for workers in (1, 3):
        estimator = make()
        spread(estimator, parts(), workers=workers)
        estimator.save(tmp_path / str(workers))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize("with_checkpoint", [False, True])
@pytest.mark.parametrize(
    "losses",
    [
        [("load", 1)],
        [("hold", 1)],
        [("prepare", 1)],
        [("run", 1)],
        [("run", 12)],
        [("run", 7), ("run", 21), ("run", 30)],
        [("run", 20), ("load", 2), ("hold", 2)],
    ],
)
def test_losses_do_not_matter(spread, case, expected, losses, with_checkpoint, tmp_path):
    make, parts = case
    estimator = make()
    checkpoint = str(tmp_path) if with_checkpoint else None
    run = spread(estimator, parts(), workers=4, losses=losses, checkpoint=checkpoint)
    assert model_bytes(estimator) == expected
    # One that was lost while another's place was taken belongs to the same recovery.
    assert run.report["recoveries"] == len([call for call in losses if call[1] != 2])
    assert all(seconds >= 0 for seconds in run.recoveries)


@pytest.mark.parametrize("losses", [[("write", 2)], [("write", 1), ("restore", 1)], [("write", 5)]])
def test_losses_while_a_checkpoint_is_written_or_read(spread, case, expected, losses, tmp_path):
    make, parts = case
    estimator = make()
    # Some of them need a checkpoint that is read.
    losses = [*losses, ("run", 25)]
    spread(estimator, parts(), workers=4, losses=losses, checkpoint=str(tmp_path))
    assert model_bytes(estimator) == expected


def test_a_checkpoint_saves_work(spread, tmp_path):
    without = spread(regressor(), regression_parts(), losses=[("run", 230)])
    checkpoint = str(tmp_path)
    with_one = spread(regressor(), regression_parts(), losses=[("run", 230)], checkpoint=checkpoint)
    assert without.engine.calls.count("restore") == 0
    assert with_one.engine.calls.count("restore") == 1
    assert with_one.engine.calls.count("run") < without.engine.calls.count("run")


@pytest.mark.parametrize("checkpoint_every", [1, 2])
def test_going_on_with_more_epochs_and_other_workers(
    spread, case, expected, checkpoint_every, tmp_path
):
    make, parts = case
    options = {"checkpoint": str(tmp_path), "checkpoint_every": checkpoint_every}
    spread(make().set_params(max_epochs=3), parts(), workers=2, **options)
    estimator, told = make(), []
    run = spread(estimator, parts(), workers=3, resume=True, progress=told.append, **options)
    assert model_bytes(estimator) == expected
    assert run.engine.calls.count("restore") == 1
    assert min(report.epoch for report in told) == (4 if checkpoint_every == 1 else 3)


def test_nothing_to_go_on_from_is_a_beginning(spread, case, expected, tmp_path):
    make, parts = case
    estimator = make()
    spread(estimator, parts(), resume=True, checkpoint=str(tmp_path / "new"))
    assert model_bytes(estimator) == expected


def test_a_folder_of_a_former_run_is_not_gone_on_from(spread, case, expected, tmp_path):
    make, parts = case
    checkpoint = str(tmp_path)
    spread(make().set_params(max_epochs=EPOCHS + 4), parts(), checkpoint=checkpoint)
    estimator = make()
    spread(estimator, parts(), losses=[("run", 2)], checkpoint=checkpoint)
    assert model_bytes(estimator) == expected


def test_a_folder_of_another_run_is_written_over(spread, tmp_path):
    spread(regressor(random_state=8), regression_parts(), checkpoint=str(tmp_path))
    estimator, other = regressor(), regressor()
    spread(estimator, regression_parts())
    spread(other, regression_parts(), losses=[("run", 2)], checkpoint=str(tmp_path))
    assert model_bytes(other) == model_bytes(estimator)


# --- forms of parts ------------------------------------------------------------------------------


def frames():
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    return np.array_split(np.arange(ROWS), SHARDS), frame


def parquet_files(folder):
    places, frame = frames()
    paths = [folder / f"{number}.parquet" for number in range(len(places))]
    for path, place in zip(paths, places, strict=True):
        frame.iloc[place].to_parquet(path)
    return paths


@pytest.mark.parametrize("form", ["path", "text", "frame", "callable", "callable of a path", "pair", "sparse"])
def test_forms_of_parts(spread, tmp_path, form):
    arrays = regressor()
    spread(arrays, regression_parts())
    places, frame = frames()
    paths = parquet_files(tmp_path)
    parts, target = {
        "path": (paths, "y"),
        "text": ([str(path) for path in paths], "y"),
        "frame": ([frame.iloc[place] for place in places], "y"),
        "callable": ([lambda place=place: frame.iloc[place] for place in places], "y"),
        "callable of a path": ([lambda path=path: path for path in paths], "y"),
        "pair": ([(frame.iloc[place][["a", "b", "c"]], frame.y.iloc[place]) for place in places], None),
        "sparse": ([(sparse.csr_matrix(X), y) for X, y in regression_parts()], None),
    }[form]
    estimator = regressor()
    spread(estimator, parts, target=target)
    assert model_bytes(estimator) == model_bytes(arrays)
    assert hasattr(estimator, "feature_names_in_") == (form != "sparse")
    if form != "sparse":
        assert list(estimator.feature_names_in_) == ["a", "b", "c"]
        estimator.predict(frame[["a", "b", "c"]])


def test_masked_cells_are_missing_in_parts_too(spread):
    """Whatever lies beneath them."""
    X, y = rows()
    mask = np.random.default_rng(5).uniform(size=X.shape) < 0.1
    hidden, missing = regressor(), regressor()
    spread(hidden, cut(np.ma.masked_array(np.where(mask, 1e6, X), mask), y))
    spread(missing, cut(np.where(mask, np.nan, X), y))
    np.testing.assert_array_equal(hidden.predict(X), missing.predict(X))
    with pytest.raises(ValueError, match="y is masked in 20 of 20 places"):
        spread(regressor(), cut(X, np.ma.masked_array(y, np.ones(len(y), dtype=bool))))


def test_numbers_far_from_all_others_are_missing_in_parts_too(spread):
    """They are looked for in each part, and told of once, also after a loss."""
    X, y = rows()
    missing = X.copy()
    missing[7, 1] = np.nan
    slipped = X.copy()
    slipped[7, 1] = 1e12
    found, expected = regressor(), regressor()
    spread(expected, cut(missing, y))
    with pytest.warns(RuntimeWarning, match=r"input 2: 1 of 120 numbers, such as 1e\+12, .*learned as missing") as told:
        spread(found, cut(slipped, y), workers=4, losses=[("run", 2)])
    assert len(told) == 1
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("form", ["moments", "frame", "weights"])
def test_dates_in_parts_are_refused_and_never_taken_for_numbers(spread, form):
    """What a date becomes depends on all rows; as a number of nanoseconds it would be learned as something else."""
    _, y = rows()
    moments = np.datetime64("2026-01-01") + np.arange(len(y)).astype("timedelta64[h]")
    if form == "frame":
        whole = pd.DataFrame({"when": moments, "size": y})
        parts = [(whole.iloc[place], y[place]) for place in np.array_split(np.arange(len(y)), 6)]
    else:
        parts = cut(moments[:, None], y, *([np.ones(len(y))] if form == "weights" else []))
    named = "when" if form == "frame" else "x0"
    with pytest.raises(ValueError, match=f"X has columns that are not numbers: {named}; parts must be of numbers"):
        spread(regressor(), parts)


def test_names_of_a_former_fit_are_forgotten(spread):
    places, frame = frames()
    estimator = regressor()
    spread(estimator, [frame.iloc[place] for place in places], target="y")
    spread(estimator, regression_parts())
    assert not hasattr(estimator, "feature_names_in_")


def test_labels_of_text_in_a_frame(spread):
    X, y = rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=labels(y))
    places, _ = frames()
    estimator, arrays = classifier(), classifier()
    spread(estimator, [frame.iloc[place] for place in places], target="y")
    spread(arrays, labelled_parts())
    assert list(estimator.classes_) == list(arrays.classes_) == ["high", "low", "middle"]
    assert model_bytes(estimator) == model_bytes(arrays)


def test_a_class_that_most_parts_do_not_have(spread):
    X, y = rows()
    sorted_rows = np.argsort(y)
    one, three = classifier(), classifier()
    for workers, estimator in ((1, one), (3, three)):
        spread(estimator, cut(X[sorted_rows], labels(y)[sorted_rows]), workers=workers)
    assert len(one.classes_) == 3
    assert model_bytes(one) == model_bytes(three)


def test_rows_of_weight_zero_count_as_none(spread):
    whole, without = regressor(), regressor()
    spread(whole, weighted_parts())
    spread(without, [(X[w > 0], y[w > 0], w[w > 0]) for X, y, w in weighted_parts()])
    assert model_bytes(whole) == model_bytes(without)


# --- what comes out ------------------------------------------------------------------------------


def test_the_fitted_estimator_is_like_any_other(spread, tmp_path):
    X, y = rows()
    estimator = regressor(max_epochs=30)
    spread(estimator, regression_parts(), rows_in_flight=0.01)
    mean, std = estimator.predict(X, return_std=True)
    assert np.sqrt(np.mean((mean - y) ** 2)) < np.std(y)
    assert np.all(std > 0)
    estimator.save(tmp_path / "model")
    for copy in (BayesianMLPRegressor.load(tmp_path / "model"), pickle.loads(pickle.dumps(estimator))):
        np.testing.assert_array_equal(copy.predict(X), mean)
    assert estimator.n_features_in_ == 3
    assert 1 <= estimator.n_iter_ <= 30
    assert len(estimator.history_) == estimator.n_iter_
    assert np.isfinite(estimator.out_of_fold_score_)


def test_the_fitted_classifier_is_like_any_other(spread, tmp_path):
    X, y = rows()
    estimator = classifier(max_epochs=30)
    spread(estimator, labelled_parts(), rows_in_flight=0.01)
    assert estimator.score(X, labels(y)) > 0.5
    estimator.save(tmp_path / "model")
    for copy in (BayesianMLPClassifier.load(tmp_path / "model"), pickle.loads(pickle.dumps(estimator))):
        np.testing.assert_array_equal(copy.predict_proba(X), estimator.predict_proba(X))


def test_shape_of_predictions_is_that_of_targets(spread):
    flat, column, two = regressor(), regressor(), regressor()
    spread(flat, regression_parts())
    spread(column, [(X, y[:, None]) for X, y in regression_parts()])
    spread(two, two_target_parts())
    X, _ = rows()
    assert [each.predict(X).shape for each in (flat, column, two)] == [(ROWS,), (ROWS, 1), (ROWS, 2)]


def test_the_report(spread):
    estimator = regressor()
    spread(estimator, regression_parts(), losses=[("run", 9)])
    report = estimator.spread_report_
    assert report["recoveries"] == len(report["recovery_seconds"]) == 1
    assert report["rounds"] > 0
    assert 0 < report["rows_in_flight"] <= 0.1


# --- progress ------------------------------------------------------------------------------------


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("losses", [[], [("run", 12)], [("run", 6), ("run", 23)]])
def test_each_epoch_is_told_once(spread, members, losses):
    told = []
    spread(regressor(ensemble_size=members, patience=100), regression_parts(), workers=4, losses=losses,
           progress=lambda report: told.append((report.epoch, report.member)))
    assert told == [(epoch + 1, member) for epoch in range(EPOCHS) for member in range(members)]


def test_false_ends_training(spread):
    estimator, told = regressor(), []

    def progress(report):
        told.append(report.epoch)
        return report.epoch < 2

    spread(estimator, regression_parts(), progress=progress)
    assert told == [1, 2]
    assert estimator.n_iter_ == 2
    assert not estimator.converged_
    estimator.predict(rows()[0])


def test_trouble_of_the_callback_is_the_callers(spread):
    def progress(report):
        raise KeyError(report.epoch)

    with pytest.raises(KeyError, match="1"):
        spread(regressor(), regression_parts(), progress=progress)


# --- refused -------------------------------------------------------------------------------------


def with_last(part):
    return [*regression_parts()[:-1], part]


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        (lambda: [], ValueError, "at least one"),
        (lambda: with_last((np.ones((5, 4)), np.ones(5))), ValueError, "part 5 has 4 columns"),
        (lambda: with_last((np.ones((5, 3)), np.ones((5, 2)))), ValueError, "part 5 has 2 targets"),
        (lambda: with_last((np.ones((0, 3)), np.ones(0))), ValueError, "part 5 has no rows"),
        (lambda: with_last((np.ones((5, 3)), np.ones(4))), ValueError, "X has 5 rows"),
        (lambda: with_last((np.ones(5), np.ones(5))), ValueError, "rows and columns"),
        (lambda: with_last((np.full((5, 3), np.inf), np.ones(5))), ValueError, "infinite"),
        (lambda: with_last((np.ones((5, 3)), np.full(5, np.nan))), ValueError, "not finite"),
        (lambda: with_last((np.ones((5, 3)), np.ones(5), -np.ones(5))), ValueError, "weight"),
        (lambda: with_last((np.ones((5, 3)), np.ones(5), np.ones(4))), ValueError, "weight"),
        (lambda: with_last(np.ones((5, 4))), TypeError, "part = ndarray: must be"),
        (lambda: with_last((np.ones((5, 3)),)), TypeError, "part = tuple: must be"),
        (lambda: with_last(lambda: 7), TypeError, "part = int: must be"),
    ],
)
def test_parts_that_make_no_sense(spread, parts, error, words):
    with pytest.raises(error, match=words):
        spread(regressor(), parts())


def test_frames_of_other_columns(spread):
    places, frame = frames()
    parts = [frame.iloc[place] for place in places]
    parts[2] = parts[2].rename(columns={"a": "z"})
    with pytest.raises(ValueError, match="part 2 has 3 columns"):
        spread(regressor(), parts, target="y")


def test_a_target_that_is_no_column(spread):
    places, frame = frames()
    with pytest.raises(KeyError, match="height"):
        spread(regressor(), [frame.iloc[place] for place in places], target="height")


def test_a_target_beside_targets(spread):
    with pytest.raises(TypeError, match="target = 'y': is for parts that are frames"):
        spread(regressor(), regression_parts(), target="y")


def test_weights_beside_a_target_are_refused_by_name():
    from postrider.experimental._shards import expect_target_alone

    expect_target_alone(None, None)
    with pytest.raises(TypeError, match="y: must be None"):
        expect_target_alone(np.ones(3), None)
    with pytest.raises(TypeError, match="sample_weight: cannot go with target"):
        expect_target_alone(None, np.ones(3))


def test_a_call_that_blocks_has_a_deadline():
    from postrider.experimental.mpi import _within

    given_up = []
    assert _within(30, lambda: 7, given_up.append) == 7
    with pytest.raises(KeyError):
        _within(30, lambda: {}["nothing"], given_up.append)
    assert not given_up
    ended = threading.Event()
    with pytest.raises(TimeoutError, match=r"not answered within 0\.05 s"):
        _within(0.05, ended.wait, given_up.append)
    ended.set()
    assert len(given_up) == 1


def test_one_class(spread):
    with pytest.raises(ValueError, match="one class"):
        spread(classifier(), [(X, np.full(len(X), "same")) for X, _ in regression_parts()])


def test_labels_that_are_measurements(spread):
    with pytest.raises(ValueError, match="continuous"):
        spread(classifier(), regression_parts())


def test_another_estimator(spread):
    from sklearn.linear_model import LinearRegression

    with pytest.raises(TypeError, match="must be a BayesianMLPRegressor or"):
        spread(LinearRegression(), regression_parts())


@pytest.mark.parametrize(
    ("option", "value"), [("rows_in_flight", 0.0), ("rows_in_flight", 2.0)]
)
def test_options_that_make_no_sense(spread, option, value, tmp_path):
    with pytest.raises(ValueError, match=option):
        spread(regressor(), regression_parts(), checkpoint=str(tmp_path), **{option: value})


@pytest.mark.parametrize("name", ["manifest", f"epoch-{EPOCHS - 2}.shard-1"])
@pytest.mark.parametrize("damage", ["truncated", "changed", "empty"])
def test_a_damaged_checkpoint_is_refused(spread, name, damage, tmp_path):
    spread(regressor(max_epochs=EPOCHS - 2), regression_parts(), checkpoint=str(tmp_path))
    path = tmp_path / name
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "truncated": whole[:-7],
            "changed": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "empty": b"",
        }[damage]
    )
    with pytest.raises(Exception, match=f"cannot go on from .*{name}"):
        spread(regressor(), regression_parts(), checkpoint=str(tmp_path), resume=True)


def test_a_checkpoint_whose_shard_is_gone_is_refused(spread, tmp_path):
    spread(regressor(max_epochs=2), regression_parts(), checkpoint=str(tmp_path))
    (tmp_path / "epoch-2.shard-3").unlink()
    with pytest.raises(FileNotFoundError, match="epoch-2.shard-3"):
        spread(regressor(), regression_parts(), checkpoint=str(tmp_path), resume=True)


@pytest.mark.parametrize("other", ["rows", "shards", "options"])
def test_a_checkpoint_of_another_run_is_refused(spread, other, tmp_path):
    spread(regressor(max_epochs=2), regression_parts(), checkpoint=str(tmp_path))
    X, y = rows()
    estimator, parts = {
        "rows": (regressor(), cut(X, y + 1)),
        "shards": (regressor(), cut(X, y, shards=4)),
        "options": (regressor(random_state=4), regression_parts()),
    }[other]
    with pytest.raises(Exception, match="another run"):
        spread(estimator, parts, checkpoint=str(tmp_path), resume=True)


# --- trouble that does not end training ----------------------------------------------------------


def test_a_checkpoint_that_cannot_be_written_is_told_of(spread, tmp_path, caplog):
    expected, estimator = regressor(), regressor()
    spread(expected, regression_parts())
    folder = tmp_path / "folder"

    def spoil(report):
        if report.epoch == 2:
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
            folder.write_text("no folder any more")

    with caplog.at_level(logging.WARNING, logger="postrider"):
        spread(estimator, regression_parts(), checkpoint=str(folder), progress=spoil)
    assert model_bytes(estimator) == model_bytes(expected)
    assert "training goes on without this checkpoint" in caplog.text


def test_losses_without_end_are_an_error(spread):
    with pytest.raises(RuntimeError, match="lost 11 times before epoch 1 ended"):
        spread(regressor(), regression_parts(), losses=[("load", number) for number in range(1, 99)])
