"""A door before librdkafka's own broker: by TLS, for users with a password, or one that changes answers."""

import socket
import struct

from mangling import Door

# Kinds of questions.
HANDSHAKE, VERSIONS = 17, 18


class KafkaProxy(Door):
    """Takes whole messages, so that answers can name this door in place of the broker behind it."""

    def __init__(self, broker, certificates=None, login=None, change=None):
        host, _, port = broker.rpartition(":")
        self.broker = (host, int(port))
        self.context = certificates.server() if certificates else None
        self.login, self.change = login, change  # change: what is sent in place of an answer, and whether the connection goes on
        self.logins = 0
        super().__init__()
        # A host and a port, as brokers are listed: the host may be asked for as localhost, the broker says what it has.
        self.listed = host.encode() + struct.pack(">i", int(port))
        self.shown = host.encode() + struct.pack(">i", self.port)
        self.open()

    def talk(self, connection):
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection, socket.create_connection(self.broker) as behind:
                is_known = self.login is None
                while question := self.message(connection):
                    kind, version = struct.unpack(">hh", question[:4])
                    if self.login and kind == HANDSHAKE:
                        is_known = self.shake_hands(connection, question)
                    if not is_known and kind != VERSIONS:
                        return
                    if self.login and kind == HANDSHAKE:
                        continue
                    behind.sendall(struct.pack(">i", len(question)) + question)
                    answer = self.message(behind)
                    if answer is None:
                        return
                    answer = answer.replace(self.listed, self.shown)
                    if self.login and kind == VERSIONS:
                        answer = self.with_handshake(answer, version)
                    framed, goes_on = struct.pack(">i", len(answer)) + answer, True
                    if self.change:
                        framed, goes_on = self.change(framed)
                    connection.sendall(framed)
                    if not goes_on:
                        return
        except OSError:
            pass

    def shake_hands(self, connection, question):
        """Whether the other side knows the password. Version 0: the mechanism, then "\\0user\\0password" as a message of its own."""
        answer = question[4:8] + struct.pack(">hih", 0, 1, 5) + b"PLAIN"
        connection.sendall(struct.pack(">i", len(answer)) + answer)
        if self.message(connection) != b"\0" + "\0".join(self.login).encode():
            return False
        self.logins += 1
        connection.sendall(struct.pack(">i", 0))
        return True

    @staticmethod
    def with_handshake(answer, version):
        """An answer to which versions there are, with one question more than the broker knows."""
        one = struct.pack(">hhh", HANDSHAKE, 0, 0)
        head, rest = answer[:6], answer[6:]  # which question it answers, and no error
        if version >= 3:  # a compact list, each with no tags
            return head + bytes([rest[0] + 1]) + one + b"\0" + rest[1:]
        return head + struct.pack(">i", struct.unpack(">i", rest[:4])[0] + 1) + one + rest[4:]

    @staticmethod
    def message(connection):
        """None at the end."""
        head = KafkaProxy.bytes_of(connection, 4)
        return head and KafkaProxy.bytes_of(connection, struct.unpack(">i", head)[0])

    @staticmethod
    def bytes_of(connection, count):
        out = b""
        while len(out) < count:
            piece = connection.recv(min(count - len(out), 1 << 16))
            if not piece:
                return None
            out += piece
        return out
