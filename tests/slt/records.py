"""Holds a file of cases, once it has been read: a table, and records in their order."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path


class Protocol(enum.StrEnum):
    """Which of PostgreSQL's two ways to send a statement."""

    SIMPLE = "simple"
    EXTENDED = "extended"


class Kind(enum.StrEnum):
    """A record spells out so much of an answer."""

    STATEMENT = "statement"  # The statement succeeds, or ends in its error.
    QUERY = "query"  # The types and the rows of one result.
    ANSWER = "answer"  # Everything.


class Sort(enum.StrEnum):
    """In which order rows are compared."""

    NOSORT = "nosort"
    ROWSORT = "rowsort"
    VALUESORT = "valuesort"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value for $1, $2, …: its text, and the OID of the type that is declared for it, or 0."""

    text: str | None
    type_oid: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """The words of one line of a page of docs/ which say that PostgreSQL answers differently."""

    page: str
    words: str


@dataclass(frozen=True, slots=True)
class Request:
    """The runner sends a text, values for its parameters, and what follows a COPY FROM STDIN."""

    sql: str
    parameters: tuple[Parameter, ...] = ()
    copied: str | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """A record says this of its answer: its first line, and the lines behind `----`."""

    header: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One statement, or several of one message, and what is expected of the answer."""

    line: int  # The line of its header, from 1.
    end: int  # The last line that it takes.
    kind: Kind
    request: Request
    expectation: Expectation | None  # Nothing: it has not been written yet.
    sort: Sort = Sort.NOSORT
    has_columns: bool = False  # The first line of a query's rows names its columns and their types.
    connection: str = ""
    protocol: Protocol | None = None  # Nothing: the one in which the file is run.
    differs: Reference | None = None
    skips_postgres: bool = False
    construct: str | None = None


@dataclass(frozen=True, slots=True)
class File:
    """A file of cases."""

    path: Path
    table: str
    protocols: tuple[Protocol, ...]
    area: str | None
    records: tuple[Record, ...]
