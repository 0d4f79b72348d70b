"""What a server says to each message of the simple protocol, as lines that can be compared."""

from __future__ import annotations

import struct

from postgres_connection import PostgresConnection, error_fields


class Conversation(PostgresConnection):
    """One connection, and what is said over it."""

    def say(self, text: str) -> list[str]:
        """Columns with their types, rows, tags, errors and warnings with their code, and the state at the end."""
        lines = (_line(kind, body) for kind, body in self.ask(text))
        return [line for line in lines if line]


def _line(kind: bytes, body: bytes) -> str | None:
    if kind in (b"E", b"N"):
        fields = error_fields(body)
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
