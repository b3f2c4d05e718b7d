"""Network namespaces that stand for machines, and the wire between them: slow, and not reliable.

Each has one interface, which is a tap device. Frames go through this process, which is the switch. If the kernel has
netem, interfaces delay and lose what they send; if it has not, the switch does. Nothing leaves the machine, and all is
gone in the end.
"""
import contextlib
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time

_TUNSETIFF, _IFF_TAP, _IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
_LONGEST = 1 << 16


class Refused(Exception):
    """The machine does not permit it; the text is what it said."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


class Switch:
    """Delivers frames to the port that their destination was last heard from, after a delay, and loses some."""

    def __init__(self, ports, delay, loss, seed):
        self._ports, self._delay, self._loss = list(ports), delay, loss
        self._random = random.Random(seed)
        self._known, self._waiting, self._numbers = {}, [], itertools.count()
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._deliver, daemon=True)
        self.frames = self.lost = 0

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._has_ended.set()
        self._thread.join()

    def _deliver(self):
        while not self._has_ended.is_set():
            due = self._waiting[0][0] - time.monotonic() if self._waiting else 0.05
            for port in select.select(self._ports, [], [], max(0.0, min(due, 0.05)))[0]:
                self._take(port, os.read(port, _LONGEST))
            while self._waiting and self._waiting[0][0] <= time.monotonic():
                _, _, port, frame = heapq.heappop(self._waiting)
                with contextlib.suppress(OSError):  # an interface that is down takes none
                    os.write(port, frame)

    def _take(self, port, frame):
        to, sender = frame[:6], frame[6:12]
        self._known[sender] = port
        self.frames += 1
        if self._random.random() < self._loss:
            self.lost += 1
            return
        others = [self._known[to]] if to in self._known else [other for other in self._ports if other != port]
        for other in others:
            heapq.heappush(self._waiting, (time.monotonic() + self._delay, next(self._numbers), other, frame))


class Namespaces:
    """As many as asked for, one address each. Raises Refused where the machine does not permit them."""

    def __init__(self, count, delay, loss, seed=1):
        self.names = [f"postrider-{os.getpid()}-{number}" for number in range(count)]
        self.addresses = [f"10.77.0.{number + 1}" for number in range(count)]
        self._delay, self._loss, self._seed = delay, loss, seed
        self._stack = contextlib.ExitStack()
        self.netem_refused = None  # what the kernel said
        self.switch = None

    def __enter__(self):
        with self._stack:
            ports = [self._add(name, address) for name, address in zip(self.names, self.addresses, strict=True)]
            try:
                for name in self.names:
                    run(*inside(name), "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "delay", f"{1000 * self._delay:g}ms",
                        "loss", f"{100 * self._loss:g}%")
                delay, loss = 0.0, 0.0
            except Refused as trouble:
                self.netem_refused = str(trouble).replace(self.names[0], "NAMESPACE")
                delay, loss = self._delay, self._loss
            self.switch = self._stack.enter_context(Switch(ports, delay, loss, self._seed))
            self._stack = self._stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _add(self, name, address):
        run("ip", "netns", "add", name)
        self._stack.callback(run, "ip", "netns", "delete", name)
        try:
            port = os.open("/dev/net/tun", os.O_RDWR)
            self._stack.callback(os.close, port)
            device = f"pr{os.getpid()}-{self.names.index(name)}"
            fcntl.ioctl(port, _TUNSETIFF, struct.pack("16sH22x", device.encode(), _IFF_TAP | _IFF_NO_PI))
        except OSError as error:
            raise Refused(f"/dev/net/tun: {error}") from error
        run("ip", "link", "set", device, "netns", name, "name", "eth0")
        for command in (("link", "set", "lo", "up"), ("address", "add", f"{address}/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
            run(*inside(name), "ip", *command)
        return port


def inside(name):
    """What a command begins with that runs in a namespace."""
    return ["ip", "netns", "exec", name]
