"""psycopg 3: parameters and results in binary, zones, pipelines, cancelling. In text they are in tests/slt/postgres."""

from __future__ import annotations

import datetime
import threading
import uuid
import zoneinfo
from decimal import Decimal
from typing import Any

import psycopg
import pytest

COLUMNS = "id, yes, small, big, single, twice, price, day, at, clock, tag, code, name, moment"
ROWS: list[tuple[Any, ...]] = [
    (
        1, True, -3, 1 << 40, 1.5, 0.1, Decimal("12345.678"), datetime.date(2013, 2, 8),
        datetime.datetime(2013, 2, 8, 9, 30, 0, 250_000), datetime.time(4, 5, 6, 7),
        uuid.UUID(int=7), "ab  ", "Zoë, 'quoted'",
        datetime.datetime(2013, 2, 8, 9, 30, 0, 250_000, datetime.UTC),
    ),
    (
        2, False, 32767, -(1 << 62), -0.25, 1e300, Decimal("-0.005"), datetime.date(1, 1, 1),
        datetime.datetime(1999, 12, 31, 23, 59, 59, 999_999), datetime.time(23, 59, 59, 999_999),
        uuid.UUID(int=(1 << 128) - 1), "abcd", "",
        datetime.datetime(1999, 12, 31, 23, 59, 59, 999_999, datetime.UTC),
    ),
    (3, *[None] * 13),
]  # fmt: skip
INSERT = f"INSERT INTO kinds ({COLUMNS}) VALUES ({', '.join(['%s'] * 14)})"


def test_every_type_comes_back_as_it_went_in_binary(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor(binary=True) as cursor:
        for row in ROWS:
            cursor.execute(INSERT.replace("%s", "%b"), row)
            assert cursor.statusmessage == "INSERT 0 1"
        assert cursor.execute(f"SELECT {COLUMNS} FROM kinds ORDER BY id").fetchall() == ROWS
        assert cursor.description is not None
        assert [column.type_code for column in cursor.description] == [
            23, 16, 21, 20, 700, 701, 1700, 1082, 1114, 1083, 2950, 1042, 1043, 1184,
        ]  # fmt: skip
        for position, column in enumerate(COLUMNS.split(", ")):
            if column not in ("single", "twice"):
                # A text in binary is declared as text: the blanks that pad a char(n) are none of its own there.
                value = ROWS[0][position]
                value = value.rstrip() if isinstance(value, str) else value
                found = cursor.execute(f"SELECT id FROM kinds WHERE {column} = %b ORDER BY id", (value,)).fetchall()
                assert found == [(1,)], column


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/St_Johns", "UTC"])
def test_moments_are_the_same_in_sessions_of_every_zone(table: str, zone: str, binary: bool) -> None:
    moments = [datetime.datetime(2013, 10, 27, hour, 30, tzinfo=datetime.UTC) for hour in range(4)]
    with psycopg.connect(table, autocommit=True, options=f"-c TimeZone={zone}") as connection:
        assert str(connection.info.timezone) == zone
        cursor = connection.cursor(binary=binary)
        for number, moment in enumerate(moments[:2]):
            cursor.execute("INSERT INTO kinds (id, moment) VALUES (%s, %s)", (number, moment))
        with cursor.copy("COPY kinds (id, moment) FROM STDIN") as copy:
            for number, moment in enumerate(moments[2:], 2):
                copy.write_row((number, moment))
        found = cursor.execute("SELECT moment, moment::text FROM kinds ORDER BY id").fetchall()
        assert [moment.astimezone(datetime.UTC) for moment, _ in found] == moments
        assert [str(moment) for moment, _ in found] == [
            shown + ":00" if len(shown) == 22 else shown for _, shown in found
        ]
        days = [moment.astimezone(zoneinfo.ZoneInfo(zone)).replace(tzinfo=None).date() for moment in moments]
        assert cursor.execute("SELECT moment::date FROM kinds ORDER BY id").fetchall() == [(day,) for day in days]
        local = "2013-10-27 00:00:00"
        begins = datetime.datetime.fromisoformat(local).replace(tzinfo=zoneinfo.ZoneInfo(zone))
        assert cursor.execute("SELECT count(*) FROM kinds WHERE moment >= %s::timestamptz", (local,)).fetchone() == (
            sum(moment >= begins for moment in moments),
        )
        with cursor.copy("COPY (SELECT moment FROM kinds ORDER BY id) TO STDOUT") as copy:
            assert b"".join(copy).decode().split("\n")[:-1] == [shown for _, shown in found]


def test_intervals_come_out_and_go_in_binary(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor(binary=True) as cursor:
        cursor.execute("INSERT INTO kinds (id, at) VALUES (1, '2013-02-08 09:30'), (2, '2013-02-09'), (3, NULL)")
        since = "at - TIMESTAMP '2013-02-08'"
        spans = [datetime.timedelta(hours=9.5), datetime.timedelta(days=1), None]
        assert cursor.execute(f"SELECT {since} FROM kinds ORDER BY 1").fetchall() == [(span,) for span in spans]
        assert cursor.description is not None
        assert cursor.description[0].type_code == 1186
        total = cursor.execute(f"SELECT sum({since}), avg({since}), count(DISTINCT {since}) FROM kinds").fetchone()
        assert total == (datetime.timedelta(hours=33.5), datetime.timedelta(hours=16.75), 2)
        for span, number in ((spans[0], 1), (spans[1], 2)):
            found = cursor.execute(f"SELECT id FROM kinds WHERE {since} = %b", (span,)).fetchall()
            assert found == [(number,)]
        assert cursor.execute("SELECT %b * 2", (spans[0],)).fetchone() == (datetime.timedelta(hours=19),)


def test_a_statement_is_prepared_and_used_again(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        for value in range(20):
            connection.execute("INSERT INTO kinds (id, small) VALUES (%s, %s)", (value, value), prepare=True)
        for value in range(20):
            found = connection.execute("SELECT id FROM kinds WHERE small = %s", (value,), prepare=True).fetchone()
            assert found == (value,)


def test_inserts_of_a_pipeline_return_what_they_wrote(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO kinds (id) VALUES (%s) RETURNING id", [(number,) for number in range(50)], returning=True
        )
        returned: list[tuple[Any, ...]] = []
        while True:
            returned += cursor.fetchall()
            if not cursor.nextset():
                break
        assert returned == [(number,) for number in range(50)]
        assert cursor.execute("SELECT count(*) FROM kinds").fetchone() == (50,)


def test_many_inserts_in_a_pipeline_are_one_update(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO kinds (id) VALUES (%s)", [(number,) for number in range(1_000)])
            assert cursor.rowcount == 1_000
        with connection.pipeline():
            cursors = [connection.execute("SELECT count(*) FROM kinds WHERE id < %s", (n,)) for n in (10, 20, 30)]
        assert [cursor.fetchone() for cursor in cursors] == [(10,), (20,), (30,)]


def test_many_updates_in_a_pipeline_have_their_own_counts(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO kinds (id, small) VALUES (%s, %s)", [(number, number % 10) for number in range(1_000)]
            )
            cursor.executemany(
                "UPDATE kinds SET small = small + 100 WHERE id < %s", [(number,) for number in range(100)]
            )
            assert cursor.rowcount == sum(range(100))
            assert cursor.execute("SELECT small FROM kinds WHERE id = 40").fetchone() == (5_900,)
        with connection.pipeline():
            cursors = [
                connection.execute("DELETE FROM kinds WHERE small = %s", (7,)),
                connection.execute("UPDATE kinds SET small = 7 WHERE small = 8"),
                connection.execute("INSERT INTO kinds (id, small) VALUES (2000, 7), (2001, 7)"),
                connection.execute("DELETE FROM kinds WHERE small = %s", (7,)),
                connection.execute("DELETE FROM kinds WHERE small = %s", (7,)),
            ]
        assert [cursor.rowcount for cursor in cursors] == [90, 90, 2, 92, 0]


def test_an_error_among_updates_of_a_pipeline_leaves_nothing(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        connection.execute("INSERT INTO kinds (id, small) VALUES (1, 1)")

        def write() -> None:
            with connection.pipeline():
                connection.execute("UPDATE kinds SET small = 2")
                connection.execute("UPDATE kinds SET nothing = 3")
                connection.execute("DELETE FROM kinds")

        with pytest.raises(psycopg.errors.UndefinedColumn):
            write()
        assert connection.execute("SELECT small FROM kinds").fetchall() == [(1,)]


def test_queries_of_a_pipeline_are_answered_in_order(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO kinds (id) VALUES (%s)", [(number,) for number in range(1_000)])
        with connection.pipeline():
            cursors = [
                connection.execute("SELECT id FROM kinds WHERE id < %s ORDER BY id", (number,), prepare=True)
                for number in range(500)
            ]
        assert [len(cursor.fetchall()) for cursor in cursors] == list(range(500))


def test_large_answers_in_a_pipeline_do_not_stop_each_other(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        with connection.cursor() as cursor:
            for first in range(0, 60_000, 20_000):
                rows = ",".join(f"({number}, '{'x' * 40}')" for number in range(first, first + 20_000))
                cursor.execute(f"INSERT INTO kinds (id, name) VALUES {rows}")
        with connection.pipeline():
            cursors = [connection.execute("SELECT id, name FROM kinds") for _ in range(12)]
            counts = [connection.execute("SELECT count(*) FROM kinds") for _ in range(3)]
        assert [len(cursor.fetchall()) for cursor in cursors] == [60_000] * 12
        assert [cursor.fetchone() for cursor in counts] == [(60_000,)] * 3


def test_an_error_in_a_pipeline_skips_what_follows(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:

        def ask() -> None:
            with connection.pipeline():
                connection.execute("SELECT nothing FROM kinds")
                connection.execute("INSERT INTO kinds (id) VALUES (1)")

        with pytest.raises(psycopg.errors.UndefinedColumn):
            ask()
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (0,)


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


def test_lists_in_binary_are_parameters_of_any(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor(binary=True) as cursor:
        for row in ROWS:
            cursor.execute(INSERT, row)
        for column, values in (("id", [2, 3]), ("name", ["", 'a,"b\\']), ("day", [ROWS[1][7], None])):
            found = cursor.execute(f"SELECT id FROM kinds WHERE {column} = ANY (%b) ORDER BY id", [values])
            assert [id_ for (id_,) in found.fetchall()] == ([2, 3] if column == "id" else [2]), column
        assert cursor.execute("SELECT count(*) FROM kinds WHERE id <> ALL (%b)", [[1]]).fetchone() == (2,)
