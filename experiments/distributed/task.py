"""The small model that engines.py and rank.py train, and what it leaves."""
import hashlib
import json
import logging
import os
import pathlib
import time

import numpy as np

from postrider import BayesianMLPRegressor

ROWS, SHARDS, EPOCHS, ROWS_IN_FLIGHT = 640, 8, 8, 0.1


def new(**options):
    return BayesianMLPRegressor((16,), **{"max_epochs": EPOCHS, "random_state": 3, **options})


def pairs():
    """Inputs and targets of each shard."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(ROWS, 3))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=ROWS)
    return list(zip(np.array_split(X, SHARDS), np.array_split(y, SHARDS), strict=True))


def noting_parts(folder):
    """Parts that leave the process id of whoever loads them in a folder."""

    def part(number, pair):
        def load():
            import os
            import pathlib

            pathlib.Path(folder, str(number)).write_text(str(os.getpid()))
            return pair

        return load

    return [part(number, pair) for number, pair in enumerate(pairs())]


def model_hash(estimator):
    return hashlib.sha256(estimator._model.to_bytes({})).hexdigest()


def fill_disk(folder):
    """Until nothing more can be written there."""
    with pathlib.Path(folder, "filler").open("wb", buffering=0) as file:
        for size in (4096, 512, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


class Listener(logging.Handler):
    """Hears what training warns of: when it went on after losses, and checkpoints that were not written."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.went_on = []
        self.unwritten = []

    def emit(self, record):
        text = record.getMessage()
        if "training goes on from epoch" in text:
            self.went_on.append(time.monotonic())
        if "without this checkpoint" in text:
            self.unwritten.append(text)

    def __enter__(self):
        logging.getLogger("postrider").addHandler(self)
        return self

    def __exit__(self, *_):
        logging.getLogger("postrider").removeHandler(self)


def die(folder, signal_number):
    """Tells when, for others to read: the clock is that of the machine."""
    pathlib.Path(folder, "struck").write_text(json.dumps(time.monotonic()))
    os.kill(os.getpid(), signal_number)
