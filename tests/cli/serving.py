"""A `postrider serve` of a test: started on a port that is free, asked by clients polite and rude."""

import http.client
import json
import pathlib
import signal
import socket
import subprocess
import threading
import time


class Server:
    def __init__(self, program, folder, model, *options):
        models = model if isinstance(model, (list, tuple)) else [model]
        # Whoever runs the tests under nohup has them ignore SIGHUP.
        self.process = subprocess.Popen([program, "serve", *models, "--port", "0", *options], cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, encoding="utf-8",
                                        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.said = self.process.stdout.readline()
        self.port = int(self.said.split("http://127.0.0.1:")[1].split(":")[0])

    def ask(self, method, path, body=None, headers=None, timeout=20):
        status, answer, _ = self.ask_whole(method, path, body, headers, timeout)
        return status, answer

    def ask_whole(self, method, path, body=None, headers=None, timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers
        finally:
            connection.close()

    def predict(self, rows, query="", status=200):
        found, body = self.ask("POST", "/predict" + query, rows if isinstance(rows, (str, bytes)) else json.dumps(rows),
                               {"Content-Type": "application/json"})
        assert found == status, (found, body)
        return json.loads(body)

    def connect(self, timeout=20):
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def send(self, data, timeout=20):
        """All that the server answers to these bytes until it closes, or a second long nothing comes."""
        with self.connect(timeout) as client:
            try:
                client.sendall(data)
            except OSError:
                pass  # it has heard enough, and its answer is there
            return received(client)

    def megabytes(self):
        """Most memory that it ever had."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        # Read while it ends: a full pipe is not what is tested.
        rest = []
        reader = threading.Thread(target=lambda: rest.append(self.process.stdout.read()))
        reader.start()
        self.process.wait(timeout=60)
        reader.join()
        self.process.stdout.close()
        return self.process.returncode, rest[0]


def received(client, quiet_seconds=1.0):
    client.settimeout(quiet_seconds)
    out = b""
    try:
        while piece := client.recv(1 << 16):
            out += piece
    except OSError:
        pass
    return out


def seconds_of(action):
    begin = time.monotonic()
    action()
    return time.monotonic() - begin
