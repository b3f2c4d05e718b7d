"""What each rank of an MPI job does that engines.py starts.

Usage: mpirun python rank.py FOLDER, which has plan.json. Each rank leaves RANK.json. One may send itself a signal at a
moment that the plan has.
"""
import faulthandler
import json
import pathlib
import sys
import threading
import time

from mpi4py import MPI
from task import ROWS_IN_FLIGHT, Listener, die, fill_disk, model_hash, new, pairs

import postrider.experimental.mpi

_SILENT = 40  # seconds after which a rank tells where it waits


def part(number):
    return lambda: pairs()[number]


def main():
    faulthandler.dump_traceback_later(_SILENT)
    folder = pathlib.Path(sys.argv[1])
    plan = json.loads((folder / "plan.json").read_text())
    rank = MPI.COMM_WORLD.Get_rank()

    def progress(report):
        if rank == 0 and plan["fill_at"] == report.epoch:
            fill_disk(plan["checkpoint"])

    if plan["struck"] == rank:
        timer = threading.Timer(plan["after"], die, (folder, plan["signal"]))
        timer.daemon = True
        MPI.COMM_WORLD.Barrier()
        timer.start()
    else:
        MPI.COMM_WORLD.Barrier()
    estimator = new()
    out = {}
    begin = time.monotonic()
    with Listener() as heard:
        try:
            postrider.experimental.mpi.fit(estimator, [part(number) for number in range(len(pairs()))], rows_in_flight=ROWS_IN_FLIGHT,
                              checkpoint=plan["checkpoint"], deadline=plan["deadline"], progress=progress)
            out["sha256"] = model_hash(estimator)
        except Exception as error:
            out["error"], out["message"] = type(error).__name__, str(error)
    out.update(seconds=time.monotonic() - begin, ended=time.monotonic(), went_on=heard.went_on, unwritten=heard.unwritten)
    (folder / f"{rank}.json").write_text(json.dumps(out))


main()
