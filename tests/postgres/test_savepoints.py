"""Savepoints, by the clients that make them: psycopg's transactions in each other, psql's ON_ERROR_ROLLBACK."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any, LiteralString

import psycopg
import pytest

Psql = Callable[..., subprocess.CompletedProcess[str]]


def insert_and(
    connection: psycopg.Connection[Any], number: int, statement: LiteralString, error: Exception | None = None
) -> None:
    """A transaction of its own in the one there is."""
    with connection.transaction():
        connection.execute("INSERT INTO kinds (id) VALUES (%s)", (number,))
        if error:
            raise error
        connection.execute(statement)


def test_transactions_in_each_other_keep_what_succeeded(table: str) -> None:
    with psycopg.connect(table) as connection:
        with connection.transaction():
            connection.execute("INSERT INTO kinds (id) VALUES (1)")
            with connection.transaction("inner"):
                connection.execute("INSERT INTO kinds (id) VALUES (2)")
            with pytest.raises(ZeroDivisionError):
                insert_and(connection, 3, "SELECT 1", ZeroDivisionError())
            with pytest.raises(psycopg.errors.UndefinedColumn):
                insert_and(connection, 4, "INSERT INTO kinds (nothing) VALUES (5)")
            connection.execute("INSERT INTO kinds (id) VALUES (6)")
        assert connection.execute("SELECT id FROM kinds ORDER BY id").fetchall() == [(1,), (2,), (6,)]


def test_a_failed_query_leaves_the_outer_transaction_alive(table: str) -> None:
    with psycopg.connect(table) as connection, connection.transaction():
        for _ in range(3):
            with pytest.raises(psycopg.errors.SyntaxError), connection.transaction():
                connection.execute("SELECT FROM WHERE")
            assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (0,)


def test_psql_goes_back_after_each_mistake(table: str, psql: Psql) -> None:
    answer = psql(
        "-At",
        stdin="\\set ON_ERROR_ROLLBACK on\nBEGIN;\nSELECT 1;\nSELECT nothing;\nSELECT 2;\n"
        "INSERT INTO kinds (id) VALUES (1);\nINSERT INTO nowhere VALUES (1);\nCOMMIT;\nSELECT count(*) FROM kinds;\n",
    )
    assert answer.stdout.split() == ["BEGIN", "1", "2", "INSERT", "0", "1", "COMMIT", "1"], answer.stderr
