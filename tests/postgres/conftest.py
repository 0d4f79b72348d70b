"""One small cluster for clients of PostgreSQL, as they are installed everywhere: psql, psycopg, asyncpg."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster
from plain_postgres import KINDS, plain_postgres

Psql = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """1 storage node of 2 segments, 1 aggregator."""
    base = tmp_path_factory.mktemp("postgres")
    with local_cluster(base, KINDS, "--storage-nodes", "1", "--segments", "2", "--segment-mib", "16") as running:
        yield running


@pytest.fixture(scope="session")
def dsn(cluster: LocalCluster) -> str:
    """How clients find the first aggregator."""
    return f"host=127.0.0.1 port={cluster.port + 51} user=ada dbname=kinds"


@pytest.fixture(scope="session")
def postgres_dsn() -> Iterator[str]:
    """How clients find a PostgreSQL 15 with the same table, as its owner."""
    with plain_postgres(KINDS, "kinds") as dsn:
        yield dsn


def without_rows(dsn: str) -> str:
    """Deletes the rows of earlier tests; returns the DSN."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM kinds")
    return dsn


@pytest.fixture
def table(dsn: str) -> str:
    """How clients find the first aggregator, whose table has no rows."""
    return without_rows(dsn)


@pytest.fixture
def postgres(postgres_dsn: str) -> str:
    """How clients find PostgreSQL, whose table has no rows."""
    return without_rows(postgres_dsn)


@pytest.fixture(scope="module")
def theirs(postgres_dsn: str) -> Iterator[psycopg.Connection]:
    """A connection to PostgreSQL, which the tests of a file share."""
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def ours(table: str) -> Iterator[psycopg.Connection]:
    """A connection to the first aggregator, whose table has no rows."""
    with psycopg.connect(table, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def psql(dsn: str) -> Psql:
    """Runs psql with these arguments."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["psql", "-X", "-d", dsn, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
