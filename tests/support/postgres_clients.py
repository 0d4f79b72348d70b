"""Named clients of PostgreSQL, each of which uses a server as its users make it: what it sends is its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable

import asyncpg  # type: ignore[import-untyped]
import psycopg
import sqlalchemy
from local_cluster import ROOT
from psycopg.types import TypeInfo
from sessions import POSTGRES_BIN

JDBC = ROOT / "client-java" / "postgres-clients"
JDBC_SECONDS_MAX = 300
PSQL_SECONDS_MAX = 60
# A psql is sent these commands, over a table `kinds`.
COMMANDS = [
    r"\d", r"\d kinds", r"\d+ kinds", r"\d kinds_pkey", r"\dt", r"\dt+", r"\dt kin*", r"\di", r"\dn", r"\dv", r"\ds",
    r"\df", r"\da kinds", r"\do kinds", r"\dT", r"\dp kinds", r"\ddp", r"\dx", r"\dew", r"\det", r"\dy", r"\dX",
    r"\dRp", r"\dc kinds", r"\dC kinds", r"\dD", r"\dF kinds", r"\dL", r"\dP", r"\sf pg_catalog.abs(int4)",
    r"\d nothing", r"\dO kinds", r"\dd kinds", r"\d pg_class", r"\dt pg_catalog.pg_cl*", r"\dS kinds",
]  # fmt: skip
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


def psql_output(program: str, dsn: str, *arguments: str, stdin: str = "") -> tuple[str, str]:
    """Returns what a psql says, and what it complains of."""
    ran = subprocess.run(
        [program, "-X", "-d", dsn, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PSQL_SECONDS_MAX,
        check=False,
    )
    return ran.stdout, ran.stderr


def url_of(dsn: str) -> str:
    """JDBC's words for how psycopg finds a server."""
    parts = dict(part.split("=") for part in dsn.split())
    return f"jdbc:postgresql://{parts['host']}:{parts['port']}/{parts['dbname']}?user={parts['user']}"


def run_jdbc_tests(daedalus: str, postgres: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The module's tests against two servers."""
    return subprocess.run(
        [
            shutil.which("mvn") or "mvn", "-q", "-B", "-pl", "postgres-clients", "surefire:test",
            f"-Ddaedalus.jdbc={daedalus}", f"-Dpostgres.jdbc={postgres}", *options,
        ],
        cwd=JDBC.parent,
        env={**os.environ, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=JDBC_SECONDS_MAX,
        check=False,
    )  # fmt: skip


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


CLIENTS: dict[str, Callable[[str], None]] = {
    "psql 15": psql,
    "psql 15, queries": psql_queries,
    "psycopg 3.3": psycopg_types_and_queries,
    "asyncpg 0.32": asyncpg_types_and_queries,
    "SQLAlchemy 2.1": sqlalchemy_reflection,
    "pg_dump 15": pg_dump,
    "pgjdbc 42.7, HikariCP 5.1": jdbc,
}
