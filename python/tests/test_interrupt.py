"""Ctrl-C: training ends, and what was learned is kept."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from postrider import BayesianMLPRegressor, TrainingInterrupted

PROGRAM = """
import signal, sys, time, warnings
import numpy as np
from postrider import BayesianMLPRegressor, TrainingInterrupted

# Also where whoever started this program has Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, 20))
y = X[:, 0] + 0.1 * rng.normal(size={rows})
model = BayesianMLPRegressor({options}, max_epochs=100000, patience=100000, random_state=1)
print("ready", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    begin = time.monotonic()
    model.fit(X, y)
told = [w for w in caught if issubclass(w.category, TrainingInterrupted)]
mean, deviation = model.predict(X[:100], return_std=True)
print(len(told), np.isfinite(mean).all() and (deviation > 0).all(), len(model.history_) > 0,
      np.corrcoef(mean, y[:100])[0, 1] > 0.5)
"""


@pytest.mark.parametrize(
    ("rows", "options", "finished_epochs"),
    [
        (300, "ensemble_size=1, encoding='standard'", "True"),
        (300, "n_jobs=2, encoding='standard'", "True"),
        # One epoch takes far longer than the wait: what it learned so far is kept.
        (200_000, "(200, 200), ensemble_size=1, encoding='standard'", "False"),
    ],
)
def test_a_real_signal(rows, options, finished_epochs):
    program = textwrap.dedent(PROGRAM).format(rows=rows, options=options)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert out.split() == ["1", "True", finished_epochs, "True"]


@pytest.mark.usefixtures("ctrl_c")
def test_here(sine):
    model = BayesianMLPRegressor(
        max_epochs=100_000, patience=100_000, encoding="standard", random_state=0
    )
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.warns(TrainingInterrupted):
        model.fit(*sine)
    assert 1 <= model.n_iter_ < 100_000
    assert np.all(model.predict(sine.X, return_std=True)[1] > 0)


@pytest.mark.usefixtures("ctrl_c")
def test_while_encodings_are_tried():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 40))
    model = BayesianMLPRegressor(max_epochs=100_000, patience=100_000, random_state=0)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.warns(TrainingInterrupted):
        model.fit(X, X[:, 0] + rng.normal(size=len(X)))
    assert time.monotonic() - begin < 30
    assert set(model.encodings_) == {"standard"}
    assert np.all(model.predict(X[:10], return_std=True)[1] > 0)


def test_other_exceptions_end_training_and_are_raised(sine):
    def alarm(signum, frame):
        raise TimeoutError("enough")

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeoutError, match="enough"):
            BayesianMLPRegressor(max_epochs=100_000, patience=100_000).fit(*sine)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_other_threads_run_while_training(sine):
    count, done = 0, threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.001)

    worker = threading.Thread(target=work)
    worker.start()
    BayesianMLPRegressor(ensemble_size=2, max_epochs=20, random_state=0).fit(*sine)
    done.set()
    worker.join()
    assert count > 5
