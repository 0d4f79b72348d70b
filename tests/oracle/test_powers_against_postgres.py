"""Logarithms and powers of numerics: PostgreSQL 15's digits, each of them, for numbers of every size."""

from __future__ import annotations

import os
import random

import pytest
from statement_twins import are_there, code, running_twins

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000")) // 2

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)

EDGES = [
    "0",
    "1",
    "1.0",
    "0.9",
    "1.1",
    "10",
    "100",
    "0.1",
    "0.01",
    "-1",
    "-2",
    "2",
    "0.5",
    "1.5",
    "1.000",
    "9999",
    "10000",
]
EDGES += [
    "0.9999999999",
    "1.00000000000000000001",
    "2147483647",
    "2147483648",
    "-2147483649",
    "3.0",
    "0.0000000000000001",
]


def number(choice: random.Random, digits_max: int) -> str:
    """A numeric of few digits or many, on either side of its point."""
    if choice.random() < 0.3:
        return choice.choice(EDGES)
    sign = "-" if choice.random() < 0.3 else ""
    before = choice.choice(["0", str(choice.randrange(10 ** choice.randint(1, digits_max)))])
    behind = "".join(choice.choice("0123456789") for _ in range(choice.randint(0, choice.choice([2, 5, 20]))))
    return f"{sign}{before}.{behind}" if behind else f"{sign}{before}"


def call(choice: random.Random) -> str:
    """One call that has an answer more often than not."""
    near = "1." + "0" * choice.randint(0, 12) + str(choice.randrange(1000))
    positive = choice.choice([number(choice, 30).removeprefix("-"), near])
    return choice.choice(
        [
            f"ln({number(choice, 30)}::numeric)",
            f"ln({positive}::numeric)",
            f"log({positive}::numeric)",
            f"log10({number(choice, 30)}::numeric)",
            f"log({positive}::numeric, {number(choice, 20).removeprefix('-')}::numeric)",
            f"exp({number(choice, 2)}::numeric)",
            f"exp({number(choice, 3)}::numeric)",
            f"power({positive}::numeric, {number(choice, 2)}::numeric)",
            f"power({number(choice, 3)}::numeric, {choice.randint(-30, 30)}::numeric)",
            f"({number(choice, 1)}::numeric ^ {choice.randint(-300, 300)}::numeric)",
            f"({near}::numeric ^ {number(choice, 8)}::numeric)",
            f"sqrt({number(choice, 30)}::numeric)",
        ]
    )


def test_powers_half_way_between_two_results_go_where_postgres_lets_them() -> None:
    """A digit far behind the last one decides; PostgreSQL does not compute all of them."""
    statements = [
        f"SELECT power(1.{'0' * zeros}{last}::numeric, {exponent}::numeric) AS e FROM t"
        for zeros in (14, 15, 16, 19, 24, 40)
        for last in (1, 3, 5, 25)
        for exponent in ("4.5", "-4.5", "0.5", "-0.5", "1.5", "2.05", "1000.5", "0.05")
    ]
    with running_twins() as twins:
        answers = twins.answers(["INSERT INTO t (i) VALUES (1)", *statements])[1:]
    wrong = [(statement, pair) for statement, pair in zip(statements, answers, strict=True) if len(set(pair)) > 1]
    assert not wrong, wrong


def test_powers_have_postgres_digits(daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} powers")
    statements = [f"SELECT {call(choice)} AS e FROM t" for _ in range(STATEMENTS)]
    with running_twins() as twins:
        answers = [
            answer
            for first in range(0, STATEMENTS, 1000)
            for answer in twins.answers(["INSERT INTO t (i) VALUES (1)", *statements[first : first + 1000]])[1:]
        ]
    # Here a computed numeric has at most 300 digits on either side of its point.
    wrong = [
        f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"
        for statement, (ours, postgres) in zip(statements, answers, strict=True)
        if ours != postgres
        and not ours.startswith("error 22003 value overflows numeric format")
        and (code(ours) is None or code(ours) != code(postgres))
    ]
    assert not wrong, f"{len(wrong)} of {len(statements)} differ:\n" + "\n".join(wrong[:20])
    assert sum(code(ours) is None for ours, _ in answers) > STATEMENTS / 2
