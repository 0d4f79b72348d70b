"""Pipelines of writes, given to a cluster and to PostgreSQL 15 alike: both count what each write has done."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from plain_postgres import KINDS
from sessions import POSTGRES_BIN, running_postgres

pytestmark = pytest.mark.skipif(
    not (Path(POSTGRES_BIN) / "postgres").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

FILL = "INSERT INTO kinds (id, small, name) VALUES " + ", ".join(
    f"({number}, {number % 3}, 'n{number}')" for number in range(1, 11)
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[int]:
    with running_postgres() as port:
        yield port


def write_in_a_pipeline(dsn: str, writes: list[str]) -> list[int]:
    """The count of each."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        with connection.pipeline():
            cursors = [connection.execute(sql.encode()) for sql in writes]
        return [cursor.rowcount for cursor in cursors]


def draw_write(choice: random.Random, number: int) -> str:
    some = choice.choice([f"id = {choice.randrange(20)}", f"small < {choice.randrange(-3, 9)}", "name IS NULL"])
    return choice.choice(
        [
            f"INSERT INTO kinds (id, small) VALUES ({number}, 1), ({number + 1}, {choice.randrange(9)})",
            f"UPDATE kinds SET small = small + {choice.randrange(-2, 3)} WHERE {some}",
            f"UPDATE kinds SET name = 'n{number}', small = {choice.randrange(9)} WHERE {some}",
            f"DELETE FROM kinds WHERE {some} AND small = {choice.randrange(9)}",
        ]
    )


def refill(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM kinds")
        connection.execute(FILL)


def test_both_count_what_each_write_of_a_pipeline_did(table: str, postgres: int, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} pipelines")
    theirs = f"host=127.0.0.1 port={postgres} user=oracle dbname=postgres"
    with psycopg.connect(theirs, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS kinds")
        connection.execute(KINDS)
    refill(theirs)
    refill(table)
    number = 20
    for _ in range(20):
        writes = []
        for _ in range(choice.randrange(2, 60)):
            writes.append(draw_write(choice, number))
            number += 2
        assert write_in_a_pipeline(table, writes) == write_in_a_pipeline(theirs, writes), writes
    rows = "SELECT id, small, name FROM kinds ORDER BY id"
    with psycopg.connect(table, autocommit=True) as ours, psycopg.connect(theirs, autocommit=True) as oracle:
        assert ours.execute(rows).fetchall() == oracle.execute(rows).fetchall()
