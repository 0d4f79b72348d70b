"""Templates write and read what PostgreSQL 15 does: to_char, to_number, to_date and to_timestamp."""

from __future__ import annotations

import os
import random

import pytest
from constants import quoted, words
from expressions import PATTERNS, template
from judge import answers_on, check, count_answered, is_beyond
from statement_twins import Twins, are_there, code, shared_twins
from templates import date_and_template, number_template, number_text

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


MOMENTS = (
    "0001-01-01 00:00:00",
    "1999-01-03 12:00:00.000001",
    "2000-02-29 23:59:59.999999",
    "2004-12-31 11:30:07.5",
    "2011-11-11 01:02:03",
    "2026-11-23 13:00:00.1",
)


def test_moments_are_written_as_templates_say(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} templates")
    each = [
        f"{before}{name}{behind}" for name in PATTERNS for before in ("", "FM", "TM") for behind in ("", "TH", "th")
    ]
    drawn = [template(choice) for _ in range(STATEMENTS)]
    statements = [
        f"SELECT to_char({kind} '{choice.choice(MOMENTS)}', {quoted(text)}) AS e"
        for kind in ("timestamp", "timestamptz", "date")
        for text in [*each, *[one.lower() for one in each], *drawn[:: 1 if kind == "timestamp" else 4]]
    ]
    answers = answers_on(twins, [], statements)
    check(statements, answers, [ours == postgres for ours, postgres in answers])


_NUMBERS = {
    "numeric": words("0 0.0 1 -1 1.5 -1.5 123.456 -0.005 0.1 99.995 12345678901.25 1000000 0.00012 3999 112 -485 0.5"),
    "integer": words("0 1 -1 12 123 -4567 2147483647 -2147483648 4000 3999 21 13"),
    "bigint": words("0 1 -1 12 123 9223372036854775807 -9223372036854775808 -99999 3999 5000000000"),
    "real": words("0 1.5 -1.5 0.1 123456.78 1e10 -1e-5 3e38 NaN Infinity 0.999 1e-30 1234567"),
    "double precision": words("0 1.5 -1.5 0.1 1e20 -1e-5 1e200 NaN -Infinity 0.99999 -0 12345678901234.567 0.05"),
}


def test_numbers_are_written_and_read_as_templates_say(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} numbers")
    statements = []
    for _ in range(STATEMENTS):
        kind = choice.choice(list(_NUMBERS))
        value, template = choice.choice(_NUMBERS[kind]), quoted(number_template(choice))
        statements.append(f"SELECT to_char('{value}'::{kind}, {template}) AS e")
        statements.append(f"SELECT to_number({quoted(number_text(choice))}, {quoted(number_template(choice))}) AS e")
    answers = answers_on(twins, [], statements)
    check(statements, answers, [ours == postgres or code(ours) == (code(postgres) or "") for ours, postgres in answers])
    assert count_answered(answers) > len(statements) / 4


_SPANS = [
    "14 months 35 days 29:45:06.789123",
    "-14 months -35 days -29:45:06.789",
    "0",
    "3 years -5 mons 1 day -00:00:01",
]
_SPANS += [
    "-100 months",
    "100000000 hours",
    "120000 years",
    "-5000 months 400 days",
    "-1 mon",
    "2019 years 12 mons 30 days",
]


def test_intervals_are_written_as_templates_say(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} spans")
    each = [before + name + behind for name in PATTERNS for before in ("", "FM", "TM") for behind in ("", "TH", "th")]
    templates = [*each, *(one.lower() for one in each), *(template(choice) for _ in range(STATEMENTS // 2))]
    statements = [
        f"SELECT to_char(interval '{choice.choice(_SPANS)}', {quoted(text)}) AS e" for text in templates for _ in (1, 2)
    ]
    answers = answers_on(twins, [], statements)
    check(statements, answers, [ours == postgres or code(ours) == (code(postgres) or "") for ours, postgres in answers])


def is_before_our_years(ours: str, postgres: str) -> bool:
    """Returns whether PostgreSQL reads a year before Christ, or so far on that its own numbers go round."""
    return is_beyond(ours) and code(postgres) is None


def test_dates_are_read_as_templates_say(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} dates")
    statements = []
    for _ in range(STATEMENTS):
        text, template = (quoted(each) for each in date_and_template(choice))
        statements.append(f"SELECT {choice.choice(['to_date', 'to_timestamp'])}({text}, {template}) AS e")
    answers = answers_on(twins, [], statements)
    right = [
        ours == postgres or code(ours) == (code(postgres) or "") or is_before_our_years(ours, postgres)
        for ours, postgres in answers
    ]
    check(statements, answers, right)
    assert sum(ours == postgres for ours, postgres in answers) > len(statements) / 2
