"""Sessions whose time zone is not UTC, against PostgreSQL 15 in a session of the same zone."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from clock_questions import CONDITIONS, EXPRESSIONS, GROUPS, INSERTS, MOMENTS, ROWS, WRITES, ZONES
from constants import quoted
from expressions import Expressions, select
from spellings import spelling
from statement_twins import Twins, are_there, code, functions, running_twins
from test_statements_against_postgres import (
    INTO,
    SPREAD,
    STATEMENTS,
    answers_on,
    check,
    has_answer_or_limit,
    insert,
    is_computed_in_vain,
    is_right,
    overflows_calendar,
)
from test_statements_against_postgres import ROWS as OTHER_ROWS

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    with running_twins() as started:
        yield started


@pytest.mark.parametrize("zone", ["UTC", *ZONES])
def test_what_hangs_on_the_clocks(twins: Twins, zone: str) -> None:
    twins.zone = zone
    questions = [f"SELECT i, {expression} AS e FROM t" for expression in EXPRESSIONS]
    questions += [f"SELECT i FROM t WHERE {condition}" for condition in CONDITIONS]
    statements = [*questions, *GROUPS, *INSERTS]
    answers = answers_on(twins, ROWS, statements)
    check(statements, answers, [ours == postgres and code(ours) is None for ours, postgres in answers])


@pytest.mark.parametrize("zone", ["UTC", *ZONES])
def test_what_is_written_by_the_clocks(twins: Twins, zone: str) -> None:
    twins.zone = zone
    after = "SELECT i, moment, at, day, clock, v FROM t"
    statements = [each for write in WRITES for each in ("DELETE FROM t", *ROWS, write, after)]
    answers = twins.answers(statements)
    right = [
        ours == postgres or (ours.startswith("error") and code(ours) == code(postgres)) for ours, postgres in answers
    ]
    check(statements, answers, right)


def test_spellings_in_other_zones(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} spellings in zones")
    for zone in ZONES:
        twins.zone = zone
        statements = [insert("moment", quoted(spelling(choice))) for _ in range(STATEMENTS // 10)]
        answers = twins.answers(statements, "moment")
        right = [
            is_right(ours, postgres)
            or (code(postgres) == "22023" and code(ours) is not None)
            or (code(postgres) is None and overflows_calendar(ours))
            or (code(postgres) is not None and "does not say when its daylight saving time begins" in ours)
            for ours, postgres in answers
        ]
        check(statements, answers, right)


def test_random_expressions_in_other_zones(twins: Twins, daedalus_seed: int) -> None:
    """Of rows of which half are near to where clocks are put forward or back."""
    choice = random.Random(f"{daedalus_seed} expressions in zones")
    expressions = Expressions(choice, functions())
    near = [f"INSERT INTO t (i, moment, at) VALUES ({100 + n}, '{t}', '{t}')" for n, t in enumerate(MOMENTS[:10])]
    rows = [f"{INTO} VALUES {row}" for row in OTHER_ROWS] + near
    answered = 0
    for zone in ZONES:
        twins.zone = zone
        statements = [select(choice, expressions) for _ in range(STATEMENTS // 20)]
        answers = answers_on(twins, rows, statements)
        right = [
            has_answer_or_limit(ours, postgres)
            or SPREAD.search(statement) is not None  # Of which no zone has a part.
            or is_computed_in_vain(ours, postgres)
            for statement, (ours, postgres) in zip(statements, answers, strict=True)
        ]
        check(statements, answers, right)
        answered += sum(ours == postgres and code(ours) is None for ours, postgres in answers)
    assert answered > STATEMENTS // 20 * len(ZONES) / 4
