"""Ctrl-C: training ends, and what was learned is kept."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

from postrider import BayesianMLPRegressor, TrainingInterrupted
from trained import fitted

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
    try:
        model.fit(X, y)
    except KeyboardInterrupt as error:
        print(error, sorted(vars(model)) == sorted(model.get_params()))
        sys.exit(0)
told = [w for w in caught if issubclass(w.category, TrainingInterrupted)]
mean, deviation = model.predict(X[:100], return_std=True)
print(len(told), np.isfinite(mean).all() and (deviation > 0).all(), len(model.history_) > 0,
      np.corrcoef(mean, y[:100])[0, 1] > 0.5)
"""


def interrupted(program, after, timeout):
    """Exit code, output and errors of a program that has a Ctrl-C some seconds after it says that it is ready."""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()  # of no effect on one that has ended
        process.wait()
    return process.returncode, out, err


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        (300, "ensemble_size=1, encoding='standard'", "1 True True True"),
        (300, "n_jobs=2, encoding='standard'", "1 True True True"),
        # One epoch takes far longer than the wait: a part of it is no model.
        (
            200_000,
            "(200, 200), ensemble_size=1, encoding='standard'",
            "training was interrupted before its first epoch was over: the estimator is as it was before True",
        ),
    ],
)
def test_a_real_signal(rows, options, said):
    program = textwrap.dedent(PROGRAM).format(rows=rows, options=options)
    code, out, err = interrupted(program, 3, 60)
    assert code == 0, err
    assert out == said + "\n"


SEARCH = """
import signal
import numpy as np
from sklearn.model_selection import {search}
from postrider import BayesianMLPRegressor, cross_val_predict

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 5))
y = X[:, 0] + 0.1 * rng.normal(size=300)
model = BayesianMLPRegressor(max_epochs=100000, patience=100000, ensemble_size=1, encoding="standard", random_state=1)
print("ready", flush=True)
try:
    {call}
    print("ended by itself")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("search", "call"),
    [
        ("GridSearchCV", "GridSearchCV(model, {'power': [1, 1.5, 2, 3]}, cv=5).fit(X, y)"),
        ("cross_val_score", "cross_val_score(model, X, y, cv=5)"),
        ("cross_val_predict as theirs", "cross_val_predict(model, X, y)"),
    ],
)
def test_a_search_ends(search, call):
    program = SEARCH.format(search=search, call=call)
    code, out, err = interrupted(program, 2, 30)
    assert (code, out) == (0, "interrupted\n"), err


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
    with pytest.raises(KeyboardInterrupt, match="before its first epoch"):
        model.fit(X, X[:, 0] + rng.normal(size=len(X)))
    assert time.monotonic() - begin < 30
    with pytest.raises(NotFittedError):
        model.predict(X[:10])


@pytest.mark.usefixtures("ctrl_c")
def test_a_former_fit_stays(sine):
    model = BayesianMLPRegressor(ensemble_size=1, max_epochs=3, encoding="standard", random_state=0)
    mean = model.fit(*sine).predict(sine.X)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 40))
    model.set_params(hidden_layer_sizes=(200, 200), max_epochs=100_000)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, X[:, 0])
    np.testing.assert_array_equal(model.predict(sine.X), mean)


@pytest.mark.usefixtures("ctrl_c")
def test_tables():
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=100_000), "z": rng.normal(size=100_000), "y": rng.normal(size=100_000)})
    # Long after the table was read on a busy machine, and long before an epoch of these networks is over.
    threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt, match="before its first epoch was over"):
        fitted(table, "y", hidden_layer_sizes=(800, 800), encoding="standard", max_epochs=1000, patience=1000)


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
