"""Random INSERTs, UPDATEs and DELETEs against PostgreSQL 15, row by row: each changes, or fails with its SQLSTATE, as
there."""

from __future__ import annotations

import os
import random
import re

import pytest
from asked import Asked
from catalogue import catalogue
from expressions import Expressions
from judge import BEYOND, MANY_BYTES, Judge, Tally, Verdict, as_postgres_is_asked, is_beyond, without_blanks
from rows import FILLED
from statement_twins import Twins, are_there, code, functions, messages, shared_twins, without_messages
from writes import insert, update

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


# Of UPDATE and DELETE besides what hangs on the machine's mathematical library.
REFUSED_MAX = 0.10

_BEFORE = ["DELETE FROM t", *FILLED]
_AFTER = "SELECT i, b, s, l, r, d, n, h, day, at, c, v, k, x, moment, clock, tag FROM t"


def failed(answer: str) -> int:
    """Rows on which an UPDATE or DELETE failed."""
    return sum(int(rows) for rows in re.findall(r" failed \w{5} (\d+)", answer))


def listed(statement: str, ours: str, postgres: str) -> str | None:
    """What it is called that an UPDATE or DELETE says here, if it is on the list; there the table stands behind it."""
    if is_beyond(ours) or any(message.startswith(BEYOND) for message in messages(ours)):
        return "beyond what is here"
    if "22001" in ours.partition(":")[0] and MANY_BYTES.search(statement + postgres):
        return "lengths in bytes"
    is_null_for_all = code(ours) == "23502" and re.match(r"applied 0( failed \w{5} \d+)*:", postgres) is not None
    return "NULL for a column that takes none" if is_null_for_all else None


def judged(statement: str, ours: str, postgres: str, tables: tuple[str, str]) -> tuple[Verdict, str]:
    told = without_messages(ours)
    if told == postgres and without_blanks(tables[0]) == without_blanks(tables[1]):
        return (Verdict.FAILED if failed(ours) > 0 or code(ours) is not None else Verdict.ALIKE), ""
    if code(ours) is not None and code(ours) == code(postgres):
        return Verdict.FAILED, ""
    if code(ours) == "0A000" or " failed 0A000" in ours:  # `column + constant`, which only nodes add up.
        return (Verdict.REFUSED if code(postgres) is None else Verdict.REFUSED_TOO), ""
    name = listed(statement, ours, f"{postgres}: {tables[1]}")
    return (Verdict.LISTED, name) if name is not None else (Verdict.WRONG, "")


def tally_of(twins: Twins, asked: list[Asked]) -> Tally:
    tally = Tally()
    step = len(_BEFORE) + 2
    for first in range(0, len(asked), 100):
        part = asked[first : first + 100]
        here, there = (
            [each for said in statements for each in (*_BEFORE, said, _AFTER)]
            for statements in ([each.here for each in part], as_postgres_is_asked(part))
        )
        answers = twins.answers(here, postgres=there)
        for each, pair, tables in zip(part, answers[step - 2 :: step], answers[step - 1 :: step], strict=True):
            verdict, name = judged(each.here, *pair, tables)
            tally.add(each.here, (f"{pair[0]}: {tables[0]}", f"{pair[1]}: {tables[1]}"), verdict, name)
    return tally


def test_random_updates(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} updates")
    expressions = Expressions(choice, functions(), catalogue(twins))
    tally = tally_of(twins, [update(choice, expressions) for _ in range(STATEMENTS // 8)])
    tally.check(REFUSED_MAX)
    assert tally.verdicts[Verdict.ALIKE] > STATEMENTS // 16
    assert tally.verdicts[Verdict.FAILED] > 0


def test_random_inserts(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} inserts")
    expressions = Expressions(choice, functions(), catalogue(twins))
    tally = Judge(twins, FILLED).tally([insert(choice, expressions) for _ in range(STATEMENTS // 4)])
    tally.check()
    assert tally.verdicts[Verdict.ALIKE] > STATEMENTS // 16
