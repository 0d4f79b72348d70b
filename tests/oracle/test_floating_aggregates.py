"""Sums, averages and variances of floating values against PostgreSQL 15: within 1e-9 of each, sums of reals, which
PostgreSQL adds in single precision, within what that loses. Two orders of the rows give the same digits here."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator

import pytest
from statement_twins import Twins, are_there, code, running_twins

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)

ROWS = 300
GROUPS = 4
RELATIVE = 1e-9
RELATIVE_OF_REALS = 1e-4
AGGREGATES = [
    f"{function}({column})"
    for column in ("d", "r")
    for function in ("sum", "avg", "var_pop", "variance", "stddev_pop", "stddev")
]
STATEMENT = (
    f"SELECT i AS x0, {', '.join(f'{aggregate} AS x{place}' for place, aggregate in enumerate(AGGREGATES, 1))} "
    "FROM t GROUP BY i"
)

KINDS: dict[str, Callable[[random.Random], float]] = {
    "decimals": lambda choice: choice.randint(1, 10**6) / 100,
    "signed": lambda choice: choice.uniform(-1000, 1500),
    "far from zero": lambda choice: 1e6 + choice.randint(0, 1000) / 8,
    "of many sizes": lambda choice: 10 ** choice.uniform(-6, 6),
    "large": lambda choice: choice.uniform(1, 9) * 1e30,
    "small": lambda choice: choice.uniform(1, 9) * 1e-30,
}
MISTAKES = [
    ("d", ["1e308", "1e308"]),
    ("d", ["1e200", "-1e200"]),
    ("d", ["'Infinity'", "1"]),
    ("d", ["'Infinity'", "'-Infinity'"]),
    ("d", ["'NaN'", "1"]),
    ("r", ["3e38", "3e38"]),
    ("d", ["-0.0::float8", "-0.0::float8"]),
]


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    with running_twins() as started:
        yield started


def groups_of(answer: str) -> dict[str, list[float]]:
    rows = re.findall(r"\(([^)]*)\)", answer.partition("|")[2])
    return {key: [float(value) for value in values] for key, *values in (row.split(",") for row in rows)}


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_near(twins: Twins, daedalus_seed: int, kind: str) -> None:
    choice = random.Random(f"{daedalus_seed} {kind}")
    rows = []
    for number in range(ROWS):
        value = KINDS[kind](choice)
        rows.append(f"INSERT INTO t (i, d, r) VALUES ({number % GROUPS}, {value!r}::float8, {value!r}::float4)")
    (ours, postgres) = twins.answers([*rows, STATEMENT])[-1]
    choice.shuffle(rows)
    assert twins.answers([*rows, STATEMENT])[-1][0] == ours
    answered, expected = groups_of(ours), groups_of(postgres)
    assert set(answered) == set(expected)
    assert len(expected) == GROUPS
    for key, values in expected.items():
        for aggregate, here, there in zip(AGGREGATES, answered[key], values, strict=True):
            relative = RELATIVE_OF_REALS if aggregate == "sum(r)" else RELATIVE
            assert math.isclose(here, there, rel_tol=relative), f"{aggregate} of group {key}: {here}, {there}"


@pytest.mark.parametrize(("column", "values"), MISTAKES)
def test_values_beyond_the_range_or_not_finite(twins: Twins, column: str, values: list[str]) -> None:
    rows = [f"INSERT INTO t (i, {column}) VALUES (1, {value})" for value in values]
    statements = [f"SELECT {function}({column}) FROM t" for function in ("sum", "var_pop", "stddev")]
    for statement, (ours, postgres) in zip(statements, twins.answers([*rows, *statements])[len(rows) :], strict=True):
        assert ours == postgres or code(ours) == code(postgres) is not None, f"{statement}: {ours}, {postgres}"
