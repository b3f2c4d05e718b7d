"""Events of Redis Streams and of Kafka, and models that follow them.

A source is named as for ``postrider stream``: ``redis://HOST:PORT/KEY`` (several keys with commas),
``rediss://HOST:PORT/KEY`` for TLS, ``redis+sentinel://HOST:PORT/MASTER/KEY`` or ``kafka://HOST:PORT/TOPIC``. Users, passwords and
certificates are in the same file as for ``postrider stream --broker-config``. An event of Redis has a field for each column, or one field ``json`` with an object, or one
field ``line`` with a row of LIBSVM's or Vowpal Wabbit's text. A message of Kafka is such an object or such a line.
``pip install "postrider[redis]"`` or ``"postrider[kafka]"`` brings the client.

Experimental: the part becomes stable once it has followed brokers that others run for weeks, with nothing lost and nothing learned
twice. Only faults of our own making are counted so far.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from postrider import _core
from postrider.experimental._broker_settings import BrokerSettings, parse_address
from postrider.experimental._brokers import POLL, Event, EventSource, KafkaTopics, RedisStreams
from postrider.experimental._known_sources import Known
from postrider.experimental.sparse_model import SparseModel
from postrider.tables import TableModel

__all__ = ["Event", "EventSource", "Followed", "follow", "open_events", "sparse_rows"]


def open_events(address: str, broker_config: str | os.PathLike[str] | None = None) -> EventSource:
    """The source of this address, with a file of settings for the connection if there is one."""
    parsed = parse_address(address)
    settings = BrokerSettings.read(broker_config)
    return RedisStreams(parsed, settings) if parsed.kind == "redis" else KafkaTopics(parsed, settings)


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
    broker_config: str | os.PathLike[str] | None = None,
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
    broker_config : path, optional
        A file of settings for the connection, a line `key=value` each, as of ``postrider stream --broker-config``.
    """
    opened = open_events(source, broker_config) if isinstance(source, str) else source
    name = opened.name_among(_known(model))
    if path is not None:
        _expect_own_file(model, path, opened)
    out, begun = Followed(), time.monotonic()
    saved = begun
    try:
        for events in _batches(model, opened, name, batch, until_end):
            _learn(model, name, events, target, out)
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


def _expect_own_file(model: SparseModel | TableModel, path: str | os.PathLike[str], source: EventSource) -> None:
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
    if position(there, source.name_among(_known(there))) != position(model, source.name_among(_known(model))):
        raise FileExistsError(
            f"{name}: holds a model that has learned other events of {source.address}; go on from {type(model).__name__}.load({name!r}), "
            "or choose another name"
        )


def _batches(model: SparseModel | TableModel, source: EventSource, name: str, most: int, until_end: bool) -> Iterator[list[Event]]:
    """One partition after the other; the model's position tells what is next."""
    while True:
        found = False
        for partition in source.partitions:
            events = source.read(partition, position(model, name).get(partition), most)
            if events:
                found = True
                yield events
        if not found:
            if until_end:
                return
            time.sleep(POLL)


def position(model: SparseModel | TableModel, source: str) -> dict[str, str]:
    """For each partition of a source, the last event that the model has learned. The source is an address by which it was followed first."""
    core = _core_of(model)
    names = core.sources()
    found = source if source in names else next((name for name in names if name.startswith(source + " id ")), source)
    return dict(core.position(found))


def _known(model: SparseModel | TableModel) -> Known:
    return {name: dict(_core_of(model).position(name)) for name in _core_of(model).sources()}


def _core_of(model: SparseModel | TableModel) -> Any:
    return model._model if isinstance(model, SparseModel) else model._learned_table()


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
        refused = model._learned_table().follow([event.row for event in events], after, source)
        wrong = [f"{events[place].partition} {events[place].position}: {why}" for place, why in refused]
        out.events += len(events) - len(wrong)
    if wrong and not out.complaint:
        out.complaint = wrong[0]
    out.bad += len(wrong)
