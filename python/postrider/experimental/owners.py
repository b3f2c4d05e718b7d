"""A sparse model whose weights are spread over processes, learned from the events of a broker.

Owners have the weights, each those that a hash gives it; workers learn batches of events, one of each partition in a
round, from what the owners believe. Owners add up whole numbers, so that the result does not depend on who was faster. All of them
may be lost at any time: who comes back goes on from a snapshot that has the weights and the position in the source, and the result is the
same to the bit as without a loss. Needs ``pip install "postrider[owners]"``; processes talk by Arrow Flight.

On each machine, with a plan that :meth:`Plan.make` wrote::

    python -m postrider.experimental.owners owner plan.json 0
    python -m postrider.experimental.owners worker plan.json 0 --of 2

Experimental: the part becomes stable once it has run on several machines, has lost some of them, and has ended with the same bytes.
It has done so with processes of one machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postrider import _core
from postrider.experimental._line_log import LOGS, log_lines, logger
from postrider.experimental._owner import reason_of, serve
from postrider.experimental._rounds import Message, Plan
from postrider.experimental._worker import Exchange, work
from postrider.experimental.sparse_model import SparseModel

__all__ = ["Client", "Crew", "OwnerStatus", "Plan", "Prediction", "Status", "gather"]

_LOOK = 0.01
_MOST_FAILURES = 10
_STATUS_SECONDS = 3.0  # for an owner to say how far it is


def gather(plan: Plan) -> SparseModel:
    """One model from the newest snapshot that all owners have: to predict with, to save, to go on with."""
    model = SparseModel(**plan.settings)  # type: ignore[arg-type]
    model._model = _core.gather_owners([str(path) for path in plan.last_files()])
    return model


class Prediction(NamedTuple):
    """What owners believe of some rows: arrays with a number for each."""

    mean: NDArray[np.float64]  # of the score, or of a number
    std: NDArray[np.float64]  # of it, as far as the weights are uncertain
    noise_std: NDArray[np.float64]  # of a number's noise; 0 of classes
    probability: NDArray[np.float64]  # of class 1; of a number, not a number


@dataclass(frozen=True)
class OwnerStatus:
    """One owner, as far as it answers."""

    address: str
    is_up: bool
    reason: str = ""  # why it does not answer
    round: int | None = None
    weights: int | None = None
    bytes: int | None = None
    snapshots: tuple[int, ...] = ()  # rounds of which it has one; of an owner that is down, those that are seen from here


@dataclass(frozen=True)
class Status:
    """All owners. What only the first one knows is None while it is down."""

    owners: tuple[OwnerStatus, ...]
    round: int | None
    finished: bool
    restored: bool  # all owners are there, and have been set to the same snapshot
    rows: int | None
    log_loss: float | None  # mean so far, each row predicted before it was learned
    weights: int  # of the owners that are up
    bytes: int
    positions: dict[str, str]
    bad: int  # events that made no sense

    @property
    def down(self) -> list[str]:
        """Addresses of the owners that do not answer."""
        return [owner.address for owner in self.owners if not owner.is_up]

    def __getitem__(self, name: str) -> Any:
        """By name, as when it was a dict."""
        return getattr(self, name)


class Client:
    """Asks the owners while they learn."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._exchange = Exchange(plan)

    def status(self) -> Status:
        """How far the owners are. One that is down is named, and the others say what they have."""
        answers = self._exchange.reach_all("status", _STATUS_SECONDS)
        owners = [self._owner_status(number, answer) for number, answer in enumerate(answers)]
        up = [answer.words for answer in answers if isinstance(answer, Message)]
        first = answers[0].words if isinstance(answers[0], Message) else None
        known = max(up, key=lambda words: int(words["round"]), default=None) if first is None else first
        terms = {words["term"] for words in up}
        return Status(
            owners=tuple(owners),
            round=known["round"] if known else None,
            finished=bool(up) and all(words["finished"] for words in up),
            restored=len(up) == len(owners) and len(terms) == 1 and "" not in terms,
            rows=first["summary"]["rows"] if first else None,
            log_loss=first["summary"]["log_loss"] if first else None,
            weights=sum(words["summary"]["weights"] for words in up),
            bytes=sum(words["summary"]["bytes"] for words in up),
            positions=known["positions"] if known else {},
            bad=known["bad"] if known else 0,
        )

    def _owner_status(self, number: int, answer: Message | BaseException) -> OwnerStatus:
        address = self._plan.owners[number]
        if isinstance(answer, BaseException):
            return OwnerStatus(address, False, reason_of(answer), snapshots=tuple(self._plan.rounds_of(number)))
        words = answer.words
        summary = words["summary"]
        return OwnerStatus(address, True, "", words["round"], summary["weights"], summary["bytes"], tuple(words["snapshots"]))

    def predict(self, rows: Sequence[Mapping[str, Any]]) -> Prediction:
        """What is believed of each row just now. Owners may be one round apart; all must be up."""
        given = _core.FeatureRows.of_records(list(rows), None, None)
        batch = _core.SparseBatch(self._plan.settings, self._plan.units, given)
        places = self._exchange.split(batch.keys())
        answers = self._exchange.ask_all("peek", [Message({}, [batch.keys()[place]]) for place in places])
        beliefs = self._exchange.join(answers, places)
        return Prediction(*np.asarray(batch.predict(beliefs.of_keys, beliefs.shared)).T)


class Crew:
    """Owners and workers as processes of this machine; those that are lost are started again.

    They are copies of a process that has loaded all modules, so that one that was lost is back in little time. As with
    all of `multiprocessing`, a program that uses it does its work under ``if __name__ == "__main__":``.
    """

    def __init__(self, plan_file: str | os.PathLike[str], workers: int, *, log: str | None = None) -> None:
        """With `log`, "text" or "json", all of them say on standard error what they do."""
        if log is not None and log not in LOGS:
            raise ValueError(f"log = {log!r}: must be None or one of {', '.join(LOGS)}")
        self._log = log
        self._file = os.fspath(plan_file)
        self._plan = Plan.load(plan_file)
        os.makedirs(self._plan.folder, exist_ok=True)
        owners = [("owner", index) for index in range(len(self._plan.owners))]
        self._roles = owners + [("worker", index) for index in range(workers)]
        self._workers = workers
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["postrider.experimental.owners", "redis", "confluent_kafka"])
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
        process = self._context.Process(target=_play, args=(role, self._file, index, self._workers, self._log), daemon=True)
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
                logger.warning("%s ended with code %s; it is started again", self.names[number], code)
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


def _play(role: str, plan_file: str, index: int, workers: int, log: str | None) -> None:
    plan = Plan.load(plan_file)
    if log is not None:
        log_lines(log, f"{role} {index}")
    limit = len(plan.owners) if role == "owner" else workers
    if not 0 <= index < limit:
        raise ValueError(f"index = {index}: must be at least 0 and below {limit}, the number of {role}s")
    os.makedirs(plan.folder, exist_ok=True)
    if role == "owner":
        serve(plan, index)
    else:
        work(plan, index, workers)


def _main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m postrider.experimental.owners", description=__doc__.split("\n\n")[0])
    parser.add_argument("role", choices=["owner", "worker", "gather", "status"])
    parser.add_argument("plan", help="a file that Plan.save wrote")
    parser.add_argument("index", nargs="?", type=int, default=0, help="number of the owner or worker, from 0")
    parser.add_argument("--of", type=int, default=1, help="number of workers")
    parser.add_argument("--log", choices=LOGS, default="text", help="what an owner or worker says on standard error")
    parser.add_argument("--output", default="model.safetensors", help="of gather")
    given = parser.parse_args(arguments)
    try:
        return _called(given)
    except (OSError, ValueError) as trouble:
        parser.exit(2, f"{parser.prog}: {trouble}\n")


def _called(given: argparse.Namespace) -> int:
    if given.role in ("owner", "worker"):
        _play(given.role, given.plan, given.index, given.of, given.log)
    elif given.role == "gather":
        gather(Plan.load(given.plan)).save(given.output)
    else:
        status = Client(Plan.load(given.plan)).status()
        print(json.dumps(asdict(status)))
        return 1 if status.down else 0
    return 0


if __name__ == "__main__":
    sys.exit(_main())
