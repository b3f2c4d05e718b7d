"""Brokers that tests of streams start and stop themselves."""

import json
import signal
import socket
import subprocess
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    """A redis-server of its own, which keeps what it was told on disk."""

    def __init__(self, folder):
        self.port, self.folder = free_port(), folder
        self.start()

    def start(self):
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--appendonly", "yes",
                                         "--appendfsync", "always", "--dir", str(self.folder)], stdout=subprocess.DEVNULL)
        for _ in range(100):
            if self.call("PING").startswith("+PONG"):
                return
            time.sleep(0.05)
        raise AssertionError("redis-server does not answer")

    def call(self, *words):
        """The answer as it is on the wire; empty if there is none."""
        message = f"*{len(words)}\r\n" + "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                connection.sendall(message.encode())
                return connection.recv(65536).decode()
        except OSError:
            return ""

    def add(self, key, row):
        answer = self.call("XADD", key, "*", *[word for pair in row.items() for word in pair])
        assert answer.startswith("$"), answer

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


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
