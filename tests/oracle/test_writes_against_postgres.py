"""Random INSERTs, UPDATEs and DELETEs against PostgreSQL 15, row by row: each changes, or fails with its SQLSTATE, as
there."""

from __future__ import annotations

import os
import random
import re

import pytest
from asked import Asked, same
from catalogue import catalogue
from expressions import COLUMNS, Expressions
from judge import BEYOND, MANY_BYTES, Judge, Tally, Verdict, as_postgres_is_asked, is_beyond, without_blanks
from rows import FILLED
from statement_twins import Entry, Twins, are_there, code, functions, messages, shared_twins, without_messages
from writes import insert, update

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


_BEFORE = ["DELETE FROM t", *FILLED]
_AFTER = "SELECT i, b, s, l, r, d, n, h, day, at, c, v, k, x, moment, clock, tag FROM t"


def failed(answer: str) -> int:
    """Rows on which an UPDATE or DELETE failed."""
    return sum(int(rows) for rows in re.findall(r" failed \w{5} (\d+)", answer))


def listed(statement: str, ours: str, postgres: str) -> str | None:
    """Returns the name on the list of what an UPDATE or DELETE says here, if it is there; there the table stands behind
    it.
    """
    if is_beyond(ours) or any(message.startswith(BEYOND) for message in messages(ours)):
        return "beyond what is here"
    if "22001" in ours.partition(":")[0] and MANY_BYTES.search(statement + postgres):
        return "lengths in bytes"
    known = code(ours)
    told = "applied 0( failed \\w{5} \\d+)*:" if known == "23502" else f"applied 0 failed {known} \\d+:"
    is_told_at_once = statement.startswith("UPDATE") and known is not None and re.match(told, postgres) is not None
    return "constants that a column cannot take" if is_told_at_once else None


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


def test_random_updates_change_what_they_change_in_postgres(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} updates")
    inexact = {each.name for each in inexact_functions()}
    exact, others = (
        [each for each in entries if each.name not in inexact] for entries in (functions(), catalogue(twins))
    )
    expressions = Expressions(choice, exact, others)
    tally = tally_of(twins, [update(choice, expressions) for _ in range(STATEMENTS // 8)])
    tally.check()
    assert tally.verdicts[Verdict.ALIKE] > STATEMENTS // 16
    assert tally.verdicts[Verdict.FAILED] > 0


def inexact_functions() -> list[Entry]:
    return [each for each in functions() + functions("names") if not each.is_exact]


def call_over_columns(entry: Entry) -> str:
    """A call that hangs on the row, so that it is not computed before the update has a number."""
    columns = {kind: columns[0] for kind, columns in COLUMNS.items() if columns}
    columns |= {"text": "v::text", "interval": "(at - at)"}
    arguments = [columns[kind] for kind in entry.arguments]
    if entry.is_operator:
        return f"({arguments[0]} {entry.name} {arguments[1]})"
    return f"{entry.name}({', '.join(arguments)})"


def test_updates_refuse_functions_that_differ_between_machines_by_name(twins: Twins) -> None:
    """An UPDATE or DELETE has to come to the same bits on each copy of a row."""
    inexact = inexact_functions()
    names = {each.name for each in inexact}
    assert {"sin", "exp", "ln", "power", "^", "dlog1"} <= names
    assert names.isdisjoint({"sqrt", "dsqrt", "+", "float8mul"})
    for entry in inexact:
        if entry.arguments:
            call = call_over_columns(entry)
            asked = [f"UPDATE t SET v = ({call})::text WHERE i = i", f"DELETE FROM t WHERE ({call}) IS NULL AND i = i"]
            for ours, _ in twins.answers(asked):
                assert re.match("error 0A000 .+ in UPDATE and DELETE", ours) is not None, f"{call}: {ours}"


def test_a_constant_beyond_its_column_is_added_to_each_row(twins: Twins) -> None:
    sums = ["day = day - (-2147483647 - 1)", "x = x + 4000000000", "x = x - 4000000000", "k = k - (-2147483647 - 1)"]
    sums += ["l = l - (-9223372036854775808)", "n = n + 100000000", "k = k - '-2147483648'", "k = k + '99999999999'"]
    tally = tally_of(twins, [same(f"UPDATE t SET {each} WHERE i = i") for each in sums])
    assert not tally.wrong, "\n".join(tally.wrong)
    assert tally.verdicts == {Verdict.FAILED: len(sums)}


def test_random_inserts_store_what_they_store_in_postgres(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} inserts")
    expressions = Expressions(choice, functions(), catalogue(twins))
    tally = Judge(twins, FILLED).tally([insert(choice, expressions) for _ in range(STATEMENTS // 4)])
    tally.check()
    assert tally.verdicts[Verdict.ALIKE] > STATEMENTS // 16
