"""Asks what one would use instead, on one thread over the same rows, one query after the other."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from experiments.clock_scan.duck import KEYS, Duck, check
from experiments.harness.postgres import PostgresServer

# As they are found by name in the plan.
DUCKDB_SORTED = "duckdb_sorted"
CLICKHOUSE = "clickhouse"
POSTGRES = "postgres"

_TIME = re.compile(r"^Time: ([0-9.]+) ms", re.MULTILINE)


class Rival(Protocol):
    """A table `ticket` that answers one query after the other."""

    def one_at_a_time(self, queries: Sequence[dict[str, Any]]) -> float:
        """Milliseconds for all of them, rows fetched. Error: WrongAnswerError."""

    def close(self) -> None:
        """Gives everything back."""


class ClickHouse:
    """ClickHouse in this process: MergeTree in the key's order, one thread."""

    def __init__(self, csv: Path, columns: dict[str, str], fetched: str) -> None:
        chdb = importlib.import_module("chdb")  # Large: there only where rivals are measured.
        self._fetched = fetched
        self._connection = chdb.connect(":memory:")
        kinds = ", ".join(
            f"{name} {kind}" if name in KEYS else f"{name} Nullable({kind})" for name, kind in columns.items()
        )
        self._connection.query(f"CREATE TABLE ticket ({kinds}) ENGINE = MergeTree ORDER BY ({', '.join(KEYS)})")
        self._connection.query(f"INSERT INTO ticket SELECT * FROM file('{csv}', 'CSVWithNames', '{kinds}')")
        self._connection.query("OPTIMIZE TABLE ticket FINAL")
        self._connection.query("SET max_threads = 1")

    def one_at_a_time(self, queries: Sequence[dict[str, Any]]) -> float:
        spent = 0.0
        for query in queries:
            started = time.perf_counter()
            text = self._connection.query(
                f"SELECT {self._fetched} FROM ticket WHERE {query['where']}", "TabSeparated"
            ).bytes()
            spent += time.perf_counter() - started
            ids = [int(line.split(b"\t", 1)[0]) for line in text.splitlines()]
            check(len(ids), sum(ids), [query])
        return spent * 1e3

    def close(self) -> None:
        self._connection.close()


class Postgres:
    """PostgreSQL 15 with an index on the key, asked by psql through a Unix socket, no parallel workers."""

    def __init__(self, csv: Path, columns: dict[str, str], fetched: str) -> None:
        self._fetched = fetched
        self._server = PostgresServer()
        kinds = ", ".join(f"{name} {kind.replace('DOUBLE', 'double precision')}" for name, kind in columns.items())
        self._server.sql(f"CREATE UNLOGGED TABLE ticket ({kinds})")
        self._server.sql("COPY ticket FROM STDIN (FORMAT csv, HEADER true)", stdin=csv)
        self._server.sql(f"CREATE INDEX key ON ticket ({', '.join(KEYS)})")
        self._server.sql("VACUUM (FREEZE, ANALYZE) ticket")

    def one_at_a_time(self, queries: Sequence[dict[str, Any]]) -> float:
        spent = 0.0
        for query in queries:
            answer = self._server.folder / "answer"
            said = self._server.sql(
                "SET max_parallel_workers_per_gather = 0",
                f"\\o {answer}",
                "\\timing on",
                f"SELECT {self._fetched} FROM ticket WHERE {query['where']}",
            )
            spent += sum(float(found) for found in _TIME.findall(said))
            ids = [int(line.split("|", 1)[0]) for line in answer.read_text().splitlines()]
            check(len(ids), sum(ids), [query])
        return spent

    def close(self) -> None:
        self._server.stop()


def make_rival(name: str, csv: Path, columns: dict[str, str], fetched: str) -> Rival:
    """One of the rivals with all rows of the file loaded."""
    if name == CLICKHOUSE:
        return ClickHouse(csv, columns, fetched)
    if name == POSTGRES:
        return Postgres(csv, columns, fetched)
    return Duck(csv, columns, fetched, order=KEYS)
