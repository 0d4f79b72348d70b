"""Runs files of cases: each record is asked of a cluster and of PostgreSQL, in step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol as Interface

from local_cluster import ROOT

from slt.answers import Answer
from slt.judging import faults, spelled
from slt.records import File, Protocol, Record, Request

DOCS = ROOT / "docs"


class Speaker(Interface):
    """Whatever answers requests, one after the other."""

    def say(self, request: Request, protocol: Protocol) -> Answer: ...


# Opens a connection for the time of a stack.
Connect = Callable[[contextlib.ExitStack], Speaker]


@dataclass(frozen=True, slots=True)
class Sides:
    """Whom a file is asked of."""

    ours: Connect
    theirs: Connect


@dataclass(frozen=True, slots=True)
class Asked:
    """A record and what both sides have said."""

    record: Record
    ours: Answer
    theirs: Answer | None  # Nothing: the record skips PostgreSQL.


def ask(file: File, protocol: Protocol, sides: Sides) -> list[Asked]:
    """Asks all records of a file, over connections of its own, tables being empty."""
    with contextlib.ExitStack() as stack:
        connections: dict[str, tuple[Speaker, Speaker]] = {}
        asked = []
        for record in file.records:
            if record.connection not in connections:
                connections[record.connection] = (sides.ours(stack), sides.theirs(stack))
            ours, theirs = connections[record.connection]
            spoken = record.protocol or protocol
            try:
                judged = None if record.skips_postgres else theirs.say(record.request, spoken)
                asked.append(Asked(record, ours.say(record.request, spoken), judged))
            except (OSError, KeyError, ValueError) as error:
                error.add_note(f"{file.path}:{record.line}: {record.request.sql}")
                raise
    return asked


def complaints(file: File, protocol: Protocol, sides: Sides, docs: Path = DOCS) -> list[str]:
    """Returns what is wrong with a file in one protocol."""
    return [
        f"{file.path}:{each.record.line}: {each.record.request.sql}\n  {fault}"
        for each in ask(file, protocol, sides)
        for fault in faults(each.record, each.ours, each.theirs, docs)
    ]


def rewritten(file: File, sides: Sides) -> str:
    """The file's text with the expectations that are missing or wrong written anew: what PostgreSQL says, or of a
    record that is marked as different what Daedalus says."""
    lines = file.path.read_text(encoding="utf-8").split("\n")
    for each in reversed(ask(file, file.protocols[0], sides)):
        meant = each.ours if each.record.differs is not None or each.theirs is None else each.theirs
        told = spelled(each.record, meant)
        if told != each.record.expectation:
            lines[each.record.line - 1 : each.record.end] = _record_lines(each.record, told.header, told.lines)
    return "\n".join(lines)


def _record_lines(record: Record, header: str, answer: tuple[str, ...]) -> list[str]:
    sql = record.request.sql.split("\n") if record.request.sql else []
    copied = [] if record.request.copied is None else ["<<<<", *record.request.copied.splitlines()]
    has_answer = not header.startswith("statement ")
    return [header, *sql, *copied, *(["----", *answer] if has_answer else [])]
