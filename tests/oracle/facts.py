"""The tables under test, as the schema compiler sees them."""

from __future__ import annotations

import functools
from decimal import Decimal
from pathlib import Path

from daedalus_schema.compile import compile_source
from daedalus_schema.schema import Column, Schema
from daedalus_schema.source import Source
from daedalus_schema.types import FLOATING_KINDS, INTEGER_KINDS, Kind, Type

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"

Value = None | bool | int | float | Decimal | str
"""One value: dates and timestamps as PostgreSQL prints them, a timestamptz without its +00, numerics as Decimal,
char(n) without trailing blanks."""

_BITS = {Kind.SMALLINT: 16, Kind.INT: 32, Kind.BIGINT: 64}

_DUCK_TYPES = {
    Kind.BOOL: "BOOLEAN",
    Kind.SMALLINT: "SMALLINT",
    Kind.INT: "INTEGER",
    Kind.BIGINT: "BIGINT",
    Kind.REAL: "FLOAT",
    Kind.DOUBLE: "DOUBLE",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.TIMESTAMPTZ: "TIMESTAMP",  # In UTC, on both sides.
    Kind.TIME: "VARCHAR",  # As PostgreSQL prints them, they are in order; DuckDB has none at 24:00:00 for Python.
    Kind.UUID: "VARCHAR",
    Kind.CHAR: "VARCHAR",
    Kind.VARCHAR: "VARCHAR",
}

_POSTGRES_TYPES = {
    Kind.BOOL: "boolean",
    Kind.SMALLINT: "smallint",
    Kind.INT: "integer",
    Kind.BIGINT: "bigint",
    Kind.REAL: "real",
    Kind.DOUBLE: "double precision",
    Kind.NUMERIC: "numeric",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp without time zone",
    Kind.TIMESTAMPTZ: "timestamp with time zone",
    Kind.TIME: "time without time zone",
    Kind.UUID: "uuid",
    Kind.CHAR: "character",
    Kind.VARCHAR: "character varying",
}


@functools.cache
def schema(table: str) -> Schema:
    path = SCHEMAS / f"{table}.sql"
    compiled = compile_source(Source(str(path), path.read_text()))
    assert isinstance(compiled, Schema), compiled
    return compiled


def column(table: str, name: str) -> Column:
    return next(each for each in schema(table).columns if each.name == name)


def duck_type(column_type: Type) -> str:
    """The type that DuckDB's twin of a column has."""
    if column_type.kind is Kind.NUMERIC:
        return f"DECIMAL({column_type.precision},{column_type.scale})"
    return _DUCK_TYPES[column_type.kind]


def postgres_type(kind: Kind) -> str:
    """PostgreSQL's name of a type, without length and precision."""
    return _POSTGRES_TYPES[kind]


def integer_bounds(kind: Kind) -> tuple[int, int]:
    return -(1 << (_BITS[kind] - 1)), (1 << (_BITS[kind] - 1)) - 1


def bounds(column_type: Type) -> tuple[Decimal, Decimal] | None:
    """Least and greatest value of an integer or numeric column; None for other types."""
    if column_type.kind in INTEGER_KINDS:
        low, high = integer_bounds(column_type.kind)
        return Decimal(low), Decimal(high)
    if column_type.kind is Kind.NUMERIC:
        greatest = Decimal((0, (9,) * column_type.precision, -column_type.scale))
        return greatest.copy_negate(), greatest
    return None


def is_floating(kind: Kind) -> bool:
    return kind in FLOATING_KINDS
