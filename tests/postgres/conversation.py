"""What a server says to each message of the simple protocol, as lines that can be compared."""

from __future__ import annotations

import socket
import struct
from types import TracebackType
from typing import Self

ANSWER_SECONDS_MAX = 60


class Conversation:
    """One connection to a server that trusts everybody."""

    def __init__(self, port: int, user: str, database: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX)
        self._stream = self._socket.makefile("rb")
        pairs = f"user\0{user}\0database\0{database}\0options\0-c timezone=UTC\0\0".encode()
        self._socket.sendall(struct.pack("!ii", len(pairs) + 8, 3 << 16) + pairs)
        assert self._answer()[-1] == "Z I"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()

    def say(self, text: str) -> list[str]:
        """Columns with their types, rows, tags, errors and warnings with their code, and the state at the end."""
        body = text.encode() + b"\0"
        self._socket.sendall(b"Q" + struct.pack("!i", len(body) + 4) + body)
        return self._answer()

    def _answer(self) -> list[str]:
        lines = []
        while True:
            kind, size = struct.unpack("!ci", self._read(5))
            line = _line(kind, self._read(size - 4))
            if line:
                lines.append(line)
            if kind == b"Z":
                return lines

    def _read(self, size: int) -> bytes:
        read = self._stream.read(size)
        if len(read) != size:
            raise ConnectionError("the server ended the connection")
        return read


def _line(kind: bytes, body: bytes) -> str | None:
    if kind in (b"E", b"N"):
        fields = {field[:1]: field[1:].decode() for field in body.split(b"\0") if field}
        return f"{kind.decode()} {fields[b'C']} {fields[b'M']}"
    if kind == b"C":
        return f"C {body[:-1].decode()}"
    if kind == b"T":
        return "T" + _columns(body[2:])
    if kind == b"D":
        return "D" + _values(body[2:])
    if kind == b"I":
        return "I"
    return f"Z {body.decode()}" if kind == b"Z" else None


def _columns(body: bytes) -> str:
    shown = ""
    while body:
        name, rest = body.split(b"\0", 1)
        shown += f" {name.decode()}:{struct.unpack('!i', rest[6:10])[0]}"
        body = rest[18:]
    return shown


def _values(body: bytes) -> str:
    shown = ""
    while body:
        (size,) = struct.unpack("!i", body[:4])
        shown += " null" if size < 0 else f" {body[4 : 4 + size]!r}"
        body = body[4 + max(size, 0) :]
    return shown
