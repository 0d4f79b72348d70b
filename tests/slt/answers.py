"""Puts a server's answer to one request together from the protocol's messages, and shows it as lines."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from postgres_connection import error_fields

from slt.records import Sort
from slt.spelling import escaped, shown, type_name

Row = tuple[bytes | None, ...]

STATES = {"I": "idle", "T": "in a block", "E": "in a failed block"}
# An error or a notice has these fields behind its code and message.
FIELDS = {b"P": "position", b"D": "detail", b"H": "hint", b"W": "context"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result."""

    name: str
    type_oid: int

    def __str__(self) -> str:
        return f"{shown(self.name.encode())}:{type_name(self.type_oid)}"


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error, or a notice."""

    severity: str
    sqlstate: str
    message: str
    fields: tuple[tuple[str, str], ...] = ()

    def without_hint(self) -> Complaint:
        return replace(self, fields=tuple(field for field in self.fields if field[0] != "hint"))

    def lines(self) -> Iterator[str]:
        yield f"{self.severity} {self.sqlstate} {escaped(self.message)}"
        yield from (f"{name} {escaped(text)}" for name, text in self.fields)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One statement comes to this."""

    columns: tuple[Column, ...] | None = None
    rows: tuple[Row, ...] = ()
    copied: tuple[bytes, ...] = ()
    notices: tuple[Complaint, ...] = ()
    tag: str | None = None
    error: Complaint | None = None

    def row_lines(self) -> list[str]:
        """A line for each row."""
        return ["\t".join(map(shown, row)) for row in self.rows]

    def column_line(self) -> str:
        """Names and types."""
        return "\t".join(map(str, self.columns or ()))

    def lines(self) -> Iterator[str]:
        """Everything."""
        if self.columns is not None:
            yield f"columns {self.column_line()}".rstrip()
        yield from (f"row {line}".rstrip() for line in self.row_lines())
        yield from (f"copied {shown(each)}" for each in self.copied)
        for notice in self.notices:
            yield from notice.lines()
        if self.error:
            yield from self.error.lines()
        if self.tag is not None:
            yield self.tag or "empty"

    def without_hints(self) -> Outcome:
        error = self.error.without_hint() if self.error else None
        return replace(self, notices=tuple(notice.without_hint() for notice in self.notices), error=error)

    def sorted(self, sort: Sort) -> Outcome:
        """With its rows in an order that hangs on them alone; `valuesort` makes a row of each value."""
        if sort is Sort.NOSORT:
            return self
        rows: Iterable[Row] = self.rows
        if sort is Sort.VALUESORT:
            rows = [(value,) for row in rows for value in row]
        return replace(self, rows=tuple(sorted(rows, key=lambda row: [shown(value) for value in row])))


@dataclass(frozen=True, slots=True)
class Answer:
    """One message comes to this: an outcome for each of its statements, settings that are reported to the client, and
    where the session stands then.
    """

    outcomes: tuple[Outcome, ...]
    state: str
    settings: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Everything, a line each."""
        of_outcomes = [line for outcome in self.outcomes for line in outcome.lines()]
        return [*of_outcomes, *(f"setting {setting}" for setting in self.settings), self.state]

    def without_hints(self) -> Answer:
        """A hint says what to do here: it is each server's own."""
        return replace(self, outcomes=tuple(outcome.without_hints() for outcome in self.outcomes))

    def sorted(self, sort: Sort) -> Answer:
        return replace(self, outcomes=tuple(outcome.sorted(sort) for outcome in self.outcomes))


@dataclass(slots=True)
class Reader:
    """Takes the messages of an answer one after the other."""

    _outcomes: list[Outcome] = field(default_factory=list)
    _rows: list[Row] = field(default_factory=list)
    _copied: list[bytes] = field(default_factory=list)
    _settings: list[str] = field(default_factory=list)
    _at: Outcome = field(default_factory=Outcome)
    _state: str = ""

    def take(self, kind: bytes, body: bytes) -> None:
        """A message; those that say nothing of a statement are passed over."""
        if kind == b"T":
            self._at = replace(self._at, columns=tuple(_columns(body)))
        elif kind == b"D":
            self._rows.append(tuple(_values(body)))
        elif kind == b"d":
            self._copied.append(body)
        elif kind == b"N":
            self._at = replace(self._at, notices=(*self._at.notices, _complaint(body)))
        elif kind == b"S":
            self._settings.append(escaped(" ".join(body.decode().split("\0")[:2])))
        elif kind == b"Z":
            self._state = STATES[body.decode()]
        elif kind == b"E":
            self._end(replace(self._at, error=_complaint(body)))
        elif kind in (b"C", b"I"):
            self._end(replace(self._at, tag=body[:-1].decode()))

    def _end(self, outcome: Outcome) -> None:
        """Ends the outcome of a statement."""
        self._outcomes.append(replace(outcome, rows=tuple(self._rows), copied=tuple(self._copied)))
        self._rows, self._copied, self._at = [], [], Outcome()

    def answer(self) -> Answer:
        return Answer(tuple(self._outcomes), self._state, tuple(sorted(self._settings)))


def _columns(body: bytes) -> Iterator[Column]:
    rest = body[2:]
    while rest:
        name, rest = rest.split(b"\0", 1)
        (oid,) = struct.unpack("!i", rest[6:10])
        yield Column(name.decode(), oid)
        rest = rest[18:]


def _values(body: bytes) -> Iterator[bytes | None]:
    rest = body[2:]
    while rest:
        (size,) = struct.unpack("!i", rest[:4])
        yield None if size < 0 else rest[4 : 4 + size]
        rest = rest[4 + max(size, 0) :]


def _complaint(body: bytes) -> Complaint:
    fields = error_fields(body)
    others = tuple((name, fields[letter]) for letter, name in FIELDS.items() if letter in fields)
    return Complaint(fields[b"V"], fields[b"C"], fields[b"M"], others)
