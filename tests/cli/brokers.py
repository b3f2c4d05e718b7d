"""Brokers that tests of streams start and stop themselves."""

import json
import signal
import socket
import ssl
import subprocess
import time


def free_port():
    """Low enough that a node of a cluster can take the port 10000 above it, too."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        if port < 50000:
            return port


class Certificates:
    """An authority, certificates that it has signed for this machine and for a client, and another authority, as files of PEM."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        for name in ("authority", "stranger"):
            self._openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                          "-keyout", f"{name}.key", "-out", f"{name}.pem")
        self._sign("server", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self._sign("client", "extendedKeyUsage=clientAuth")
        self._openssl("ec", "-aes128", "-passout", "pass:locked-away", "-in", "client.key", "-out", "client.locked")

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def _sign(self, name, extension):
        (self.folder / f"{name}.ext").write_text(extension + "\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                      "-out", f"{name}.request")
        self._openssl("x509", "-req", "-days", "2", "-in", f"{name}.request", "-CA", "authority.pem", "-CAkey", "authority.key",
                      "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.pem")

    def of(self, name):
        return str(self.folder / name)

    def server(self):
        """For the side that is connected to."""
        out = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        out.load_cert_chain(self.of("server.pem"), self.of("server.key"))
        return out

    def client(self):
        out = ssl.create_default_context(cafile=self.of("authority.pem"))
        out.load_cert_chain(self.of("client.pem"), self.of("client.key"))
        return out


class Redis:
    """A redis-server of its own, which keeps what it was told on disk; by TLS if it has certificates."""

    def __init__(self, folder, *options, certificates=None):
        self.port, self.folder, self.options, self.certificates = free_port(), folder, options, certificates
        self.start()

    def command(self):
        where = ["--port", str(self.port)]
        if self.certificates:
            where = ["--port", "0", "--tls-port", str(self.port), "--tls-cert-file", self.certificates.of("server.pem"), "--tls-key-file",
                     self.certificates.of("server.key"), "--tls-ca-cert-file", self.certificates.of("authority.pem")]
        return ["redis-server", *where, "--bind", "127.0.0.1", "127.0.0.2", "--appendonly", "yes", "--appendfsync", "always", "--dir",
                str(self.folder), *self.options]

    def start(self):
        self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL)
        for _ in range(100):
            if self.call("PING").startswith(("+PONG", "-NOAUTH", "-DENIED")):
                return
            time.sleep(0.05)
        raise AssertionError("redis-server does not answer")

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        return self.certificates.client().wrap_socket(connection, server_hostname="127.0.0.1") if self.certificates else connection

    def call(self, *words):
        """The answer as it is on the wire; empty if there is none."""
        message = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        try:
            with self.connect() as connection:
                connection.sendall(message.encode())
                return connection.recv(65536).decode()
        except OSError:
            return ""

    def add(self, key, row, name="*"):
        answer = self.call("XADD", key, name, *[word for pair in row.items() for word in pair])
        assert answer.startswith("$"), answer

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def wait_for(self, words, expected):
        """Until an answer has this text."""
        for _ in range(400):
            if expected in self.call(*words):
                return
            time.sleep(0.05)
        raise AssertionError(f"{words}: {self.call(*words)}")


class Sentinel(Redis):
    """A redis-sentinel that watches one master, by the name of rows, and needs nobody else to agree."""

    def __init__(self, folder, master, *lines, certificates=None):
        folder.mkdir()
        secure = ["tls-replication yes"] if certificates else []
        (folder / "sentinel.conf").write_text("\n".join(
            [f"sentinel monitor shop 127.0.0.1 {master.port} 1", "sentinel down-after-milliseconds shop 500",
             "sentinel failover-timeout shop 3000", *secure, *lines, ""]))
        super().__init__(folder, certificates=certificates)

    def command(self):
        command = super().command()
        return ["redis-server", str(self.folder / "sentinel.conf"), "--sentinel", *command[1:command.index("--appendonly")], "--dir",
                str(self.folder)]


class Kafka:
    """librdkafka's own broker, with one topic: rows."""

    def __init__(self, broker, partitions):
        self.process = subprocess.Popen([broker, "rows", str(partitions)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def send(self, rows):
        for row in rows:
            self.process.stdin.write(json.dumps(row) + "\n")
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def outage(self, is_down):
        self.process.stdin.write("!down\n" if is_down else "!up\n")
        self.process.stdin.flush()

    def stop(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
