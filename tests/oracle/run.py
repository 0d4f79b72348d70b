"""One run: the same random statements to a session and to DuckDB, every reply compared."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from decimal import Decimal
from pathlib import Path

from compare import differences
from daedalus_schema.types import INTEGER_KINDS, Kind
from facts import Value, schema
from flights_csv import archive_path
from generator import Generator, Table
from mirror import Mirror
from sessions import Session
from statements import Refused, Select, Statement, Write

FAILURES_MAX = 10
ROWS_WANTED = 600
OVERFLOW = "22003"  # the only reason for which these statements' rows are refused
FLIGHTS_ALL = 336_776
QUERIES = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))
FLIGHTS = int(os.environ.get("DAEDALUS_ORACLE_FLIGHTS", "10000"))


def flights_rows(count: int) -> list[list[Value]]:
    """About `count` flights, evenly spread over the year."""
    columns = schema("flights").columns
    step = max(FLIGHTS_ALL // count, 1)
    rows: list[list[Value]] = []
    with zipfile.ZipFile(archive_path()) as archive, archive.open("flights.csv") as source:
        reader = csv.reader(io.TextIOWrapper(source, "utf-8"))
        next(reader)
        for number, fields in enumerate(reader):
            if number % step == 0:
                rows.append(
                    [_flight_value(column.type.kind, text) for column, text in zip(columns, fields, strict=True)]
                )
    return rows


def write_flights_csv(path: Path, count: int) -> None:
    """The rows of flights_rows(count), as lines of the package's own file."""
    step = max(FLIGHTS_ALL // count, 1)
    with zipfile.ZipFile(archive_path()) as archive, archive.open("flights.csv") as source, path.open("wb") as sink:
        sink.write(next(source))
        for number, line in enumerate(source):
            if number % step == 0:
                sink.write(line)


def _flight_value(kind: Kind, text: str) -> Value:
    if text in {"", "NA"}:
        return None
    if kind in INTEGER_KINDS:
        return int(text)
    return text.replace("T", " ").rstrip("Z") if kind is Kind.TIMESTAMP else text


def flights_table_of(rows: list[list[Value]]) -> Table:
    return Table("flights", None, frozenset({"origin", "flight"}), "flight", rows)


def flights_table() -> Table:
    return flights_table_of(flights_rows(FLIGHTS))


def every_type_table() -> Table:
    return Table("every_type", "id", frozenset({"id", "grp"}), "id", [])


class Run:
    """Sends statements and collects what differs; at most FAILURES_MAX differences, then it gives up."""

    def __init__(self, table: Table, session: Session, seed: int, *, is_postgres: bool = False) -> None:
        """`is_postgres`: the session refuses a whole update for one row that overflows, and adds reals as reals."""
        self._generator = Generator(table, seed)
        self._session = session
        self._mirror = Mirror(table.name, adds_reals_as_reals=is_postgres)
        self._table = table
        self._seed = seed
        self._is_postgres = is_postgres
        self.failures: list[str] = []
        self.query_count = 0
        self.write_count = 0

    def fill(self) -> None:
        """Inserts the first rows: the base rows, or as many random ones."""
        if not self._table.base_rows:
            while self._mirror.row_count() < ROWS_WANTED:
                self._step(self._generator.insert(20))
            return
        self._mirror.insert(self._table.base_rows)

    def go(self, query_count: int) -> None:
        """Runs statements until `query_count` queries have been compared."""
        while self.query_count < query_count and len(self.failures) < FAILURES_MAX:
            is_small = not self._table.base_rows and self._mirror.row_count() < ROWS_WANTED
            self._step(self._generator.statement(wants_rows=is_small))

    def compare_all(self) -> None:
        """Compares every column of every row."""
        self._step(self._generator.everything())

    def _step(self, statement: Statement) -> None:
        if isinstance(statement, Select):
            self.query_count += 1
            found = self._query(statement)
        elif isinstance(statement, Write):
            found = self._write(statement)
        else:
            found = self._refusal(statement)
        if found:
            duck = "" if isinstance(statement, Refused) else f"\n  duck: {statement.duck}"
            where = f"after {self.query_count} queries and {self.write_count} writes, seed {self._seed}"
            self.failures.append(f"{found}\n  sql:  {statement.postgres}{duck}\n  {where}")

    def _query(self, select: Select) -> str | None:
        reply = self._session.execute(select.postgres)
        if reply.rows is None or reply.columns is None:
            return f"refused: {reply.sqlstate} {reply.message}"
        return differences(select, self._mirror.answer(select), reply.columns, reply.rows)

    def _write(self, write: Write) -> str | None:
        expected = self._mirror.expected(write)
        if self._is_postgres and expected.refused:
            return None
        reply = self._session.execute(write.postgres)
        if reply.applied is None:
            return f"refused: {reply.sqlstate} {reply.message}"
        self.write_count += 1
        self._mirror.apply(write)
        # An INSERT meets no rows; what it says of them is not compared.
        matched = expected.matched if write.matched is None else reply.matched
        wanted = (expected.matched, expected.applied, expected.refused)
        got = (matched, reply.applied, reply.refused)
        if wanted != got:
            return f"matched, applied, refused are {got} instead of {wanted}"
        code = OVERFLOW if expected.refused else None
        return None if reply.sqlstate == code else f"{reply.sqlstate} {reply.message!r} instead of {code}"

    def _refusal(self, refused: Refused) -> str | None:
        reply = self._session.execute(refused.postgres)
        if reply.sqlstate == refused.sqlstate:
            return None
        return f"{reply.sqlstate} {reply.message!r} instead of {refused.sqlstate}"

    def report(self) -> str:
        return "\n\n".join(self.failures)


def as_insert_texts(rows: list[list[Value]]) -> list[str]:
    """Multi-row INSERT texts of flights."""

    def text(value: Value) -> str:
        if value is None:
            return "NULL"
        return str(value) if isinstance(value, int | Decimal) else f"'{value}'"

    tuples = [f"({', '.join(map(text, row))})" for row in rows]
    return [f"INSERT INTO flights VALUES {', '.join(tuples[i : i + 500])}" for i in range(0, len(tuples), 500)]
