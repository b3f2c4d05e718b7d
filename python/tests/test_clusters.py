"""Real clusters on this machine come to the bytes of one process, also when workers are killed.

Each test starts what it needs and ends it by its process id.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from postrider import BayesianMLPClassifier, BayesianMLPRegressor

pytestmark = [pytest.mark.slow, pytest.mark.alone]

ROWS, SHARDS, EPOCHS = 120, 6, 5
KINDS = {"regressor": BayesianMLPRegressor, "classifier": BayesianMLPClassifier}
PARAMETERS = {"hidden_layer_sizes": [8], "max_epochs": EPOCHS, "random_state": 3}
FIT = {"rows_in_flight": 0.1}
# After which a signal is sent, and seconds after which a silent worker is an error.
SIGNAL_EPOCH, DEADLINE = 3, 6
# Seconds beyond the deadline, of a machine that has other things to do.
PATIENCE = 30


def new(kind="regressor"):
    return KINDS[kind](**PARAMETERS)


def rows(kind="regressor"):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(ROWS, 3))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=ROWS)
    return X, y if kind == "regressor" else np.where(y > 0, "above", "below")


def parts(kind="regressor"):
    X, y = rows(kind)
    return list(zip(np.array_split(X, SHARDS), np.array_split(y, SHARDS), strict=True))


def frame():
    X, y = rows()
    return pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)


def model_bytes(estimator):
    return estimator._model.to_bytes({})


@pytest.fixture(scope="module")
def expected(spread):
    """The bytes of one process."""
    out = {}
    for kind in KINDS:
        estimator = new(kind)
        spread(estimator, parts(kind), workers=1, **FIT)
        out[kind] = model_bytes(estimator)
    return out


# --- workers that are to be found ----------------------------------------------------------------


def noting(folder):
    """Parts that leave the process id of whoever loads them."""

    def part(number, pair):
        def load():
            import os
            import pathlib

            pathlib.Path(folder, str(number)).write_text(str(os.getpid()))
            return pair

        return load

    return [part(number, pair) for number, pair in enumerate(parts())]


class Signal:
    """Sends a worker a signal, once, after an epoch; also tells epochs."""

    def __init__(self, folder, what):
        self._folder = folder
        self._what = what
        self.pid = None
        self.told = []

    def __call__(self, report):
        self.told.append(report.epoch)
        if report.epoch == SIGNAL_EPOCH and self.pid is None:
            self.pid = int((self._folder / "1").read_text())
            assert self.pid != os.getpid()
            os.kill(self.pid, self._what)

    def end_worker(self):
        """Ends a worker that was stopped, if one was; it need not be woken for this."""
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)


def expect_recovery(fit, folder, expected, **options):
    kill = Signal(folder, signal.SIGKILL)
    estimator = fit(new(), noting(folder), progress=kill, **FIT, **options)
    assert model_bytes(estimator) == expected["regressor"]
    assert estimator.spread_report_["recoveries"] >= 1
    assert kill.told == list(range(1, EPOCHS + 1))


def expect_deadline(fit, folder, **options):
    stop = Signal(folder, signal.SIGSTOP)
    begin = time.monotonic()
    try:
        with pytest.raises(TimeoutError, match=f"not answered within {DEADLINE} s"):
            fit(new(), noting(folder), progress=stop, deadline=DEADLINE, **FIT, **options)
        assert time.monotonic() - begin < DEADLINE + PATIENCE
    finally:
        stop.end_worker()


# --- Dask ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[1, 3])
def dask_client(request):
    distributed = pytest.importorskip("distributed")
    count = request.param
    with (
        distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.workers_at_start = count
        yield client


@pytest.fixture
def whole_cluster(dask_client):
    """With as many workers as at the start, after a test that has killed one too."""
    dask_client.wait_for_workers(dask_client.workers_at_start, timeout=60)
    return dask_client


@pytest.mark.parametrize("kind", KINDS)
def test_dask_on_parts(whole_cluster, expected, kind):
    from postrider.experimental.dask import fit

    estimator = fit(new(kind), parts(kind), client=whole_cluster, **FIT)
    assert model_bytes(estimator) == expected[kind]
    assert estimator.spread_report_["recoveries"] == 0


def test_dask_on_futures(whole_cluster, expected):
    from postrider.experimental.dask import fit

    futures = whole_cluster.map(lambda pair: pair, parts())
    estimator = fit(new(), futures, client=whole_cluster, **FIT)
    assert model_bytes(estimator) == expected["regressor"]


def test_dask_on_arrays(whole_cluster, expected):
    arrays = pytest.importorskip("dask.array")
    from postrider.experimental.dask import fit

    X, y = rows()
    size = ROWS // SHARDS
    X, y = arrays.from_array(X, chunks=(size, 3)), arrays.from_array(y, chunks=size)
    estimator = fit(new(), X, y, **FIT)  # by the current client
    assert model_bytes(estimator) == expected["regressor"]
    ones = arrays.ones(ROWS, chunks=size)
    weighted = fit(new(), X, y, sample_weight=ones, **FIT)
    assert model_bytes(weighted) == expected["regressor"]
    with pytest.raises(ValueError, match="whole rows"):
        fit(new(), X.rechunk((size, 1)), y, **FIT)
    with pytest.raises(ValueError, match="cut in the same way"):
        fit(new(), X, y.rechunk(size // 2), **FIT)


def test_dask_on_frames(whole_cluster, expected):
    frames = pytest.importorskip("dask.dataframe")
    from postrider.experimental.dask import fit

    estimator = fit(new(), frames.from_pandas(frame(), npartitions=SHARDS), target="y", **FIT)
    assert model_bytes(estimator) == expected["regressor"]
    assert list(estimator.feature_names_in_) == ["a", "b", "c"]


def test_dask_refuses_parts_that_make_no_sense(whole_cluster):
    from postrider.experimental.dask import fit

    with pytest.raises(ValueError, match="part 1 has 2 columns"):
        fit(new(), [parts()[0], (np.ones((4, 2)), np.ones(4))], client=whole_cluster, **FIT)
    with pytest.raises(TypeError, match="y: must be a Dask collection"):
        fit(new(), parts(), np.ones(3), client=whole_cluster, **FIT)
    with pytest.raises(TypeError, match="sample_weight: parts hold their own"):
        fit(new(), parts(), sample_weight=np.ones(3), client=whole_cluster, **FIT)


def test_dask_on_masked_parts_and_on_dates(whole_cluster):
    """Masks reach the workers, and dates are not learned as numbers."""
    from postrider.experimental.dask import fit

    X, y = rows()
    mask = np.random.default_rng(5).uniform(size=X.shape) < 0.1
    cut = [np.array_split(each, SHARDS) for each in (np.where(mask, 1e6, X), mask, np.where(mask, np.nan, X), y)]
    hidden = [(np.ma.masked_array(cells, beneath), target) for cells, beneath, _, target in zip(*cut, strict=True)]
    found = fit(new(), hidden, client=whole_cluster, **FIT)
    missing = fit(new(), list(zip(cut[2], cut[3], strict=True)), client=whole_cluster, **FIT)
    np.testing.assert_array_equal(found.predict(X), missing.predict(X))
    days = np.datetime64("2026-01-01") + np.arange(20).astype("timedelta64[D]")
    with pytest.raises(ValueError, match="X has columns that are not numbers: x0"):
        fit(new(), [(days[:, None], np.arange(20.0))] * 2, client=whole_cluster)


@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_dask_after_a_kill(whole_cluster, expected, tmp_path, with_checkpoint):
    from postrider.experimental.dask import fit

    checkpoint = str(tmp_path / "checkpoint") if with_checkpoint else None
    expect_recovery(fit, tmp_path, expected, client=whole_cluster, checkpoint=checkpoint)


def test_dask_does_not_wait_for_ever(whole_cluster, tmp_path):
    from postrider.experimental.dask import fit

    expect_deadline(fit, tmp_path, client=whole_cluster)


# --- Ray -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ray():
    module = pytest.importorskip("ray")
    module.init(num_cpus=4, include_dashboard=False, log_to_driver=False, configure_logging=False,
                object_store_memory=100 * 2**20)
    yield module
    module.shutdown()


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_ray_on_parts(ray, expected, workers, kind):
    from postrider.experimental.ray import fit

    estimator = fit(new(kind), parts(kind), workers=workers, **FIT)
    assert model_bytes(estimator) == expected[kind]
    assert estimator.spread_report_["recoveries"] == 0


def test_ray_on_references(ray, expected):
    from postrider.experimental.ray import fit

    estimator = fit(new(), [ray.put(pair) for pair in parts()], **FIT)
    assert model_bytes(estimator) == expected["regressor"]


def test_ray_on_a_dataset(ray, expected):
    data = pytest.importorskip("ray.data")
    from postrider.experimental.ray import fit

    places = np.array_split(np.arange(ROWS), SHARDS)
    blocks = [frame().iloc[place].reset_index(drop=True) for place in places]
    estimator = fit(new(), data.from_pandas(blocks), target="y", **FIT)
    assert model_bytes(estimator) == expected["regressor"]
    assert list(estimator.feature_names_in_) == ["a", "b", "c"]


def test_ray_refuses_parts_that_make_no_sense(ray):
    from postrider.experimental.ray import fit

    with pytest.raises(ValueError, match="part 1 has 2 columns"):
        fit(new(), [parts()[0], (np.ones((4, 2)), np.ones(4))], **FIT)
    with pytest.raises(ValueError, match="X has 4 rows"):
        fit(new(), [parts()[0], (np.ones((4, 3)), np.ones(5))], **FIT)


@pytest.mark.parametrize("with_checkpoint", [False, True])
def test_ray_after_a_kill(ray, expected, tmp_path, with_checkpoint):
    from postrider.experimental.ray import fit

    checkpoint = str(tmp_path / "checkpoint") if with_checkpoint else None
    expect_recovery(fit, tmp_path, expected, workers=3, checkpoint=checkpoint)


def test_ray_does_not_wait_for_ever(ray, tmp_path):
    from postrider.experimental.ray import fit

    expect_deadline(fit, tmp_path, workers=2)


# --- MPI -----------------------------------------------------------------------------------------


def run_ranks(folder, ranks, *flags, kind="regressor", fit=None, **plan):
    """The exit status; ranks leave the rest in the folder."""
    pytest.importorskip("mpi4py")
    beside = pathlib.Path(sys.executable).parent / "mpirun"
    program = str(beside) if beside.exists() else shutil.which("mpirun")
    if program is None:
        pytest.skip("there is no mpirun")
    shards = parts(kind)
    arrays = {f"X{number}": X for number, (X, _) in enumerate(shards)}
    arrays.update({f"y{number}": y for number, (_, y) in enumerate(shards)})
    np.savez(folder / "shards.npz", **arrays)
    plan = {"kind": kind, "parameters": PARAMETERS, "fit": {**FIT, **(fit or {})}, **plan}
    (folder / "plan.json").write_text(json.dumps(plan))
    script = pathlib.Path(__file__).parent / "ranks.py"
    command = [program, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *flags,
               "-n", str(ranks), sys.executable, str(script), str(folder)]
    # No pipes: ranks that outlive mpirun would keep them open.
    with (folder / "output").open("wb") as output:
        return subprocess.run(command, stdout=output, stderr=output, timeout=120, check=False).returncode


def report_of(folder, rank):
    return json.loads((folder / f"{rank}.json").read_text())


def has_report(folder, rank):
    return (folder / f"{rank}.json").is_file()


@pytest.mark.parametrize(("ranks", "kind"), [(1, "regressor"), (2, "classifier"), (4, "regressor")])
def test_mpi(expected, tmp_path, ranks, kind):
    assert run_ranks(tmp_path, ranks, kind=kind) == 0
    for rank in range(ranks):
        assert (tmp_path / f"{rank}.bytes").read_bytes() == expected[kind]
        assert report_of(tmp_path, rank)["recoveries"] == 0


@pytest.mark.parametrize("lost", [0, 1])
def test_mpi_after_a_kill(expected, tmp_path, lost):
    status = run_ranks(
        tmp_path, 3, "--with-ft", "ulfm", rank=lost, epoch=SIGNAL_EPOCH, signal=int(signal.SIGKILL),
        fit={"checkpoint": str(tmp_path / "checkpoint") if lost else None},
    )
    assert status == 0, (tmp_path / "output").read_text(errors="replace")
    for rank in {0, 1, 2} - {lost}:
        assert (tmp_path / f"{rank}.bytes").read_bytes() == expected["regressor"]
        assert report_of(tmp_path, rank)["recoveries"] == 1


def test_mpi_after_a_kill_before_the_beginning(expected, tmp_path):
    status = run_ranks(
        tmp_path, 3, "--with-ft", "ulfm", rank=1, epoch=0, signal=int(signal.SIGKILL), fit={"deadline": 60}
    )
    assert status == 0, (tmp_path / "output").read_text(errors="replace")
    for rank in (0, 2):
        assert (tmp_path / f"{rank}.bytes").read_bytes() == expected["regressor"]


def test_mpi_does_not_wait_for_ever(tmp_path):
    begin = time.monotonic()
    status = run_ranks(
        tmp_path, 3, rank=1, epoch=SIGNAL_EPOCH, signal=int(signal.SIGSTOP), fit={"deadline": DEADLINE}
    )
    assert status != 0
    assert time.monotonic() - begin < DEADLINE + PATIENCE
    # mpirun may end the other rank when the first one has failed, before it could tell.
    troubles = [report_of(tmp_path, rank) for rank in (0, 2) if has_report(tmp_path, rank)]
    assert troubles
    for trouble in troubles:
        assert trouble["type"] == "TimeoutError"
        assert DEADLINE <= trouble["seconds"] < DEADLINE + PATIENCE


def test_mpi_refuses_parts_on_all_ranks(tmp_path):
    assert run_ranks(tmp_path, 2, fit={"rows_in_flight": -1.0}) != 0
    assert {report_of(tmp_path, rank)["type"] for rank in range(2)} == {"ValueError"}
