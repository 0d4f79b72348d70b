"""Single statements on both sides, thousands at a time: the SQL compiler with the plain evaluation of its normal forms,
and PostgreSQL with a table of the same columns."""

from __future__ import annotations

import atexit
import contextlib
import functools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from facts import ROOT
from postgres_wire import Mistake, PostgresWire
from sessions import POSTGRES_BIN, running_postgres

TWIN = ROOT / "build" / "release" / "bin" / "statement_twin"
ANSWERS_SECONDS_MAX = 300
_POSITION = "\x05"
_MESSAGE = "\x06"

COLUMNS = {
    "b": "bool",
    "s": "smallint",
    "i": "int",
    "l": "bigint",
    "r": "real",
    "d": "double precision",
    "n": "numeric(10, 2)",
    "h": "numeric(38, 4)",
    "day": "date",
    "at": "timestamp",
    "c": "char(5)",
    "v": "varchar(10)",
    '"Mixed"': "varchar(4)",
    "k": "int NOT NULL DEFAULT 7",
    "x": "int NOT NULL DEFAULT 0",
    "moment": "timestamptz",
    "clock": "time",
    "tag": "uuid",
}

KINDS = ["boolean", "smallint", "integer", "bigint", "real", "double precision", "numeric", "date"]
KINDS += ["timestamp without time zone", "timestamp with time zone", "time without time zone", "interval"]
KINDS += ["character", "character varying", "text", "uuid"]

_ANSWER = """
CREATE FUNCTION answer(statement text, wanted text) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE found text; types text; row_id int; row_count int; applied int := 0; failed text[] := '{}';
BEGIN
  IF statement ~ '^(SELECT|WITH|VALUES)' THEN
    EXECUTE 'CREATE TEMP VIEW answered AS ' || statement;
    SELECT string_agg(format_type(atttypid, NULL), ',' ORDER BY attnum) INTO types
      FROM pg_attribute WHERE attrelid = 'answered'::regclass;
    DROP VIEW answered;
    EXECUTE 'SELECT coalesce(string_agg(q::text || chr(2), ''''), '''') FROM (' || statement || ') q' INTO found;
    found := types || '|' || translate(found, E'\\n\\r', '  ');
  ELSIF statement LIKE 'UPDATE%' OR statement LIKE 'DELETE%' THEN
    EXECUTE 'EXPLAIN ' || statement;  -- What fails when it is planned fails for all rows.
    -- Row by row: a row on which it fails stays as it is.
    FOR row_id IN SELECT i FROM t ORDER BY i LOOP
      BEGIN
        EXECUTE replace(statement, 'i = i', 'i = ' || row_id);
        GET DIAGNOSTICS row_count = ROW_COUNT;
        applied := applied + row_count;
      EXCEPTION WHEN OTHERS THEN
        failed := failed || SQLSTATE;
      END;
    END LOOP;
    SELECT string_agg(format(' failed %s %s', state, rows), '' ORDER BY state) INTO found
      FROM (SELECT state, count(*) AS rows FROM unnest(failed) AS state GROUP BY state) q;
    found := 'applied ' || applied || coalesce(found, '');
  ELSIF position(' RETURNING ' IN statement) > 0 THEN
    EXECUTE 'WITH q AS (' || statement || ') SELECT string_agg(q::text || chr(2), '''') FROM q' INTO found;
    found := 'returned|' || translate(found, E'\\n\\r', '  ');
  ELSE
    EXECUTE statement || ' RETURNING format(''%s'', ' || wanted || ')' INTO found;
  END IF;
  RETURN found;
EXCEPTION WHEN OTHERS THEN
  RETURN 'error ' || SQLSTATE || ' ' || replace(SQLERRM, E'\\n', ' ');
END
$body$;
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _in_order(answer: str) -> str:
    """Rows of a SELECT stand in no order."""
    types, bar, rows = answer.partition("|")
    return types + bar + "".join(sorted(rows.split("\x02"))) if bar and "\x02" in rows else answer


class Twins:
    """The compiler's answers and PostgreSQL's. A column is read back from each INSERT, or what it returns, types and
    rows from each SELECT, and of UPDATE and DELETE how many rows were changed and how many it failed on, each row by
    itself: that it is about one row stands in the text as `i = i`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.zone = "UTC"  # The zone is that of both sessions' clocks.
        table = ", ".join(f"{name} {column_type}" for name, column_type in COLUMNS.items())
        self._psql(f"CREATE TABLE t ({table});{_ANSWER}")

    def asked(self, query: str) -> list[str]:
        """PostgreSQL's rows, with a byte 31 between fields."""
        return self._psql(query).splitlines()

    def _psql(self, script: str) -> str:
        command = [str(POSTGRES_BIN / "psql"), "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", "127.0.0.1"]
        command += ["-p", str(self._port), "-U", "oracle", "postgres"]
        environment = {"PGOPTIONS": "-c timezone=UTC -c client_min_messages=warning", "PGCLIENTENCODING": "UTF8"}
        done = subprocess.run(
            command, input=script, text=True, capture_output=True, timeout=ANSWERS_SECONDS_MAX, env=environment
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def answers(
        self, statements: list[str], column: str = "i", postgres: list[str] | None = None
    ) -> list[tuple[str, str]]:
        """Returns for each statement the compiler's answer and PostgreSQL's, which may be asked it in other words: both
        know the same time and the rows of the statements before, and nothing of earlier calls. The messages()
        of rows on which an UPDATE or DELETE failed here are at the end.
        """
        asked = statements if postgres is None else postgres
        assert all("\n" not in statement for statement in [*statements, *asked])
        listed = "".join(f"({number}, {_quoted(text)}),\n" for number, text in enumerate(asked)).rstrip(",\n")
        script = f"""
            CREATE TEMP TABLE asked (number int, statement text);
            INSERT INTO asked VALUES {listed};
            SET TimeZone = {_quoted(self.zone)};
            BEGIN;
            TRUNCATE t;  -- Rows stand in the order they come in, not where older ones have been.
            SELECT (extract(epoch FROM now()) * 1000000)::bigint;
            SELECT answer(statement, {_quoted(column)}) FROM asked ORDER BY number;
            ROLLBACK;"""
        now, *answered = self._psql(script).removesuffix("\n").split("\n")
        judged = [_in_order(answer) for answer in answered]
        place = list(COLUMNS).index(column)
        ours = [_without_position(answer) for answer in _twin([f"now {now}", f"zone {self.zone}", *statements])[2:]]
        for number, answer in enumerate(ours):
            if statements[number].startswith("INSERT") and not answer.startswith(("error ", "returned|")):
                ours[number] = answer.split("|")[place]
        ours = [_in_order(answer) for answer in ours]
        assert len(ours) == len(judged) == len(statements)
        return list(zip(ours, judged, strict=True))

    def errors(self, rows: list[str], statements: list[str]) -> list[tuple[Mistake | None, Mistake | None]]:
        """Returns what is wrong with each statement, and where, as the compiler and as PostgreSQL say it.

        Each statement is asked by itself, on these rows.
        """
        table = ", ".join(f"{name} {column_type}" for name, column_type in COLUMNS.items())
        with PostgresWire(self._port, user="oracle", database="postgres") as postgres:
            for statement in [f"CREATE TEMP TABLE t ({table})", *rows]:
                assert postgres.mistake(statement) is None
            judged = [postgres.mistake(statement) for statement in statements]
        ours = [_mistake(answer) for answer in _twin([*rows, *statements])[len(rows) :]]
        return list(zip(ours, judged, strict=True))


def _twin(lines: list[str]) -> list[str]:
    """The compiler's answer to each line."""
    done = subprocess.run(
        [TWIN], input="\n".join(lines) + "\n", text=True, capture_output=True, timeout=ANSWERS_SECONDS_MAX, check=True
    )
    return done.stdout.removesuffix("\n").split("\n")


def _without_position(answer: str) -> str:
    return answer.rpartition(_POSITION)[0] if answer.startswith("error ") else answer


def _mistake(answer: str) -> Mistake | None:
    if not answer.startswith("error "):
        return None
    message, _, position = answer.rpartition(_POSITION)
    _, sqlstate, message = message.split(" ", 2)
    return Mistake(sqlstate, message, int(position))


@dataclass(frozen=True, slots=True)
class Entry:
    """An overload of the table of functions."""

    name: str
    is_operator: bool
    arguments: list[str]
    result: str
    volatility: str  # as pg_proc.provolatile
    spelling: str = ""  # The spelling of its name, where that is not the name itself.
    is_exact: bool = True  # An update may compute it: it comes to the same bits on each machine.


def functions(which: str = "functions") -> list[Entry]:
    """The table of functions; `names`: what stands behind those, and other names of theirs."""
    table = []
    for entry in _twin([which])[0].split("\x04"):
        name, is_operator, arguments, result, volatility, is_exact = entry.split("\x03")
        taken = arguments.split(",") if arguments else []
        table.append(Entry(name, is_operator == "1", taken, result, volatility, is_exact=is_exact == "1"))
    return table


def kinds_of(conditions: list[str]) -> list[str]:
    """Returns the kind of each: `fails` where computing it may end in an error, `known` where PostgreSQL's planner
    computes it, else `certain`.
    """
    return _twin([f"condition {condition}" for condition in conditions])[: len(conditions)]


def casts() -> dict[tuple[str, str], str]:
    """Kinds from and to, and how: `i` without being asked, `e` where it is written."""
    pairs = [entry.split("\x03") for entry in _twin(["casts"])[0].split("\x04")]
    return {(source, target): how for source, target, how in pairs}


@contextlib.contextmanager
def running_twins() -> Iterator[Twins]:
    """Both sides, with an empty table each."""
    with running_postgres() as port:
        yield Twins(port)


def messages(answer: str) -> list[str]:
    """Returns what was wrong with rows on which an UPDATE or DELETE failed here."""
    return answer.split(_MESSAGE)[1:]


def without_messages(answer: str) -> str:
    return answer.partition(_MESSAGE)[0]


@functools.cache
def shared_twins() -> Twins:
    """Both sides, started once for all tests that leave them as they are, and ended with the process."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running_twins())


def code(answer: str) -> str | None:
    """The SQLSTATE of an answer that is an error."""
    return answer.split(" ")[1] if answer.startswith("error ") else None


def are_there() -> bool:
    return (POSTGRES_BIN / "initdb").exists() and Path(TWIN).exists()
