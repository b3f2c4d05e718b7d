"""What tests of brokers that answer in odd ways have in common: bytes that are mangled, a door that listens, and a bound of memory."""

import resource
import socket
import threading


def mangled(draw, answer, strange, inserted, least=0):
    """The answer with bytes changed, cut, put in or taken out, or a strange one in its place. `inserted` draws what is put in; one of at most `least` bytes loses none."""
    kind = draw.randrange(6)
    data = bytearray(answer)
    if kind == 0:
        return draw.choice(strange)
    if kind == 1:
        return bytes(data[:draw.randrange(len(data))])
    for _ in range(draw.choice((1, 1, 2, 5, 30))):
        place = draw.randrange(len(data))
        if kind == 2:
            data[place] ^= 1 << draw.randrange(8)
        elif kind == 3:
            data[place] = draw.randrange(256)
        elif kind == 4:
            data[place:place] = inserted()
        elif len(data) > least:
            del data[place:place + draw.choice((1, 2, 10))]
            if not data:
                return b""
    return bytes(data)


class Door:
    """Listens at a port of its own, and talks with each caller in a thread."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def open(self):
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        raise NotImplementedError

    def close(self):
        self.listener.close()


def bounded():
    """To be run in a child: a length that an answer claims must not take the machine's memory."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
