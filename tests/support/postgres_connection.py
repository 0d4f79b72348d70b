"""PostgreSQL's own protocol, message by message: as far as tests look at what no driver shows."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from types import TracebackType
from typing import Self

ANSWER_SECONDS_MAX = 60


class PostgresConnection:
    """One connection to a server that trusts everybody, in UTC; a simple query at a time."""

    def __init__(self, port: int, user: str, database: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = self._socket.makefile("rb")
        settings = {"user": user, "database": database, "options": "-c timezone=UTC", "client_encoding": "UTF8"}
        pairs = b"".join(f"{name}\0{value}\0".encode() for name, value in settings.items())
        body = struct.pack("!i", 3 << 16) + pairs + b"\0"
        self.send(struct.pack("!i", len(body) + 4) + body)
        mistakes = [body for kind, body in self.messages() if kind == b"E"]
        assert not mistakes, mistakes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()

    def ask(self, text: str) -> Iterator[tuple[bytes, bytes]]:
        """Says it, and gives kind and body of each message of the answer, which has to be taken to its end."""
        self.send(message(b"Q", text.encode() + b"\0"))
        return self.messages()

    def send(self, messages: bytes) -> None:
        """Says what is a message, or several."""
        self._socket.sendall(messages)

    def messages(self) -> Iterator[tuple[bytes, bytes]]:
        """Up to the one that says that the server is ready for the next statement."""
        kind = b""
        while kind != b"Z":
            kind, size = struct.unpack("!ci", self._read(5))
            yield kind, self._read(size - 4)

    def _read(self, size: int) -> bytes:
        read = self._stream.read(size)
        if len(read) != size:
            raise ConnectionError("the server ended the connection")
        return read


def message(kind: bytes, body: bytes = b"") -> bytes:
    """One of the protocol's messages, of those behind the first."""
    return kind + struct.pack("!i", len(body) + 4) + body


def error_fields(body: bytes) -> dict[bytes, str]:
    """Returns the fields of an error or a notice, by their letters."""
    return {field[:1]: field[1:].decode() for field in body.split(b"\0") if field}
