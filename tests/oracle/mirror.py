"""DuckDB's side: the same rows, and the answers PostgreSQL would give."""

from __future__ import annotations

import datetime
import math
import struct
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext

import duckdb
from daedalus_schema.types import Kind
from facts import Value, duck_type, schema
from literals import stored_duck
from statements import Measure, Output, Select, Write

# numeric.c: quotients have at least so many significant digits, counted in groups of four.
_SIGNIFICANT_DIGITS_MIN = 16
_GROUP_DIGITS = 4
REAL_SPACING = 2.0**-23
DOUBLE_SPACING = 2.0**-52
# A floating sum leaves out so much of each value, as a share of the largest one (semantics, floating_sum.hpp).
LEFT_OUT = 2.0**-78


@dataclass(frozen=True, slots=True)
class Expected:
    """One expected value; `tolerance` is absolute, 0 for what must be equal."""

    value: Value
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Expected rows, each with its order keys, in DuckDB's order."""

    rows: list[list[Expected]]
    keys: list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Expected rows of an update: met by its condition, changed, and left alone because they would overflow."""

    matched: int
    applied: int
    refused: int


class Mirror:
    """An in-memory DuckDB database with the twin of one table."""

    def __init__(self, table: str, *, adds_reals_as_reals: bool = False) -> None:
        """`adds_reals_as_reals`: sum(real) is added in single precision, as in PostgreSQL."""
        self.table = table
        self._is_postgres = adds_reals_as_reals
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET threads = 1")
        columns = ", ".join(f"{column.name} {duck_type(column.type)}" for column in schema(table).columns)
        self._connection.execute(f"CREATE TABLE {table} ({columns})")

    def insert(self, rows: list[list[Value]]) -> None:
        """Adds rows as they are stored."""
        columns = schema(self.table).columns
        for first in range(0, len(rows), 500):
            texts = [
                f"({', '.join(stored_duck(column.type, value) for column, value in zip(columns, row, strict=True))})"
                for row in rows[first : first + 500]
            ]
            self._connection.execute(f"INSERT INTO {self.table} VALUES {', '.join(texts)}")

    def row_count(self) -> int:
        return self._count(f"SELECT count(*) FROM {self.table}")

    def _count(self, query: str) -> int:
        row = self._connection.execute(query).fetchone()
        assert row is not None
        return int(row[0])

    def apply(self, write: Write) -> Outcome:
        """Runs a write; the outcome that a cluster must report."""
        if write.matched is None:
            self._connection.execute(write.duck)
            return Outcome(write.row_count, write.row_count, 0)
        matched = self._count(write.matched)
        refused = self._count(write.refused) if write.refused else 0
        self._connection.execute(write.duck)
        return Outcome(matched, matched - refused, refused)

    def expected(self, write: Write) -> Outcome:
        """Returns what apply() would report, without applying."""
        if write.matched is None:
            return Outcome(write.row_count, write.row_count, 0)
        matched = self._count(write.matched)
        refused = self._count(write.refused) if write.refused else 0
        return Outcome(matched, matched - refused, refused)

    def answer(self, select: Select) -> Answer:
        """The rows PostgreSQL would answer with, were there no LIMIT and no OFFSET."""
        fetched = self._connection.execute(select.duck).fetchall()
        width = len(select.outputs)
        rows = [[self._finish(output, row[i]) for i, output in enumerate(select.outputs)] for row in fetched]
        return Answer(rows, [tuple(map(_canonical, row[width:])) for row in fetched])

    def _finish(self, output: Output, fetched: object) -> Expected:
        """PostgreSQL's value of an output from what DuckDB returned."""
        if output.measure is Measure.VALUE:
            return Expected(_plain(output, fetched))
        values = fetched if isinstance(fetched, list) else []
        if not values:
            return Expected(None)
        if output.measure in {Measure.FLOAT_SUM, Measure.FLOAT_AVERAGE}:
            return self._float_aggregate(output, values)
        with localcontext() as context:
            context.prec = 1000
            total = sum((Decimal(value) for value in values), Decimal(0))
            if output.measure is Measure.EXACT_AVERAGE:
                return Expected(average(total.quantize(Decimal(1).scaleb(-(output.scale or 0))), len(values)))
            if output.kind is Kind.BIGINT:
                return Expected(int(total))
            return Expected(total.quantize(Decimal(1).scaleb(-(output.scale or 0))))

    def _float_aggregate(self, output: Output, values: list[float]) -> Expected:
        """A sum or average of floats: the exact one rounded, within one in the last place for what is left out.
        PostgreSQL, which rounds row by row: within 1e-9 of what was added, and of reals what they have."""
        special = [value for value in values if not math.isfinite(value)]
        if special:
            return Expected(sum(special))
        result = math.fsum(values)
        count = len(values) if output.measure is Measure.FLOAT_AVERAGE else 1
        is_real = output.measure is Measure.FLOAT_SUM and output.kind is Kind.REAL
        spacing = REAL_SPACING if is_real else DOUBLE_SPACING
        tolerance = len(values) * LEFT_OUT * max(map(abs, values)) + abs(result) * spacing
        if self._is_postgres:
            tolerance = math.fsum(map(abs, values)) * (1e-9 + (100 * REAL_SPACING if is_real else 0))
        if is_real:
            result = struct.unpack("<f", struct.pack("<f", result))[0]
        return Expected(result / count, tolerance / count)


def _canonical(value: object) -> object:
    """A value that equals itself: order keys are compared for ties."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value


def _plain(output: Output, fetched: object) -> Value:
    if fetched is None or isinstance(fetched, bool | int | float | str):
        return fetched
    if isinstance(fetched, Decimal):
        return fetched
    if isinstance(fetched, datetime.datetime):
        text = f"{fetched.year:04}" + fetched.strftime("-%m-%d %H:%M:%S.%f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    assert isinstance(fetched, datetime.date), (output, fetched)
    return fetched.isoformat()


def average(total: Decimal, count: int) -> Decimal:
    """total / count with the scale that PostgreSQL's division chooses (numeric.c, select_div_scale)."""
    scale = max(-int(total.as_tuple().exponent), 0)
    weight, first = _leading_group(total)
    count_weight, count_first = _leading_group(Decimal(count))
    quotient_weight = weight - count_weight - (1 if first <= count_first else 0)
    digits = max(_SIGNIFICANT_DIGITS_MIN - quotient_weight * _GROUP_DIGITS, scale, 0)
    with localcontext() as context:
        context.prec = 1000
        return (total / count).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def _leading_group(value: Decimal) -> tuple[int, int]:
    """Weight, in powers of 10,000, and value of the first group of four digits that is not zero; (0, 0) for zero."""
    if not value:
        return 0, 0
    weight = value.copy_abs().adjusted() // _GROUP_DIGITS
    with localcontext() as context:
        context.prec = 1000
        return weight, int(value.copy_abs().scaleb(-_GROUP_DIGITS * weight))
