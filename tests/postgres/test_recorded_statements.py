"""Statements that named clients send, recorded while they use a plain PostgreSQL 15, and answered as that does."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator

import asyncpg  # type: ignore[import-untyped]
import psycopg
import pytest
import sqlalchemy
from plain_postgres import KINDS
from psycopg.types import TypeInfo
from recorded import Recorded, compare, record, recording_postgres, tellers
from sessions import POSTGRES_BIN

from postgres.test_catalogue import COMMANDS
from postgres.test_jdbc import run_jdbc_tests, url_of

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "initdb").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

STATEMENTS_MIN = 300
ROWS = (
    "SELECT id, id % 2 = 0, id * 10, id / 4.0, 'n' || id % 7, DATE '2013-01-01' + id "
    "FROM generate_series(1, 200) AS t (id)"
)
QUERIES = [
    "SELECT count(*), min(id), max(big) FROM kinds",
    "SELECT id, name FROM kinds WHERE id BETWEEN 10 AND 20 ORDER BY id",
    "SELECT name, sum(big), avg(price) FROM kinds GROUP BY name ORDER BY name",
    "SELECT name, count(*) FILTER (WHERE yes) FROM kinds GROUP BY 1 HAVING count(*) > 3 ORDER BY 2 DESC, 1 LIMIT 3",
    "SELECT date_trunc('month', day) AS month, count(*) FROM kinds GROUP BY 1 ORDER BY 1",
    "SELECT DISTINCT name FROM kinds WHERE name LIKE 'n%' ORDER BY name OFFSET 2",
    "SELECT * FROM kinds WHERE id IN (1, 2, 3) OR name = 'n5' ORDER BY id",
    "SELECT id, CASE WHEN yes THEN 'even' ELSE 'odd' END FROM kinds WHERE big > 1900 ORDER BY 1",
    "SELECT upper(name) || ':' || id FROM kinds WHERE id % 50 = 0 ORDER BY id",
    "SELECT nothing FROM kinds",
]


def psql(dsn: str) -> None:
    for command in [*COMMANDS, r"\l", r"\du", r"\dn+", r"\di+", r"\dg", r"\db", r"\dconfig", r"\dAc", r"\dAf"]:
        subprocess.run(["psql", "-X", "-d", dsn, "-c", command], capture_output=True, check=False, timeout=60)


def psql_queries(dsn: str) -> None:
    for query in QUERIES:
        subprocess.run(["psql", "-X", "-d", dsn, "-c", query], capture_output=True, check=False, timeout=60)


def psycopg_types_and_queries(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for name in ("int4", "kinds", "numeric", "varchar", "nothing", "timestamptz", "uuid", "bpchar"):
            TypeInfo.fetch(connection, name)
        for end in range(10, 200, 10):
            connection.execute("SELECT id, big FROM kinds WHERE id < %s AND name <> %s ORDER BY id", [end, "n3"])


def asyncpg_types_and_queries(dsn: str) -> None:
    settings = dict(part.split("=") for part in dsn.split())

    async def ask() -> None:
        connection = await asyncpg.connect(
            host=settings["host"], port=int(settings["port"]), user=settings["user"], database=settings["dbname"]
        )
        await connection.fetch("SELECT relname, relacl, relowner FROM pg_class WHERE relname = 'kinds'")
        await connection.fetch("SELECT * FROM kinds WHERE big = ANY ($1) ORDER BY id", [10, 20, 30])
        for id_ in range(1, 30):
            await connection.fetch("SELECT id, price FROM kinds WHERE id = $1", id_)
        await connection.close()

    asyncio.run(ask())


def sqlalchemy_reflection(dsn: str) -> None:
    settings = dict(part.split("=") for part in dsn.split())
    engine = sqlalchemy.create_engine(
        f"postgresql+psycopg://{settings['user']}@{settings['host']}:{settings['port']}/{settings['dbname']}"
    )
    inspector = sqlalchemy.inspect(engine)
    kinds = sqlalchemy.Table("kinds", sqlalchemy.MetaData(), autoload_with=engine)
    for look in (
        inspector.get_table_names, inspector.get_view_names, inspector.get_materialized_view_names,
        inspector.get_schema_names, inspector.get_sequence_names, inspector.get_temp_table_names,
        inspector.get_multi_columns, inspector.get_multi_indexes, inspector.get_multi_pk_constraint,
        inspector.get_multi_foreign_keys, inspector.get_multi_check_constraints,
        inspector.get_multi_unique_constraints, inspector.get_multi_table_comment,
    ):  # fmt: skip
        look()
    with engine.connect() as connection:
        for end in range(10, 200, 10):
            connection.execute(sqlalchemy.select(kinds.c.name, kinds.c.price).where(kinds.c.id < end).order_by("id"))
            connection.execute(sqlalchemy.select(sqlalchemy.func.count()).where(kinds.c.big >= 10 * end))
    engine.dispose()


def pg_dump(dsn: str) -> None:
    subprocess.run([POSTGRES_BIN / "pg_dump", "--schema-only", "-d", dsn], capture_output=True, check=True, timeout=60)


def jdbc(dsn: str) -> None:
    run_jdbc_tests(url_of(dsn), url_of(dsn))


# What is known to be told in another way: docs/postgres.md says so.
KNOWN = {
    "select current_schema()": "it is text, not name",
}
CLIENTS: dict[str, Callable[[str], None]] = {
    "psql 15": psql,
    "psql 15, queries": psql_queries,
    "psycopg 3.3": psycopg_types_and_queries,
    "asyncpg 0.32": asyncpg_types_and_queries,
    "SQLAlchemy 2.1": sqlalchemy_reflection,
    "pg_dump 15": pg_dump,
    "pgjdbc 42.7, HikariCP 5.1": jdbc,
}


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    """A plain PostgreSQL 15 that writes down what it is asked."""
    with recording_postgres(KINDS, "kinds") as dsn:
        yield dsn


def fill(dsn: str, rows: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM kinds")
        connection.execute(f"INSERT INTO kinds (id, yes, big, price, name, day) {rows}".encode())


def values_of(judge: str) -> str:
    """The rows as VALUES, which both take."""
    with psycopg.connect(judge) as connection:
        rows = connection.execute(ROWS.encode()).fetchall()
    return "VALUES " + ", ".join(
        f"({i}, {yes}, {big}, {price}, '{name}', '{day}')" for i, yes, big, price, name, day in rows
    )


def test_what_clients_send_is_answered_as_postgresql_answers_it(judge: str, table: str) -> None:
    values = values_of(judge)
    fill(judge, values)
    fill(table, values)
    recorded: list[Recorded] = []
    for client, use in CLIENTS.items():
        found = record(judge, client, use)
        assert found, client
        recorded += found
    fill(judge, values)
    every = list({(each.sql, each.parameters): each for each in recorded}.values())
    theirs, ours = tellers(judge, table)
    wrong = [each for each in compare(every, theirs, ours) if each[0].sql not in KNOWN]
    of_catalogue = [each for each in every if each.is_of_catalogue]
    print(
        f"{len(every)} statements, {len(of_catalogue)} of them of the catalogue; answered in another way: "
        f"{len(wrong)}, {sum(statement.is_of_catalogue for statement, _, _ in wrong)} of them of the catalogue"
    )
    for statement, expected, said in wrong:
        print(f"{statement.client}: {statement.sql[:2000]} {statement.parameters}")
        print(f"  {[each for each in said.rows if each not in expected.rows] or said!s:.1000}")
        print(f"  {[each for each in expected.rows if each not in said.rows] or expected!s:.1000}")
    assert len(every) >= STATEMENTS_MIN
    assert not wrong
