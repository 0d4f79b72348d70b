"""Says what named clients send, over a table of some rows, to a plain PostgreSQL 15 and to an aggregator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import psycopg
from recorded import Recorded, Said, compare, record, tellers

ROWS = (
    "SELECT id, id % 2 = 0, id * 10, id / 4.0, 'n' || id % 7, DATE '2013-01-01' + id "
    "FROM generate_series(1, 200) AS t (id)"
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Each statement once, and those that are answered in different ways: what PostgreSQL says, and what we say."""

    statements: list[Recorded]
    different: list[tuple[Recorded, Said, Said]]

    def counts(self, *, of_catalogue: bool) -> tuple[int, int]:
        """How many there are of the catalogue, or of the table alone, and how many of them are answered alike."""
        there = [each for each in self.statements if each.is_of_catalogue == of_catalogue]
        different = [each for each, _, _ in self.different if each.is_of_catalogue == of_catalogue]
        return len(there), len(there) - len(different)


def compare_clients(theirs: str, ours: str, clients: Mapping[str, Callable[[str], None]]) -> Comparison:
    """Lets each client use `theirs`, a recording_postgres() with the table `kinds`, and says to both what it sent. Rows
    of both tables are replaced. Error: AssertionError a client has sent nothing."""
    values = values_of(theirs)
    fill(theirs, values)
    fill(ours, values)
    found: dict[tuple[str, tuple[str | None, ...]], Recorded] = {}
    for client, use in clients.items():
        sent = record(theirs, client, use)
        assert sent, client
        found.update({(each.sql, each.parameters): each for each in sent})
    fill(theirs, values)
    statements = list(found.values())
    return Comparison(statements, compare(statements, *tellers(theirs, ours)))


def values_of(postgres: str) -> str:
    """The rows as VALUES, which both take."""
    with psycopg.connect(postgres) as connection:
        rows = connection.execute(ROWS.encode()).fetchall()
    return "VALUES " + ", ".join(
        f"({i}, {yes}, {big}, {price}, '{name}', '{day}')" for i, yes, big, price, name, day in rows
    )


def fill(dsn: str, rows: str) -> None:
    """Nothing but these rows."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM kinds")
        connection.execute(f"INSERT INTO kinds (id, yes, big, price, name, day) {rows}".encode())
