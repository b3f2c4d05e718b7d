"""Events of Redis Streams and of Kafka, by the clients that others build on."""

from __future__ import annotations

import json
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from postrider.experimental._broker_settings import Address, BrokerSettings
from postrider.experimental._known_sources import Known, known_by_address, known_by_identity, source_name

_PATIENCE = 30.0  # seconds, with a broker that does not answer
POLL = 0.1


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

    def name_among(self, known: Known) -> str:
        """The name by which a model keeps the source, which may have followed it by another address."""
        del known
        return self.address

    def __enter__(self) -> EventSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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


def _host_and_port(text: str, default: int) -> tuple[str, int]:
    found = re.fullmatch(r"\[?(.*?)\]?(?::(\d+))?", text)
    if found is None or text.count(":") > 1 and "[" not in text:
        return text, default
    return found[1], int(found[2] or default)


class RedisStreams(EventSource):
    """One server, the master that Sentinels know, or a cluster."""

    def __init__(self, address: Address, settings: BrokerSettings) -> None:
        import redis  # noqa: PLC0415

        self._library = redis
        self.address = address.text
        self._keys = address.names
        arguments = settings.for_redis(address)
        sentinel = {name[9:]: arguments.pop(name) for name in list(arguments) if name.startswith("sentinel_")}
        self._is_cluster = False
        if address.master:
            from redis.sentinel import Sentinel  # noqa: PLC0415

            secure = {name: value for name, value in arguments.items() if name.startswith("ssl")}
            hosts = [_host_and_port(host, 26379) for host in address.hosts]
            self._client: Any = Sentinel(hosts, sentinel_kwargs={**secure, **sentinel}, **arguments).master_for(address.master)
        else:
            self._client = self._patient(lambda: self._connected(address, arguments))

    def _connected(self, address: Address, arguments: dict[str, Any]) -> Any:
        """The first that answers, or the cluster that it is a node of."""
        hosts = [_host_and_port(host, 6379) for host in address.hosts]
        for place, (host, port) in enumerate(hosts):
            client = self._library.Redis(host=host, port=port, **arguments)
            try:
                self._is_cluster = bool(client.info("cluster").get("cluster_enabled"))
            except self._library.AuthenticationError:
                raise
            except self._library.ConnectionError:
                if place + 1 == len(hosts):
                    raise
                continue
            except self._library.ResponseError:
                return client  # a user who may not ask
            if not self._is_cluster:
                return client
            client.close()
            from redis.cluster import ClusterNode, RedisCluster  # noqa: PLC0415

            return RedisCluster(startup_nodes=[ClusterNode(*each) for each in hosts], **arguments)
        raise AssertionError("an address has hosts")

    @property
    def partitions(self) -> list[str]:
        return list(self._keys)

    def read(self, partition: str, after: str | None, most: int, wait: float = 0.0) -> list[Event]:
        last = after or "0-0"
        if wait > 0:
            block = max(1, int(1000 * wait))
            answer = self._patient(lambda: self._client.xread({partition: last}, count=most, block=block))
            # A list of keys with their entries, or, by newer forms of answers, a mapping with lists of them.
            entries = [] if not answer else next(iter(answer.values()))[0] if isinstance(answer, dict) else answer[0][1]
        else:
            entries = self._patient(lambda: self._client.xrange(partition, min=f"({last}", count=most))
        return [Event(partition, name.decode(), _of_fields(fields)) for name, fields in entries]

    def name_among(self, known: Known) -> str:
        identities = self._patient(self._identities)
        found = known_by_identity(known, self.address, identities) or self._known_by_entries(known) or known_by_address(known, self.address)
        return found or source_name(self.address, identities[0] if identities else "")

    def _identities(self) -> list[str]:
        """The replication id, and the one before it, which a replica that became the master keeps; none if the user may not ask."""
        client = self._client
        if self._is_cluster:
            client = client.get_redis_connection(client.get_node_from_key(min(self._keys)))
        try:
            found = client.info("replication")
        except self._library.exceptions.NoPermissionError:
            return []
        ids = [str(found.get(name, "")) for name in ("master_replid", "master_replid2")]
        return [each for each in ids if each.strip("0")]

    def _known_by_entries(self, known: Known) -> str | None:
        """A server that was started again has another id, but the entries are there. Ids since 2001 are times, which no other server has."""
        for name, partitions in known.items():
            for key, position in partitions.items():
                is_time = re.fullmatch(r"\d{13,}-\d+", position) is not None
                if name.startswith("redis") and key in self._keys and is_time and self._patient(lambda: self._client.xrange(key, position, position)):
                    return name
        return None

    def _patient(self, ask: Callable[[], Any]) -> Any:
        """A broker that restarts, or is replaced by another one, is waited for."""
        library = self._library
        passing = (library.ConnectionError, library.TimeoutError, library.BusyLoadingError, *_of_clusters(library))
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return ask()
            except library.AuthenticationError as trouble:
                raise PermissionError(f"{self.address}: {trouble}") from trouble
            except passing as trouble:
                if "CERTIFICATE_VERIFY_FAILED" in str(trouble):
                    raise PermissionError(f"{self.address}: its certificate is not accepted: {trouble}") from trouble
                if time.monotonic() > until:
                    raise
            except library.ResponseError as trouble:
                if not str(trouble).startswith("UNBLOCKED") or time.monotonic() > until:
                    raise
            time.sleep(POLL)

    def close(self) -> None:
        self._client.close()


def _of_clusters(library: Any) -> tuple[type[Exception], ...]:
    return library.exceptions.ClusterDownError, library.exceptions.MasterDownError, library.exceptions.TryAgainError


class KafkaTopics(EventSource):
    """The position is the model's matter: nothing is committed to the broker."""

    def __init__(self, address: Address, settings: BrokerSettings) -> None:
        import confluent_kafka  # noqa: PLC0415

        self._library = confluent_kafka
        self.address = address.text
        self._settings = settings.for_kafka(address)
        self._consumers: dict[str, Any] = {}
        self._next: dict[str, int | None] = {}
        self._ended: set[str] = set()  # nothing more was there
        trouble: list[str] = []
        try:
            consumer = confluent_kafka.Consumer({**self._settings, "error_cb": lambda error: trouble.append(error.str())})
        except confluent_kafka.KafkaException as error:
            settings.refuse_by_words(error.args[0].str())
        self._identity = ""
        self._partitions = []
        for topic in address.names:
            try:
                found = consumer.list_topics(topic, timeout=_PATIENCE)
            except confluent_kafka.KafkaException as error:
                consumer.poll(0)  # lets the library tell more
                raise OSError(f"{self.address}: {trouble[0] if trouble else error.args[0].str()}") from error
            known = found.topics[topic].partitions
            if not known:
                raise OSError(f"{self.address}: there is no topic {topic}")
            self._identity = found.cluster_id or ""
            self._partitions += [f"{topic}/{number}" for number in sorted(known)]
        consumer.close()

    @property
    def partitions(self) -> list[str]:
        return list(self._partitions)

    def name_among(self, known: Known) -> str:
        found = known_by_identity(known, self.address, [self._identity])
        return found or source_name(self.address, self._identity)

    def read(self, partition: str, after: str | None, most: int, wait: float = 0.0) -> list[Event]:
        consumer = self._consumer_at(partition, None if after is None else int(after) + 1)
        out: list[Event] = []
        begun = time.monotonic()
        while len(out) < most:
            # The broker tells the end of a partition once it is reached; until then it may just be slow to answer, and fewer
            # events than there are would make other batches when they are read again.
            patience = max(wait, POLL if partition in self._ended else _PATIENCE)
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
