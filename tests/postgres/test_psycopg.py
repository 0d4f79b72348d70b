"""psycopg 3: parameters and results in text and in binary, pipelines, blocks, cancelling."""

from __future__ import annotations

import datetime
import threading
from decimal import Decimal
from typing import Any

import psycopg
import pytest

COLUMNS = "id, yes, small, big, single, twice, price, day, at, code, name"
ROWS: list[tuple[Any, ...]] = [
    (
        1, True, -3, 1 << 40, 1.5, 0.1, Decimal("12345.678"), datetime.date(2013, 2, 8),
        datetime.datetime(2013, 2, 8, 9, 30, 0, 250_000), "ab  ", "Zoë, 'quoted'",
    ),
    (
        2, False, 32767, -(1 << 62), -0.25, 1e300, Decimal("-0.005"), datetime.date(1, 1, 1),
        datetime.datetime(1999, 12, 31, 23, 59, 59, 999_999), "abcd", "",
    ),
    (3, *[None] * 10),
]  # fmt: skip
INSERT = f"INSERT INTO kinds ({COLUMNS}) VALUES ({', '.join(['%s'] * 11)})"


@pytest.mark.parametrize("binary", [False, True])
def test_every_type_comes_back_as_it_went_in(table: str, binary: bool) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor(binary=binary) as cursor:
        place = "%b" if binary else "%t"
        for row in ROWS:
            cursor.execute(INSERT.replace("%s", place), row)
            assert cursor.statusmessage == "INSERT 0 1"
        assert cursor.execute(f"SELECT {COLUMNS} FROM kinds ORDER BY id").fetchall() == ROWS
        assert cursor.description is not None
        assert [column.type_code for column in cursor.description] == [
            23, 16, 21, 20, 700, 701, 1700, 1082, 1114, 1042, 1043,
        ]  # fmt: skip
        for position, column in enumerate(COLUMNS.split(", ")):
            if column not in ("single", "twice"):
                found = cursor.execute(
                    f"SELECT id FROM kinds WHERE {column} = {place} ORDER BY id", (ROWS[0][position],)
                ).fetchall()
                assert found == [(1,)], column


def test_a_statement_is_prepared_and_used_again(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        for value in range(20):
            connection.execute("INSERT INTO kinds (id, small) VALUES (%s, %s)", (value, value), prepare=True)
        for value in range(20):
            found = connection.execute("SELECT id FROM kinds WHERE small = %s", (value,), prepare=True).fetchone()
            assert found == (value,)


def test_inserts_return_what_they_wrote(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO kinds (id, day) VALUES (%s, %s) RETURNING id, day + 1", (1, "2013-02-08"))
        assert cursor.fetchall() == [(1, datetime.date(2013, 2, 9))]
        cursor.executemany(
            "INSERT INTO kinds (id) VALUES (%s) RETURNING id", [(number,) for number in range(2, 50)], returning=True
        )
        returned: list[tuple[Any, ...]] = []
        while True:
            returned += cursor.fetchall()
            if not cursor.nextset():
                break
        assert returned == [(number,) for number in range(2, 50)]
        assert cursor.execute("SELECT count(*) FROM kinds").fetchone() == (49,)


def test_many_inserts_in_a_pipeline_are_one_update(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO kinds (id) VALUES (%s)", [(number,) for number in range(1_000)])
            assert cursor.rowcount == 1_000
        with connection.pipeline():
            cursors = [connection.execute("SELECT count(*) FROM kinds WHERE id < %s", (n,)) for n in (10, 20, 30)]
        assert [cursor.fetchone() for cursor in cursors] == [(10,), (20,), (30,)]


def test_an_error_in_a_pipeline_skips_what_follows(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:

        def ask() -> None:
            with connection.pipeline():
                connection.execute("SELECT nothing FROM kinds")
                connection.execute("INSERT INTO kinds (id) VALUES (1)")

        with pytest.raises(psycopg.errors.UndefinedColumn):
            ask()
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (0,)


def test_its_own_blocks_take_reads_and_inserts(table: str) -> None:
    with psycopg.connect(table) as connection:
        connection.execute("SELECT count(*) FROM kinds")
        assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        connection.execute("INSERT INTO kinds (id) VALUES (%s)", (7,))
        connection.commit()
        assert connection.execute("SELECT id FROM kinds").fetchall() == [(7,)]
        connection.rollback()
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="UPDATE in a block") as refused:
            connection.execute("UPDATE kinds SET small = 1")
        assert refused.value.diag.message_hint is not None
        assert "autocommit" in refused.value.diag.message_hint
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SELECT 1")
        connection.rollback()
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_rows_are_streamed(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        for first in range(0, 20_000, 5_000):
            values = ", ".join(f"({number}, '{'x' * 40}')" for number in range(first, first + 5_000))
            cursor.execute(f"INSERT INTO kinds (id, name) VALUES {values}")
        found = [row[0] for row in cursor.stream("SELECT id, name FROM kinds")]
        assert sorted(found) == list(range(20_000))


def test_a_running_query_is_cancelled(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.cancel()  # Nothing runs: nothing happens.
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_cancelling_reaches_a_query_that_waits_for_its_client(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        for first in range(0, 100_000, 5_000):
            values = ", ".join(f"({number}, '{'x' * 40}')" for number in range(first, first + 5_000))
            connection.execute(f"INSERT INTO kinds (id, name) VALUES {values}")
        with connection.cursor() as cursor:
            rows = cursor.stream("SELECT id, name, name, name, name, name, name, name FROM kinds")
            next(rows)
            connection.cancel_safe()
            with pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
                for _ in rows:
                    pass
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (100_000,)


def test_many_connections_ask_at_once(table: str) -> None:
    found: list[object] = []

    def ask() -> None:
        with psycopg.connect(table, autocommit=True) as connection:
            for number in range(50):
                found.append(connection.execute("SELECT %s::int + 1", (number,)).fetchone() == (number + 1,))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 1_000
