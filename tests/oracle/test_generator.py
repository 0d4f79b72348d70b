"""The oracle's own parts: the generator, DuckDB's side, and the comparison that must find what is wrong."""

from __future__ import annotations

import dataclasses
import random
from decimal import Decimal
from typing import Any

import pytest
from compare import differences
from daedalus_schema.types import Kind
from facts import column, schema
from generator import Generator, Table, default_value, rounded
from mirror import Answer, Expected, Mirror, average
from predicates import CLAUSES_MAX, LEAVES_MAX, predicate
from run import every_type_table, flights_rows, flights_table_of
from statements import Measure, Output, Refused, Select, Statement, Write
from values import present

STATEMENTS = 400


def tables() -> list[Table]:
    return [every_type_table(), flights_table_of(flights_rows(300))]


def stream(table: Table, seed: int) -> list[Statement]:
    generator = Generator(table, seed)
    return [generator.statement(wants_rows=False) for _ in range(STATEMENTS)]


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
def test_a_seed_gives_the_same_statements(table: Table, daedalus_seed: int) -> None:
    assert stream(table, daedalus_seed) == stream(table, daedalus_seed)
    assert stream(table, daedalus_seed) != stream(table, daedalus_seed + 1)


@pytest.mark.parametrize("table", tables(), ids=lambda table: table.name)
def test_duckdb_takes_every_statement(table: Table, daedalus_seed: int) -> None:
    mirror = Mirror(table.name)
    mirror.insert(table.base_rows)
    for statement in stream(table, daedalus_seed):
        if isinstance(statement, Select):
            mirror.answer(statement)
        elif isinstance(statement, Write):
            outcome = mirror.apply(statement)
            assert outcome.matched == outcome.applied + outcome.refused


def test_every_construct_occurs() -> None:
    texts = [statement.postgres for table in tables() for statement in stream(table, 1)]
    wanted = [" = ", " <> ", " < ", " <= ", " > ", " >= ", " BETWEEN ", " NOT BETWEEN ", " IN (", " NOT IN (", " LIKE "]
    wanted += [" NOT LIKE ", " IS NULL", " IS NOT NULL", " AND ", " OR ", "NOT (", "count(*)", "count(", "sum(", "min("]
    wanted += [
        "max(",
        "avg(",
        "GROUP BY",
        "ORDER BY",
        " DESC",
        "NULLS FIRST",
        "NULLS LAST",
        "LIMIT",
        "OFFSET",
        " AS out_",
    ]
    wanted += ["INSERT INTO", "UPDATE", "DELETE FROM", "DEFAULT", " + ", " - ", "= NULL", "), (", "SELECT *", "'NaN'"]
    assert [part for part in wanted if not any(part in text for text in texts)] == []


def test_every_kind_of_mistake_occurs() -> None:
    refused = {each.sqlstate for table in tables() for each in stream(table, 2) if isinstance(each, Refused)}
    assert len(refused) >= 6


def test_predicates_stay_within_the_bounds(daedalus_seed: int) -> None:
    choice = random.Random(daedalus_seed)
    columns = list(schema("every_type").columns)
    for _ in range(500):
        drawn = predicate(choice, columns, lambda source, each: present(source, each.type))
        assert drawn.size.clauses <= CLAUSES_MAX
        assert drawn.size.leaves <= LEAVES_MAX


# PostgreSQL 15's own answers to SELECT sum / count.
AVERAGES = [
    ("10", 4, "2.5000000000000000"),
    ("10", 3, "3.3333333333333333"),
    ("0", 3, "0.00000000000000000000"),
    ("-2", 3, "-0.66666666666666666667"),
    ("1", 30000, "0.000033333333333333333333"),
    ("123456789012345678", 7, "17636684144620811"),
    ("9223372036854775807", 1, "9223372036854775807"),
    ("0.01", 3, "0.00333333333333333333"),
    ("5.00", 2, "2.5000000000000000"),
]


@pytest.mark.parametrize(("total", "count", "wanted"), AVERAGES)
def test_averages_have_postgres_scale(total: str, count: int, wanted: str) -> None:
    assert format(average(Decimal(total), count), "f") == wanted


def test_numerics_round_half_away_from_zero() -> None:
    assert [str(rounded(Decimal(text), 2)) for text in ("1.005", "-1.005", "1.0049", "2")] == [
        "1.01",
        "-1.01",
        "1.00",
        "2.00",
    ]


def test_defaults_are_read_from_the_schema() -> None:
    defaults = {each.name: default_value(each) for each in schema("every_type").columns if each.has_default}
    assert defaults == {
        "grp": "none",
        "b_default": True,
        "i4": -1,
        "f8": 0.5,
        "n18_0": 7,
        "d": "2013-01-01",
        "tod": "04:05:06",
        "tag": "00112233-4455-6677-8899-aabbccddeeff",
        "c5": "ab",
        "i4_required": 0,
        "c3_required": "",
    }
    assert default_value(column("every_type", "v20")) is None


OUTPUTS = [Output("i4", "i4", "i4", Kind.INT), Output("v20", "v20", "v20", Kind.VARCHAR)]
COLUMNS = [{"name": "i4", "type": "integer"}, {"name": "v20", "type": "character varying(20)"}]
QUERY = Select("", "", OUTPUTS)


def answer(rows: list[list[Any]], keys: list[tuple[object, ...]] | None = None) -> Answer:
    return Answer([[Expected(value) for value in row] for row in rows], keys or [()] * len(rows))


def test_rows_in_any_order_are_equal_without_order_by() -> None:
    expected = answer([[1, "a"], [2, None], [2, None]])
    assert differences(QUERY, expected, COLUMNS, [[2, None], [1, "a"], [2, None]]) is None


WRONG_ROWS: list[list[list[Any]]] = [
    [[1, "a"], [2, None]],
    [[1, "a"], [2, None], [2, ""]],
    [[1, "a"], [1, "a"], [2, None]],
    [[1, "a "], [2, None], [2, None]],
    [[1, "a"], [2, None], [2, None], [2, None]],
    [[1], [2, None], [2, None]],
    [["one", "a"], [2, None], [2, None]],
]


@pytest.mark.parametrize("rows", WRONG_ROWS)
def test_wrong_rows_are_found(rows: list[list[Any]]) -> None:
    assert differences(QUERY, answer([[1, "a"], [2, None], [2, None]]), COLUMNS, rows) is not None


def test_wrong_names_and_types_are_found() -> None:
    expected = answer([])
    assert differences(QUERY, expected, COLUMNS, []) is None
    assert differences(QUERY, expected, [COLUMNS[0], {"name": "v", "type": "character varying"}], []) is not None
    assert differences(QUERY, expected, [{"name": "i4", "type": "bigint"}, COLUMNS[1]], []) is not None


def test_ties_may_come_in_any_order_and_nothing_else_may() -> None:
    query = dataclasses.replace(QUERY, order_key_count=1)
    expected = answer([[1, "a"], [1, "b"], [2, "c"]], [(1,), (1,), (2,)])
    assert differences(query, expected, COLUMNS, [[1, "b"], [1, "a"], [2, "c"]]) is None
    assert differences(query, expected, COLUMNS, [[1, "a"], [2, "c"], [1, "b"]]) is not None


def test_a_limit_under_a_total_order_fixes_the_rows() -> None:
    query = dataclasses.replace(QUERY, order_key_count=2, limit=2, is_total=True)
    expected = answer([[1, "a"], [1, "b"], [1, "c"]])
    assert differences(query, expected, COLUMNS, [[1, "a"], [1, "b"]]) is None
    assert differences(query, expected, COLUMNS, [[1, "b"], [1, "a"]]) is not None


def test_a_limit_without_order_fixes_their_number() -> None:
    query = dataclasses.replace(QUERY, limit=2)
    expected = answer([[1, "a"], [1, "b"], [2, "c"]])
    assert differences(query, expected, COLUMNS, [[2, "c"], [1, "a"]]) is None
    assert differences(query, expected, COLUMNS, [[2, "c"]]) is not None
    assert differences(query, expected, COLUMNS, [[2, "c"], [2, "c"]]) is not None


def test_float_aggregates_have_a_tolerance_and_plain_floats_none() -> None:
    outputs = [Output("sum(f8)", "", "sum", Kind.DOUBLE, measure=Measure.FLOAT_SUM)]
    query, columns = Select("", "", outputs), [{"name": "sum", "type": "double precision"}]
    expected = Answer([[Expected(1.0, 1e-9)]], [()])
    assert differences(query, expected, columns, [["1.0000000005"]]) is None
    assert differences(query, expected, columns, [["1.000000002"]]) is not None
    plain = Select("", "", [dataclasses.replace(outputs[0], measure=Measure.VALUE)])
    assert differences(plain, Answer([[Expected(1.0)]], [()]), columns, [["1.0000000000000002"]]) is not None
    assert differences(plain, Answer([[Expected(float("nan"))]], [()]), columns, [["NaN"]]) is None


def test_digits_after_the_point_and_padding_count() -> None:
    outputs = [Output("n9_2", "", "n", Kind.NUMERIC, 2), Output("c5", "", "c", Kind.CHAR, length=5)]
    query = Select("", "", outputs)
    columns = [{"name": "n", "type": "numeric(9,2)"}, {"name": "c", "type": "character(5)"}]
    expected = answer([[Decimal("1.50"), "ab"]])
    assert differences(query, expected, columns, [["1.50", "ab   "]]) is None
    assert differences(query, expected, columns, [["1.5", "ab   "]]) is not None
    assert differences(query, expected, columns, [["1.50", "ab"]]) is not None
