"""Constants and conditions on columns mean what they mean to PostgreSQL 15: thousands of random ones."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from constants import STORED_STRINGS, TEXTS, cast_constant, insert, quoted, string_condition
from facts import ROOT
from interval_spellings import interval_constant, interval_spelling
from judge import answers_on, check, is_right, overflows_calendar
from rows import FILLED
from spellings import spelling, time_spelling
from statement_twins import Twins, are_there, code, shared_twins
from thickets import thicket

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))
VECTORS = ROOT / "rpc" / "vectors" / "datetimes.tsv"

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


@pytest.mark.parametrize("column", ["day", "at", "moment", "clock"])
def test_spellings_of_dates_and_times_are_read_as_postgres_reads_them(
    twins: Twins, daedalus_seed: int, column: str
) -> None:
    choice = random.Random(f"{daedalus_seed} {column}")
    spell = time_spelling if column == "clock" else spelling
    statements = [insert(column, quoted(spell(choice))) for _ in range(STATEMENTS)]
    answers = twins.answers(statements, column)
    # Which places have a time zone is not known here, so other mistakes come first, or the place is refused by name;
    # nor is it known which zones never change, whose names alone a time takes without a date.
    right = [
        is_right(ours, postgres)
        or (code(postgres) == "22023" and code(ours) is not None)
        or (code(postgres) == "22007" and "the name of a time zone is not supported" in ours)
        or (code(postgres) is None and overflows_calendar(ours))
        or (code(postgres) is not None and "does not say when its daylight saving time begins" in ours)
        for ours, postgres in answers
    ]
    check(statements, answers, right)
    assert sum(code(postgres) is None for _, postgres in answers) > STATEMENTS / 5


def test_spellings_of_intervals_are_read_as_postgres_reads_them(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} intervals")
    constants = [interval_constant(choice, quoted(interval_spelling(choice))) for _ in range(STATEMENTS)]
    statements = [f"SELECT {constant} AS e" for constant in constants]
    answers = twins.answers(statements)
    check(statements, answers, [ours == postgres or code(ours) == (code(postgres) or "") for ours, postgres in answers])
    assert sum(code(postgres) is None for _, postgres in answers) > STATEMENTS / 5


@pytest.mark.parametrize("column", TEXTS)
def test_texts_of_every_type(twins: Twins, daedalus_seed: int, column: str) -> None:
    choice = random.Random(f"{daedalus_seed} {column}")
    statements = [insert(column, quoted(TEXTS[column](choice))) for _ in range(STATEMENTS // 4)]
    answers = twins.answers(statements, column)
    check(statements, answers, [is_right(ours, postgres) for ours, postgres in answers])


@pytest.mark.parametrize("column", TEXTS)
def test_constants_are_cast_as_postgres_casts_them(twins: Twins, daedalus_seed: int, column: str) -> None:
    choice = random.Random(f"{daedalus_seed} {column} cast")
    statements = [insert(column, cast_constant(choice)) for _ in range(STATEMENTS // 4)]
    answers = twins.answers(statements, column)
    # PostgreSQL checks the types of a whole expression before it computes any of it, so another of several mistakes
    # may come first.
    right = [
        is_right(ours, postgres) or (code(ours) is not None and code(postgres) is not None)
        for ours, postgres in answers
    ]
    check(statements, answers, right)


def test_conditions_on_strings_select_what_they_select_in_postgres(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(daedalus_seed)
    pairs = [(c, v) for c in STORED_STRINGS for v in STORED_STRINGS]
    texts = [tuple("NULL" if text is None else quoted(text) for text in pair) for pair in pairs]
    rows = [f"INSERT INTO t (i, c, v) VALUES ({i}, {c}, {v})" for i, (c, v) in enumerate(texts)]
    conditions = [f"SELECT i FROM t WHERE {string_condition(choice)}" for _ in range(STATEMENTS)]
    answers = answers_on(twins, rows, conditions)
    check(conditions, answers, [is_right(ours, postgres) for ours, postgres in answers])


def test_vectors_are_what_postgres_answers(twins: Twins) -> None:
    lines = [line.split("\t") for line in Path(VECTORS).read_text().splitlines()]
    for type_name, column in (("date", "day"), ("timestamp", "at"), ("timestamptz", "moment"), ("time", "clock")):
        texts = {text: expected for name, text, expected in lines if name == type_name}
        statements = [insert(column, quoted(text)) for text in texts]
        answers = twins.answers(statements, column)
        right = [
            expected == (code(postgres) or postgres) or (expected == "0A000" and code(postgres) is None)
            for expected, (_, postgres) in zip(texts.values(), answers, strict=True)
        ]
        check(statements, answers, right)


def test_conditions_of_up_to_a_thousand_comparisons_are_answered_however_they_nest(
    twins: Twins, daedalus_seed: int
) -> None:
    choice = random.Random(f"{daedalus_seed} thickets")
    sizes = [1000, *(choice.randint(2, 1000) for _ in range(STATEMENTS // 40))]
    conditions = [f"SELECT i FROM t WHERE {thicket(choice, size)}" for size in sizes]
    answers = answers_on(twins, FILLED, conditions)
    check(conditions, answers, [ours == postgres and code(ours) is None for ours, postgres in answers])
