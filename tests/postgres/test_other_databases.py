"""Databases that tools connect to first: postgres and template1 have the catalogue, and no table."""

from __future__ import annotations

import subprocess

import psycopg
import pytest
from local_cluster import LocalCluster
from slt.servers import are_there

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

# PostgreSQL 15 says the same of these in a database without a table.
REFUSED = [
    "SELECT * FROM kinds",
    "SELECT count(*) FROM public.kinds",
    "INSERT INTO kinds (id) VALUES (1)",
    "UPDATE kinds SET small = 1",
    "DELETE FROM kinds",
    "SELECT nothing FROM pg_class",
    "COPY kinds TO STDOUT",
]


def elsewhere(cluster: LocalCluster, database: str) -> str:
    return f"host=127.0.0.1 port={cluster.port + 51} user=ada dbname={database}"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("database", ["postgres", "template1"])
def test_the_catalogue_is_there_and_no_table(cluster: LocalCluster, database: str) -> None:
    with psycopg.connect(elsewhere(cluster, database), autocommit=True) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == (database,)
        names = connection.execute("SELECT datname FROM pg_database ORDER BY 1").fetchall()
        assert names == [("kinds",), ("postgres",)]
        user_tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        assert connection.execute(user_tables).fetchone() == (0,)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert connection.execute("SELECT %s::int + 1", [41]).fetchone() == (42,)
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("CREATE DATABASE other")


@pytest.mark.parametrize("sql", REFUSED)
def test_the_table_does_not_exist_there_as_postgres_says_it(cluster: LocalCluster, postgres: str, sql: str) -> None:
    told = []
    for dsn in (postgres.replace("dbname=kinds", "dbname=postgres"), elsewhere(cluster, "postgres")):
        with psycopg.connect(dsn, autocommit=True) as connection:
            parameters: list[int] | None
            for parameters in (None, []):
                with pytest.raises(psycopg.Error) as refused:
                    connection.execute(sql.encode(), parameters)
                diagnosis = refused.value.diag
                told.append((diagnosis.sqlstate, diagnosis.message_primary))
            with connection.transaction(), pytest.raises(psycopg.Error) as refused:
                connection.execute(f"DECLARE c CURSOR FOR {sql}".encode() if sql.startswith("SELECT") else sql.encode())
            told.append((refused.value.diag.sqlstate, refused.value.diag.message_primary))
    assert told[3:] == told[:3]


def test_tools_find_their_way(cluster: LocalCluster) -> None:
    at = ("-h", "127.0.0.1", "-p", str(cluster.port + 51))
    for more in ((), ("-d", "kinds")):
        listed = run("psql", "-X", "-At", *at, "-U", "ada", "-l", *more)
        assert listed.returncode == 0, listed.stderr
        assert [line.split("|")[0] for line in listed.stdout.splitlines() if "|UTF8|" in line] == ["kinds", "postgres"]
    assert run("pg_isready", *at).returncode == 0
    assert run("psql", "-X", "-At", *at, "-U", "ada", "-d", "postgres", "-c", r"\dt").stderr == (
        "Did not find any relations.\n"
    )


def test_another_database_is_none(cluster: LocalCluster) -> None:
    with pytest.raises(psycopg.OperationalError, match='database "other" does not exist'):
        psycopg.connect(elsewhere(cluster, "other"))
