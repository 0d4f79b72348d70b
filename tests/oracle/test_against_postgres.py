"""The judge judged: the same statements, DuckDB's rewritten side against PostgreSQL itself, where it is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from facts import SCHEMAS
from run import Run, as_insert_texts, every_type_table, flights_rows, flights_table_of
from sessions import POSTGRES_BIN, PostgresSession, running_postgres

QUERIES = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "400"))

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "initdb").exists(), reason="not run: PostgreSQL 15 is not installed here"
)


@pytest.fixture(scope="module")
def session() -> Iterator[PostgresSession]:
    with running_postgres() as port:
        started = PostgresSession(port)
        for table in ("flights", "every_type"):
            lines = (SCHEMAS / f"{table}.sql").read_text().splitlines()
            started.execute(" ".join(line for line in lines if not line.startswith("--")).rstrip(";"))
        yield started
        started.close()


def test_every_type_as_postgres_answers(session: PostgresSession, daedalus_seed: int) -> None:
    run = Run(every_type_table(), session, daedalus_seed, is_postgres=True)
    run.fill()
    run.go(QUERIES)
    assert not run.failures, run.report()
    assert run.write_count > 0


def test_flights_as_postgres_answers(session: PostgresSession, daedalus_seed: int) -> None:
    rows = flights_rows(2000)
    for text in as_insert_texts(rows):
        assert session.execute(text).applied
    run = Run(flights_table_of(rows), session, daedalus_seed, is_postgres=True)
    run.fill()
    run.go(QUERIES)
    assert not run.failures, run.report()
