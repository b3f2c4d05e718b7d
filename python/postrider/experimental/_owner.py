"""A process that owns weights: it answers what it believes, and adds up what workers say.

In a round each partition of the source brings one batch, which was learned from the beliefs at the round's beginning.
An owner ends round r when it has what all partitions say in it, and all have asked for round r + 1. A worker asks for
that only when all owners have confirmed what it said in round r. So no owner is ever ahead of what another one has yet to hear, and a
worker that is lost leaves nothing half done: whoever takes its place finds out in which round the owners are and says the same again.

An owner that is lost comes back with a snapshot, and the first owner sets all of them to the newest one that all have.
What is believed after a round is a function of the source alone, so that what follows is the same to the bit.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import flight

from postrider import _core
from postrider.experimental._line_log import Outage, logger
from postrider.experimental._rounds import Message, Plan

_WAIT = 2.0  # seconds until a worker is told to ask again
_RETRY = 0.02
_ANSWER = 10.0  # seconds for an answer among owners


class Owner(flight.FlightServerBase):  # type: ignore[misc]
    """The server of one owner."""

    def __init__(self, plan: Plan, index: int) -> None:
        self._plan = plan
        self._index = index
        self._life = uuid.uuid4().hex  # of this process
        self._changed = threading.Condition()
        self._term = ""  # of all owners since they were last set to the same snapshot; empty: not yet
        self._weights = _core.SparseOwner(plan.settings, plan.units)
        self._round = 0
        self._positions: dict[str, str] = {}
        self._bad = 0  # events that made no sense and were passed over
        self._finished = False
        self._said: dict[str, Message] = {}  # by partition, in this round
        self._asked: dict[str, int] = {}  # by partition, the latest round
        self._lives: list[str] = []  # of the first owner: who is of this term
        self._recovery = threading.Event()
        self._outage = Outage()
        super().__init__(f"grpc://{plan.owners[index]}")  # requests come from here on

    # --- requests --------------------------------------------------------------------------------

    def do_action(self, context: Any, action: Any) -> Iterator[Any]:
        handle = getattr(self, "_on_" + action.type, None)
        if handle is None:
            raise flight.FlightServerError(f"{action.type}: is not a request")
        yield flight.Result(pa.py_buffer(handle(Message.unpack(action.body)).pack()))

    def _on_status(self, _: Message) -> Message:
        with self._changed:
            return Message(
                {
                    "life": self._life,
                    "term": self._term,
                    "round": self._round,
                    "positions": self._positions,
                    "bad": self._bad,
                    "finished": self._finished,
                    "snapshots": self._plan.rounds_of(self._index),
                    "summary": self._weights.summary(),
                }
            )

    def _on_ask(self, message: Message) -> Message:
        """Beliefs at the beginning of a round, once it has begun."""
        words = message.words
        with self._changed:
            if words["term"] == self._term:
                for partition in words["partitions"]:
                    self._asked[partition] = max(words["round"], self._asked.get(partition, 0))
                self._end_round()
            self._changed.wait_for(lambda: words["term"] != self._term or self._round >= words["round"], _WAIT)
            if words["term"] != self._term or self._round > words["round"]:
                return Message({"state": "stale"})
            if self._round < words["round"]:
                return Message({"state": "wait"})
            return self._beliefs(message.arrays[0])

    def _on_peek(self, message: Message) -> Message:
        """Beliefs as they are just now."""
        with self._changed:
            return self._beliefs(message.arrays[0])

    def _beliefs(self, keys: np.ndarray[Any, Any]) -> Message:
        words = {
            "state": "here",
            "finished": self._finished,
            "models": self._weights.models(),
            "weights": len(self._weights),
        }
        return Message(words, [self._weights.beliefs(keys), self._weights.shared()])

    def _on_say(self, message: Message) -> Message:
        """What one partition's batch of a round says of the weights."""
        words = message.words
        with self._changed:
            if words["term"] != self._term or words["round"] != self._round:
                return Message({"state": "stale"})
            if self._said.setdefault(words["partition"], message) != message:
                raise flight.FlightServerError(
                    f"round {self._round}, {words['partition']}: came twice and differs; have events of the source changed?"
                )
            return Message({"state": "here"})

    # --- rounds ----------------------------------------------------------------------------------

    def _end_round(self) -> None:
        names = self._plan.partitions
        if any(name not in self._said or self._asked.get(name, 0) <= self._round for name in names):
            return
        said = [self._said[name] for name in names]
        self._weights.keep(said[0].words["models"])
        for one in said:
            self._weights.add(one.arrays[0], one.arrays[1])
            self._positions[one.words["partition"]] = one.words["position"]
            self._bad += one.words["bad"]
        if self._index == 0:
            shared = np.asarray(np.sum([one.arrays[2] for one in said], axis=0, dtype=np.int64))
            self._weights.add_shared(shared, said[0].words["weights"])
        self._finished = self._plan.until_end and all(one.words["events"] == 0 for one in said)
        self._round += 1
        self._said.clear()
        if self._finished or self._round % self._plan.save_every == 0:
            self._save()
        if self._finished:
            logger.info("the source has ended after round %d", self._round)
        self._changed.notify_all()

    def _save(self) -> None:
        """The file appears as a whole. Owners are at most one round apart: the last two are kept."""
        note = {"round": self._round, "positions": self._positions, "bad": self._bad, "finished": self._finished}
        path = self._plan.file_of(self._index, self._round)
        self._weights.save(str(path), json.dumps(note, sort_keys=True))
        logger.info("round %d: saved %d weights", self._round, len(self._weights))
        for old in self._plan.rounds_of(self._index)[:-2]:
            self._plan.file_of(self._index, old).unlink()

    # --- recovery --------------------------------------------------------------------------------

    def _on_restore(self, message: Message) -> Message:
        """Everything as it was at the end of a round."""
        words = message.words
        with self._changed:
            if words["round"] == 0:
                self._weights = _core.SparseOwner(self._plan.settings, self._plan.units)
                note: dict[str, Any] = {"round": 0, "positions": {}, "bad": 0, "finished": False}
            else:
                self._weights = _core.SparseOwner.load(str(self._plan.file_of(self._index, words["round"])))
                note = json.loads(self._weights.note())
            for later in self._plan.rounds_of(self._index):
                if later > words["round"]:
                    self._plan.file_of(self._index, later).unlink()
            self._round, self._positions = note["round"], note["positions"]
            self._bad, self._finished = note["bad"], note["finished"]
            self._said.clear()
            self._asked.clear()
            self._term = words["term"]
            logger.info("goes on behind round %d, as all owners do", self._round)
            self._changed.notify_all()
        return Message({"state": "here"})

    def _on_join(self, message: Message) -> Message:
        """Another owner has begun; only the first one is asked."""
        if message.words["life"] not in self._lives:
            self._recovery.set()
        return Message({"state": "here"})

    def run(self) -> None:
        """Joins the others, or lets them join, until the process ends."""
        logger.info("began on %s; snapshots of rounds %s", self._plan.owners[self._index], self._plan.rounds_of(self._index))
        self._recovery.set()
        while True:
            if self._index > 0:
                self._join()
                time.sleep(_RETRY if not self._term else _WAIT)
            elif self._recovery.wait(_WAIT):
                self._recover()

    def _join(self) -> None:
        if self._term:
            return
        first = self._plan.owners[0]
        try:
            ask(first, "join", Message({"life": self._life}))
            self._outage.end(f"owner 0 on {first} answers")
        except LOST as error:
            self._outage.begin(f"owner 0 on {first} does not answer: {reason_of(error)}; waiting for it")

    def _recover(self) -> None:
        """Sets all owners to the newest snapshot that all have."""
        self._recovery.clear()
        others = [address for number, address in enumerate(self._plan.owners) if number != self._index]
        try:
            statuses = [self._on_status(Message({})).words] + [ask(address, "status", Message({})).words for address in others]
            common = set.intersection(*({0, *status["snapshots"]} for status in statuses))
            order = Message({"term": uuid.uuid4().hex, "round": max(common)})
            for address in others:
                ask(address, "restore", order)
            again = [ask(address, "status", Message({})).words["life"] for address in others]
            self._lives = [self._life, *again]
            if again != [status["life"] for status in statuses[1:]]:
                raise OSError("an owner began anew meanwhile")
            self._on_restore(order)
            self._outage.end("all owners are there")
        except LOST as error:
            self._outage.begin(f"not all owners are there: {reason_of(error)}; waiting for them")
            time.sleep(_RETRY)
            self._recovery.set()


_CLIENTS: threading.local = threading.local()

LOST = (flight.FlightError, pa.ArrowException, OSError)


def reason_of(error: BaseException) -> str:
    """The first sentence of what Flight says, which goes on for lines about its own sources."""
    return str(error).split(". ")[0].split("\n")[0].strip() or type(error).__name__


def ask(address: str, kind: str, message: Message, seconds: float = _ANSWER) -> Message:
    """Sends a request to an owner and returns its answer. Raises what Flight raises if there is none."""
    known: dict[str, Any] = _CLIENTS.__dict__
    if address not in known:
        # An owner that is back should be found at once.
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.initial_reconnect_backoff_ms", 50)]
        known[address] = flight.FlightClient(f"grpc://{address}", generic_options=options)
    try:
        limit = flight.FlightCallOptions(timeout=seconds)
        results = known[address].do_action(flight.Action(kind, message.pack()), limit)
        return Message.unpack(next(iter(results)).body)
    except (*LOST, StopIteration) as error:
        # The next one begins at once with a connection of its own, whatever the old one was waiting for.
        with contextlib.suppress(Exception):
            known.pop(address).close()
        if isinstance(error, StopIteration):
            raise OSError(f"{address}: no answer") from error
        raise


def serve(plan: Plan, index: int) -> None:
    """Owns weights until the process ends."""
    owner = Owner(plan, index)
    with contextlib.suppress(KeyboardInterrupt):
        owner.run()
    owner.shutdown()
