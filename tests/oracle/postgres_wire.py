"""PostgreSQL's own protocol, as far as it takes to learn where in a statement its mistake is: no program of
PostgreSQL's says that as a number."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from types import TracebackType
from typing import Self

ANSWER_SECONDS_MAX = 60


@dataclass(frozen=True, slots=True)
class Mistake:
    """An error: what, and where in the statement, from 1; 0: it is not said."""

    sqlstate: str
    message: str
    position: int


class PostgresWire:
    """One connection to a server that trusts everybody; a simple query at a time."""

    def __init__(self, port: int, user: str, database: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX)
        self._stream = self._socket.makefile("rb")
        settings = {"user": user, "database": database, "options": "-c timezone=UTC", "client_encoding": "UTF8"}
        pairs = b"".join(f"{name}\0{value}\0".encode() for name, value in settings.items())
        body = struct.pack("!i", 196608) + pairs + b"\0"
        self._socket.sendall(struct.pack("!i", len(body) + 4) + body)
        mistake = self._answer()
        assert mistake is None, mistake

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()

    def mistake(self, statement: str) -> Mistake | None:
        """Executes a statement; nothing where it has succeeded."""
        body = statement.encode() + b"\0"
        self._socket.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)
        return self._answer()

    def _answer(self) -> Mistake | None:
        """Reads on until the server is ready for the next statement."""
        found = None
        while True:
            kind, size = struct.unpack("!ci", self._read(5))
            body = self._read(size - 4)
            if kind == b"E":
                fields = {field[:1]: field[1:].decode() for field in body.split(b"\0") if field}
                found = Mistake(fields[b"C"], fields[b"M"], int(fields.get(b"P", "0")))
            if kind == b"Z":
                return found

    def _read(self, size: int) -> bytes:
        read = self._stream.read(size)
        if len(read) != size:
            raise ConnectionError("PostgreSQL ended the connection")
        return read
