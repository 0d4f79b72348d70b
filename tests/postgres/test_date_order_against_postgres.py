"""Texts of dates and times in the three orders of DateStyle: read here as by PostgreSQL 15, or refused by name where
only the rows know them."""

from __future__ import annotations

import random
import re

import psycopg
import pytest
from constants import quoted
from psycopg import pq
from slt.servers import are_there
from spellings import spelling, time_spelling

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

ORDERS = ["MDY", "DMY", "YMD"]
TYPES = ["date", "timestamp", "timestamptz", "time"]
SPELLINGS_EACH = 600
# Dates whose parts may change places, which random spellings have seldom.
SHORT_NUMBERS = ["1", "01", "2", "12", "13", "28", "29", "30", "31", "32", "70", "99", "00", "2013", "2012"]
# The two servers read them a moment apart.
CLOCKS = {"now", "today", "tomorrow", "yesterday"}
NAMES = ["Jan", "feb", "June"]

# Each of them makes a date of a text that only a row knows.
READ_FROM_ROWS = [
    "SELECT name::date FROM kinds",
    "SELECT id FROM kinds WHERE name::timestamp < '2013-01-01'",
    "SELECT max((name || '')::timestamptz) FROM kinds",
    "SELECT name::time FROM kinds",
    "SELECT coalesce(name, '2013-01-01')::date FROM kinds",
    "UPDATE kinds SET day = name::date",
]
# The order changes nothing of these.
HARMLESS = [
    "SELECT to_date('01/02/2013', 'MM/DD/YYYY')",
    "SELECT to_timestamp('31.12.2013', 'DD.MM.YYYY')",
    "SELECT date '2013-01-02', timestamp '20130102T050000', time '05:00'",
    "SELECT interval '1 day'",
    "SELECT to_date(name, 'DD/MM/YYYY') FROM kinds",
]


def told(connection: psycopg.Connection, sql: str, parameter: str | None = None, oid: int = 0) -> str:
    """The first value of the first row in text, or the error's code and words."""
    parameters = None if parameter is None else [parameter.encode()]
    result = connection.pgconn.exec_params(sql.encode(), parameters, [oid] if parameters else None)
    if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        words = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        return f"{state.decode()} {words.decode()}"
    return (result.get_value(0, 0) or b"NULL").decode() if result.ntuples else ""


def set_order(order: str, *connections: psycopg.Connection) -> None:
    for connection in connections:
        connection.execute(f"SET DateStyle = 'ISO, {order}'".encode())


def short_date(choice: random.Random) -> str:
    """Three numbers, or two and the name of a month, of which the order says what each is."""
    parts = [choice.choice(SHORT_NUMBERS) for _ in range(3)]
    if choice.random() < 0.3:
        parts[choice.randrange(3)] = choice.choice(NAMES)
    text = choice.choice("-/. ").join(parts)
    return text + choice.choice(["", "", " 05:00", " 23:59:59.5"])


def is_right(here: str, there: str) -> bool:
    """Return whether both give one value, both find a mistake in the date, or this side refuses the text by name."""
    is_mistake = there[:5] in ("22007", "22008", "22009", "22023")
    return (
        here == there or here.startswith("0A000") or (is_mistake and here[:5] in ("22007", "22008", "22009", "22023"))
    )


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_reads_what_postgres_reads(
    theirs: psycopg.Connection, ours: psycopg.Connection, order: str, kind: str, daedalus_seed: int
) -> None:
    set_order(order, theirs, ours)
    choice = random.Random(f"{daedalus_seed} {order} {kind}")
    spell = time_spelling if kind == "time" else spelling
    texts = [draw(choice) for draw in (short_date, spell) for _ in range(SPELLINGS_EACH)]
    texts = [text for text in texts if not CLOCKS & set(re.findall("[a-z]+", text.lower()))]
    wrong, values, refusals = [], 0, 0
    for text in texts:
        sql = f"SELECT {quoted(text)}::{kind}::text"
        here, there = told(ours, sql), told(theirs, sql)
        values += not there.startswith("22")
        refusals += here.startswith("0A000")
        if not is_right(here, there):
            wrong.append(f"{text!r}: {here} here, {there} there")
    assert not wrong, "\n".join(wrong)
    assert values > len(texts) // 10
    assert refusals < len(texts) // 20


@pytest.mark.parametrize("order", ORDERS)
def test_parameters_are_read_in_the_order(
    theirs: psycopg.Connection, ours: psycopg.Connection, order: str, daedalus_seed: int
) -> None:
    set_order(order, theirs, ours)
    choice = random.Random(f"{daedalus_seed} {order} parameters")
    texts = [short_date(choice) for _ in range(SPELLINGS_EACH)]
    for text in texts:
        for oid in (0, 1082, 25):
            here, there = (told(each, "SELECT $1::date::text", text, oid) for each in (ours, theirs))
            assert is_right(here, there), f"{text!r} of type {oid}"
            assert not here.startswith("0A000")


@pytest.mark.parametrize("order", ["DMY", "YMD"])
@pytest.mark.parametrize("sql", READ_FROM_ROWS)
def test_a_text_of_a_row_as_a_date_is_refused_by_name(ours: psycopg.Connection, order: str, sql: str) -> None:
    told(ours, sql)  # Nothing that is kept of it in the order MDY answers it in another.
    told(ours, sql)
    set_order(order, ours)
    refusal = f"0A000 a text of a row as a date while DateStyle is ISO, {order} is not supported"
    assert told(ours, sql).startswith(refusal)
    set_order("MDY", ours)
    assert not told(ours, sql).startswith("0A000")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("sql", HARMLESS)
def test_what_has_no_order_is_answered_as_ever(
    theirs: psycopg.Connection, ours: psycopg.Connection, order: str, sql: str
) -> None:
    set_order(order, theirs, ours)
    assert told(ours, sql) == told(theirs, sql)


def test_sessions_of_several_orders_share_no_answer(dsn: str, ours: psycopg.Connection) -> None:
    ours.execute("INSERT INTO kinds (id, day) VALUES (1, '2013-01-02'), (2, '2013-02-01'), (3, '2001-02-03')")
    wanted = {"MDY": b"1", "DMY": b"2", "YMD": b"3"}
    with psycopg.connect(dsn, autocommit=True) as second, psycopg.connect(dsn, autocommit=True) as third:
        sessions = dict(zip(ORDERS, (ours, second, third), strict=True))
        for order, session in sessions.items():
            set_order(order, session)
        for _ in range(4):
            for order, session in sessions.items():
                text = "'01/02/03'" if order == "YMD" else "'01/02/2013'"
                assert told(session, f"SELECT id FROM kinds WHERE day = {text}") == wanted[order].decode()
                assert told(session, "SELECT id FROM kinds WHERE day = $1", text.strip("'")) == wanted[order].decode()


def test_a_session_may_start_with_an_order(postgres_dsn: str, dsn: str) -> None:
    for each in (postgres_dsn, dsn):
        with psycopg.connect(each, options="-c datestyle=ISO,DMY") as connection:
            assert connection.info.parameter_status("DateStyle") == "ISO, DMY"
            assert connection.execute("SELECT '01/02/2013'::date::text").fetchone() == ("2013-02-01",)
            connection.execute("SET datestyle = 'ymd'")
            assert connection.info.parameter_status("DateStyle") == "ISO, YMD"
            connection.execute("RESET datestyle")
            assert connection.info.parameter_status("DateStyle") == "ISO, DMY"
