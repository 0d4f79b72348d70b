"""Keeps what programs of clients have sent as a file of JSON lines for each client below tests/postgres/sent.

A line is a statement, its parameters as text, and whether it was refused by name when it was kept. In place of the
numbers that the catalogue gives to the table stand their names in braces: each server has its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from local_cluster import ROOT
from recorded import OWN, Recorded, Said, Teller, numbers_of, replaced, tellers

SENT = ROOT / "tests" / "postgres" / "sent"
NOT_SUPPORTED = "0A000"
# The catalogue's server forbids functions that would write or wait by their names.
FORBIDDEN = "42501"
REFUSALS = (NOT_SUPPORTED, FORBIDDEN)
ALIKE_MAX = 2
NOT_ASKED = Said("not asked")
# A statement that is said alone, outside of any block, has the same outcome everywhere; blocks, cursors and COPY have
# not. Some clients name their prepared statements anew in each process.
KEPT = re.compile(
    r"^(?:[\s(]|/\*.*?\*/)*(SELECT|WITH|VALUES|TABLE|SHOW|INSERT|UPDATE|DELETE|MERGE|SET(?! ROLE)|RESET"
    r"|DISCARD|PREPARE|EXECUTE|DEALLOCATE ALL|EXPLAIN)\b",
    re.IGNORECASE | re.DOTALL,
)
EXPLAINS = re.compile(r"\s*EXPLAIN\b", re.IGNORECASE)
# Which rows come is left open by these, so only how many there are, and of which columns, is the same.
ANY_ROWS = re.compile(r"^(?!.*\bORDER BY\b).*\bLIMIT\b", re.IGNORECASE | re.DOTALL)
PLACEHOLDER = re.compile(r"\{((?:class|type|constraint|file) \w+|role)\}")
LITERAL = re.compile(r"/\*.*?\*/|'(?:[^']|'')*'|\$\d+|\b\d+(?:\.\d+)?\b")
REPEATED = re.compile(r"\(\?(?:, ?\?)*\)(?:, ?\(\?(?:, ?\?)*\))*|\?(?:, ?\?)+")


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement that is kept."""

    statement: Recorded
    is_refused: bool


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A statement that two servers answered in different ways, or that the second one refused by name."""

    statement: Recorded
    expected: Said
    found: Said

    def __str__(self) -> str:
        text = f"{self.statement.client}: {self.statement.sql} {list(self.statement.parameters)}"
        return f"{text}\n  PostgreSQL: {self.expected!s:.600}\n  here: {self.found!s:.600}"


def is_kept(sql: str) -> bool:
    """Says whether a statement can be said alone to any server that has the table."""
    return KEPT.match(sql) is not None


def shape(recorded: Recorded) -> str:
    """The statement without its values: those of one shape say the same about a server."""
    return REPEATED.sub("?", " ".join(LITERAL.sub("?", recorded.sql).split()))


def few_of_each_shape(statements: Iterable[Recorded]) -> list[Recorded]:
    """The first ones of each shape, in order."""
    counts: dict[str, int] = {}
    found = []
    for statement in statements:
        counts[shape(statement)] = counts.get(shape(statement), 0) + 1
        if counts[shape(statement)] <= ALIKE_MAX:
            found.append(statement)
    return found


def file_of(client: str) -> Path:
    """Returns where a client's statements are kept."""
    return SENT / f"{client}.jsonl"


def keep(client: str, sent: Sequence[Sent], dsn: str) -> None:
    """Writes the file of a client whose statements were recorded at a server."""
    names = {number: f"{{{name}}}" for name, number in numbers_of(dsn).items()}
    lines = []
    for each in sent:
        line: dict[str, object] = {"sql": replaced(each.statement.sql, names)}
        if each.statement.parameters:
            line["parameters"] = [value and replaced(value, names) for value in each.statement.parameters]
        if each.is_refused:
            line["refused"] = True
        lines.append(json.dumps(line, ensure_ascii=False))
    SENT.mkdir(exist_ok=True)
    file_of(client).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def kept(client: str, dsn: str) -> list[Sent]:
    """The statements of a client, as they would have been recorded at a server."""
    numbers = numbers_of(dsn)

    def filled(text: str) -> str:
        return PLACEHOLDER.sub(lambda found: numbers[found[1]], text)

    found = []
    for line in file_of(client).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        parameters = tuple(value and filled(value) for value in entry.get("parameters", []))
        found.append(Sent(Recorded(client, filled(entry["sql"]), parameters), entry.get("refused", False)))
    return found


def say_to_both(statements: Iterable[Recorded], theirs: str, ours: str) -> list[Mismatch]:
    """Says each to an aggregator and to a PostgreSQL, whose tables have the same rows; those answered otherwise."""
    there, here = tellers(theirs, ours)
    try:
        return list(_mismatches(statements, there, here))
    finally:
        there.close()
        here.close()


def _mismatches(statements: Iterable[Recorded], theirs: Teller, ours: Teller) -> Iterable[Mismatch]:
    """Yields the statements that are answered otherwise; one that is not supported is not said to the other server, so
    that the tables stay alike.
    """
    for statement in statements:
        found = ours.say(statement)
        expected = NOT_ASKED if found.sqlstate == NOT_SUPPORTED else theirs.say(statement)
        if found != expected and not _may_differ(statement, expected, found):
            yield Mismatch(statement, expected, found)


def _may_differ(statement: Recorded, expected: Said, found: Said) -> bool:
    """Says whether the rows are left open by the statement, or each server's own; columns never are."""
    if (expected.sqlstate, expected.columns) != (found.sqlstate, found.columns):
        return False
    if OWN.search(statement.sql) or EXPLAINS.match(statement.sql):
        return True
    return ANY_ROWS.match(statement.sql) is not None and len(expected.rows) == len(found.rows)
