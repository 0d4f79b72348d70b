"""Intervals in the four styles of IntervalStyle: shown here and by PostgreSQL 15 alike, and refused by name where a
style of the session would change what a statement computes."""

from __future__ import annotations

import random

import psycopg
import pytest
from psycopg import pq
from slt.servers import are_there

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

STYLES = ["postgres", "postgres_verbose", "sql_standard", "iso_8601"]
UNITS = ["years", "mons", "days", "hours", "mins"]
PARTS = [0, 0, 0, 1, -1, 2, -2, 11, 13, -25, 59, 61, 1000, -99999]
SECONDS = ["0", "1", "-1", "0.5", "-0.5", "-1.000001", "1.25", "59.999999", "-60", "61.1", "-0.000001"]
AT_THE_ENDS = [
    "178956970 years 7 mons 2147483647 days 2562047788 hours 54.775807 secs",
    "-178956970 years -8 mons -2147483648 days -2562047788 hours -54.775808 secs",
    "0",
]
INTERVALS_EACH = 60

# In each of them an interval becomes a text within the statement.
SHOWN_WITHIN = [
    "SELECT (interval '1 day')::text",
    "SELECT (at - at)::varchar(10) FROM kinds",
    "SELECT 'x' || interval '1 day'",
    "SELECT name || (at - at) FROM kinds",
    "SELECT concat('x', interval '1 day')",
    "SELECT format('%s', at - at) FROM kinds",
    "SELECT id FROM kinds WHERE name = (at - at)::text",
    "SELECT max((at - at)::text) FROM kinds",
    "INSERT INTO kinds (id, name) VALUES (1, interval '1 day')",
    "UPDATE kinds SET name = at - at",
    "UPDATE kinds SET name = interval '1 day'",
]
READ_WITHIN = [
    "SELECT interval '-1 2:03:04'",
    "SELECT '-1 day 2 hours'::interval",
    "SELECT at + '-1 2:03' FROM kinds",
    "SELECT interval '-1 2' DAY TO HOUR",
    "SELECT name::interval FROM kinds",
    "SELECT ('-' || name)::interval FROM kinds",
]
# The style changes nothing of these.
HARMLESS = [
    "SELECT to_char(interval '-1 day -2 hours', 'HH24:MI')",
    "SELECT extract(day FROM interval '3 days')",
    "SELECT interval '1 day' = interval '24 hours'",
    "SELECT date '2013-01-01' + interval '-1 day'",
    "SELECT interval '-1-2'",
    "SELECT interval '-1 -2:03:04'",
    "SELECT interval '1 2:03:04'",
    "SELECT interval '-1 +2:03:04'",
    "SELECT interval '- 1 day -2 hours 3 mins'",
]


def drawn_intervals(seed: int) -> list[str]:
    """Literals whose parts have any sign, each its own, so that every style reads them alike."""
    choice = random.Random(f"{seed} interval styles")
    drawn = [
        " ".join(f"{choice.choice(PARTS):+} {unit}" for unit in UNITS) + f" {choice.choice(SECONDS)} secs"
        for _ in range(INTERVALS_EACH)
    ]
    return [*AT_THE_ENDS, *drawn]


def told(connection: psycopg.Connection, sql: str, parameter: bytes | None = None) -> list[bytes | None] | str:
    """The first row as it comes, in text; or the error's code and words."""
    parameters = None if parameter is None else [parameter]
    result = connection.pgconn.exec_params(sql.encode(), parameters)
    if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        words = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        return f"{state.decode()} {words.decode()}"
    return [result.get_value(0, column) for column in range(result.nfields)] if result.ntuples else []


@pytest.mark.parametrize("style", STYLES)
def test_every_style_shows_what_postgres_shows(
    theirs: psycopg.Connection, ours: psycopg.Connection, style: str, daedalus_seed: int
) -> None:
    shown = set()
    for connection in (theirs, ours):
        connection.execute(f"SET IntervalStyle = {style}".encode())
    for text in drawn_intervals(daedalus_seed):
        query = f"SELECT interval '{text}', interval '{text}' - interval '1 mon'"
        here, there = told(ours, query), told(theirs, query)
        assert here == there, f"{text} in {style}"
        shown.add(str(here))
    assert len(shown) > INTERVALS_EACH // 3


@pytest.mark.parametrize("style", STYLES)
def test_copies_fetches_and_returned_rows_have_the_style(
    theirs: psycopg.Connection, ours: psycopg.Connection, style: str
) -> None:
    answers = []
    for connection in (theirs, ours):
        connection.execute(f"SET IntervalStyle = {style}".encode())
        connection.execute("DELETE FROM kinds")
        seen = [told(connection, "INSERT INTO kinds (id) VALUES (1) RETURNING interval '1 mon -1 day'")]
        seen.append(told(connection, "SELECT max(interval '1 day 2 hours' * id) FROM kinds"))
        with connection.cursor().copy("COPY (SELECT interval '1 day 02:03:04' * id FROM kinds) TO STDOUT") as copy:
            seen.append([bytes(block) for block in copy])
        with connection.transaction():
            connection.execute("DECLARE c CURSOR FOR SELECT interval '-1 day' * id FROM kinds")
            seen.append(told(connection, "FETCH c"))
        answers.append(seen)
    assert answers[1] == answers[0]


@pytest.mark.parametrize("style", STYLES[1:])
@pytest.mark.parametrize("sql", SHOWN_WITHIN)
def test_an_interval_that_becomes_a_text_is_refused_by_name(ours: psycopg.Connection, style: str, sql: str) -> None:
    told(ours, sql)  # Nothing that is kept of it in the style postgres answers it in another.
    told(ours, sql)
    ours.execute(f"SET IntervalStyle = {style}".encode())
    refusal = f"0A000 an interval as text while IntervalStyle is {style} is not supported"
    assert str(told(ours, sql)).startswith(refusal)
    ours.execute("SET IntervalStyle = postgres")
    assert not str(told(ours, sql)).startswith("0A000")


@pytest.mark.parametrize("sql", READ_WITHIN)
def test_a_text_that_the_standard_reads_otherwise_is_refused_by_name(ours: psycopg.Connection, sql: str) -> None:
    ours.execute("SET IntervalStyle = sql_standard")
    refusal = str(told(ours, sql))
    assert refusal.startswith("0A000")
    assert "while IntervalStyle is sql_standard" in refusal
    for style in ("postgres", "iso_8601"):
        ours.execute(f"SET IntervalStyle = {style}".encode())
        assert not str(told(ours, sql)).startswith("0A000")


def test_parameters_are_read_by_the_same_rule(theirs: psycopg.Connection, ours: psycopg.Connection) -> None:
    query = "SELECT date '2013-01-01' + $1::interval"
    for style in STYLES:
        for connection in (theirs, ours):
            connection.execute(f"SET IntervalStyle = {style}".encode())
        for text in (b"1 day", b"-1 day", b"-1-2", b"P1DT2H", b"+1 -2:00"):
            assert told(ours, query, text) == told(theirs, query, text)
    ours.execute("SET IntervalStyle = sql_standard")
    assert str(told(ours, query, b"-1 2:03:04")).startswith("0A000 a sign in front of several fields")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("sql", HARMLESS)
def test_values_without_a_style_are_answered_as_before(
    theirs: psycopg.Connection, ours: psycopg.Connection, style: str, sql: str
) -> None:
    for connection in (theirs, ours):
        connection.execute(f"SET IntervalStyle = {style}".encode())
    assert told(ours, sql) == told(theirs, sql)
