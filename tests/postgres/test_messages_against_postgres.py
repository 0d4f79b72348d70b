"""Which message of the extended protocol a statement fails at: asked of a cluster and of PostgreSQL 15 alike."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from postgres_connection import PostgresConnection, error_fields, message
from psycopg.conninfo import conninfo_to_dict
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (Path(POSTGRES_BIN) / "postgres").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

# Constants that cannot be computed: PostgreSQL computes them when it plans a statement, which it does at Bind.
FAIL_AT_BIND = [
    "SELECT 1 / 0",
    "SELECT id, 1 / 0 FROM kinds",
    "SELECT id FROM kinds WHERE small > 1 / 0",
    "SELECT id FROM kinds WHERE small > 1 / 0 AND false",
    "SELECT id FROM kinds WHERE small = ANY (ARRAY[1 / 0])",
    "SELECT id FROM kinds LIMIT 1 / 0",
    "SELECT id FROM kinds ORDER BY 1 / 0",
    "SELECT count(*) FROM kinds GROUP BY 1 / 0",
    "SELECT max(1 / 0) FROM kinds HAVING 1 / 0 = 1",
    "VALUES (1 / 0), (1)",
    "INSERT INTO kinds (id) VALUES (1 / 0)",
    "INSERT INTO kinds (id) VALUES (1) RETURNING 1 / 0",
    "UPDATE kinds SET small = 1 / 0",
    "UPDATE kinds SET small = 1 WHERE id = 1 / 0",
    "DELETE FROM kinds WHERE id = 1 / 0",
    "SELECT 'x'::text::int, sqrt(-1)",
    "SELECT date '2013-01-01' + 2147483647",
]
FAIL_ELSEWHERE = [
    "SELECT 'x'::int",
    "SELECT id FROM kinds WHERE id = 'x'",
    "SELECT nothing, 1 / 0 FROM kinds",
    "SELECT CASE WHEN true THEN 1 ELSE 1 / 0 END",
    "SELECT id FROM kinds WHERE false AND small > 1 / 0",
    "SELECT 1 / small FROM kinds",
    "DECLARE c CURSOR WITH HOLD FOR SELECT 1 / 0",
    "PREPARE p AS SELECT 1 / 0",
]


def said(dsn: str, sql: str) -> list[str]:
    """The kinds of messages that answer Parse, Describe, Bind, Execute and Sync, with the words of an error."""
    found = conninfo_to_dict(dsn)
    with PostgresConnection(int(str(found["port"])), str(found["user"]), str(found["dbname"])) as connection:
        connection.send(
            message(b"P", b"\0" + sql.encode() + b"\0" + struct.pack("!h", 0))
            + message(b"D", b"S\0")
            + message(b"B", b"\0\0" + struct.pack("!hhh", 0, 0, 0))
            + message(b"E", b"\0" + struct.pack("!i", 0))
            + message(b"S")
        )
        return [
            " ".join((kind.decode(), *(error_fields(body)[field] for field in (b"C", b"M") if kind == b"E")))
            for kind, body in connection.messages()
        ]


@pytest.mark.parametrize("sql", FAIL_AT_BIND)
def test_constants_that_cannot_be_computed_fail_at_bind(table: str, postgres: str, sql: str) -> None:
    ours = said(table, sql)
    assert ours == said(postgres, sql)
    assert [each[0] for each in ours] in (["1", "t", "T", "E", "Z"], ["1", "t", "n", "E", "Z"])


@pytest.mark.parametrize("sql", FAIL_ELSEWHERE)
def test_other_mistakes_fail_where_they_do_in_postgresql(table: str, postgres: str, sql: str) -> None:
    assert said(table, sql) == said(postgres, sql)
