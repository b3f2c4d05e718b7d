"""Events of a real redis-server and of librdkafka's own broker, followed by models with their position in the file."""

import json
import random
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time

import pytest

from postrider import TableModel
from postrider.experimental.events import Event, follow, open_events, position, sparse_rows
from postrider.experimental.sparse_model import SparseModel
from trained import fitted

ROWS = 300


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rows(count=ROWS, seed=1):
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        user, price = draw.choice("abcdef"), round(draw.random(), 3)
        out.append({"user": user, "price": price, "target": int(draw.random() < (0.8 if user in "abc" else 0.2))})
    return out


def inputs_of(some):
    return [{name: cell for name, cell in row.items() if name != "target"} for row in some]


class Redis:
    def __init__(self, folder):
        self.port, self.folder = free_port(), folder
        self.client = pytest.importorskip("redis").Redis(port=self.port)
        self.start()

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--appendonly", "yes",
                   "--appendfsync", "always"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(200):
            try:
                if self.client.ping():
                    return
            except Exception:  # not yet
                time.sleep(0.05)

    def address(self, *keys):
        return f"redis://127.0.0.1:{self.port}/" + ",".join(keys)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def server(tmp_path):
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server")
    out = Redis(tmp_path)
    yield out
    out.kill()


@pytest.fixture
def broker():
    """The broker that librdkafka has for tests, its address, and a producer."""
    kafka = pytest.importorskip("confluent_kafka")
    producer = kafka.Producer({"test.mock.num.brokers": 1, "log_level": 0})
    found = next(iter(producer.list_topics(timeout=10).brokers.values()))
    return producer, f"{found.host}:{found.port}"


def send(producer, topic, some, partitions):
    for number, row in enumerate(some):
        producer.produce(topic, json.dumps(row) if isinstance(row, dict) else row, partition=number % partitions)
    assert producer.flush(20) == 0


def test_redis_is_followed_as_rows_are_learned(server, tmp_path):
    some = rows()
    for row in some:
        server.client.xadd("clicks", {"json": json.dumps(row)})
    expected = SparseModel()
    expected.update(inputs_of(some), [row["target"] for row in some])
    model = SparseModel()
    seen = []
    found = follow(model, server.address("clicks"), tmp_path / "model", batch=37, until_end=True, progress=lambda f: seen.append(f.events))
    assert found.events == ROWS == seen[-1] and found.bad == 0
    assert abs(found.log_loss - expected.log_loss_) < 1e-12
    assert model.predict_proba(inputs_of(some)).tolist() == expected.predict_proba(inputs_of(some)).tolist()
    # Again: nothing is left to be learned, also from the file.
    before = (tmp_path / "model").read_bytes()
    again = SparseModel.load(tmp_path / "model")
    assert follow(again, server.address("clicks"), tmp_path / "model", until_end=True).events == 0
    assert (tmp_path / "model").read_bytes() == before
    last = server.client.xrevrange("clicks", count=1)[0][0].decode()
    assert position(again, server.address("clicks")) == {"clicks": last}
    assert position(again, server.address("other")) == {}


def test_fields_lines_and_what_makes_no_sense(server):
    for row in rows(50):
        server.client.xadd("fields", {name: str(cell) for name, cell in row.items()})
    for nonsense in ({"user": "a"}, {"user": "a", "target": "3"}, {"json": "[1]"}, {b"\xff": "1"}, {"target": "x", "user": "b"}):
        server.client.xadd("fields", nonsense)
    model = SparseModel()
    found = follow(model, server.address("fields"), until_end=True)
    assert (found.events, found.bad) == (50, 5)
    assert found.complaint.startswith("fields ") and 'must have a column "target"' in found.complaint
    for line in ("1 3:1 4:0.5", "-1 5:1", "1 x:1:2", "", "1 |user a"):
        server.client.xadd("lines", {"line": line})
    found = follow(SparseModel(), server.address("lines"), until_end=True)
    assert (found.events, found.bad) == (2, 3)


def test_numbers_may_be_any(server):
    for number in range(30):
        server.client.xadd("n", {"json": json.dumps({"a": "x" if number % 2 else "y", "target": 100 + 3 * (number % 2)})})
    model = SparseModel(target="number")
    assert follow(model, server.address("n"), until_end=True).events == 30
    assert abs(model.predict([{"a": "x"}])[0] - 103) < 0.5


@pytest.mark.slow
def test_a_file_that_says_more_is_not_replaced(server, tmp_path):
    for row in rows():
        server.client.xadd("clicks", {"json": json.dumps(row)})
    path = tmp_path / "model"
    follow(SparseModel(), server.address("clicks"), path, until_end=True)
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="has learned other events of .*; go on from SparseModel.load"):
        follow(SparseModel(), server.address("clicks"), path, until_end=True)
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist([{**row, "target": float(row["target"])} for row in rows()])
    other = fitted(table, "target", hidden_layer_sizes=(3,), max_epochs=2, ensemble_size=1)
    with pytest.raises(FileExistsError, match="holds no TableModel"):
        follow(other, server.address("clicks"), path, until_end=True)
    assert path.read_bytes() == before


def test_events_that_no_model_can_learn_are_passed_over(server, tmp_path):
    some = rows()
    wrong = [{"target": 1, "hour": 1e12}, {"target": 1, "hour": float("nan")}, {"target": float("inf")}, {"hour": 1.0}]
    for place, row in enumerate(some):
        server.client.xadd("clicks", {"json": json.dumps(row)})
        if place < len(wrong):
            server.client.xadd("clicks", {"json": json.dumps(wrong[place])})
    expected, model = SparseModel(), SparseModel()
    expected.update(inputs_of(some), [row["target"] for row in some])
    found = follow(model, server.address("clicks"), tmp_path / "model", until_end=True)
    assert (found.events, found.bad) == (ROWS, len(wrong))
    assert model.predict_proba(inputs_of(some)).tolist() == expected.predict_proba(inputs_of(some)).tolist()


def test_killed_at_any_moment_nothing_is_lost_or_learned_twice(server, tmp_path):
    some = rows(2000)
    for row in some:
        server.client.xadd("clicks", {"json": json.dumps(row)})
    source = server.address("clicks")
    program = textwrap.dedent(f"""
        import os, sys
        from postrider.experimental.events import follow
        from postrider.experimental.sparse_model import SparseModel
        path = sys.argv[1]
        model = SparseModel.load(path) if os.path.exists(path) else SparseModel()
        follow(model, {source!r}, path, batch=7, save_every=0, until_end=True)
        """)
    path = tmp_path / "killed"
    draw = random.Random(3)
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", program, str(path)])
        until = time.monotonic() + 60
        before = path.read_bytes() if path.exists() else b""
        while time.monotonic() < until and process.poll() is None:
            if path.exists() and path.read_bytes() != before:
                break
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert path.exists()
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=100)
    model = SparseModel()
    follow(model, source, tmp_path / "expected", until_end=True)
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_broker_that_restarts_is_waited_for(server):
    for row in rows(20):
        server.client.xadd("clicks", {"json": json.dumps(row)})
    model = SparseModel()
    with open_events(server.address("clicks")) as source:
        assert follow(model, source, until_end=True).events == 20
        server.kill()
        server.start()
        server.client.xadd("clicks", {"json": json.dumps(rows(1)[0])})
        assert follow(model, source, until_end=True).events == 1
        assert source.read("clicks", None, 3, wait=0.2)[2].row == rows(3)[2]
        assert source.read("clicks", position(model, source.address)["clicks"], 3, wait=0.05) == []


def test_tables_follow_as_the_program_does(server, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    some = rows(60)
    table = pyarrow.Table.from_pylist([{**row, "target": float(row["target"]) + row["price"]} for row in some])
    model = fitted(table, "target", hidden_layer_sizes=(3,), max_epochs=2, ensemble_size=1)
    model.save(tmp_path / "first")
    more = [{**row, "target": float(row["target"])} for row in rows(40, seed=2)]
    for row in more:
        server.client.xadd("sales", {"json": json.dumps(row)})
    server.client.xadd("sales", {"json": json.dumps({"price": [1], "target": 1.0})})
    server.client.xadd("sales", {"json": json.dumps({"price": "dear", "target": 1.0})})
    server.client.xadd("sales", {"json": json.dumps({"price": 1e300, "target": 1.0})})
    server.client.xadd("sales", {"json": json.dumps({"price": 1.0, "target": -1e200})})
    source = server.address("sales")
    found = follow(model, source, tmp_path / "followed", batch=7, until_end=True)
    assert (found.events, found.bad) == (40, 4)
    assert found.complaint.startswith("sales ") and 'column "price": must be a number, a text, true, false or null' in found.complaint
    expected = TableModel.load(tmp_path / "first")
    expected.update(pyarrow.Table.from_pylist(more))
    np_rows = pyarrow.Table.from_pylist(inputs_of(some))
    assert model.predict(np_rows)["mean"].tolist() == expected.predict(np_rows)["mean"].tolist()
    back = TableModel.load(tmp_path / "followed")
    assert follow(back, source, until_end=True).events == 0


def test_kafka_is_followed(broker, tmp_path):
    producer, address = broker
    some = rows()
    send(producer, "clicks", some, partitions=2)
    source = f"kafka://{address}/clicks"
    model = SparseModel()
    found = follow(model, source, tmp_path / "model", batch=20, until_end=True)
    assert (found.events, found.bad) == (ROWS, 0)
    assert position(model, source)["clicks/0"] == str(ROWS // 2 - 1)
    # What comes later is learned behind that; each event once.
    send(producer, "clicks", [*rows(10, seed=2), "no json {"], partitions=2)
    back = SparseModel.load(tmp_path / "model")
    found = follow(back, source, until_end=True)
    assert (found.events, found.bad) == (10, 1)
    assert follow(back, source, until_end=True).events == 0
    with open_events(source) as events:
        assert "clicks/1" in events.partitions
        assert events.read("clicks/1", "0", 2)[1] == Event("clicks/1", "2", some[5])


def test_kafka_by_owners_is_read_from_any_place(broker):
    """As a worker does that was started again."""
    producer, address = broker
    send(producer, "clicks", rows(40), partitions=1)
    with open_events(f"kafka://{address}/clicks") as events:
        name = events.partitions[0]
        first = events.read(name, None, 10)
        assert [event.position for event in first] == [str(number) for number in range(10)]
        assert events.read(name, first[4].position, 3)[0].position == "5"
        assert len(events.read(name, "9", 100)) == 30
        assert events.read(name, "39", 10) == []


def test_rows_of_events():
    found, wrong = sparse_rows([Event("p", "1", "1 |user a"), Event("p", "2", "-1 |user b"), Event("p", "3", "nonsense")], "target", True)
    assert found is not None and len(found) == 2 and len(wrong) == 1 and wrong[0].startswith("p 3: ")
    for bad, why in (
        (None, "must be an object of columns"),
        ({"a": "x"}, 'must have a column "y"'),
        ({"a": "x", "y": "wide"}, "y = 'wide': must be a number"),
        ({"a": "x", "y": 7}, "target = 7: must be 1 for one class"),
        ({"a": "x", "y": float("nan")}, "a target that is a finite number"),
        ({"a": 1e300, "y": 1}, "must be within -1e9 and 1e9"),
        ("1 |user a", "is of another form"),
    ):
        found, wrong = sparse_rows([Event("p", "1", {"a": "x", "y": 1}), Event("p", "2", bad)], "y", True)
        assert found is not None and len(found) == 1
        assert len(wrong) == 1 and wrong[0].startswith("p 2: ") and why in wrong[0], wrong
    assert sparse_rows([], "y", True) == (None, [])


@pytest.mark.parametrize("address", ["kafka://host", "kafka:///rows", "redis://host/", "redis://host/a,,b", "mqtt://host/rows"])
def test_addresses(address):
    with pytest.raises(ValueError, match="must be redis://HOST:PORT/KEY or kafka://HOST:PORT/TOPIC"):
        open_events(address)


