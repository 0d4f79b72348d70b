"""The moments at which sessions read: what they are shown, ask for and hold."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from local_cluster import wait_until

Connection = psycopg.Connection[Any]
KEPT_SECONDS = 2


def moment(connection: Connection) -> int:
    """The moment of the last answer."""
    row = connection.execute("SHOW daedalus.moment").fetchone()
    assert row is not None
    return int(row[0])


def count(connection: Connection) -> int:
    row = connection.execute("SELECT count(*) FROM kinds").fetchone()
    assert row is not None
    return int(row[0])


def insert(connection: Connection, number: int) -> None:
    connection.execute("INSERT INTO kinds (id) VALUES (%s)", (number,))


def test_a_moment_is_at_least_that_of_what_the_session_wrote(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        before = 0
        for number in range(5):
            insert(connection, number)
            assert count(connection) == number + 1
            assert moment(connection) > before
            before = moment(connection)


def test_a_block_of_repeatable_read_has_one_moment(table: str) -> None:
    with psycopg.connect(table) as reader, psycopg.connect(table, autocommit=True) as writer:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        insert(writer, 1)
        assert count(reader) == 1
        first = moment(reader)
        insert(writer, 2)
        for sql in ("SELECT id FROM kinds ORDER BY id LIMIT 1", "SELECT max(id) FROM kinds WHERE id < 2"):
            assert reader.execute(sql).fetchall() == [(1,)]
            assert moment(reader) == first
        reader.commit()
        assert count(reader) == 2
        assert moment(reader) > first


def test_two_sessions_read_one_moment(table: str) -> None:
    with psycopg.connect(table) as holder, psycopg.connect(table, autocommit=True) as other:
        holder.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        insert(other, 1)
        assert count(holder) == 1
        insert(other, 2)
        other.execute(f"SET daedalus.read_at = {moment(holder)}")
        count(other)
        assert moment(other) == moment(holder)
        other.execute("RESET daedalus.read_at")
        assert count(other) == 2


def test_a_moment_can_be_named_for_two_seconds_without_a_hold(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as reader, psycopg.connect(table, autocommit=True) as writer:
        numbers = itertools.count(1)
        insert(writer, next(numbers))
        assert count(reader) == 1
        named, written = moment(reader), time.monotonic()
        insert(writer, next(numbers))
        reader.execute(f"SET daedalus.read_at = {named}")

        def is_gone() -> bool:
            try:
                assert count(reader) == 1
            except psycopg.errors.SnapshotTooOld:
                return True
            insert(writer, next(numbers))
            return False

        wait_until(is_gone, "what nobody holds to go")
        assert time.monotonic() - written > KEPT_SECONDS


def test_a_moment_that_has_not_come_is_waited_for(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as reader, psycopg.connect(table, autocommit=True) as writer:
        insert(writer, 1)
        assert count(reader) == 1
        now = moment(reader)
        reader.execute(f"SET daedalus.read_at = {now + 1_000_000}")
        reader.execute("SET statement_timeout = '300ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            count(reader)
        reader.execute(f"SET daedalus.read_at = {now + 1}; SET statement_timeout = '60s'")
        with ThreadPoolExecutor() as threads:
            counted = threads.submit(count, reader)
            insert(writer, 2)
            assert counted.result() == 2
        assert moment(reader) == now + 1


def test_an_aggregator_that_has_heard_nothing_for_long_refuses(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:

        def is_refused() -> bool:
            try:
                count(connection)
            except psycopg.errors.SnapshotTooOld:
                return True
            return False

        def is_block_refused() -> bool:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            refused = is_refused()
            connection.execute("ROLLBACK")
            return refused

        assert not is_refused()
        assert not is_block_refused()
        connection.execute("SET daedalus.freshness = '1ms'")
        wait_until(is_refused, "a query that wants fresher news than there are to be refused")
        wait_until(is_block_refused, "a block that wants fresher news than there are to be refused")
        connection.execute("RESET daedalus.freshness")
        assert not is_refused()
        assert not is_block_refused()
