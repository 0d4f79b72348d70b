"""Statements that named clients send, recorded while they use a plain PostgreSQL 15, and answered as that does."""

from __future__ import annotations

import pytest
from plain_postgres import KINDS
from postgres_clients import CLIENTS
from recorded import recording_postgres
from recorded_comparison import compare_clients
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "initdb").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

STATEMENTS_MIN = 300


def test_statements_of_clients_are_answered_as_in_postgresql(table: str) -> None:
    with recording_postgres(KINDS, "kinds") as judge:
        found = compare_clients(judge, table, CLIENTS)
    print(
        f"{len(found.statements)} statements; all and answered alike of the catalogue: "
        f"{found.counts(of_catalogue=True)}, of the table: {found.counts(of_catalogue=False)}"
    )
    for statement, expected, said in found.different:
        print(f"{statement.client}: {statement.sql[:2000]} {statement.parameters}")
        print(f"  {[each for each in said.rows if each not in expected.rows] or said!s:.1000}")
        print(f"  {[each for each in expected.rows if each not in said.rows] or expected!s:.1000}")
    assert len(found.statements) >= STATEMENTS_MIN
    assert not found.different
