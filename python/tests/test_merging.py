"""Runs that were trained separately as the beginning of one, and shards that are taken out of one."""

import pytest
from spread_cases import EPOCHS, case, model_bytes, regression_parts, regressor  # noqa: F401


@pytest.fixture
def of_one_width(case):
    """Networks that are as wide for few rows as for many."""
    make, _ = case
    return lambda: make().set_params(weights_per_example=0)


@pytest.fixture
def two_runs(spread, case, of_one_width, tmp_path):
    """Folders of runs with the first two parts, and with the others."""
    _, parts = case
    folders = [str(tmp_path / "first"), str(tmp_path / "second")]
    for folder, own in zip(folders, (parts()[:2], parts()[2:]), strict=True):
        spread(of_one_width(), own, checkpoint=folder)
    return folders


@pytest.mark.parametrize("losses", [[], [("merge", 1)], [("run", 2)], [("run", 20)]])
def test_merged_runs_come_to_the_same_bytes(spread, case, of_one_width, two_runs, losses, tmp_path):
    _, parts = case
    one, three, cold = (of_one_width() for _ in range(3))
    spread(one, parts(), workers=1, merge=two_runs)
    checkpoint = str(tmp_path / "merged")
    spread(three, parts(), workers=3, merge=two_runs, losses=losses, checkpoint=checkpoint)
    spread(cold, parts(), workers=1)
    assert model_bytes(three) == model_bytes(one)
    assert model_bytes(cold) != model_bytes(one)


def test_a_merged_run_knows_more_at_once(spread, tmp_path):
    parts, folder = regression_parts(), str(tmp_path)
    spread(regressor(max_epochs=40), parts, checkpoint=folder)
    warm, cold = regressor(max_epochs=1), regressor(max_epochs=1)
    spread(warm, parts, merge=[tmp_path])
    spread(cold, parts)
    assert warm.out_of_fold_score_ > cold.out_of_fold_score_ + 0.3


def test_runs_that_cannot_be_merged(spread, two_runs, of_one_width, case):
    _, parts = case
    with pytest.raises(ValueError, match="merge = .*second.*from number 0 on"):
        spread(of_one_width(), parts(), merge=two_runs[::-1])
    with pytest.raises(OSError, match="nowhere"):
        spread(of_one_width(), parts(), merge=["nowhere"])


def test_forgetting_comes_to_the_same_bytes(spread, case, tmp_path):
    make, parts = case
    options = {"checkpoint": str(tmp_path), "resume": True}
    spread(make(), parts(), checkpoint=str(tmp_path))
    again, one, three = (make().set_params(max_epochs=EPOCHS + 2) for _ in range(3))
    spread(one, parts(), workers=1, forget=[1, 4], **options)
    spread(three, parts(), workers=3, forget=[1, 4], losses=[("forget", 1)], **options)
    spread(again, parts(), workers=1, **options)
    assert model_bytes(three) == model_bytes(one)
    assert model_bytes(again) != model_bytes(one)


def test_what_cannot_be_forgotten(spread, tmp_path):
    spread(regressor(), regression_parts(), checkpoint=str(tmp_path))
    with pytest.raises(ValueError, match="forget = 6: must be the number of a shard"):
        spread(regressor(), regression_parts(), checkpoint=str(tmp_path), resume=True, forget=[6])
    with pytest.raises(ValueError, match="resumed from a checkpoint"):
        spread(regressor(), regression_parts(), checkpoint=str(tmp_path), forget=[1])
