"""A process that learns batches of events for owners of weights. It keeps nothing that matters: it may be lost at any time."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pyarrow import flight

from postrider import _core
from postrider.experimental._line_log import Outage, logger
from postrider.experimental._owner import LOST, ask, reason_of
from postrider.experimental._rounds import Message, Plan, bits_of
from postrider.experimental.events import Event, EventSource, open_events, sparse_rows

_RETRY = 0.02
_AHEAD = 4096  # events that are read at once, at least
_POLL = 0.2


class Stale(Exception):
    """The owners are in another round, or have been set back."""


@dataclass
class Reading:
    """The events of one partition that are next."""

    source: EventSource
    partition: str
    until_end: bool
    after: str | None = None  # the last one that was taken
    ahead: list[Event] = field(default_factory=list)

    def seek(self, after: str | None) -> None:
        if after != self.after:
            self.after, self.ahead = after, []

    def take(self, count: int) -> list[Event]:
        """So many, as soon as they are there; at the end fewer."""
        while len(self.ahead) < count:
            last = self.ahead[-1].position if self.ahead else self.after
            more = self.source.read(self.partition, last, max(_AHEAD, count), 0.0 if self.until_end else _POLL)
            if not more and self.until_end:
                break
            self.ahead += more
        taken, self.ahead = self.ahead[:count], self.ahead[count:]
        if taken:
            self.after = taken[-1].position
        return taken


class Exchange:
    """Beliefs from owners and back."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        # One thread for each owner: connections belong to threads.
        self._pools = [ThreadPoolExecutor(1) for _ in plan.owners]

    def ask_all(self, kind: str, messages: Sequence[Message]) -> list[Message]:
        """One message to each owner, at the same time."""
        calls = [
            pool.submit(ask, address, kind, message)
            for pool, address, message in zip(self._pools, self._plan.owners, messages, strict=True)
        ]
        done = [call.exception() for call in calls]
        for error in done:
            if error is not None:
                raise error
        return [call.result() for call in calls]

    def reach_all(self, kind: str, seconds: float) -> list[Message | BaseException]:
        """What each owner answers within so many seconds, or why it does not."""
        calls = [pool.submit(ask, address, kind, Message({}), seconds) for pool, address in zip(self._pools, self._plan.owners, strict=True)]
        errors = [call.exception() for call in calls]
        for error in errors:
            if error is not None and not isinstance(error, LOST):
                raise error
        return [call.result() if error is None else error for call, error in zip(calls, errors, strict=True)]

    def status(self) -> list[dict[str, Any]]:
        return [answer.words for answer in self.ask_all("status", [Message({})] * len(self._plan.owners))]

    def split(self, keys: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        """The places of each owner's keys."""
        owner = _core.owners_of(keys, len(self._plan.owners))
        return [np.flatnonzero(owner == number) for number in range(len(self._plan.owners))]

    def join(self, answers: Sequence[Message], places: Sequence[np.ndarray[Any, Any]]) -> Beliefs:
        """Beliefs in the order of the keys, of the models that the first owner still counts."""
        shared = answers[0].arrays[1]
        models = bits_of(int(shared[-1]))
        beliefs = np.empty((sum(len(place) for place in places), 2, len(models)), dtype=np.float32)
        for answer, place in zip(answers, places, strict=True):
            had = bits_of(answer.words["models"])
            columns = [had.index(model) for model in models]
            beliefs[place] = answer.arrays[0].reshape(len(place), 2, len(had))[:, :, columns]
        return Beliefs(beliefs, shared, sum(answer.words["weights"] for answer in answers))


@dataclass
class Beliefs:
    of_keys: np.ndarray[Any, Any]
    shared: np.ndarray[Any, Any]
    weights: int  # of all owners


class Worker:
    """Learns the batches of some partitions, round after round."""

    def __init__(self, plan: Plan, index: int, workers: int) -> None:
        self._plan = plan
        self._exchange = Exchange(plan)
        self._source = open_events(plan.source, plan.broker_config)
        self._readings = [Reading(self._source, name, plan.until_end) for name in plan.partitions[index::workers]]

    def run(self) -> None:
        """Until the source has ended for all, if the plan says so; else for ever."""
        logger.info("began with %s of %s", ", ".join(self._names()) or "no partition", self._plan.source)
        outage = Outage()
        while self._readings:
            try:
                term, round = self._find_round()
                outage.end("owners answer again")
                logger.info("learns from round %d on", round)
                if self._learn_from(term, round):
                    logger.info("the source has ended")
                    return
            except flight.FlightServerError as error:
                logger.error("an owner refuses: %s", reason_of(error))
                raise  # to ask again would not help
            except Stale:
                time.sleep(_RETRY)
            except LOST as error:
                outage.begin(f"an owner does not answer: {reason_of(error)}; waiting for it")
                time.sleep(_RETRY)

    def _names(self) -> list[str]:
        return [reading.partition for reading in self._readings]

    def _find_round(self) -> tuple[str, int]:
        statuses = self._exchange.status()
        ahead = max(statuses, key=lambda status: status["round"])
        if not ahead["term"] or any(status["term"] != ahead["term"] for status in statuses):
            raise Stale
        for reading in self._readings:
            reading.seek(ahead["positions"].get(reading.partition))
        return ahead["term"], ahead["round"]

    def _learn_from(self, term: str, first: int) -> bool:
        """True at the end of the source."""
        for round, size in itertools.islice(enumerate(self._plan.sizes()), first, None):
            before = [reading.after for reading in self._readings]
            events = [reading.take(size) for reading in self._readings]
            if self._learn_round(term, round, events):
                # Nothing was learned in this round.
                for reading, place in zip(self._readings, before, strict=True):
                    reading.seek(place)
                return True
        raise AssertionError("rounds never end")

    def _learn_round(self, term: str, round: int, events: list[list[Event]]) -> bool:
        plan = self._plan
        names = self._names()
        classes = plan.settings["target"] != "number"
        rows = [sparse_rows(some, plan.target, classes) for some in events]
        batches = [_core.SparseBatch(plan.settings, plan.units, one if one is not None else _nothing()) for one, _ in rows]
        own = [batch.keys() for batch in batches]
        keys = np.unique(np.concatenate(own))
        places = self._exchange.split(keys)
        words = {"term": term, "round": round, "partitions": names}
        answers = self._until_begun(lambda: self._exchange.ask_all("ask", [Message(words, [keys[place]]) for place in places]))
        finished = [answer.words["finished"] for answer in answers]
        if any(finished):
            if not all(finished):
                raise Stale
            return True
        beliefs = self._exchange.join(answers, places)
        for reading, some, (_, wrong), batch, of_batch in zip(self._readings, events, rows, batches, own, strict=True):
            for why in wrong[:1]:
                logger.warning("%d of %d events made no sense; the first: %s", len(wrong), len(some), why)
            changes = batch.learn(np.ascontiguousarray(beliefs.of_keys[np.searchsorted(keys, of_batch)]), beliefs.shared)
            said = {
                "term": term,
                "round": round,
                "partition": reading.partition,
                "position": reading.after,
                "events": len(some),
                "bad": len(wrong),
                "models": int(beliefs.shared[-1]),
                "weights": beliefs.weights,
            }
            self._say(said, of_batch, changes)
        return False

    def _say(self, words: dict[str, Any], keys: np.ndarray[Any, Any], changes: tuple[Any, Any, Any]) -> None:
        weights, shared, _ = changes
        of_keys = weights.reshape(len(keys), -1) if len(keys) else weights.reshape(0, 0)
        messages = [Message(words, [keys[place], of_keys[place].ravel(), shared]) for place in self._exchange.split(keys)]
        if any(answer.words["state"] != "here" for answer in self._exchange.ask_all("say", messages)):
            raise Stale

    @staticmethod
    def _until_begun(call: Callable[[], list[Message]]) -> list[Message]:
        while True:
            answers = call()
            states = {answer.words["state"] for answer in answers}
            if "stale" in states:
                raise Stale
            if states == {"here"}:
                return answers


def _nothing() -> _core.FeatureRows:
    return _core.FeatureRows.of_records([], np.empty(0), None)


def work(plan: Plan, index: int, workers: int) -> None:
    """Learns for owners until the source ends, or for ever."""
    with contextlib.suppress(KeyboardInterrupt):
        Worker(plan, index, workers).run()
