"""Random statements against PostgreSQL 15, thousands of them: expressions in every clause, drawn as often from our own
table of functions as from PostgreSQL's catalogue. `judge` says what is to be thought of two answers."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest
from asked import same
from catalogue import catalogue
from expressions import Expressions
from facts import ROOT
from groups import ALIKE_KEYS, grouped, repeated_rows
from inner_queries import inner_query
from judge import Judge, answers_on, check
from met_mistakes import STATEMENTS as MET_MISTAKES
from numbers_of_rows import number_of_rows
from queries import select
from ranked import ranked
from rows import FILLED
from statement_twins import Twins, are_there, code, functions, shared_twins
from value_lists import STATEMENTS as VALUE_LISTS

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


def drawn(choice: random.Random, twins: Twins) -> Expressions:
    """Half of the calls are of PostgreSQL's own catalogue."""
    return Expressions(choice, functions(), catalogue(twins))


def test_each_function_is_answered_as_postgres_answers_it(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} each function")
    expressions = drawn(choice, twins)
    entries = functions() * max(STATEMENTS // 500, 1) + catalogue(twins) * max(STATEMENTS // 2000, 1)
    asked = [same(f"SELECT i, {expressions.call_of(each, 1)} AS e FROM t WHERE i IN (1, 2, 3, 4)") for each in entries]
    tally = Judge(twins, FILLED).tally(asked)
    tally.check()
    assert tally.answered > len(asked) / 2


def test_random_expressions_are_answered_as_postgres_answers_them(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} queries")
    expressions = drawn(choice, twins)
    tally = Judge(twins, FILLED).tally([select(choice, expressions) for _ in range(STATEMENTS // 2)])
    tally.check()
    assert tally.answered > STATEMENTS // 8


def test_parts_of_the_catalogue_that_are_not_here_are_refused_by_name(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} refused")
    here = {entry.name for entry in functions() + functions("names")}
    missing = [entry for entry in catalogue(twins) if entry.name not in here]
    assert missing
    expressions = Expressions(choice, functions())
    calls = {entry.name: expressions.call_of(entry, 1) for entry in missing}
    answers = answers_on(twins, [], [f"SELECT {call} AS e FROM t" for call in calls.values()])
    for name, (ours, _) in zip(calls, answers, strict=True):
        assert ours.startswith("error 0A000 function " + name), ours
    print(f"refused by name: {', '.join(calls)}")


def test_mistakes_are_met_where_postgres_meets_them(twins: Twins) -> None:
    answers = answers_on(twins, FILLED, MET_MISTAKES)
    check(MET_MISTAKES, answers, [ours == postgres for ours, postgres in answers])


def test_random_inner_queries_are_answered_as_postgres_answers_them(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} inner queries")
    expressions = drawn(choice, twins)
    filled = repeated_rows(choice, 20)
    tally = Judge(twins, filled).tally([inner_query(choice, expressions) for _ in range(STATEMENTS // 4)])
    tally.check()
    assert tally.answered > STATEMENTS // 8


def test_random_numbers_of_rows_are_answered_as_postgres_answers_them(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} numbers of rows")
    expressions = drawn(choice, twins)
    filled = repeated_rows(choice, 20)
    tally = Judge(twins, filled).tally([number_of_rows(choice, expressions) for _ in range(STATEMENTS // 4)])
    tally.check()
    assert tally.answered > STATEMENTS // 8


def test_random_groups_are_answered_as_postgres_answers_them(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} groups")
    expressions = drawn(choice, twins)
    filled = repeated_rows(choice, 40)
    tally = Judge(twins, filled).tally([grouped(choice, expressions) for _ in range(STATEMENTS // 2)])
    tally.check()
    assert tally.answered > STATEMENTS // 4


def test_keys_of_grouping_sets_are_told_apart_by_how_they_are_written(twins: Twins) -> None:
    answers = answers_on(twins, FILLED, ALIKE_KEYS)
    check(ALIKE_KEYS, answers, [ours == postgres and code(ours) is None for ours, postgres in answers])


def test_which_rows_come_first(twins: Twins, daedalus_seed: int) -> None:
    count = STATEMENTS // 4
    choice = random.Random(f"{daedalus_seed} ranked")
    filled = repeated_rows(choice, 60)
    statements = [ranked(choice) for _ in range(count)]
    answers = answers_on(twins, filled, statements)
    check(statements, answers, [ours == postgres or code(ours) == code(postgres) for ours, postgres in answers])
    assert sum(code(postgres) is None for _, postgres in answers) > count / 2


def test_rows_that_the_statement_brings(twins: Twins) -> None:
    answers = answers_on(twins, [], VALUE_LISTS)
    check(VALUE_LISTS, answers, [ours == postgres for ours, postgres in answers])


def test_the_page_of_functions_is_what_the_table_says() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "functions_page.py", "--check"], check=False)
    assert done.returncode == 0
