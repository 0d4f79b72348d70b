"""DuckDB on both cores over the same tickets, one query at a time."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

_COLUMN = re.compile(r"^ {4}(\w+) ([a-z]+(?:\([0-9, ]+\))?)( NOT NULL)?", re.MULTILINE)


class Duck:
    """The table `tickets` in memory."""

    def __init__(self, csv: Path, ddl: str) -> None:
        """`ddl` is the CREATE TABLE of the tickets."""
        self._connection = duckdb.connect(":memory:")
        types = ", ".join(f"'{name}': '{kind}'" for name, kind, _ in _COLUMN.findall(ddl))
        self._connection.execute(
            f"CREATE TABLE tickets AS SELECT * FROM read_csv('{csv}', header=true, delim=',', columns={{{types}}})"
        )

    def close(self) -> None:
        """Gives the memory back."""
        self._connection.close()

    def ask(self, statements: Sequence[str], threads: int = 2) -> tuple[float, int]:
        """Seconds for all of them, one after the other, rows fetched; and how many rows."""
        self._connection.execute(f"SET threads={threads}")
        rows = 0
        started = time.perf_counter()
        for statement in statements:
            rows += len(self._connection.execute(statement).fetchall())
        return time.perf_counter() - started, rows
