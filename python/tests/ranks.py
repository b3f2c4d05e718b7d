"""What each rank of an MPI job does that test_clusters.py starts.

Usage: mpirun python ranks.py FOLDER, which has shards.npz and plan.json. The rank that the plan names sends itself
a signal after an epoch, or before the first. Each leaves the bytes of its model, or what was raised.
"""

import json
import os
import pathlib
import sys
import time

import numpy as np
from mpi4py import MPI

import postrider.experimental.mpi
from postrider import BayesianMLPClassifier, BayesianMLPRegressor

folder = pathlib.Path(sys.argv[1])
plan = json.loads((folder / "plan.json").read_text())
rank = MPI.COMM_WORLD.Get_rank()


def part(shards, number):
    return lambda: (shards[f"X{number}"], shards[f"y{number}"])


def strike(epoch):
    if rank == plan.get("rank") and epoch == plan["epoch"]:
        os.kill(os.getpid(), plan["signal"])


def progress(report):
    strike(report.epoch)


def main():
    shards = np.load(folder / "shards.npz")
    kind = {"regressor": BayesianMLPRegressor, "classifier": BayesianMLPClassifier}[plan["kind"]]
    estimator = kind(**plan["parameters"])
    parts = [part(shards, number) for number in range(len(shards.files) // 2)]
    begin = time.monotonic()
    strike(0)
    try:
        postrider.experimental.mpi.fit(estimator, parts, progress=progress, **plan["fit"])
    except Exception as error:
        took = time.monotonic() - begin
        trouble = {"type": type(error).__name__, "text": str(error), "seconds": took}
        (folder / f"{rank}.json").write_text(json.dumps(trouble))
        raise
    (folder / f"{rank}.bytes").write_bytes(estimator._model.to_bytes({}))
    (folder / f"{rank}.json").write_text(json.dumps(estimator.spread_report_))


main()
