"""Addresses and files of settings for brokers; the real ones by TLS, through Sentinel and as a cluster."""

import json
import shutil
import signal
import socket
import subprocess
import time

import pytest

from postrider import TableModel
from postrider.experimental._broker_settings import BrokerSettings, parse_address
from postrider.experimental._known_sources import known_by_address, known_by_identity, source_name
from postrider.experimental.events import follow, open_events, position
from postrider.experimental.sparse_model import SparseModel
from trained import fitted

SECRET = "open-sesame"


def free_port():
    """Low enough that a node of a cluster can take the port 10000 above it, too."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port < 50000:
            return port


class Server:
    """A redis-server with its own folder; `client` are arguments of redis-py's client."""

    def __init__(self, folder, *options, tls=None, **client):
        self.folder, self.port = folder, free_port()
        folder.mkdir(exist_ok=True)
        where = ["--port", str(self.port)]
        if tls:
            where = ["--port", "0", "--tls-port", str(self.port), "--tls-cert-file", str(tls / "server.pem"), "--tls-key-file",
                     str(tls / "server.key"), "--tls-ca-cert-file", str(tls / "authority.pem"), "--tls-auth-clients", "optional"]
            client |= {"ssl": True, "ssl_ca_certs": str(tls / "authority.pem")}
        command = ["redis-server", *where, "--bind", "127.0.0.1", "--dir", str(folder), *options]
        if "--sentinel" in options:
            command = ["redis-server", str(folder / "sentinel.conf"), "--sentinel", *where, "--bind", "127.0.0.1", "--dir", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.client = pytest.importorskip("redis").Redis(port=self.port, **client)
        self.wait_for(lambda: self.client.ping())

    def wait_for(self, is_so):
        for _ in range(400):
            try:
                if is_so():
                    return
            except Exception:  # not yet
                pass
            time.sleep(0.05)
        raise AssertionError("redis-server does not answer")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def start(tmp_path):
    """Starts servers, which end with the test."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server")
    servers = []

    def one(name, *options, **more):
        servers.append(Server(tmp_path / name, *options, **more))
        return servers[-1]

    yield one
    for server in servers:
        server.kill()


@pytest.fixture
def certificates(tmp_path):
    """An authority, a certificate that it has signed for this machine, and another authority."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    folder = tmp_path / "certificates"
    folder.mkdir()

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for name in ("authority", "stranger"):
        openssl("req", "-x509", *new, "-days", "2", "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout",
                f"{name}.key", "-out", f"{name}.pem")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\nauthorityKeyIdentifier=keyid\n")
    openssl("req", *new, "-subj", "/CN=server", "-keyout", "server.key", "-out", "server.request")
    openssl("x509", "-req", "-days", "2", "-in", "server.request", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
            "-extfile", "names", "-out", "server.pem")
    return folder


def settings_file(folder, *lines):
    path = folder / "settings"
    path.write_text("# of a test\n\n" + "\n".join(lines) + "\n")
    return path


def fill(client, count=20, key="clicks"):
    for number in range(count):
        client.xadd(key, {"json": json.dumps({"user": "ab"[number % 2], "target": number % 2})})


def names_in(path):
    """The names of sources in a sparse model's file."""
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return [key for key in header["__metadata__"] if " id " in key or "://" in key]


def test_redis_is_known_by_its_replication_id(start, tmp_path):
    server = start("a")
    fill(server.client)
    replication = server.client.info("replication")["master_replid"]
    first, second = f"redis://127.0.0.1:{server.port}/clicks", f"redis://localhost:{server.port}/clicks"
    model = SparseModel()
    assert follow(model, first, tmp_path / "model", until_end=True).events == 20
    assert any(f"{first} id {replication}" in name for name in names_in(tmp_path / "model"))
    back = SparseModel.load(tmp_path / "model")
    assert follow(back, second, tmp_path / "model", until_end=True).events == 0
    fill(server.client, 3)
    assert follow(back, second, until_end=True).events == 3
    assert list(position(back, first)) == ["clicks"] and position(back, second) == {}
    # Another server, whatever its address, has other events.
    other = start("b")
    fill(other.client, 5)
    assert follow(back, f"redis://127.0.0.1:{other.port}/clicks", until_end=True).events == 5
    # A model of an earlier version knows addresses alone.
    old = SparseModel()
    old._model.set_position(first, {"clicks": server.client.xrevrange("clicks", count=1)[0][0].decode()})
    assert follow(old, first, until_end=True).events == 0


def test_kafka_is_known_by_its_cluster(tmp_path):
    kafka = pytest.importorskip("confluent_kafka")
    producer = kafka.Producer({"test.mock.num.brokers": 1, "log_level": 0})
    listed = producer.list_topics(timeout=10)
    port = next(iter(listed.brokers.values())).port
    for number in range(10):
        producer.produce("clicks", json.dumps({"user": "ab"[number % 2], "target": number % 2}), partition=0)
    assert producer.flush(20) == 0
    first = f"kafka://127.0.0.1:{port}/clicks"
    model = SparseModel()
    assert follow(model, first, tmp_path / "model", until_end=True).events == 10
    assert any(f"{first} id {listed.cluster_id}" in name for name in names_in(tmp_path / "model"))
    back = SparseModel.load(tmp_path / "model")
    assert follow(back, f"kafka://localhost:{port}/clicks", until_end=True).events == 0
    # Settings of the file reach the library, which says what it does not take.
    good = settings_file(tmp_path, "client.id=tests", f"bootstrap.servers=127.0.0.1:{port}", "enable.auto.commit=false")
    assert follow(SparseModel(), first, until_end=True, broker_config=good).events == 10
    for lines, said in (
        (["security.protocol=tls"], 'settings, line 3: security.protocol: Invalid value "tls"'),
        ([f"sasl.passphrase={SECRET}"], 'settings, line 3: sasl.passphrase: No such configuration property: "sasl.passphrase"'),
    ):
        with pytest.raises(ValueError, match="line 3") as raised:
            open_events(first, settings_file(tmp_path, *lines))
        assert said in str(raised.value) and SECRET not in str(raised.value)


def test_tables_move_between_here_and_the_program(start, program, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    server = start("a")
    some = [{"user": "ab"[number % 2], "price": number / 7, "target": float(number % 5)} for number in range(60)]
    model = fitted(pyarrow.Table.from_pylist(some), "target", hidden_layer_sizes=(3,), max_epochs=2, ensemble_size=1)
    for row in some[:9]:
        server.client.xadd("sales", {"json": json.dumps(row)})
    first = f"redis://localhost:{server.port}/sales"
    assert follow(model, first, tmp_path / "model", until_end=True).events == 9
    name = f"{first} id {server.client.info('replication')['master_replid']}"
    assert model._learned_table().sources() == [name]
    assert name.encode() in (tmp_path / "model").read_bytes()
    assert follow(model, first.replace("localhost", "127.0.0.1"), until_end=True).events == 0
    # From here to the program, which knows the source by another address, and back.
    command = [program, "stream", tmp_path / "model", "--from", first.replace("localhost", "127.0.0.1"), "--until-end", "--anyway"]
    for row in some[9:12]:
        server.client.xadd("sales", {"json": json.dumps(row)})
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "3 rows" in printed
    back = TableModel.load(tmp_path / "model")
    assert back._learned_table().sources() == [name]
    assert follow(back, first, until_end=True).events == 0


def test_redis_by_tls_with_a_user(start, certificates, tmp_path):
    server = start("a", tls=certificates)
    fill(server.client)
    server.client.acl_setuser("reader", enabled=True, passwords=["+" + SECRET], keys=["clicks"], commands=["+xread", "+xrange", "+info"])
    server.client.config_set("requirepass", "of-the-default-user")
    source = f"rediss://reader@localhost:{server.port}/clicks"
    trusted, login = f"ssl.ca.location={certificates}/authority.pem", f"password={SECRET}"
    assert follow(SparseModel(), source, until_end=True, broker_config=settings_file(tmp_path, trusted, login)).events == 20
    for lines, said in (
        ([login], "certificate is not accepted"),
        ([f"ssl.ca.location={certificates}/stranger.pem", login], "certificate is not accepted"),
        ([trusted, f"password={SECRET}x"], "invalid username-password pair"),
    ):
        with pytest.raises(PermissionError, match=said) as raised:
            follow(SparseModel(), source, until_end=True, broker_config=settings_file(tmp_path, *lines))
        assert SECRET not in str(raised.value)
    loose = settings_file(tmp_path, login, "enable.ssl.certificate.verification=false")
    assert follow(SparseModel(), source, until_end=True, broker_config=loose).events == 20


def test_sentinel_names_the_master(start, tmp_path):
    master = start("a")
    replica = start("b", "--replicaof", "127.0.0.1", str(master.port))
    replica.wait_for(lambda: replica.client.info("replication")["master_link_status"] == "up")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "sentinel.conf").write_text(
        f"sentinel monitor shop 127.0.0.1 {master.port} 1\nsentinel down-after-milliseconds shop 500\nsentinel failover-timeout shop 3000\n")
    sentinel = start("s", "--sentinel")
    sentinel.wait_for(lambda: sentinel.client.sentinel_slaves("shop"))
    fill(master.client)
    replica.wait_for(lambda: replica.client.xlen("clicks") == 20)
    model = SparseModel()
    with open_events(f"redis+sentinel://127.0.0.1:1,127.0.0.1:{sentinel.port}/shop/clicks") as source:
        assert follow(model, source, until_end=True).events == 20
        master.kill()
        replica.wait_for(lambda: replica.client.info("replication")["role"] == "master")
        fill(replica.client, 7)
        assert follow(model, source, until_end=True).events == 7
    # The new master has another id, and the one before.
    assert follow(model, f"redis://127.0.0.1:{replica.port}/clicks", until_end=True).events == 0


def test_a_cluster_is_asked_for_each_key(start):
    nodes = [start(name, "--cluster-enabled", "yes") for name in "abc"]
    for node, begin, end in zip(nodes, (0, 5461, 10923), (5460, 10922, 16383), strict=True):
        node.client.execute_command("CLUSTER", "ADDSLOTSRANGE", begin, end)
    for node in nodes[1:]:
        node.client.execute_command("CLUSTER", "MEET", "127.0.0.1", nodes[0].port)
    for node in nodes:
        node.wait_for(lambda node=node: {"cluster_state": "ok", "cluster_known_nodes": "3"}.items()
                      <= node.client.execute_command("CLUSTER INFO").items())
    keys = []
    for node, begin, end in zip(nodes, (0, 5461, 10923), (5460, 10922, 16383), strict=True):
        names = (f"clicks{number}" for number in range(1000))
        keys.append(next(name for name in names if begin <= int(nodes[0].client.execute_command("CLUSTER KEYSLOT", name)) <= end))
        fill(node.client, 10, keys[-1])
    model = SparseModel()
    source = f"redis://127.0.0.1:{nodes[0].port}/{','.join(keys)}"
    assert follow(model, source, until_end=True).events == 30
    fill(nodes[2].client, 2, keys[2])
    assert follow(model, source.replace(str(nodes[0].port), str(nodes[1].port)), until_end=True).events == 2


@pytest.mark.parametrize("password", [SECRET, "a/" + SECRET, "a@" + SECRET])
@pytest.mark.parametrize("scheme", ["redis", "rediss", "kafka", "redis+sentinel"])
def test_a_password_has_no_place_in_an_address(scheme, password):
    with pytest.raises(ValueError, match="must not have a password") as raised:
        parse_address(f"{scheme}://reader:{password}@host:6379/rows")
    assert f"{scheme}://reader:***@host:6379/rows" in str(raised.value)


def test_addresses_are_taken_apart():
    found = parse_address("rediss+sentinel://reader@one:1,two/shop/a,b")
    assert found[1:] == ("redis", True, "reader", ["one:1", "two"], "shop", ["a", "b"])
    assert parse_address("redis://host:1/a@b").names == ["a@b"]
    assert parse_address("kafka://one:1,two:2/rows").hosts == ["one:1", "two:2"]
    for wrong in ("redis+sentinel://host/rows", "redis://host/shop/rows", "kafka://user@host/rows", "kafka+sentinel://host/a/b", "redis://a,,b/c"):
        with pytest.raises(ValueError, match="must be redis://HOST:PORT/KEY or kafka://HOST:PORT/TOPIC"):
            parse_address(wrong)


@pytest.mark.parametrize(
    ("address", "line", "said"),
    [
        ("redis://h/k", SECRET, "line 3: must be key=value"),
        ("redis://h/k", f"passphrase={SECRET}", "line 3: passphrase: is not a setting for Redis: must be username, password"),
        ("redis://h/k", f"password=a\npassword={SECRET}", "line 4: password: stands twice"),
        ("redis://h/k", "ssl.ca.location=x", "needs an address that begins with rediss"),
        ("redis://h/k", "enable.ssl.certificate.verification=false", "needs an address that begins with rediss"),
        ("redis://h/k", f"sentinel.password={SECRET}", "needs an address redis\\+sentinel://"),
        ("rediss://h/k", "enable.ssl.certificate.verification=perhaps", "must be true or false"),
        ("redis://reader@h/k", "username=writer", "must be reader, the user of the address"),
        ("redis://reader@h/k", "# nothing", "the user reader needs a password"),
        ("kafka://h:1/k", "enable.auto.commit=true", "must be left out, or be false"),
        ("kafka://h:1/k", "check.crcs=false", "must be left out, or be true"),
        ("kafka://h:1/k", "metadata.broker.list=other:1", "as in the address: h:1"),
        ("kafka://h:1/k", "test.mock.num.brokers=1", "must be left out"),
    ],
)
def test_settings_that_make_no_sense(address, line, said, tmp_path, monkeypatch):
    monkeypatch.delenv("REDISCLI_AUTH", raising=False)
    with pytest.raises(ValueError, match=said) as raised:
        found = BrokerSettings.read(settings_file(tmp_path, line))
        parsed = parse_address(address)
        (found.for_redis if parsed.kind == "redis" else found.for_kafka)(parsed)
    assert SECRET not in str(raised.value)


def test_sources_that_are_known():
    known = {"redis://b/k id 22": {}, "redis://a/k": {}, "redis://a/k id 11": {}}
    assert source_name("redis://a/k", "11") == "redis://a/k id 11" and source_name("redis://a/k", "") == "redis://a/k"
    assert known_by_identity(known, "redis://c/k", ["22"]) == "redis://b/k id 22"
    assert known_by_identity(known, "redis://c/k", ["33", "22"]) == "redis://b/k id 22"
    assert known_by_identity(known, "redis://a/k", ["33"]) == "redis://a/k"
    assert known_by_identity(known, "redis://b/k", []) == "redis://b/k id 22"
    assert known_by_identity(known, "redis://c/k", ["33"]) is None
    assert known_by_address(known, "redis://a/k") == "redis://a/k"
