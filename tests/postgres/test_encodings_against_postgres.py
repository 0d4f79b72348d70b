"""Clients whose texts are in LATIN1, WIN1252 or SQL_ASCII: statements, parameters, answers, names, errors and COPY,
asked of a cluster and of PostgreSQL 15 alike. Texts go and come as bytes, without a driver that would convert them."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import pq
from slt.servers import are_there

pytestmark = pytest.mark.skipif(not are_there(), reason="not run: PostgreSQL 15 is not installed here")

ENCODINGS = {"LATIN1": "latin-1", "WIN1252": "cp1252"}
# Each a spelling that PostgreSQL takes, and a few that nobody does.
SPELLINGS = ["latin1", "LATIN-1", "iso88591", "ISO_8859-1", "win1252", "Windows-1252", "utf8", "UTF-8", "sql_ascii"]
STRINGS = {"LATIN1": "Zoë Müller £5 ÿ\u0080 ½", "WIN1252": "Zoë €5 „Œuvre“ Ÿ ™ \u2013"}

Told = list[bytes | None] | str


def seen(result: pq.abc.PGresult) -> Told:
    """The first row with the columns' names, as bytes; or the error's code and words."""
    if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        words = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
        return f"{state!r} {words!r} {result.error_field(pq.DiagnosticField.STATEMENT_POSITION)!r}"
    row = [result.get_value(0, column) for column in range(result.nfields)] if result.ntuples else []
    return [*(result.fname(column) for column in range(result.nfields)), *row]


def simple(connection: psycopg.Connection, sql: bytes) -> Told:
    return seen(connection.pgconn.exec_(sql))


def extended(connection: psycopg.Connection, sql: bytes, values: list[bytes], binary: bool = False) -> Told:
    formats = [pq.Format.BINARY if binary else pq.Format.TEXT] * len(values)
    answer = pq.Format.BINARY if binary else pq.Format.TEXT
    types = [25] * len(values)
    return seen(connection.pgconn.exec_params(sql, values, types, formats, answer))


def set_encoding(connection: psycopg.Connection, encoding: str) -> None:
    assert connection.pgconn.exec_(f"SET client_encoding = '{encoding}'".encode()).status == pq.ExecStatus.COMMAND_OK


def copied(connection: psycopg.Connection, sql: bytes) -> bytes:
    """Returns all that COPY TO STDOUT gives."""
    pgconn = connection.pgconn
    assert pgconn.exec_(sql).status == pq.ExecStatus.COPY_OUT
    read = b""
    while True:
        size, data = pgconn.get_copy_data(0)
        if size <= 0:
            break
        read += bytes(data)
    while pgconn.get_result() is not None:
        pass
    return read


def copy_in(connection: psycopg.Connection, sql: bytes, data: bytes) -> Told:
    pgconn = connection.pgconn
    assert pgconn.exec_(sql).status == pq.ExecStatus.COPY_IN
    pgconn.put_copy_data(data)
    pgconn.put_copy_end()
    result = pgconn.get_result()
    assert result is not None
    told = seen(result)
    while pgconn.get_result() is not None:
        pass
    return told


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_encodings_are_named_as_in_postgres(
    theirs: psycopg.Connection, ours: psycopg.Connection, spelling: str
) -> None:
    answers = []
    for connection in (theirs, ours):
        set_encoding(connection, spelling)
        answers.append(
            (simple(connection, b"SHOW client_encoding"), connection.pgconn.parameter_status(b"client_encoding"))
        )
        set_encoding(connection, "UTF8")
    assert answers[1] == answers[0]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_texts_go_and_come_in_the_clients_encoding(
    theirs: psycopg.Connection, ours: psycopg.Connection, encoding: str
) -> None:
    text = STRINGS[encoding].encode("latin-1" if encoding == "LATIN1" else "cp1252")
    answers = []
    for connection in (theirs, ours):
        set_encoding(connection, encoding)
        simple(connection, b"DELETE FROM kinds")
        seen_here = [
            simple(connection, b"INSERT INTO kinds (id, name) VALUES (1, '" + text + b"') RETURNING name"),
            simple(connection, b"SELECT name, name || '" + text + b"' AS \"" + text[:10] + b'" FROM kinds'),
            simple(connection, b"SELECT count(*) FROM kinds WHERE name = '" + text + b"'"),
            extended(connection, b"SELECT id, name, $1 AS given FROM kinds WHERE name = $1", [text]),
            extended(connection, b"SELECT name, $1 AS given FROM kinds WHERE name = $1", [text], binary=True),
            simple(connection, b'SELECT "' + text[:10] + b'" FROM kinds'),
            simple(connection, b"SELECT '" + text + b"'::int"),
            simple(connection, b"SELECT '" + text + b"'::regclass"),
            simple(connection, b"SELECT quote_ident('" + text + b"') AS \"" + text[:10] + b'" FROM pg_class LIMIT 1'),
            copied(connection, b"COPY kinds (id, name) TO STDOUT"),
            copied(connection, b"COPY kinds (id, name) TO STDOUT (FORMAT csv, HEADER)"),
            copied(connection, b"COPY (SELECT name FROM kinds) TO STDOUT (FORMAT binary)"),
            copied(connection, b"COPY kinds (id, name) TO STDOUT (ENCODING 'utf8')"),
            copy_in(connection, b"COPY kinds (id, name) FROM STDIN", b"2\t" + text + b"\n3\tx\\t" + text + b"\n"),
            copy_in(connection, b"COPY kinds (id, name) FROM STDIN (FORMAT csv)", b'4,"' + text + b'"\n'),
        ]
        set_encoding(connection, "UTF8")
        seen_here.append(copied(connection, b"COPY (SELECT id, name FROM kinds ORDER BY id) TO STDOUT"))
        set_encoding(connection, encoding)
        simple(connection, b"BEGIN")
        simple(connection, b"DECLARE c CURSOR FOR SELECT name FROM kinds WHERE id = 1")
        seen_here.append(simple(connection, b"FETCH c"))
        simple(connection, b"ROLLBACK")
        set_encoding(connection, "UTF8")
        answers.append(seen_here)
    assert answers[1] == answers[0]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_copy_may_name_its_own_encoding(theirs: psycopg.Connection, ours: psycopg.Connection, encoding: str) -> None:
    text = STRINGS[encoding].encode("latin-1" if encoding == "LATIN1" else "cp1252")
    answers = []
    for connection in (theirs, ours):
        simple(connection, b"DELETE FROM kinds")
        option = f"(ENCODING '{encoding}')".encode()
        told = copy_in(connection, b"COPY kinds (id, name) FROM STDIN " + option, b"1\t" + text + b"\n")
        answers.append(
            [
                told,
                simple(connection, b"SELECT name FROM kinds"),
                copied(connection, b"COPY kinds (id, name) TO STDOUT " + option),
            ]
        )
    assert answers[1] == answers[0]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_characters_without_an_equivalent_fail_as_in_postgres(
    theirs: psycopg.Connection, ours: psycopg.Connection, encoding: str
) -> None:
    answers = []
    for connection in (theirs, ours):
        set_encoding(connection, "UTF8")
        simple(connection, b"DELETE FROM kinds")
        simple(
            connection,
            "INSERT INTO kinds (id, name) VALUES (1, 'plain'), (2, 'snow \u2603'), (3, '\U0001f600')".encode(),
        )
        set_encoding(connection, encoding)
        statements = [
            b"SELECT name FROM kinds WHERE id = 1",
            b"SELECT name FROM kinds WHERE id = 2",
            b"SELECT name FROM kinds WHERE id = 3",
            b"SELECT count(*) FROM kinds WHERE name LIKE 'snow%'",
            b"SELECT E'\\u2603'::text",
            b"SELECT 1 AS still_here",
        ]
        told = [simple(connection, sql) for sql in statements]
        told.append(extended(connection, b"SELECT name FROM kinds WHERE id = 2", []))
        told.append(extended(connection, b"SELECT name FROM kinds WHERE id = 2", [], binary=True))
        if encoding == "WIN1252":
            told.append(simple(connection, b"SELECT '\x81'"))
            told.append(extended(connection, b"SELECT $1", [b"\x9d"]))
        told.append(simple(connection, b"SELECT 1 AS still_here"))
        set_encoding(connection, "UTF8")
        answers.append(told)
    assert answers[1] == answers[0]


def test_every_byte_of_latin1_and_win1252_is_the_same_character(
    theirs: psycopg.Connection, ours: psycopg.Connection
) -> None:
    for encoding in ENCODINGS:
        for byte in range(0x80, 0x100):
            answers = []
            for connection in (theirs, ours):
                set_encoding(connection, encoding)
                told = simple(
                    connection, b"INSERT INTO kinds (id, name) VALUES (%d, '%c') RETURNING name" % (byte, byte)
                )
                set_encoding(connection, "UTF8")
                answers.append((told, simple(connection, b"SELECT name FROM kinds WHERE id = %d" % byte)))
                simple(connection, b"DELETE FROM kinds")
            assert answers[1] == answers[0], f"byte {byte:#x} in {encoding}"


def test_a_client_may_start_with_one(dsn: str, postgres: str) -> None:
    answers = []
    for where in (postgres, dsn):
        with psycopg.connect(where, autocommit=True, client_encoding="latin1") as connection:
            answers.append(connection.execute("SELECT 'Zoë'::text").fetchall())
    assert answers[1] == answers[0] == [("Zoë",)]
