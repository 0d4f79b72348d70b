"""Sessions whose time zone is not UTC, against PostgreSQL 15 in a session of the same zone."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from catalogue import catalogue
from clock_questions import CONDITIONS, EXPRESSIONS, GROUPS, INSERTS, MOMENTS, ROWS, WRITES, ZONES
from constants import insert, quoted
from expressions import Expressions
from judge import Judge, Tally, answers_on, check, is_right, overflows_calendar
from queries import select
from rows import FILLED
from spellings import spelling
from statement_twins import Twins, are_there, code, functions, running_twins, without_messages

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    with running_twins() as started:
        yield started


@pytest.mark.parametrize("zone", ["UTC", *ZONES])
def test_questions_about_the_clocks_have_postgres_answers(twins: Twins, zone: str) -> None:
    twins.zone = zone
    questions = [f"SELECT i, {expression} AS e FROM t" for expression in EXPRESSIONS]
    questions += [f"SELECT i FROM t WHERE {condition}" for condition in CONDITIONS]
    statements = [*questions, *GROUPS, *INSERTS]
    answers = answers_on(twins, ROWS, statements)
    check(statements, answers, [ours == postgres and code(ours) is None for ours, postgres in answers])


@pytest.mark.parametrize("zone", ["UTC", *ZONES])
def test_writes_by_the_clocks_store_what_postgres_stores(twins: Twins, zone: str) -> None:
    twins.zone = zone
    after = "SELECT i, moment, at, day, clock, v FROM t"
    statements = [each for write in WRITES for each in ("DELETE FROM t", *ROWS, write, after)]
    answers = [(without_messages(ours), postgres) for ours, postgres in twins.answers(statements)]
    right = [
        ours == postgres or (ours.startswith("error") and code(ours) == code(postgres)) for ours, postgres in answers
    ]
    check(statements, answers, right)


def test_spellings_in_other_zones_are_read_as_postgres_reads_them(twins: Twins, daedalus_seed: int) -> None:
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


def test_random_expressions_in_other_zones_have_postgres_answers(twins: Twins, daedalus_seed: int) -> None:
    """Half of the rows are near to where clocks are put forward or back."""
    choice = random.Random(f"{daedalus_seed} statements in zones")
    expressions = Expressions(choice, functions(), catalogue(twins))
    near = [f"INSERT INTO t (i, moment, at) VALUES ({100 + n}, '{t}', '{t}')" for n, t in enumerate(MOMENTS[:10])]
    judge, tally = Judge(twins, [*FILLED, *near]), Tally()
    for zone in ZONES:
        twins.zone = zone
        tally.take(judge.tally([select(choice, expressions) for _ in range(STATEMENTS // 20)]))
    tally.check()
    assert tally.answered > STATEMENTS // 20 * len(ZONES) / 4
