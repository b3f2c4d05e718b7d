"""Weights with owners: real processes, a real redis-server, and losses."""

import itertools
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from postrider import _core
from postrider.experimental._rounds import Message, Plan, bits_of
from postrider.experimental.sparse_model import SparseModel

redis = pytest.importorskip("redis")
pytest.importorskip("pyarrow.flight")
from postrider.experimental._owner import Owner  # noqa: E402
from postrider.experimental.owners import Client, Crew, gather  # noqa: E402

needs_server = pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server")

EVENTS = 3000
SECONDS = 100


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def lines(count, seed=1):
    """Rows of three names, of which two decide."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        names = [1 + draw.randrange(10), 11 + draw.randrange(10), 21 + draw.randrange(200)]
        score = (names[0] - 4.5) / 2 + (names[1] % 3 - 1)
        label = 1 if draw.random() < 1 / (1 + 2.718 ** -score) else -1
        out.append(f"{label} " + " ".join(f"{name}:1" for name in names))
    return out


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    port = free_port()
    folder = tmp_path_factory.mktemp("redis")
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    client = redis.Redis(port=port)
    for _ in range(100):
        try:
            if client.ping():
                break
        except redis.ConnectionError:
            time.sleep(0.05)
    for number, line in enumerate(lines(EVENTS)):
        client.xadd(f"rows{number % 2}", {"line": line}, id=f"{number + 1}-0")
    client.xadd("rows0", {"line": "1 nonsense"}, id=f"{EVENTS + 1}-0")
    yield f"redis://127.0.0.1:{port}/rows0,rows1"
    process.send_signal(signal.SIGKILL)
    process.wait()


def made(folder, source, owners, **settings):
    folder.mkdir()
    plan = Plan.make(source, [f"127.0.0.1:{free_port()}" for _ in range(owners)], folder / "owners", until_end=True,
                     **{"batch": 16, "save_every": 10, **settings})
    plan.save(folder / "plan.json")
    assert Plan.load(folder / "plan.json") == plan
    return plan


def model_bytes(plan, folder):
    gather(plan).save(folder / "model")
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    plan = made(folder, server, 2)
    with Crew(folder / "plan.json", 2) as crew:
        crew.wait(SECONDS)
        status = Client(plan).status()
        predicted = Client(plan).predict([{"": {"3": 1, "12": 1}}])
    return plan, [path.read_bytes() for path in plan.last_files()], status, predicted


@needs_server
@pytest.mark.slow
def test_every_event_is_learned_once(undisturbed, tmp_path):
    plan, _, status, predicted = undisturbed
    assert status["finished"] and status["rows"] == EVENTS
    assert status["positions"] == {"rows0": f"{EVENTS + 1}-0", "rows1": f"{EVENTS}-0"}
    assert status["bad"] == 1
    model = gather(plan)
    assert model.n_weights_ == status["weights"] == 220
    in_one_place = SparseModel()
    (tmp_path / "rows").write_text("\n".join(lines(EVENTS)) + "\n")
    assert abs(model.log_loss_ - in_one_place.update(tmp_path / "rows").update_log_loss_) < 0.01
    # Owners answer what the gathered model does.
    np.testing.assert_allclose(predicted.probability[0], model.predict_proba([{"": {"3": 1, "12": 1}}])[0, 1], rtol=1e-5)
    assert len(plan.rounds_of(0)) == 2  # older ones are not kept


@needs_server
@pytest.mark.slow
def test_the_number_of_owners_and_workers_changes_nothing(undisturbed, server, tmp_path):
    expected = model_bytes(undisturbed[0], tmp_path)
    plan = made(tmp_path / "run", server, 1)
    with Crew(tmp_path / "run" / "plan.json", 1) as crew:
        crew.wait(SECONDS)
    assert model_bytes(plan, tmp_path) == expected


@needs_server
@pytest.mark.slow
@pytest.mark.parametrize("victims", [[0], [1, 2], [3, 0]])
def test_a_loss_changes_nothing(undisturbed, server, tmp_path, victims):
    """By process id, without warning, while rounds go on."""
    plan = made(tmp_path / "run", server, 2)
    with Crew(tmp_path / "run" / "plan.json", 2) as crew:
        client = Client(plan)
        for number, victim in enumerate(victims, 1):
            wait_for_rows(crew, client, number * EVENTS // 4)
            assert crew.kill(victim)
            assert not crew.look()
        crew.wait(SECONDS)
        assert crew.restarts >= len(victims)
    assert [path.read_bytes() for path in plan.last_files()] == undisturbed[1]


@needs_server
@pytest.mark.slow
def test_an_error_that_stays_is_told(server, tmp_path, monkeypatch):
    """Here a plan with a setting that does not exist."""
    monkeypatch.setattr("postrider.experimental.owners._MOST_FAILURES", 1)
    plan = made(tmp_path / "run", server, 1)
    text = (tmp_path / "run" / "plan.json").read_text()
    (tmp_path / "run" / "plan.json").write_text(text.replace('"logistic"', '"none"'))
    with Crew(tmp_path / "run" / "plan.json", 1) as crew, pytest.raises(RuntimeError, match="ended with an error 1 times"):
        crew.wait(SECONDS)
    assert plan.rounds_of(0) == []


@needs_server
@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, 1])
def test_status_while_an_owner_is_down(undisturbed, server, tmp_path, lost):
    """On processes that nobody starts again, as the command line has them."""
    plan = made(tmp_path / "run", server, 2)
    command = [sys.executable, "-m", "postrider.experimental.owners"]
    file = str(tmp_path / "run" / "plan.json")
    logs = [open(tmp_path / f"{name}.log", "w") for name in ("owner0", "owner1", "worker")]
    roles = [["owner", file, "0", "--log", "json"], ["owner", file, "1", "--log", "json"], ["worker", file, "0"]]
    processes = [subprocess.Popen([*command, *role], stderr=log) for role, log in zip(roles, logs)]
    try:
        client = Client(plan)
        until = time.monotonic() + SECONDS
        while not (status := client.status()).finished:
            assert time.monotonic() < until, status
            time.sleep(0.1)
        assert processes[2].wait(SECONDS) == 0
        assert status.down == [] and status.restored and status.rows == EVENTS
        asked = subprocess.run([*command, "status", file], capture_output=True, text=True, timeout=SECONDS)
        assert asked.returncode == 0 and json.loads(asked.stdout)["rows"] == EVENTS
        processes[lost].kill()
        processes[lost].wait()
        asked = subprocess.run([*command, "status", file], capture_output=True, text=True, timeout=SECONDS)
        assert asked.returncode == 1 and asked.stderr == ""
        told = json.loads(asked.stdout)
        down, up = told["owners"][lost], told["owners"][1 - lost]
        assert not down["is_up"] and down["address"] == plan.owners[lost] and down["reason"] and down["weights"] is None
        assert up["is_up"] and up["weights"] == told["weights"] == status.owners[1 - lost].weights
        assert 0 < up["weights"] < status.weights
        assert told["round"] == status.round and told["positions"] == status.positions and not told["restored"]
        assert told["rows"] == (None if lost == 0 else EVENTS)
        assert client.status().down == [plan.owners[lost]]
        # A worker that begins now waits, and says for whom; it goes on once the owner is back.
        logs.append(open(tmp_path / "late.log", "w"))
        processes.append(subprocess.Popen([*command, "worker", file, "0", "--log", "text"], stderr=logs[-1]))
        wait_for_text(tmp_path / "late.log", "an owner does not answer: ")
        processes[lost] = subprocess.Popen([*command, *roles[lost]], stderr=logs[lost])
        assert processes[-1].wait(SECONDS) == 0
    finally:
        for process in processes:
            process.kill()
            process.wait()
        for log in logs:
            log.close()
    late = (tmp_path / "late.log").read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ postrider: worker 0: ", line) for line in late)
    assert sum("does not answer" in line for line in late) == 1  # once for each outage
    assert any("owners answer again, after" in line for line in late)
    assert "1 of " in (tmp_path / "worker.log").read_text() and "events made no sense; the first: rows0" in (tmp_path / "worker.log").read_text()
    said = [json.loads(line) for line in (tmp_path / f"owner{lost}.log").read_text().splitlines()]
    assert all(set(line) == {"time", "level", "process", "message"} and line["process"] == f"owner {lost}" for line in said)
    messages = [line["message"] for line in said]
    assert sum(message.startswith("began on") for message in messages) == 2
    assert f"goes on behind round {status.round}, as all owners do" in messages


def wait_for_text(path, text):
    until = time.monotonic() + SECONDS
    while text not in path.read_text():
        assert time.monotonic() < until, path.read_text()
        time.sleep(0.05)


@needs_server
@pytest.mark.slow
def test_a_crew_logs_what_it_does(server, tmp_path):
    made(tmp_path / "run", server, 2)
    program = (
        "import sys\nfrom postrider.experimental.owners import Crew\n"
        "if __name__ == '__main__':\n"
        "    with Crew(sys.argv[1], 2, log='text') as crew:\n"
        "        crew.kill(1)\n        crew.wait(100)\n"
    )
    (tmp_path / "crew.py").write_text(program)
    run = subprocess.run([sys.executable, str(tmp_path / "crew.py"), str(tmp_path / "run" / "plan.json")],
                         capture_output=True, text=True, timeout=SECONDS)
    assert run.returncode == 0, run.stderr
    for text in ("owner 0: began on", "worker 1: the source has ended", "owner 1 ended with code -9; it is started again"):
        assert text in run.stderr
    with pytest.raises(ValueError, match="log = 'xml': must be None or one of text, json"):
        Crew(tmp_path / "run" / "plan.json", 1, log="xml")


def wait_for_rows(crew, client, rows):
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        crew.look()
        try:
            if (client.status().rows or 0) >= rows:
                return
        except Exception:  # an owner is away
            pass
        time.sleep(0.01)
    raise TimeoutError


# --- one owner, without processes ----------------------------------------------------------------


SETTINGS = {"target": "logistic"}
UNITS = (1.0, 0.0, 1.0)


def plan_of(folder, **more):
    folder.mkdir(exist_ok=True)
    return Plan([f"127.0.0.1:{free_port()}"], "redis://none/a,b", ["a", "b"], str(folder), SETTINGS, UNITS,
                **{"until_end": True, "save_every": 1, **more})


class Said:
    """What partitions say to an owner, in its own process."""

    def __init__(self, plan):
        self.owner = Owner(plan, 0)
        self.owner._on_restore(Message({"term": "t", "round": 0}))

    def ask(self, round, partitions, term="t"):
        return self.owner._on_ask(Message({"term": term, "round": round, "partitions": partitions}, [np.array([5], dtype=np.uint64)])).words["state"]

    def say(self, round, partition, tau=1, events=1, term="t"):
        keys = np.array([5], dtype=np.uint64)
        changes = np.array([tau] * 8 + [1] * 8, dtype=np.int64)
        shared = np.zeros(45, dtype=np.int64)
        shared[40] = events
        words = {"term": term, "round": round, "partition": partition, "position": f"{round}-0", "events": events, "bad": 0, "models": 255, "weights": 1}
        return self.owner._on_say(Message(words, [keys, changes, shared])).words["state"]

    def status(self):
        return self.owner._on_status(Message({})).words


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr("postrider.experimental._owner._WAIT", 0.01)


def test_a_round_ends_when_all_have_said_and_asked(quick, tmp_path):
    said = Said(plan_of(tmp_path))
    assert said.ask(0, ["a", "b"]) == "here"
    assert said.say(0, "a") == said.say(0, "a") == "here"  # twice counts once
    assert said.ask(1, ["a"]) == "wait"
    assert said.say(0, "b", events=2) == "here"
    assert said.ask(1, ["a"]) == "wait"  # b may still have to tell other owners
    assert said.status()["round"] == 0
    assert said.ask(1, ["b"]) == "here"
    assert said.status()["round"] == 1
    assert said.status()["summary"]["rows"] == 3
    assert said.status()["positions"] == {"a": "0-0", "b": "0-0"}
    # Two units of tau and of rho, of eight models each.
    assert said.owner._weights.beliefs(np.array([5], dtype=np.uint64))[0] > 0
    assert said.say(0, "a") == "stale"
    assert said.ask(0, ["a"]) == "stale"
    assert said.say(1, "a", term="old") == said.ask(1, ["a"], term="old") == "stale"


def test_what_comes_twice_and_differs_is_an_error(quick, tmp_path):
    said = Said(plan_of(tmp_path))
    said.say(0, "a")
    with pytest.raises(Exception, match="came twice and differs"):
        said.say(0, "a", tau=2)


def test_snapshots_come_back_as_they_were(quick, tmp_path):
    plan = plan_of(tmp_path)
    said = Said(plan)
    for round in range(3):
        for partition in "ab":
            said.say(round, partition, tau=round + 1)
        said.ask(round + 1, ["a", "b"])
    assert plan.rounds_of(0) == [2, 3]
    said.say(3, "a", tau=9)
    at_two = plan.file_of(0, 2).read_bytes()
    said.owner._on_restore(Message({"term": "new", "round": 2}))
    assert plan.rounds_of(0) == [2]
    status = said.status()
    assert (status["round"], status["term"], status["positions"]) == (2, "new", {"a": "1-0", "b": "1-0"})
    assert said.ask(3, ["a", "b"], term="new") == "wait"  # nothing is left of what was said before
    said.owner._weights.save(str(tmp_path / "again"), said.owner._weights.note())
    assert (tmp_path / "again").read_bytes() == at_two
    said.owner._on_restore(Message({"term": "newer", "round": 0}))
    assert said.status()["summary"]["rows"] == 0 and plan.rounds_of(0) == []


def test_the_source_has_ended_when_no_partition_has_events(quick, tmp_path):
    said = Said(plan_of(tmp_path, save_every=1000))
    said.say(0, "a", events=0)
    said.say(0, "b", events=1)
    said.ask(1, ["a", "b"])
    assert not said.status()["finished"]
    for partition in "ab":
        said.say(1, partition, events=0)
    said.ask(2, ["a", "b"])
    assert said.status()["finished"] and said.status()["snapshots"] == [2]


# --- plans and messages --------------------------------------------------------------------------


def test_few_rows_are_side_by_side_at_first(tmp_path):
    plan = plan_of(tmp_path, batch=100)
    sizes = list(itertools.islice(plan.sizes(), 600))
    seen = 0
    for size in sizes:
        assert size == 1 or 2 * size * 32 <= seen
        seen += 2 * size
    assert sizes[:64] == [1] * 64 and sizes[-1] == 100


def test_messages_are_the_same_after_the_way():
    message = Message({"a": [1, "x"]}, [np.arange(3, dtype=np.float32), np.array([2**63], dtype=np.uint64), np.empty(0, dtype=np.int64)])
    back = Message.unpack(message.pack())
    assert back == message
    assert back != Message(message.words, [array + 1 for array in message.arrays])
    assert back != Message({}, message.arrays)
    assert [array.dtype for array in back.arrays] == [array.dtype for array in message.arrays]


def test_bits():
    assert bits_of(0b100101) == [0, 2, 5]


def test_plans_tell_mistakes():
    with pytest.raises(ValueError, match="batch = 0: must be at least 1"):
        Plan.make("redis://none/a", ["127.0.0.1:1"], "x", batch=0)
    with pytest.raises(ValueError, match="must be redis://HOST:PORT/KEY"):
        Plan.make("mqtt://none/a", ["127.0.0.1:1"], "x")
    for owners, words in ((["127.0.0.1"], "must be HOST:PORT each"), (["a:1", "a:1"], "an address of its own"), ([], "must be at least 1")):
        with pytest.raises(ValueError, match=words):
            Plan.make("redis://none/a", owners, "x")


def test_wrong_calls_of_the_program_are_one_line(tmp_path):
    plan = Plan(["127.0.0.1:1"], "redis://none/a", ["a"], str(tmp_path), {"target": "logistic"}, (1.0, 0.0, 1.0))
    plan.save(tmp_path / "plan")
    (tmp_path / "other").write_text("{}")
    for arguments, words in (
        (["owner", "plan", "5"], "index = 5: must be at least 0 and below 1, the number of owners"),
        (["worker", "plan", "2", "--of", "2"], "below 2, the number of workers"),
        (["gather", "plan"], "there is no snapshot of all owners yet"),
        (["status", "other"], "holds no plan"),
        (["status", "nowhere"], "nowhere"),
    ):
        found = subprocess.run([sys.executable, "-m", "postrider.experimental.owners", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert found.returncode == 2
        assert words in found.stderr and len(found.stderr.splitlines()) == 1, found.stderr


def test_keys_are_spread_over_owners():
    owners = _core.owners_of(np.arange(10_000, dtype=np.uint64), 3)
    assert np.bincount(owners.astype(int)).min() > 3000
