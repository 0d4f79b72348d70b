"""pg_stat_activity and its like: the aggregator's own clients, with PostgreSQL 15's columns and types."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from local_cluster import LocalCluster
from slt.servers import are_there

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

VIEWS = [
    "pg_stat_activity",
    "pg_stat_ssl",
    "pg_stat_gssapi",
    "pg_locks",
    "pg_prepared_xacts",
    "pg_stat_database",
    "pg_stat_database_conflicts",
    "pg_stat_all_tables",
    "pg_stat_user_tables",
    "pg_stat_sys_tables",
    "pg_stat_xact_user_tables",
    "pg_statio_all_tables",
    "pg_statio_user_tables",
    "pg_stat_user_indexes",
    "pg_statio_user_indexes",
    "pg_statio_user_sequences",
    "pg_stat_user_functions",
]


@pytest.fixture
def ours(dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn, autocommit=True, application_name="watcher") as connection:
        yield connection


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_has_the_columns_and_types_of_postgres(ours: psycopg.Connection, postgres: str, view: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as theirs:
        described = [
            connection.execute(f"SELECT * FROM {view} LIMIT 0".encode()).description for connection in (theirs, ours)
        ]
    shown = [[(column.name, column.type_code) for column in columns or []] for columns in described]
    assert shown[1] == shown[0]


@pytest.mark.parametrize("view", ["pg_stat_user_tables", "pg_statio_user_tables", "pg_stat_user_indexes"])
def test_relations_are_those_of_postgres_and_what_is_counted_is_null(
    ours: psycopg.Connection, postgres: str, view: str
) -> None:
    with psycopg.connect(postgres, autocommit=True) as theirs:
        query = f"SELECT schemaname, relname FROM {view} ORDER BY 1, 2".encode()
        assert ours.execute(query).fetchall() == theirs.execute(query).fetchall()
    row = ours.execute(f"SELECT * FROM {view}".encode()).fetchone()
    assert row is not None
    assert set(row[-2:]) == {None}


def test_clients_see_each_other(ours: psycopg.Connection, dsn: str) -> None:
    query = (
        "SELECT datname, usename, client_addr::text, state, query, backend_type FROM pg_stat_activity WHERE pid = %s"
    )
    with psycopg.connect(dsn, autocommit=True, application_name="other") as other:
        process = other.info.backend_pid
        found = ours.execute(query, [process]).fetchall()
        assert found == [("kinds", "ada", "127.0.0.1/32", "idle", None, "client backend")]
        with other.transaction():
            other.execute("SELECT 1")
            assert ours.execute(query, [process]).fetchall()[0][3] == "idle in transaction"
        since = "SELECT backend_start FROM pg_stat_activity WHERE application_name = 'other'"
        assert ours.execute(since).fetchall() == ours.execute(since).fetchall()
        fresh = (
            "SELECT now() - backend_start < interval '5 minutes' FROM pg_stat_activity WHERE application_name = 'other'"
        )
        assert ours.execute(fresh).fetchall() == [(True,)]
        count = ours.execute("SELECT numbackends FROM pg_stat_database WHERE datname = 'kinds'").fetchone()
        assert count is not None
        assert count[0] >= 2
    ours.execute("SELECT 1")
    assert ours.execute(query, [process]).fetchall() == []


def test_a_client_finds_itself(ours: psycopg.Connection) -> None:
    own = "SELECT pid, application_name, state, query FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid()"
    assert ours.execute(own).fetchall() == [(ours.info.backend_pid, "watcher", "active", own)]
    gss = "SELECT gss_authenticated, encrypted FROM pg_catalog.pg_stat_gssapi WHERE pid = pg_backend_pid()"
    assert ours.execute(gss).fetchall() == [(False, False)]
    assert ours.execute("SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()").fetchall() == [
        (False, None)
    ]
    assert ours.execute("SELECT pg_backend_pid() + 0").fetchall() == [(ours.info.backend_pid,)]
    assert ours.execute("SELECT count(*) FROM pg_locks").fetchall() == [(0,)]


def test_other_views_of_the_server_stay_refused_by_name(ours: psycopg.Connection) -> None:
    for name in ("pg_stat_replication", "pg_stat_bgwriter", "pg_stat_get_activity(NULL)"):
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            ours.execute(f"SELECT * FROM {name}".encode())


def test_a_database_without_a_table_shows_the_same_clients(cluster: LocalCluster, ours: psycopg.Connection) -> None:
    dsn = f"host=127.0.0.1 port={cluster.port + 51} user=ada dbname=postgres"
    with psycopg.connect(dsn, autocommit=True) as other:
        found = other.execute("SELECT datname FROM pg_stat_activity WHERE pid = %s", [ours.info.backend_pid]).fetchall()
        assert found == [("kinds",)]
        own = ours.execute("SELECT datname FROM pg_stat_activity WHERE pid = %s", [other.info.backend_pid]).fetchall()
        assert own == [("postgres",)]
