r"""psql 16, whose \bind speaks the extended protocol, as a client of a server that says it is a 15."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from plain_postgres import KINDS, plain_postgres
from postgres_clients import COMMANDS, psql_output
from sessions import POSTGRES_BIN


def psql_16() -> Path | None:
    """The one that the wheel pgserver has; nothing: it is not installed."""
    package = importlib.util.find_spec("pgserver")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "pginstall" / "bin" / "psql"


PSQL = psql_16()

pytestmark = pytest.mark.skipif(
    PSQL is None or not (POSTGRES_BIN / "initdb").exists(),
    reason="not run: there is no psql 16 or no PostgreSQL 15 here",
)

BOUND = [
    r"SELECT $1::int + $2, $3 || 'x' \bind 1 2 'it''s' \g",
    r"SELECT id, name FROM kinds WHERE id = $1 \bind 2 \g",
    r"SELECT id FROM kinds WHERE id BETWEEN $1 AND $2 ORDER BY id \bind 1 2 \g",
    r"SELECT count(*) FROM kinds WHERE day = $1 OR moment > $2 \bind '2013-02-08' '2013-02-08 12:00+02' \g",
    r"SELECT count(*) FROM kinds \bind \g",
    r"SELECT $1 \bind \g",
    r"SELECT id FROM kinds WHERE id = $1 \bind 1 2 \g",
    r"SELECT id FROM kinds WHERE id = $1 \bind x \g",
    r"SELECT nothing FROM kinds WHERE id = $1 \bind 1 \g",
    r"INSERT INTO kinds (id, name, price) VALUES ($1, $2, $3) \bind 7 Zoë 1.5 \g",
    r"UPDATE kinds SET name = $2 WHERE id = $1 \bind 7 'an other' \g",
    r"SELECT id, name, price FROM kinds WHERE id = $1 \bind 7 \gx",
    r"DELETE FROM kinds WHERE id = $1 \bind 7 \g",
    r"SELECT 1; SELECT $1::int \bind 2 \g",
    r"SELECT id, price AS p FROM kinds WHERE id = $1 \bind 2 \gdesc",
    r"SELECT name AS n FROM kinds WHERE id = $1 \bind 2 \gset" + "\n" + r"\echo :n",
    r"BEGIN; SELECT $1::text \bind a \g" + "\nSELECT 1/0;\nROLLBACK;",
]
FILL = "INSERT INTO kinds (id, name, day) VALUES (1, 'one', '2013-02-08'), (2, 'two', NULL);"


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    """A plain PostgreSQL 15 with the same table."""
    with plain_postgres(KINDS, "kinds") as dsn:
        yield dsn


def said(dsn: str, *arguments: str, stdin: str = "") -> tuple[str, str]:
    return psql_output(str(PSQL), dsn, *arguments, stdin=stdin)


def test_bound_values_are_answered_as_in_postgresql(table: str, judge: str) -> None:
    script = "\n".join(["DELETE FROM kinds;", FILL, *BOUND]) + "\n"
    ours, theirs = said(table, stdin=script), said(judge, stdin=script + "TRUNCATE kinds;\n")
    assert ours == (theirs[0].removesuffix("TRUNCATE TABLE\n"), theirs[1])
    assert "it'sx" in ours[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_it_shows_what_postgresql_shows(table: str, judge: str, command: str) -> None:
    assert said(table, "-c", command) == said(judge, "-c", command)
