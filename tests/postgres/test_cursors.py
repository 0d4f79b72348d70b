"""Cursors of SQL, by the clients that use them: psycopg's with names, psql's FETCH_COUNT, postgres_fdw."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from local_cluster import LocalCluster
from sessions import POSTGRES_BIN, running_postgres

Psql = Callable[..., subprocess.CompletedProcess[str]]


def fill(connection: psycopg.Connection[Any], count: int, text: str = "") -> None:
    for first in range(0, count, 10_000):
        values = ", ".join(f"({number}, '{text}')" for number in range(first, min(first + 10_000, count)))
        connection.execute(f"INSERT INTO kinds (id, name) VALUES {values}")


@pytest.fixture
def filled(table: str) -> str:
    """A table of 1,000 rows."""
    with psycopg.connect(table, autocommit=True) as connection:
        fill(connection, 1_000)
    return table


@pytest.mark.parametrize("binary", [False, True])
def test_a_named_cursor_is_iterated_over(filled: str, binary: bool) -> None:
    with psycopg.connect(filled) as connection, connection.cursor("some name", binary=binary) as cursor:
        cursor.itersize = 70
        cursor.execute("SELECT id, name FROM kinds WHERE id >= %s ORDER BY id", (100,))
        assert [column.name for column in cursor.description or []] == ["id", "name"]
        assert [row[0] for row in cursor] == list(range(100, 1_000))


def test_a_named_cursor_is_fetched_from_and_scrolled(filled: str) -> None:
    with psycopg.connect(filled) as connection, connection.cursor("c", scrollable=True) as cursor:
        cursor.execute("SELECT id FROM kinds ORDER BY id")
        assert cursor.fetchone() == (0,)
        assert cursor.fetchmany(3) == [(1,), (2,), (3,)]
        cursor.scroll(10)
        assert cursor.fetchone() == (14,)
        cursor.scroll(-5)
        assert cursor.fetchone() == (10,)
        cursor.scroll(500, mode="absolute")
        assert cursor.fetchone() == (500,)
        assert len(cursor.fetchall()) == 499
        cursor.scroll(0, mode="absolute")
        assert len(cursor.fetchall()) == 1_000


def test_one_that_cannot_scroll_says_so(filled: str) -> None:
    with psycopg.connect(filled) as connection:
        cursor = connection.cursor("c", scrollable=False)
        cursor.execute("SELECT id FROM kinds")
        cursor.fetchone()
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="cursor can only scan forward"):
            cursor.scroll(-1)
        connection.rollback()
        cursor.close()


def test_one_that_is_held_outlives_its_block(filled: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection, connection.cursor("c", withhold=True) as cursor:
        cursor.execute("SELECT id FROM kinds ORDER BY id")
        assert cursor.fetchmany(2) == [(0,), (1,)]
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (1_000,)
        assert len(cursor.fetchall()) == 998


def test_several_large_cursors_are_read_in_turn(table: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection:
        fill(connection, 100_000, "x" * 40)
    asked = "SELECT id, name, name, name, name FROM kinds"
    with psycopg.connect(table) as connection:
        cursors = [connection.cursor(f"c{number}") for number in range(3)]
        for cursor in cursors:
            cursor.execute(asked)
        rows = [len(cursor.fetchmany(10)) for cursor in cursors]  # Each answer is some 20 MB, and none is read whole.
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (100_000,)
        for place in (1, 0, 2):
            while portion := cursors[place].fetchmany(5_000):
                rows[place] += len(portion)
        assert rows == [100_000] * 3
        for cursor in cursors:
            cursor.close()


def test_psql_fetches_in_portions(filled: str, psql: Psql) -> None:
    answer = psql("-At", "-v", "FETCH_COUNT=30", "-c", "SELECT id FROM kinds ORDER BY id")
    assert answer.returncode == 0, answer.stderr
    told = psql("-At", stdin="\\set FETCH_COUNT 30\nSELECT id FROM kinds ORDER BY id;\nSELECT 6 * 7;\n")
    assert told.stdout.split() == [str(number) for number in range(1_000)] + ["42"], told.stderr


# ---- postgres_fdw ----


@pytest.fixture(scope="module")
def elsewhere(cluster: LocalCluster) -> Iterator[str]:
    """A PostgreSQL whose table `remote` is the cluster's."""
    if not (Path(POSTGRES_BIN) / "postgres").exists():
        pytest.skip("not run: PostgreSQL 15 is not installed here")
    with running_postgres() as port:
        dsn = f"host=127.0.0.1 port={port} user=oracle dbname=postgres"
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION postgres_fdw")
            connection.execute(
                "CREATE SERVER daedalus FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', "
                f"port '{cluster.port + 51}', dbname 'kinds', fetch_size '70')"
            )
            connection.execute("CREATE USER MAPPING FOR oracle SERVER daedalus OPTIONS (user 'ada')")
            connection.execute(
                "CREATE FOREIGN TABLE remote (id int, small smallint, name varchar(40)) SERVER daedalus "
                "OPTIONS (table_name 'kinds')"
            )
            connection.execute("CREATE TABLE here (n int)")
            connection.execute("INSERT INTO here SELECT generate_series(1, 20)")
        yield dsn


def test_postgres_fdw_reads(filled: str, elsewhere: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        assert len(connection.execute("SELECT id, name FROM remote").fetchall()) == 1_000
        assert connection.execute("SELECT count(*), sum(id) FROM remote WHERE id < 100").fetchall() == [(100, 4_950)]
        assert connection.execute("SELECT id FROM remote WHERE id = ANY ('{3,5}') ORDER BY id").fetchall() == [
            (3,),
            (5,),
        ]
        assert connection.execute("SELECT count(*) FROM remote WHERE id = %s", (7,)).fetchone() == (1,)
        assert len(connection.execute("SELECT id FROM remote ORDER BY id LIMIT 30").fetchall()) == 30


def test_a_foreign_schema_is_imported(filled: str, elsewhere: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA imported")
        connection.execute("IMPORT FOREIGN SCHEMA public FROM SERVER daedalus INTO imported")
        columns = connection.execute(
            "SELECT string_agg(column_name || ' ' || data_type || ' ' || is_nullable, ',' ORDER BY ordinal_position) "
            "FROM information_schema.columns WHERE table_schema = 'imported' AND table_name = 'kinds'"
        ).fetchone()
        assert columns == (
            "id integer NO,yes boolean YES,small smallint YES,big bigint YES,single real YES,"
            "twice double precision YES,"
            "price numeric YES,day date YES,at timestamp without time zone YES,clock time without time zone YES,"
            "tag uuid YES,code character YES,name character varying YES,moment timestamp with time zone YES",
        )
        assert connection.execute("SELECT count(*), max(id) FROM imported.kinds").fetchone() == (1_000, 999)
        connection.execute("CREATE SCHEMA nothing")
        connection.execute("IMPORT FOREIGN SCHEMA public EXCEPT (kinds) FROM SERVER daedalus INTO nothing")
        assert connection.execute(
            "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'nothing'"
        ).fetchone() == (0,)


def test_postgres_fdw_rewinds_a_cursor_and_parametrises_one(filled: str, elsewhere: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        for setting in ("enable_hashjoin", "enable_mergejoin", "enable_material"):
            connection.execute(f"SET {setting} = off")
        joined = "SELECT count(*) FROM here LEFT JOIN remote ON here.n + 0 = remote.id + 0"
        assert connection.execute(joined).fetchone() == (20,)


def test_postgres_fdw_rolls_back_with_its_transaction(filled: str, elsewhere: str) -> None:
    with psycopg.connect(elsewhere) as connection:
        assert connection.execute("SELECT count(*) FROM remote").fetchone() == (1_000,)
        connection.rollback()
        assert connection.execute("SELECT max(id) FROM remote").fetchone() == (999,)
