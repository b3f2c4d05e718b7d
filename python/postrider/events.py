"""Events of Redis Streams and of Kafka, and models that follow them.

A source is named as for ``postrider stream``: ``redis://HOST:PORT/KEY`` (several keys with commas) or
``kafka://HOST:PORT/TOPIC``. An event of Redis has a field for each column, or one field ``json`` with an object, or one
field ``line`` with a row of LIBSVM's or Vowpal Wabbit's text. A message of Kafka is such an object or such a line.
``pip install "postrider[redis]"`` or ``"postrider[kafka]"`` brings the client.
"""

from __future__ import annotations

import json
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from postrider import _core
from postrider.sparse_model import SparseModel
from postrider.tables import TableModel

__all__ = ["Event", "EventSource", "Followed", "follow", "open_events", "sparse_rows"]

_PATIENCE = 30.0  # seconds, with a broker that does not answer
_POLL = 0.1


class Event(NamedTuple):
    """One event: where it stands, and its columns, its line of text, or None if it made no sense."""

    partition: str
    position: str
    row: Mapping[str, Any] | str | None


class EventSource(ABC):
    """A broker's partitions, each of which can be read from any place."""

    address: str

    @property
    @abstractmethod
    def partitions(self) -> list[str]:
        """Their names, in an order that stays."""

    @abstractmethod
    def read(self, partition: str, after: str | None, most: int, wait: float = 0.0) -> list[Event]:
        """The next events behind a position, or from the beginning; waits so many seconds for the first one."""

    @abstractmethod
    def close(self) -> None:
        """Ends the connection."""

    def __enter__(self) -> EventSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_events(address: str) -> EventSource:
    """The source of this address."""
    found = re.fullmatch(r"(redis|kafka)://([^/@]+)/([^/]+)", address)
    names = found[3].split(",") if found else []
    if found is None or not all(names):
        raise ValueError(f'address = "{address}": must be redis://HOST:PORT/KEY or kafka://HOST:PORT/TOPIC')
    return (_Redis if found[1] == "redis" else _Kafka)(address, found[2], names)


def _of_text(text: bytes) -> Mapping[str, Any] | str | None:
    """An object of JSON, or a line."""
    if not text.lstrip().startswith(b"{"):
        try:
            return text.decode()
        except UnicodeDecodeError:
            return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _of_fields(fields: Mapping[bytes, bytes]) -> Mapping[str, Any] | str | None:
    if len(fields) == 1:
        if b"json" in fields:
            found = _of_text(fields[b"json"])
            return None if isinstance(found, str) else found
        if b"line" in fields:
            found = _of_text(fields[b"line"])
            return found if isinstance(found, str) else None
    try:
        return {name.decode(): text.decode() or None for name, text in fields.items()}
    except UnicodeDecodeError:
        return None


class _Redis(EventSource):
    def __init__(self, address: str, host: str, keys: list[str]) -> None:
        import redis  # noqa: PLC0415

        self._library = redis
        self.address = address
        self._keys = keys
        name, _, port = host.rpartition(":") if ":" in host else (host, "", "6379")
        self._client = redis.Redis(host=name, port=int(port), password=os.environ.get("REDISCLI_AUTH"))

    @property
    def partitions(self) -> list[str]:
        return list(self._keys)

    def read(self, partition: str, after: str | None, most: int, wait: float = 0.0) -> list[Event]:
        last = after or "0-0"
        if wait > 0:
            block = max(1, int(1000 * wait))
            answer = self._patient(lambda: self._client.xread({partition: last}, count=most, block=block))
            entries = answer[0][1] if answer else []
        else:
            entries = self._patient(lambda: self._client.xrange(partition, min=f"({last}", count=most))
        return [Event(partition, name.decode(), _of_fields(fields)) for name, fields in entries]

    def _patient(self, ask: Callable[[], Any]) -> Any:
        """A broker that restarts is waited for."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return ask()
            except (self._library.ConnectionError, self._library.BusyLoadingError):
                if time.monotonic() > until:
                    raise
                time.sleep(_POLL)

    def close(self) -> None:
        self._client.close()


class _Kafka(EventSource):
    """The position is the model's matter: nothing is committed to the broker."""

    def __init__(self, address: str, host: str, topics: list[str]) -> None:
        import confluent_kafka  # noqa: PLC0415

        self._library = confluent_kafka
        self.address = address
        self._settings = {
            "bootstrap.servers": host,
            "group.id": "postrider",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "log_level": 0,
        }
        self._consumers: dict[str, Any] = {}
        self._next: dict[str, int | None] = {}
        self._ended: set[str] = set()  # nothing more was there
        consumer = confluent_kafka.Consumer(self._settings)
        self._partitions = []
        for topic in topics:
            known = consumer.list_topics(topic, timeout=_PATIENCE).topics[topic].partitions
            if not known:
                raise OSError(f"{address}: there is no topic {topic}")
            self._partitions += [f"{topic}/{number}" for number in sorted(known)]
        consumer.close()

    @property
    def partitions(self) -> list[str]:
        return list(self._partitions)

    def read(self, partition: str, after: str | None, most: int, wait: float = 0.0) -> list[Event]:
        consumer = self._consumer_at(partition, None if after is None else int(after) + 1)
        out: list[Event] = []
        begun = time.monotonic()
        while len(out) < most:
            # The broker tells the end of a partition once it is reached; until then it may just be slow to answer, and fewer
            # events than there are would make other batches when they are read again.
            patience = max(wait, _POLL if partition in self._ended else _PATIENCE)
            message = consumer.poll(max(0.0, begun + patience - time.monotonic()))
            if message is None:
                break
            error = message.error()
            if error is None:
                self._ended.discard(partition)
                self._next[partition] = message.offset() + 1
                out.append(Event(partition, str(message.offset()), _of_text(message.value() or b"")))
            elif error.code() == self._library.KafkaError._PARTITION_EOF:
                self._ended.add(partition)
                if wait == 0 or out:
                    break
            elif error.code() not in (self._library.KafkaError._ALL_BROKERS_DOWN, self._library.KafkaError._TRANSPORT):
                raise OSError(f"{self.address}: {partition}: {error.str()}")
        return out

    def _consumer_at(self, partition: str, offset: int | None) -> Any:
        known = self._consumers.get(partition)
        if known is not None and self._next[partition] == offset:
            return known
        if known is not None:
            known.close()
        self._ended.discard(partition)
        topic, _, number = partition.rpartition("/")
        consumer = self._library.Consumer(self._settings)
        start = self._library.OFFSET_BEGINNING if offset is None else offset
        consumer.assign([self._library.TopicPartition(topic, int(number), start)])
        self._consumers[partition], self._next[partition] = consumer, offset
        return consumer

    def close(self) -> None:
        for consumer in self._consumers.values():
            consumer.close()
        self._consumers.clear()


def sparse_rows(events: Sequence[Event], target: str, classes: bool) -> tuple[_core.FeatureRows | None, list[str]]:
    """Events as rows of a sparse model, and what is wrong with each that made no sense. All have columns, or all are lines of one text form."""
    if not events:
        return None, []
    try:
        return _rows_of(events, target, classes), []
    except ValueError:
        pass  # one by one, to find who is to blame
    good: list[Event] = []
    wrong: list[str] = []
    for event in events:
        try:
            _rows_of([event], target, classes)
            if good and _form(event) != _form(good[0]):
                raise ValueError(f"is of another form than the events before it: {_form(event)}, not {_form(good[0])}")
            good.append(event)
        except ValueError as trouble:
            wrong.append(f"{event.partition} {event.position}: {trouble}")
    return (_rows_of(good, target, classes) if good else None), wrong


def _form(event: Event) -> str:
    if not isinstance(event.row, str):
        return "columns"
    return "vw" if "|" in event.row else "libsvm"


def _rows_of(events: Sequence[Event], target: str, classes: bool) -> _core.FeatureRows:
    """One row for each. Raises ValueError if any of them makes no sense."""
    texts = [event.row for event in events if isinstance(event.row, str)]
    cells = [event.row for event in events if isinstance(event.row, Mapping)]
    if len(texts) == len(events):
        rows = _core.FeatureFile.of_text("\n".join(texts), "event", "auto").read(len(texts) + 1)
    elif len(cells) == len(events):
        labels = np.array([_target_of(row, target) for row in cells])
        inputs = [{name: cell for name, cell in row.items() if name != target} for row in cells]
        try:
            rows = _core.FeatureRows.of_records(inputs, labels, None)
        except TypeError as trouble:
            raise ValueError(f"must have numbers and texts in its columns: {trouble}") from trouble
    else:
        raise ValueError("must be an object of columns, or a line of LIBSVM's or Vowpal Wabbit's text")
    if rows is None or len(rows) != len(events):
        raise ValueError("must be one row of text")
    labels = rows.targets()
    if len(labels) != len(events) or not np.isfinite(labels).all():
        raise ValueError("must have a target that is a finite number")
    if classes and not np.isin(labels, (-1, 0, 1)).all():
        raise ValueError(f"target = {labels[~np.isin(labels, (-1, 0, 1))][0]:g}: must be 1 for one class, and 0 or -1 for the other")
    rows.validate(True)
    return rows


def _target_of(row: Mapping[str, Any], target: str) -> float:
    if target not in row:
        raise ValueError(f'must have a column "{target}", which is learned')
    try:
        return float(row[target])
    except (TypeError, ValueError) as trouble:
        raise ValueError(f"{target} = {row[target]!r}: must be a number") from trouble


@dataclass
class Followed:
    """How far a model has followed its source."""

    events: int = 0  # learned
    bad: int = 0  # that made no sense and were passed over
    complaint: str = ""  # about the first of them
    log_loss: float = 0.0  # of a sparse model: mean over the rows of this run, each before it was learned
    seconds: float = 0.0
    _loss: float = field(default=0.0, repr=False)
    _weight: float = field(default=0.0, repr=False)


def follow(
    model: SparseModel | TableModel,
    source: str | EventSource,
    path: str | os.PathLike[str] | None = None,
    *,
    target: str = "target",
    batch: int = 256,
    save_every: float = 60.0,
    until_end: bool = False,
    progress: Callable[[Followed], object] | None = None,
) -> Followed:
    """Learns the events of a source as they come, from where the model stands.

    With a path the model is written there every `save_every` seconds, at the end, and on Ctrl-C. The file has the beliefs
    and, for each partition, the last event that was learned, and it is replaced as a whole: whoever loads it and follows the same source
    again, after a crash too, learns no event twice and loses none.

    Parameters
    ----------
    model : SparseModel or TableModel
    source : str or EventSource
        Such as ``redis://localhost:6379/clicks`` or ``kafka://localhost:9092/clicks``.
    path : path, optional
        A file that is there already must be this model's: load it first, to go on where it stands.
    target : str
        The column to predict, for a sparse model whose events have columns.
    batch : int
        Events that are taken at a time from a partition, at most.
    save_every : float
        Seconds between two files.
    until_end : bool
        End when there is nothing more for now; otherwise events are waited for until Ctrl-C.
    progress : callable, optional
        Called after each batch; ends if it returns False.
    """
    opened = open_events(source) if isinstance(source, str) else source
    if path is not None:
        _expect_own_file(model, path, opened.address)
    out, begun = Followed(), time.monotonic()
    saved = begun
    try:
        for events in _batches(model, opened, batch, until_end):
            _learn(model, opened.address, events, target, out)
            out.seconds = time.monotonic() - begun
            if path is not None and time.monotonic() - saved >= save_every:
                model.save(path)
                saved = time.monotonic()
            if progress is not None and progress(out) is False:
                break
    except KeyboardInterrupt:
        pass
    finally:
        if isinstance(source, str):
            opened.close()
    if path is not None:
        model.save(path)
    return out


def _expect_own_file(model: SparseModel | TableModel, path: str | os.PathLike[str], source: str) -> None:
    """Raise FileExistsError if a file is there that says more of the source than the model, or something else."""
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        return
    name = os.fspath(path)
    try:
        there = type(model).load(path)
    except (OSError, ValueError) as trouble:
        raise FileExistsError(
            f"{name}: is there already and holds no {type(model).__name__}; remove it, or choose another name"
        ) from trouble
    if position(there, source) != position(model, source):
        raise FileExistsError(
            f"{name}: holds a model that has learned other events of {source}; go on from {type(model).__name__}.load({name!r}), "
            "or choose another name"
        )


def _batches(model: SparseModel | TableModel, source: EventSource, most: int, until_end: bool) -> Iterator[list[Event]]:
    """One partition after the other; the model's position tells what is next."""
    while True:
        found = False
        for partition in source.partitions:
            events = source.read(partition, position(model, source.address).get(partition), most)
            if events:
                found = True
                yield events
        if not found:
            if until_end:
                return
            time.sleep(_POLL)


def position(model: SparseModel | TableModel, source: str) -> dict[str, str]:
    """For each partition of a source, the last event that the model has learned."""
    core = model._model if isinstance(model, SparseModel) else model._core
    return dict(core.position(source))


def _learn(model: SparseModel | TableModel, source: str, events: list[Event], target: str, out: Followed) -> None:
    after = {event.partition: event.position for event in events}
    if isinstance(model, SparseModel):
        rows, wrong = sparse_rows(events, target, model._settings["target"] != "number")
        if rows is not None:
            learned, loss, weight, _ = model._model.learn(rows)
            out.events += learned
            out._loss += loss
            out._weight += weight
            out.log_loss = out._loss / out._weight if out._weight > 0 else 0.0
        model._model.set_position(source, after)
    else:
        refused = model._core.follow([event.row for event in events], after, source)
        wrong = [f"{events[place].partition} {events[place].position}: {why}" for place, why in refused]
        out.events += len(events) - len(wrong)
    if wrong and not out.complaint:
        out.complaint = wrong[0]
    out.bad += len(wrong)
