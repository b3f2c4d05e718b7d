"""Data that several tests learn from, and the command line."""

import os
import pathlib
import signal
from collections.abc import Iterator
from typing import NamedTuple

import hypothesis
import numpy as np
import pytest

from postrider.experimental._shards import Part
from postrider.experimental._spread import Engine, Run, Worker, WorkerLost, is_classifier

# The same examples each time, so that a change is judged by what it changed. To look for others:
# pytest --hypothesis-profile=default.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Python's own answer to Ctrl-C, also where whoever started the tests has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Rows(NamedTuple):
    X: np.ndarray
    y: np.ndarray


@pytest.fixture(scope="session")
def sine() -> Rows:
    """A sine whose noise grows to the right: 0.05 at x = -2, 0.4 at x = 2."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, size=400)
    noise = 0.05 + 0.35 * (x + 2) / 4
    return Rows(x[:, None], 3 * np.sin(2 * x) + 10 + noise * rng.normal(size=400))


@pytest.fixture(scope="session")
def moons() -> Rows:
    """Two half circles, labelled by words."""
    from sklearn.datasets import make_moons

    X, y = make_moons(300, noise=0.2, random_state=1)
    return Rows(X, np.array(["north", "south"])[y])


@pytest.fixture(scope="session")
def program() -> str:
    """The command line that was built last, unless POSTRIDER_PROGRAM names one."""
    named = os.environ.get("POSTRIDER_PROGRAM")
    root = pathlib.Path(__file__).parents[2]
    built = sorted(root.glob("build/*/src/cli/postrider"), key=lambda path: path.stat().st_mtime)
    if not (named or built):
        pytest.skip("the command line is not built: cmake --build --target postrider-program")
    return named or str(built[-1])


class LocalEngine(Engine):
    """Workers of this process, which are lost on demand.

    `losses` has the calls in which one is: the seventh of all as 7, the seventh of a method as ("run", 7).
    """

    def __init__(self, workers, options, is_classifier, losses=()):
        self._make = lambda: Worker(is_classifier, options)
        self._workers = {number: self._make() for number in range(workers)}
        self._losses = set(losses)
        self.calls = []

    def workers(self):
        return list(self._workers)

    def place(self, shards):
        names = self.workers()
        return {name: list(range(first, shards, len(names))) for first, name in enumerate(names)}

    def call(self, method, arguments):
        self.calls.append(method)
        found = {name: getattr(self._workers[name], method)(*given) for name, given in arguments.items()}
        of_method = (method, self.calls.count(method))
        if self._losses & {len(self.calls), of_method}:
            self._losses -= {len(self.calls), of_method}
            del self._workers[max(self._workers)]
            if not self._workers:
                self._workers = {0: self._make()}
            raise WorkerLost
        return found


@pytest.fixture(scope="session")
def spread():
    """Fits an estimator to parts in this process; returns the run, with its engine."""

    def fit(estimator, parts, workers=2, losses=(), target=None, **options):
        given = {"checkpoint": None, "checkpoint_every": 1, "resume": False, "rows_in_flight": 0.1,
                 "progress": None, **options}
        kind, core_options = is_classifier(estimator), estimator._options()
        engine = LocalEngine(workers, core_options, kind, losses)
        run = Run(estimator, [Part(part, target) for part in parts], engine, core_options, **given)
        run.fit()
        run.engine = engine
        return run

    return fit
