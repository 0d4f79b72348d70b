"""pg_dump of PostgreSQL 15 writes down the table as it does of a plain PostgreSQL."""

from __future__ import annotations

import subprocess

import psycopg
import pytest
from plain_postgres import KINDS, plain_postgres
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "pg_dump").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

SECONDS_MAX = 60


def dumped(dsn: str, *options: str) -> list[str]:
    """Returns what pg_dump writes, without comments, and without what names a server or is drawn anew each time."""
    finished = subprocess.run(
        [POSTGRES_BIN / "pg_dump", "-d", dsn, *options],
        capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert not finished.stderr
    return [
        line for line in finished.stdout.splitlines() if line and not line.startswith(("--", "\\restrict", "\\unr"))
    ]


def test_the_schema_is_postgresqls(table: str) -> None:
    with plain_postgres(KINDS, "kinds") as judge:
        expected = dumped(judge, "--schema-only")
        assert "CREATE TABLE public.kinds (" in expected
        assert dumped(table, "--schema-only") == expected
        assert dumped(table, "--schema-only", "-t", "kinds") == dumped(judge, "--schema-only", "-t", "kinds")


def test_rows_are_dumped_too(table: str) -> None:
    insert = (
        b"INSERT INTO kinds (id, price, name, moment) VALUES (1, 1.5, 'a\tb', '2013-01-01 12:00Z'), (2, 3, NULL, NULL)"
    )
    with plain_postgres(KINDS, "kinds") as judge:
        for dsn in (judge, table):
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute(insert)
        # Rows come as segments are read, in no order.
        assert sorted(dumped(table, "--data-only")) == sorted(dumped(judge, "--data-only"))
