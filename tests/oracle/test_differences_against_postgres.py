"""The tests show what differs from PostgreSQL 15 on purpose: the list that the judge knows, each with its statements.

docs/functions.md and docs/postgres.md ("Where answers differ") say the same in words.
"""

from __future__ import annotations

import pytest
from asked import Asked, ordered, same
from judge import Judge, Verdict, answers_on
from rows import FILLED
from statement_twins import Twins, are_there, code, shared_twins
from test_writes_against_postgres import tally_of

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


def limited(statement: str, bounds: str) -> Asked:
    return Asked(statement + bounds, statement + bounds, (), same(statement))


LISTED = {
    "beyond what is here": [
        same("SELECT d::numeric AS e FROM t WHERE i IN (1, 3, 4)"),
        same("SELECT length(repeat(v, 4000)) AS e FROM t WHERE i = 1"),
        same("SELECT make_interval(k, 2147483647) AS e FROM t"),
    ],
    "sums of intervals on their way": [
        same(
            "SELECT sum(CASE i WHEN 3 THEN -1 ELSE 1 END * INTERVAL '100000000 years') AS e FROM t WHERE i IN (1, 2, 3)"
        )
    ],
    "spreads of floating values": [
        same("SELECT round(stddev_pop(1e200::float8)::numeric, 3) AS e FROM t"),
        same("SELECT round(variance(sqrt(1e200::float8))::numeric, 3) AS e FROM t"),
    ],
    "mistakes of several rows": [same("SELECT sqrt(s) AS e, sum(DISTINCT 1 / (s - 1)) AS f FROM t GROUP BY sqrt(s)")],
    "mistakes of outputs and of keys": [
        ordered(
            "SELECT i, 1 / (i - 1) + i + i + i + i + i + i + i + i + i + i AS e FROM t WHERE i = 1 ORDER BY sqrt(-i)",
            [],
            ["1 / (i - 1)", "sqrt(-i)"],
            " LIMIT 1",
        )
    ],
    "conditions that are never true": [
        Asked(
            "SELECT i FROM t WHERE 1 / (s - 1) = 0 AND (1, i / s) < (NULL, 2)",
            "SELECT i FROM t\x01",
            ("1 / (s - 1) = 0", "(1, i / s) < (NULL, 2)"),
        )
    ],
    "regular expressions that no row meets": [
        same("SELECT i FROM t WHERE b IS NULL AND i > 1000 AND v ~ '('"),
        same("SELECT i FROM t WHERE 1 / (i - 1) = 1 AND v ~ '('"),
    ],
    "constants behind a pair that decides": [
        same("SELECT i FROM t WHERE (i, 1, 1 / 0) <= (i, 0, 1)"),
        same("SELECT i FROM t WHERE (1 / (i - 1), 1, ascii(similar_escape('(', 'ab'))) <= (i, 0, 1)"),
    ],
    "rows behind a LIMIT": [limited("SELECT i, 1 / (s - 1) AS e FROM t ORDER BY i", " LIMIT 0")],
}


@pytest.mark.parametrize("name", LISTED)
def test_every_statement_on_the_list(twins: Twins, name: str) -> None:
    tally = Judge(twins, FILLED).tally(LISTED[name])
    assert not tally.wrong, "\n".join(tally.wrong)
    assert tally.differences == {name: len(LISTED[name])}


WRITTEN = {
    "constants that a column cannot take": [
        "UPDATE t SET k = NULL WHERE i = i AND false",
        "UPDATE t SET x = extract('epoch' FROM to_date('2200-01-01', 'YYYY-MM-DD')) WHERE i = i",
    ],
    "lengths in bytes": ["UPDATE t SET c = 'éééé' WHERE i = i"],
    "beyond what is here": ["UPDATE t SET day = make_date(-1, k, 1) WHERE i = i"],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_write_on_the_list(twins: Twins, name: str) -> None:
    tally = tally_of(twins, [same(statement) for statement in WRITTEN[name]])
    assert not tally.wrong, "\n".join(tally.wrong)
    assert tally.differences == {name: len(WRITTEN[name])}


def test_a_row_of_constants_is_tested_for_null_before_any_row_is_looked_at(twins: Twins) -> None:
    statement = "SELECT CASE WHEN (k / k, 'x') IS NULL THEN 1 ELSE 2 END AS e FROM t"
    ((ours, postgres),) = answers_on(twins, FILLED, [statement])
    assert ours == postgres
    statement = "SELECT CASE WHEN (1, 'x') IS NULL THEN 1 / 0 ELSE 2 END AS e FROM t"
    ((ours, postgres),) = answers_on(twins, FILLED, [statement])
    assert (code(ours), code(postgres)) == (None, "22012")


def test_an_order_of_rows_of_constants_is_computed_before_any_row_is_looked_at(twins: Twins) -> None:
    statement = "SELECT CASE WHEN (1, 'x') < (0, 'y') THEN i END + 1 / (s - 1) AS e FROM t"
    ((ours, postgres),) = answers_on(twins, FILLED, [statement])
    assert (code(ours), code(postgres)) == (None, "22012")


def test_comparisons_of_bytes_have_postgres_sign(twins: Twins) -> None:
    texts = ["''", "'ab'", "'ab '", "'x y'", "'Straße'", "'abcdefghijklmnop'"]
    calls = [f"{name}({one}, {other})" for name in ("bttextcmp", "bpcharcmp") for one in texts for other in texts]
    uuids = ["'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'ffffffff-0000-0000-0000-000000000000'::uuid"]
    calls += [f"uuid_cmp({one}, {other})" for one in uuids for other in uuids]
    for ours, postgres in answers_on(twins, [], [f"SELECT sign({call})::integer AS e" for call in calls]):
        assert ours == postgres
        assert code(ours) is None


def test_the_judge_takes_no_other_mistake(twins: Twins) -> None:
    """One mistake for another, an error for an answer, and the reverse."""
    asked = [
        Asked("SELECT 1 / (i - 1) AS e FROM t", "SELECT sqrt(-1 - abs(s)) AS e FROM t"),
        Asked("SELECT 1 / (i - 1) AS e FROM t", "SELECT 1 / 2 AS e FROM t"),
        Asked("SELECT 1 AS e FROM t", "SELECT 1 / (i - 1) AS e FROM t"),
        limited("SELECT i FROM t", " LIMIT 1 / 0"),
    ]
    tally = Judge(twins, FILLED).tally(asked)
    assert tally.verdicts == {Verdict.WRONG: 3, Verdict.FAILED: 1}


def test_a_conjunct_that_cannot_fail_is_asked_first(twins: Twins) -> None:
    """Here always, there only as the judge asks it."""
    statement = Asked(
        "SELECT i FROM t WHERE 1 / (s - 1) = 0 AND s <> 1", "SELECT i FROM t\x01", ("1 / (s - 1) = 0", "s <> 1")
    )
    ((ours, postgres),) = answers_on(twins, FILLED, [statement])
    assert ours == postgres
    assert code(ours) is None
