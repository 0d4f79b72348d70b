"""Who is measured: cycles of one segment in one thread, and DuckDB on one thread over the same rows."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from experiments import PROGRAMS
from experiments.harness.record import ROOT

PROGRAM = PROGRAMS / "statement_cycles"
SCHEMA = ROOT / "schemas" / "lineitem.sql"
DATA = ROOT / "build" / "experiments" / "data"

_DUCK_TYPES = {
    "l_orderkey": "BIGINT", "l_partkey": "BIGINT", "l_suppkey": "BIGINT", "l_linenumber": "INTEGER",
    "l_quantity": "DECIMAL(15,2)", "l_extendedprice": "DECIMAL(15,2)", "l_discount": "DECIMAL(15,2)",
    "l_tax": "DECIMAL(15,2)", "l_returnflag": "VARCHAR", "l_linestatus": "VARCHAR", "l_shipdate": "DATE",
    "l_commitdate": "DATE", "l_receiptdate": "DATE", "l_shipinstruct": "VARCHAR", "l_shipmode": "VARCHAR",
    "l_comment": "VARCHAR",
}  # fmt: skip


class VoidPointError(Exception):
    """Something went wrong while it was measured: the point does not count."""


def lineitem_csv(rows: int) -> Path:
    """Rows of lineitem, made once. Error: subprocess.CalledProcessError."""
    DATA.mkdir(parents=True, exist_ok=True)
    csv = DATA / f"lineitem-{rows}.csv"
    if not csv.exists():
        made = csv.with_suffix(".part")
        command = [sys.executable, str(ROOT / "schemas" / "sample_data.py"), "lineitem", "--rows", str(rows)]
        with made.open("w") as file:
            subprocess.run(command, stdout=file, check=True, cwd=ROOT)
        made.rename(csv)
    return csv


def schema_library() -> Path:
    """The table's compiled schema. Error: subprocess.CalledProcessError."""
    DATA.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "schema_compiler")}
    command = [sys.executable, "-m", "daedalus_schema", str(SCHEMA), "--output", str(DATA)]
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=ROOT)
    return DATA / "lineitem.so"


class Cycles:
    """`statement_cycles` with its rows."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.rows = int(self._answer()["rows"])

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise VoidPointError(f"{PROGRAM.name} has ended")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise VoidPointError(answer["error"])
        return answer

    def _say(self, command: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return self._answer()

    def run(self, statements: list[str], runs: int) -> tuple[list[float], list[str]]:
        """Milliseconds of cycles of all statements at once, and the answers. Error: VoidPointError."""
        for statement in statements:
            self._say(f"ask {statement}")
        answer = self._say(f"cycle {runs}")
        return answer["ms"], answer["answers"]

    def read(self, width: int, runs: int) -> list[float]:
        """Milliseconds of reading so many bytes a row."""
        milliseconds: list[float] = self._say(f"read {runs} {width}")["ms"]
        return milliseconds


@contextlib.contextmanager
def running_cycles(csv: Path, rows: int) -> Iterator[Cycles]:
    """Started, and ended with the context."""
    command = [str(PROGRAM), f"--schema={schema_library()}", f"--csv={csv}", f"--rows={rows}"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        yield Cycles(process)
    finally:
        process.kill()
        process.wait()


class Duck:
    """DuckDB on one thread, in memory."""

    def __init__(self, csv: Path) -> None:
        self._connection = duckdb.connect(":memory:", config={"threads": 1})
        types = ", ".join(f"'{name}': '{kind}'" for name, kind in _DUCK_TYPES.items())
        self._connection.execute(
            f"CREATE TABLE lineitem AS SELECT * FROM read_csv('{csv}', header=true, delim=',', columns={{{types}}})"
        )

    def close(self) -> None:
        """Frees its memory."""
        self._connection.close()

    def run(self, statement: str) -> tuple[float, list[tuple[Any, ...]]]:
        """Milliseconds of processor time of one query, and its rows."""
        start = time.process_time()
        rows = self._connection.execute(statement).fetchall()
        return (time.process_time() - start) * 1e3, rows


def agree(ours: str, theirs: list[tuple[Any, ...]]) -> bool:
    """Returns whether an answer is DuckDB's: exact numbers digit by digit, averages (doubles there) to nine."""
    rows = [line.split("|") for line in ours.split(";")] if ours else []
    return len(rows) == len(theirs) and all(
        len(row) == len(other) and all(map(_is_same, row, other)) for row, other in zip(rows, theirs, strict=True)
    )


def _is_same(ours: str, theirs: Any) -> bool:
    if theirs is None:
        return ours == "-"
    if isinstance(theirs, float):
        return abs(float(ours) - theirs) <= 1e-9 * abs(theirs)
    if isinstance(theirs, int | Decimal):
        return Decimal(ours) == Decimal(theirs)
    return ours == str(theirs)
