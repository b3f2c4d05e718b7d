"""A sparse model whose weights are spread over processes, learned from the events of a broker.

Owners have the weights, each those that a hash gives it; workers learn batches of events, one of each partition in a
round, from what the owners believe. Owners add up whole numbers, so that the result does not depend on who was faster. All of them
may be lost at any time: who comes back goes on from a snapshot that has the weights and the position in the source, and the result is the
same to the bit as without a loss. Needs ``pip install "postrider[owners]"``; processes talk by Arrow Flight.

On each machine, with a plan that :meth:`Plan.make` wrote::

    python -m postrider.owners owner plan.json 0
    python -m postrider.owners worker plan.json 0 --of 2
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider._owner import serve
from postrider._rounds import Message, Plan
from postrider._worker import Exchange, work
from postrider.sparse_model import SparseModel

__all__ = ["Client", "Crew", "Plan", "gather"]

_LOOK = 0.01
_MOST_FAILURES = 10


def gather(plan: Plan) -> SparseModel:
    """One model from the newest snapshot that all owners have: to predict with, to save, to go on with."""
    model = SparseModel(**plan.settings)  # type: ignore[arg-type]
    model._model = _core.gather_owners([str(path) for path in plan.last_files()])
    return model


class Client:
    """Asks the owners while they learn."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._exchange = Exchange(plan)

    def status(self) -> dict[str, Any]:
        """Rounds, rows and mean log-loss so far, each row predicted before it was learned; weights and bytes of all owners; events that made no sense."""
        owners = self._exchange.status()
        first = owners[0]
        return {
            "round": first["round"],
            "finished": all(owner["finished"] for owner in owners),
            "restored": bool(first["term"]) and all(owner["term"] == first["term"] for owner in owners),
            "rows": first["summary"]["rows"],
            "log_loss": first["summary"]["log_loss"],
            "weights": sum(owner["summary"]["weights"] for owner in owners),
            "bytes": sum(owner["summary"]["bytes"] for owner in owners),
            "positions": first["positions"],
            "bad": first["bad"],
        }

    def predict(self, rows: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
        """For each row, mean and standard deviation of the score, the noise, and the probability of class 1.

        Owners may be one round apart.
        """
        given = _core.FeatureRows.of_records(list(rows), None, None)
        batch = _core.SparseBatch(self._plan.settings, self._plan.units, given)
        places = self._exchange.split(batch.keys())
        answers = self._exchange.ask_all("peek", [Message({}, [batch.keys()[place]]) for place in places])
        beliefs = self._exchange.join(answers, places)
        return np.asarray(batch.predict(beliefs.of_keys, beliefs.shared))


class Crew:
    """Owners and workers as processes of this machine; those that are lost are started again.

    They are copies of a process that has loaded all modules, so that one that was lost is back in little time. As with
    all of `multiprocessing`, a program that uses it does its work under ``if __name__ == "__main__":``.
    """

    def __init__(self, plan_file: str | os.PathLike[str], workers: int) -> None:
        self._file = os.fspath(plan_file)
        self._plan = Plan.load(plan_file)
        os.makedirs(self._plan.folder, exist_ok=True)
        owners = [("owner", index) for index in range(len(self._plan.owners))]
        self._roles = owners + [("worker", index) for index in range(workers)]
        self._workers = workers
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["postrider.owners", "redis", "confluent_kafka"])
        self._processes: dict[int, Any] = {}
        self.restarts = 0
        self._failures = [0] * len(self._roles)  # that a process ended with by itself

    def __enter__(self) -> Crew:
        for number in range(len(self._roles)):
            self._start(number)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for process in self._processes.values():
            if process.exitcode is None:
                process.kill()
            process.join()

    def _start(self, number: int) -> None:
        role, index = self._roles[number]
        process = self._context.Process(target=_play, args=(role, self._file, index, self._workers), daemon=True)
        process.start()
        self._processes[number] = process

    @property
    def names(self) -> list[str]:
        """Names of the processes, in their order: the owners, then the workers."""
        return [f"{role} {index}" for role, index in self._roles]

    def kill(self, number: int) -> bool:
        """Ends a process without warning; False if it has ended by itself."""
        process = self._processes[number]
        if process.exitcode is not None:
            return False
        process.kill()
        process.join()
        return True

    def look(self) -> bool:
        """Starts again who was lost; True once all workers have ended well.

        Raises RuntimeError if one ends with an error of its own again and again.
        """
        done = True
        for number, process in list(self._processes.items()):
            code, is_owner = process.exitcode, self._roles[number][0] == "owner"
            if code is None:
                done = done and is_owner
            elif code != 0 or is_owner:
                self.restarts += 1
                self._failures[number] += code > 0
                if self._failures[number] > _MOST_FAILURES:
                    raise RuntimeError(f"{self.names[number]}: ended with an error {_MOST_FAILURES} times")
                self._start(number)
                done = False
        return done

    def wait(self, seconds: float) -> None:
        """Until the source has ended for all workers. Raises TimeoutError."""
        until = time.monotonic() + seconds
        while not self.look():
            if time.monotonic() > until:
                raise TimeoutError(f"not done after {seconds:g} seconds")
            time.sleep(_LOOK)


def _play(role: str, plan_file: str, index: int, workers: int) -> None:
    plan = Plan.load(plan_file)
    limit = len(plan.owners) if role == "owner" else workers
    if not 0 <= index < limit:
        raise ValueError(f"index = {index}: must be at least 0 and below {limit}, the number of {role}s")
    os.makedirs(plan.folder, exist_ok=True)
    if role == "owner":
        serve(plan, index)
    else:
        work(plan, index, workers)


def _main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m postrider.owners", description=__doc__.split("\n\n")[0])
    parser.add_argument("role", choices=["owner", "worker", "gather", "status"])
    parser.add_argument("plan", help="a file that Plan.save wrote")
    parser.add_argument("index", nargs="?", type=int, default=0, help="number of the owner or worker, from 0")
    parser.add_argument("--of", type=int, default=1, help="number of workers")
    parser.add_argument("--output", default="model.safetensors", help="of gather")
    given = parser.parse_args(arguments)
    try:
        return _called(given)
    except (OSError, ValueError) as trouble:
        parser.exit(2, f"{parser.prog}: {trouble}\n")


def _called(given: argparse.Namespace) -> int:
    if given.role in ("owner", "worker"):
        _play(given.role, given.plan, given.index, given.of)
    elif given.role == "gather":
        gather(Plan.load(given.plan)).save(given.output)
    else:
        print(Client(Plan.load(given.plan)).status())
    return 0


if __name__ == "__main__":
    sys.exit(_main())
