"""Every run-time parameter of PostgreSQL 15, set and shown here and there: a value is taken and shown alike, refused by
both with the same code, or refused here by name."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from plain_postgres import SUPERUSER
from slt.servers import are_there

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

OF_SESSIONS = ("user", "superuser")
# Their defaults differ on purpose, or depend on where the other server runs.
OWN_DEFAULTS = {
    "application_name",
    "default_text_search_config",
    "is_superuser",
    "jit",
    "search_path",
    "server_version",
    "server_version_num",
    "session_authorization",
    "TimeZone",
}
# SHOW of these depends on the operating system, or on the transaction that it is sent in.
OF_ELSEWHERE = {"tcp_keepalives_count", "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_user_timeout"}
OF_ELSEWHERE |= {"transaction_isolation", "transaction_read_only"}
NUMBERS = ["0", "1", "-1", "-2", "7", "64", "100", "4096", "2147483647", "2147483648", "1e3", "1.5", " 12 ", "+3", "x"]
NUMBERS += ["", "10ms", "1.5s", "2min", "3 h", "1d", "64kB", "1MB", "2GB", "1TB", "3B", "5 parsecs", "1e400", "0.1"]
WORDS = ["on", "off", "true", "no", "ye", "o", "1", "0", "nonsense", "", "LOG", "Auto"]
VALUES_EACH = 8


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    context: str
    type: str
    choices: tuple[str, ...]
    low: str | None
    high: str | None

    def values(self, choice: random.Random) -> list[str]:
        drawn = choice.sample(NUMBERS if self.type in ("integer", "real") else WORDS, VALUES_EACH)
        return [*self.choices, *drawn, *(each for each in (self.low, self.high) if each is not None)]


@pytest.fixture(scope="module")
def theirs(postgres_dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_dsn, user=SUPERUSER, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def parameters(theirs: psycopg.Connection) -> list[Parameter]:
    rows = theirs.execute("SELECT name, context, vartype, enumvals, min_val, max_val FROM pg_settings").fetchall()
    return [
        Parameter(name, context, kind, tuple(words or ()), low, high) for name, context, kind, words, low, high in rows
    ]


@pytest.fixture
def ours(dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


def shown(connection: psycopg.Connection, name: str) -> str:
    """The value that SHOW answers, or the error's code."""
    try:
        row = connection.execute(f"SHOW {name}".encode()).fetchone()
    except psycopg.Error as error:
        return f"error {error.sqlstate}"
    assert row is not None
    return str(row[0])


def told(connection: psycopg.Connection, name: str, value: str) -> str:
    """The value that is shown after SET, or the error's code and message; the old value is back afterwards."""
    try:
        cursor = connection.execute(f"SET {name} = '{value}'; SHOW {name}; RESET {name}".encode())
    except psycopg.Error as error:
        return f"error {error.sqlstate} {error.diag.message_primary}"
    assert cursor.nextset()
    row = cursor.fetchone()
    assert row is not None
    return str(row[0])


def test_every_parameter_of_a_session_has_the_default_of_postgres(
    theirs: psycopg.Connection, ours: psycopg.Connection, parameters: list[Parameter]
) -> None:
    names = [
        each.name for each in parameters if each.context in OF_SESSIONS and each.name not in OWN_DEFAULTS | OF_ELSEWHERE
    ]
    differences = {name: (shown(ours, name), shown(theirs, name)) for name in names}
    wrong = {name: pair for name, pair in differences.items() if pair[0] not in (pair[1], "error 0A000")}
    refused = [name for name, pair in differences.items() if pair[0] == "error 0A000"]
    assert not wrong
    assert len(names) > 160
    assert len(refused) < 30, refused


def test_a_parameter_of_the_server_cannot_be_changed(ours: psycopg.Connection, parameters: list[Parameter]) -> None:
    for parameter in parameters:
        if parameter.context not in OF_SESSIONS:
            assert told(ours, parameter.name, "1").startswith("error 55P02"), parameter.name


def test_a_parameter_takes_the_values_that_postgres_takes(
    theirs: psycopg.Connection, ours: psycopg.Connection, parameters: list[Parameter], daedalus_seed: int
) -> None:
    choice = random.Random(f"{daedalus_seed} settings")
    wrong, count = [], 0
    for parameter in parameters:
        if parameter.context not in OF_SESSIONS or parameter.type == "string" or parameter.name in OF_ELSEWHERE:
            continue
        for value in parameter.values(choice):
            here, there = told(ours, parameter.name, value), told(theirs, parameter.name, value)
            count += 1
            if here != there and not here.startswith(("error 0A000", "error 55P02")):
                wrong.append(f"{parameter.name} = {value!r}: {here} here, {there} there")
    assert count > 1000
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["nonsense", "enable_magic", "log_", "daedalus"])
def test_a_parameter_that_postgres_does_not_know_is_unknown(
    theirs: psycopg.Connection, ours: psycopg.Connection, name: str
) -> None:
    assert told(ours, name, "1") == told(theirs, name, "1")
    assert told(ours, name, "1").startswith("error 42704")
