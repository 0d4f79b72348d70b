"""Drawn lines and rows that are copied in, text, CSV and binary, held against PostgreSQL 15 with the same table.
Options, mistakes and what goes out are in tests/slt/postgres."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from plain_postgres import KINDS
from psycopg import pq
from sessions import POSTGRES_BIN, running_postgres

CASES = 600
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)

pytestmark = pytest.mark.skipif(not POSTGRES_BIN.is_dir(), reason="not run: PostgreSQL 15 is not installed here")


@dataclass(frozen=True, slots=True)
class Told:
    """One statement comes to this."""

    tag: str = ""
    sqlstate: str = ""
    message: str = ""
    context: str = ""
    sent: bytes = b""


class Side:
    """A server that is copied to and from."""

    def __init__(self, dsn: str) -> None:
        self._connection = psycopg.connect(dsn, autocommit=True)
        self._raw = self._connection.pgconn

    def close(self) -> None:
        self._connection.close()

    def execute(self, statement: str) -> None:
        self._connection.execute(statement.encode())

    def copy(self, statement: str, pieces: list[bytes]) -> Told:
        """Carries out a COPY; `pieces` are what is sent if it asks for something."""
        told, sent = Told(), b""
        self._raw.send_query(statement.encode())
        while (result := self._raw.get_result()) is not None:
            if result.status == pq.ExecStatus.COPY_IN:
                for piece in pieces:
                    self._raw.put_copy_data(piece)
                self._raw.put_copy_end()
            elif result.status == pq.ExecStatus.COPY_OUT:
                while (received := self._raw.get_copy_data(0))[0] > 0:
                    sent += bytes(received[1] or b"")
            elif result.status == pq.ExecStatus.FATAL_ERROR:
                told = Told(
                    sqlstate=text(result.error_field(pq.DiagnosticField.SQLSTATE)),
                    message=text(result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY)),
                    context=text(result.error_field(pq.DiagnosticField.CONTEXT)),
                )
            else:
                told = Told(tag=text(result.command_status))
        return Told(told.tag, told.sqlstate, told.message, told.context, sent)


def text(raw: bytes | None) -> str:
    return (raw or b"").decode()


@pytest.fixture(scope="module")
def postgres() -> Iterator[Side]:
    with running_postgres() as port:
        side = Side(f"host=127.0.0.1 port={port} user=oracle dbname=postgres")
        side.execute(KINDS.replace(" PRIMARY KEY", ""))
        yield side
        side.close()


@pytest.fixture
def sides(table: str, postgres: Side) -> Iterator[tuple[Side, Side]]:
    """Ours and PostgreSQL, both without rows."""
    postgres.execute("DELETE FROM kinds")
    ours = Side(table)
    yield ours, postgres
    ours.close()


def agree(sides: tuple[Side, Side], statement: str, pieces: list[bytes] | None = None) -> Told:
    """Both say the same; what that is."""
    ours, theirs = (side.copy(statement, pieces or []) for side in sides)
    assert ours == theirs, f"{statement}\n{b''.join(pieces or [])!r}\nhere:       {ours}\nPostgreSQL: {theirs}"
    return ours


TEXT = ["1", "2", "-7", "x", "", "\\N", "\\\\N", "t", "2013-02-08", "a\\tb", "\\101\\x42", "\\", "\\.", "\\.\n", "\n"]
TEXT += [
    "\t",
    "\t",
    "\t",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "Zoë",
    "\\303",
    "\\0",
    "name\n",
    '"',
    "\\\n",
    "x" * 120,
    "é" * 60,
]
CSV = [
    "1",
    "2",
    "x",
    "",
    '"',
    '"',
    '""',
    ",",
    ",",
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\\.",
    "\\.\n",
    '"a,b"',
    "2013-02-08",
]
CSV += ['"two\nlines"', "\\", "Zoë", "t", "x" * 120, '"say ""x"""']
FORMS = [
    ("(FORMAT text)", TEXT),
    ("(FORMAT text, NULL '', DELIMITER ',')", TEXT + [","] * 6),
    ("(FORMAT text, HEADER match)", ["id\tname\tday\n"] * 6 + TEXT),
    ("(FORMAT csv)", CSV),
    ("(FORMAT csv, ESCAPE '\\', NULL 'x')", [*CSV, '\\"']),
    ("(FORMAT csv, HEADER, FORCE_NULL (name), FORCE_NOT_NULL (day))", CSV),
]


def split(choice: random.Random, whole: bytes) -> list[bytes]:
    """Cuts the same bytes into pieces."""
    places = sorted(choice.randrange(len(whole) + 1) for _ in range(choice.randrange(4)))
    return [whole[begin:end] for begin, end in zip([0, *places], [*places, len(whole)], strict=True)]


def test_drawn_lines_are_read_as_they_are_there(sides: tuple[Side, Side], daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} copied lines")
    came_in = 0
    for _ in range(CASES):
        options, words = choice.choice(FORMS)
        delimiter = "," if "csv" in options or "DELIMITER" in options else "\t"
        good = "".join(f"{number}{delimiter}name{delimiter}2013-02-08\n" for number in range(choice.randrange(3)))
        drawn = good + "".join(choice.choice(words) for _ in range(choice.randrange(12)))
        told = agree(sides, f"COPY kinds (id, name, day) FROM STDIN {options}", split(choice, drawn.encode()))
        came_in += told.tag not in ("", "COPY 0")
    assert came_in > CASES / 30
    agree(sides, "COPY (SELECT id, name, day, count(*) FROM kinds GROUP BY 1, 2, 3 ORDER BY 1, 2, 3, 4) TO STDOUT")


def binary_row(fields: list[bytes | None]) -> bytes:
    packed = [struct.pack("!i", -1) if field is None else struct.pack("!i", len(field)) + field for field in fields]
    return struct.pack("!h", len(fields)) + b"".join(packed)


def test_binary_rows_are_read_as_they_are_there(sides: tuple[Side, Side], daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} copied rows")
    for _ in range(CASES // 4):
        rows = [
            binary_row([struct.pack("!i", number), choice.choice([b"name", None, "Zoë".encode()]), None])
            for number in range(choice.randrange(4))
        ]
        whole = bytearray(HEADER + b"".join(rows) + choice.choice([b"\xff\xff", b"", b"\xff\xffx"]))
        if choice.random() < 0.3:
            whole = whole[: choice.randrange(len(whole) + 1)]
        told = agree(sides, "COPY kinds (id, name, day) FROM STDIN (FORMAT binary)", split(choice, bytes(whole)))
        assert told.tag or told.sqlstate
