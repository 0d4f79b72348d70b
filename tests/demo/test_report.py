"""Every answer that `make run` reports, against DuckDB on the same tickets and the same changes in the same order."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from facts import duck_type, schema
from local_cluster import ROOT, free_ports, run_command

TICKETS = 30_000
AVERAGE_TOLERANCE = 1e-9
SETTINGS = {
    "TICKETS": str(TICKETS),
    "CHANGES": "300",
    "SECONDS_OF_LOAD": "2",
    "CONCURRENCY": "256",
    "STORM_SECONDS": "4",
}


@dataclass(frozen=True, slots=True)
class DemoRun:
    """One run of the demo left this behind."""

    tickets: Path
    changes: list[tuple[int, str]]
    answers: list[dict[str, Any]]
    printed: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoRun:
    """A small run of what `make run` runs, on a cluster of its own."""
    out = tmp_path_factory.mktemp("demo")
    settings = {**SETTINGS, "PORT": str(free_ports()), "DEMO_OUT": str(out), "XDG_STATE_HOME": str(out / "state")}
    finished = run_command(ROOT / "tools" / "demo.sh", environment=settings)
    assert finished.code == 0, finished.said
    lines = [line.split("\t", 1) for line in (out / "changes.tsv").read_text().splitlines()]
    changes = sorted((int(timestamp), statement) for timestamp, statement in lines)
    answers = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    return DemoRun(out / "tickets.csv", changes, answers, finished.out)


def open_twin(tickets: Path) -> duckdb.DuckDBPyConnection:
    """DuckDB with the tickets as they were loaded, ordering NULLs as PostgreSQL does."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET default_null_order = 'nulls_last_on_asc_first_on_desc'")
    columns = ", ".join(f"{column.name} {duck_type(column.type)}" for column in schema("tickets").columns)
    connection.execute(f"CREATE TABLE tickets ({columns})")
    connection.execute(f"COPY tickets FROM '{tickets}' (HEADER, NULLSTR '', ALLOW_QUOTED_NULLS false)")
    return connection


def replayed(demo: DemoRun) -> Iterator[tuple[dict[str, Any], list[tuple[Any, ...]]]]:
    """Each answer with what DuckDB says after the same changes."""
    twin = open_twin(demo.tickets)
    changes = iter(demo.changes)
    change = next(changes, None)
    for answer in sorted(demo.answers, key=lambda each: int(each["after"])):
        while change and change[0] <= answer["after"]:
            twin.execute(change[1])
            change = next(changes, None)
        yield answer, twin.execute(answer["sql"]).fetchall()


def same(column_type: str, answered: Any, expected: Any) -> bool:
    """Returns whether a value, as the cluster's JSON has it, is DuckDB's."""
    if answered is None or expected is None:
        return answered is None and expected is None
    if isinstance(expected, bool):
        return bool(answered is expected)
    if isinstance(expected, float):  # DuckDB averages in double precision.
        return math.isclose(float(answered), expected, rel_tol=AVERAGE_TOLERANCE)
    if isinstance(expected, int | Decimal):
        return Decimal(str(answered)) == Decimal(expected)
    if isinstance(expected, datetime.date):
        return str(answered) == str(expected)
    text = str(answered)
    return bool((text.rstrip(" ") if column_type.startswith("char") else text) == expected)


def test_every_answer_is_duckdbs(demo: DemoRun) -> None:
    checked = 0
    for answer, expected in replayed(demo):
        types = [column["type"] for column in answer["columns"]]
        assert len(answer["rows"]) == len(expected), answer["title"]
        for row, expected_row in zip(answer["rows"], expected, strict=True):
            for column_type, value, expected_value in zip(types, row, expected_row, strict=True):
                assert same(column_type, value, expected_value), (answer["title"], row, expected_row)
        checked += len(expected)
    assert checked >= 50


def test_answers_saw_exactly_the_changes_before_them(demo: DemoRun) -> None:
    loaded = min(answer["after"] for answer in demo.answers)
    for answer in demo.answers:
        if answer["after"] > loaded:
            assert answer["prefixes"] == [answer["after"]], answer["title"]


def test_changes_really_flowed_and_mattered(demo: DemoRun) -> None:
    assert len(demo.changes) >= 500
    questions = [answer for answer in demo.answers if answer["title"].startswith("What is there")]
    assert [answer["rows"] for answer in questions[:1]] != [answer["rows"] for answer in questions[1:]]
    assert questions[0]["rows"][0][0] == str(TICKETS)


def test_report_compares_with_the_requirement(demo: DemoRun) -> None:
    assert "queries a second" in demo.printed
    assert "requirement" in demo.printed
    assert "met" in demo.printed.lower()
    assert " 0 failed" in demo.printed
