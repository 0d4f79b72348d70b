"""EXPLAIN, by the clients that read it: psql, psycopg, postgres_fdw. What it shows is in explain.slt."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from local_cluster import LocalCluster
from sessions import POSTGRES_BIN, running_postgres

Psql = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def filled(table: str) -> str:
    """A table of 200 rows."""
    with psycopg.connect(table, autocommit=True) as connection:
        values = ", ".join(f"({number}, 'name {number}')" for number in range(200))
        connection.execute(f"INSERT INTO kinds (id, name) VALUES {values}")
    return table


def test_psql_shows_a_plan(filled: str, psql: Psql) -> None:
    told = psql("-At", "-c", "EXPLAIN SELECT id FROM kinds WHERE id = 7")
    assert told.stdout.splitlines() == [
        "Sweep on kinds  (cost=0.00..2.01 rows=1 width=4)",
        "  Index Cond: (id = 7)",
        "  Way: sweep over every segment of the one partition",
        "  Rows Swept: 200",
    ], told.stderr


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_explains_with_parameters(filled: str, binary: bool) -> None:
    with psycopg.connect(filled, autocommit=True) as connection, connection.cursor(binary=binary) as cursor:
        cursor.execute("EXPLAIN (COSTS OFF) SELECT id FROM kinds WHERE id = %s", (7,))
        assert cursor.fetchone() == ("Sweep on kinds",)
        assert cursor.statusmessage == "EXPLAIN"
        cursor.execute("EXPLAIN (FORMAT JSON, VERBOSE) SELECT id, name FROM kinds WHERE name LIKE %s", ("a%",))
        assert cursor.description is not None
        assert [(column.name, column.type_code) for column in cursor.description] == [("QUERY PLAN", 114)]
        [[plans]] = cursor.fetchall()
        plan = plans[0]["Plan"]
        assert plan["Node Type"] == "Sweep"
        assert plan["Output"] == ["id", "name"]
        assert plan["Plan Rows"] == 1
        assert plan["Total Cost"] == 2.01


def test_statements_prepared_by_the_protocol_are_explained_in_sql(filled: str) -> None:
    """As a compiler of queries asks of a statement that it has prepared, with NULL for each of its values."""
    with psycopg.connect(filled, autocommit=True) as connection:
        result = connection.pgconn.prepare(b"checked", b"SELECT id, name FROM kinds WHERE id = $1 AND name = $2")
        assert result.status == psycopg.pq.ExecStatus.COMMAND_OK, result.error_message
        asked = connection.execute("EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE checked (NULL, NULL)").fetchone()
        assert asked is not None
        assert asked[0][0]["Plan"]["Output"] == ["id", "name"]


def test_nothing_of_it_is_done(filled: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection:
        for sql in (
            "DELETE FROM kinds",
            "UPDATE kinds SET name = 'x'",
            "INSERT INTO kinds (id) VALUES (1000)",
            "INSERT INTO kinds (id) VALUES (1000) RETURNING id",
        ):
            connection.execute(f"EXPLAIN {sql}")
        found = connection.execute("SELECT count(*), count(DISTINCT name), max(id) FROM kinds").fetchone()
        assert found == (200, 200, 199)


# ---- postgres_fdw ----


@pytest.fixture(scope="module")
def elsewhere(cluster: LocalCluster) -> Iterator[str]:
    """A PostgreSQL whose table `remote` is the cluster's, planned by the cluster's estimates."""
    if not (Path(POSTGRES_BIN) / "postgres").exists():
        pytest.skip("not run: PostgreSQL 15 is not installed here")
    with running_postgres() as port:
        dsn = f"host=127.0.0.1 port={port} user=oracle dbname=postgres"
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("CREATE EXTENSION postgres_fdw")
            connection.execute(
                "CREATE SERVER daedalus FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', "
                f"port '{cluster.port + 51}', dbname 'kinds', use_remote_estimate 'true', "
                "fdw_startup_cost '0', fdw_tuple_cost '0')"
            )
            connection.execute("CREATE USER MAPPING FOR oracle SERVER daedalus OPTIONS (user 'ada')")
            connection.execute("CREATE TABLE here (n int)")
            connection.execute("INSERT INTO here SELECT generate_series(1, 20)")
            connection.execute(
                "CREATE FOREIGN TABLE remote (id int, name varchar(40)) SERVER daedalus OPTIONS (table_name 'kinds')"
            )
        yield dsn


def estimate_of(connection: psycopg.Connection[Any], sql: str) -> tuple[str, str, str]:
    """Total cost, rows and width that a PostgreSQL plans a statement with."""
    first = connection.execute(f"EXPLAIN {sql}").fetchone()
    assert first is not None
    found = re.search(r"\.\.([0-9.]+) rows=(\d+) width=(\d+)\)$", first[0])
    assert found is not None, first
    return found[1], found[2], found[3]


def test_postgres_fdw_plans_by_our_estimates(filled: str, elsewhere: str) -> None:
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        # It adds 0.01 of its own for each row that comes.
        assert estimate_of(connection, "SELECT id, name FROM remote") == ("6.00", "200", "36")
        assert estimate_of(connection, "SELECT id FROM remote WHERE id = 7") == ("2.02", "1", "4")
        assert connection.execute("SELECT name FROM remote WHERE id = 7").fetchall() == [("name 7",)]
        assert connection.execute("SELECT count(*) FROM remote WHERE id < 100").fetchone() == (100,)
        assert len(connection.execute("SELECT id FROM remote ORDER BY id DESC LIMIT 3").fetchall()) == 3


def test_postgres_fdw_plans_joins_by_our_estimates(filled: str, elsewhere: str) -> None:
    """It asks what a comparison with a value costs that it does not know yet."""
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        joined = "SELECT count(*) FROM here JOIN remote ON here.n = remote.id"
        assert connection.execute(joined).fetchone() == (20,)
