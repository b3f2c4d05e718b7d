"""Training of a TableModel from outside: progress, Ctrl-C, threads."""

import signal
import subprocess
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from postrider import TrainingInterrupted
from trained import fitted, streamed


def waves(rows=300, seed=3):
    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    return pa.table({"x": x, "y": np.sin(2 * x) + 0.1 * random.normal(size=rows)})


SMALL = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 5, "n_jobs": 1}
LONG = {"hidden_layer_sizes": [8], "ensemble_size": 1, "max_epochs": 5000, "patience": 5000}


def test_progress_can_end_training():
    seen = []
    model = fitted(
        waves(), "y", **LONG, progress=lambda report: seen.append(report) or len(seen) < 3
    )
    assert [report.epoch for report in seen] == [1, 2, 3]
    assert model.history[0].fits[0].reason == "cancelled"
    chunks = []
    stream = streamed(
        waves(),
        "y",
        hidden_layer_sizes=[8],
        sample_rows=100,
        chunk_rows=20,
        progress=lambda report: chunks.append(report) or False,
    )
    assert len(chunks) == 1 and stream.history[0].rows == chunks[0].rows <= 100

    def fails(report):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fitted(waves(), "y", progress=fails, **SMALL)
    with pytest.raises(KeyError, match="mine"):
        streamed(waves(), "y", progress=fails)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_keeps_what_was_learned():
    def interrupt(report):
        signal.raise_signal(signal.SIGINT)

    with pytest.warns(TrainingInterrupted, match="interrupted"):
        model = fitted(waves(), "y", progress=interrupt, **LONG)
    assert model.history[0].fits[0].reason == "cancelled"
    assert np.isfinite(model.predict(waves())["mean"]).all()
    with pytest.warns(TrainingInterrupted, match="interrupted"):
        model.update(waves(seed=5), chunk_rows=50, progress=interrupt)
    assert 0 < model.history[1].rows <= 50


def test_predictions_while_another_thread_updates():
    model = fitted(waves(), "y", **SMALL)
    table = waves(2000, seed=4)
    thread = threading.Thread(target=model.update, args=(table,))
    thread.start()
    while thread.is_alive():
        assert np.isfinite(model.predict(waves(20))["mean"]).all()
    thread.join()
    assert model.history[1].rows == 2000


def test_predictions_inside_of_an_update_are_those_before_it():
    model = fitted(waves(), "y", **SMALL)
    before = model.predict(waves(20))["mean"]
    meanwhile = []
    model.update(waves(200, seed=4), chunk_rows=50, progress=lambda _: meanwhile.append(model.predict(waves(20))["mean"]) or True)
    assert len(meanwhile) == 4
    assert all((each == before).all() for each in meanwhile)
    assert (model.predict(waves(20))["mean"] != before).all()


def test_updates_of_two_threads_both_count():
    model = fitted(waves(), "y", **SMALL)
    threads = [threading.Thread(target=model.update, args=(waves(500, seed=seed),)) for seed in (4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [step.rows for step in model.history] == [300, 500, 500]


def test_targets_beyond_the_scales_are_refused():
    model = fitted(waves(), "y", **SMALL)
    before = model.predict(waves(20))["mean"]
    far = waves(200, seed=4)
    far = far.set_column(1, "y", pa.array(far["y"].to_numpy() + 1000))
    for anyway in (False, True):
        with pytest.raises(ValueError, match="200 of 200 targets lie more than ten standard deviations"):
            model.update(far, anyway=anyway)
    assert (model.predict(waves(20))["mean"] == before).all()


def test_other_threads_run_meanwhile():
    ticks, ended = [], threading.Event()

    def count():
        while not ended.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    before = len(ticks)
    fitted(waves(2000), "y", hidden_layer_sizes=[32], ensemble_size=1, max_epochs=1, n_jobs=1)
    during = len(ticks) - before
    ended.set()
    thread.join()
    assert during > 3


def test_a_time_budget_ends_training():
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=300), "y": rng.normal(size=300)})
    begin = time.monotonic()
    model = fitted(table, "y", encoding="standard", ensemble_size=1, max_epochs=1_000_000, patience=1_000_000, time_budget=1)
    assert time.monotonic() - begin < 30
    assert len(model.history[-1].fits[0].epochs) >= 1
    for wrong in (0, -1, "10m", True):
        with pytest.raises(ValueError, match="time_budget = .*must be a number of seconds above 0"):
            fitted(table, "y", time_budget=wrong)


def test_a_time_budget_that_is_over_at_once_leaves_a_model_of_one_epoch():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    table = pa.table({"x": x, "y": 3 * x + rng.normal(0, 0.1, 2000)})
    model = fitted(table, "y", max_epochs=1_000_000, patience=1_000_000, time_budget=1e-6)
    assert [len(fit.epochs) for fit in model.history[-1].fits] == [1] * len(model.history[-1].fits)
    assert model.evaluate(table).explained_variance.value > 0.5


def test_quantiles_of_classes_are_refused():
    table = pa.table({"x": list(range(60)), "y": ["a", "b"] * 30})
    model = fitted(table, "y", hidden_layer_sizes=[4], ensemble_size=1, max_epochs=2)
    with pytest.raises(ValueError, match="quantiles = 400: are of numbers; y has classes"):
        model.predict(table, quantiles=400)
    numbers = fitted(table.set_column(1, "y", pa.array(np.arange(60.0))), "y", hidden_layer_sizes=[4], ensemble_size=1, max_epochs=2)
    with pytest.raises(ValueError, match="quantiles = 400.0: must be above 0 and below 1"):
        numbers.predict(table, quantiles=[0.5, 400])


def test_an_option_that_is_not_known_is_named_with_those_that_are():
    with pytest.raises(TypeError, match=r"max_epoch is not an option here: must be one of .*max_epochs, .*did you mean max_epochs\?"):
        fitted(waves(), "y", max_epoch=5)


def shops(rows=240):
    """Sales of shops, each with a level of its own, over days that come in no order."""
    random = np.random.default_rng(4)
    shop, day = random.integers(0, 12, rows), random.permutation(rows)
    days = (np.datetime64("2024-01-01") + day // 2).astype(str)
    sold = 5 + random.normal(size=12)[shop] + 0.01 * day + 0.3 * random.normal(size=rows)
    return pa.table({"shop": [f"s{each}" for each in shop], "day": days, "index": random.normal(size=rows), "sold": sold})


def saved(model, folder):
    model.save(folder / "here.safetensors")
    return (folder / "here.safetensors").read_bytes()


BY_COLUMN = [
    ({"groups": "shop"}, ["--group", "shop"]),
    ({"time": "day"}, ["--time", "day"]),
    ({"time": "day", "ignored": ["day"]}, ["--time", "day", "--ignore", "day"]),
]


@pytest.mark.parametrize(("options", "words"), BY_COLUMN)
def test_groups_by_a_column_are_those_of_the_command_line(tmp_path, program, options, words):
    pa.csv.write_csv(shops(), tmp_path / "sales.csv")
    how = {"hidden_layer_sizes": [8], "ensemble_size": 8, "max_epochs": 5}
    command = [program, "train", "sales.csv", "--target", "sold", "--hidden", "8", "--ensemble-size", "8", "--max-epochs", "5"]
    subprocess.run([*command, *words, "--quiet", "-o", "there.safetensors"], cwd=tmp_path, check=True)
    there = (tmp_path / "there.safetensors").read_bytes()
    for source in (shops(), tmp_path / "sales.csv"):
        assert saved(fitted(source, "sold", **how, **options), tmp_path) == there


def test_groups_by_a_column_are_those_of_an_array():
    table, how = shops(), {"hidden_layer_sizes": [8], "ensemble_size": 8, "max_epochs": 5}
    by_name = fitted(table, "sold", groups="shop", **how)
    given = fitted(table, "sold", groups=table["shop"].to_numpy(zero_copy_only=False), ignored=["shop"], **how)
    apart = fitted(table, "sold", ignored=["shop"], **how)
    assert by_name.features == given.features == apart.features
    assert (by_name.predict(table)["mean"] == given.predict(table)["mean"]).all()
    assert (by_name.predict(table)["mean"] != apart.predict(table)["mean"]).any()
    # What is said to be a category is an input, as any other.
    told = fitted(table, "sold", groups="shop", categorical=["shop"], **how)
    assert {"shop = s1", "shop = s2"} <= set(told.features)
    numbers = np.unique(table["shop"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    given = fitted(table, "sold", groups=numbers, categorical=["shop"], **how)
    assert (told.predict(table)["mean"] == given.predict(table)["mean"]).all()
    # Stretches of time: rows in order of their days, cut into 32 of equal size.
    days = table["day"].to_numpy(zero_copy_only=False)
    stretch = np.empty(240, int)
    stretch[np.argsort(days, kind="stable")] = np.arange(240) * 32 // 240
    by_time = fitted(table, "sold", time="day", **how)
    given = fitted(table, "sold", groups=stretch, **how)
    assert (by_time.predict(table)["mean"] == given.predict(table)["mean"]).all()


def test_mistakes_of_groups_by_a_column(tmp_path):
    with pytest.raises(ValueError, match="time = 'day': does not go with groups; ask for one of both"):
        fitted(shops(), "sold", groups="shop", time="day")
    pa.csv.write_csv(shops(), tmp_path / "sales.csv")
    for source in (shops(), tmp_path / "sales.csv"):
        with pytest.raises(ValueError, match='^groups = "shops": must be one of the columns'):
            fitted(source, "sold", groups="shops")
        with pytest.raises(ValueError, match='^time = "days": must be one of the columns'):
            fitted(source, "sold", time="days")
    with pytest.raises(ValueError, match='time = "shop": must hold dates or numbers'):
        fitted(shops(), "sold", time="shop", **SMALL)
