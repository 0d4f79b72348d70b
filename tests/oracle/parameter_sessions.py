"""One connection that asks statements with parameters, and what a server says of one."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from postgres_connection import PostgresConnection, error_fields, message

BPCHAR = 1042


@dataclass(slots=True)
class Said:
    """A server said this: the types of parameters, those of columns, rows and tag, or what is wrong."""

    parameters: tuple[int, ...] | None = None
    columns: tuple[int, ...] = ()
    rows: list[bytes] = field(default_factory=list)
    tag: str = ""
    error: str = ""
    message: str = ""

    def seen(self) -> tuple[object, ...]:
        """Returns what two servers have to say alike. Rows stand in no order; how long char(n) is padded is not looked
        at.
        """
        rows = sorted(tuple(_values(row, self.columns)) for row in self.rows)
        return (self.parameters, self.columns, rows, self.tag, self.error)


class ParameterSession(PostgresConnection):
    """Parse, Describe, Bind and Execute, each time without names."""

    def describe(self, sql: str, declared: Sequence[int]) -> Said:
        self.send(_parse(sql, declared) + message(b"D", b"S\0") + message(b"S"))
        return self._said()

    def run(self, sql: str, declared: Sequence[int], values: Sequence[bytes | None], formats: Sequence[int]) -> Said:
        self.send(_parse(sql, declared) + message(b"D", b"S\0") + _bind(values, formats))
        self.send(message(b"E", b"\0" + struct.pack("!i", 0)) + message(b"S"))
        return self._said()

    def execute(self, sql: str, types: Sequence[str], values: Sequence[str | None]) -> Said:
        """PREPARE with these types, EXECUTE with these values, and DEALLOCATE, all in SQL; the first error is told.
        PostgreSQL computes every row of an EXECUTE before it tells the columns, so an error comes without them."""
        names = f" ({', '.join(types)})" if types else ""
        said = self.simple(f"PREPARE drawn{names} AS {sql}")
        if not said.error:
            listed = ", ".join("NULL" if each is None else "'" + each.replace("'", "''") + "'" for each in values)
            said = self.simple(f"EXECUTE drawn{f' ({listed})' if values else ''}")
            self.simple("DEALLOCATE drawn")
        if said.error:
            said.columns = ()
        return said

    def simple(self, sql: str) -> Said:
        self.send(message(b"Q", sql.encode() + b"\0"))
        return self._said()

    def _said(self) -> Said:
        said = Said()
        for kind, body in self.messages():
            if kind == b"t":
                said.parameters = struct.unpack(f"!{(len(body) - 2) // 4}I", body[2:])
            elif kind == b"T":
                said.columns = tuple(_oids(body))
            elif kind == b"D":
                said.rows.append(body)
            elif kind == b"C":
                said.tag = body[:-1].decode()
            elif kind == b"E":
                fields = error_fields(body)
                said.error, said.message = fields[b"C"], fields[b"M"]
        if said.error:
            said.rows = []
        return said


def _values(row: bytes, columns: Sequence[int]) -> Iterator[tuple[bool, bytes]]:
    rest = row[2:]
    for oid in columns:
        (size,) = struct.unpack("!i", rest[:4])
        value, rest = rest[4 : 4 + max(size, 0)], rest[4 + max(size, 0) :]
        yield size < 0, value.rstrip(b" ") if oid == BPCHAR else value


def _oids(body: bytes) -> list[int]:
    oids, rest = [], body[2:]
    while rest:
        _, rest = rest.split(b"\0", 1)
        oids.append(struct.unpack("!I", rest[6:10])[0])
        rest = rest[18:]
    return oids


def _parse(sql: str, declared: Sequence[int]) -> bytes:
    return message(b"P", b"\0" + sql.encode() + b"\0" + struct.pack(f"!h{len(declared)}I", len(declared), *declared))


def _bind(values: Sequence[bytes | None], formats: Sequence[int]) -> bytes:
    sized = b"".join(struct.pack("!i", -1) if each is None else struct.pack("!i", len(each)) + each for each in values)
    head = struct.pack(f"!h{len(formats)}h", len(formats), *formats) + struct.pack("!h", len(values))
    return message(b"B", b"\0\0" + head + sized + struct.pack("!h", 0))
