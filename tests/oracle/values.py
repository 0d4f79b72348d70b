"""Random values: small domains, so that predicates meet rows, and the edges of every type."""

from __future__ import annotations

import datetime
import random
import struct
import uuid
from collections.abc import Callable
from decimal import Decimal

from daedalus_schema.schema import Column
from daedalus_schema.types import INTEGER_KINDS, Kind, Type
from facts import Value, bounds, integer_bounds

NULL_SHARE = 0.3

_FLOAT_EDGES = [0.1, -0.1, 0.3, 3.3, 1e30, -1e30, 1e-30, -0.0, 0.0, float("nan"), float("inf"), float("-inf")]
_DOUBLE_EDGES = [*_FLOAT_EDGES, 1e100, -1e100, 1e-100, 1 / 3, 123456789.123456789]
_DATE_EDGES = ["0100-01-01", "1969-12-31", "1970-01-01", "2000-02-29", "9000-12-31"]
_TIMESTAMP_EDGES = [
    "0100-01-01 00:00:00",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2000-02-29 12:00:00.000001",
    "9000-12-31 23:59:59",
]
_TIME_EDGES = ["00:00:00", "23:59:59.999999", "24:00:00"]
_UUID_EDGES = [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "80000000-0000-0000-0000-000000000000",
    "7fffffff-ffff-ffff-ffff-ffffffffffff",
]
_SHORT_WORDS = ["", "a", "b", "ab", "abc", "abd", "Ab", "b c", "z"]
_WORDS = [
    *_SHORT_WORDS,
    "abcd",
    "a%b",
    "a_b",
    "a\\b",
    "it's",
    "é",
    "éa",
    "日本",
    "ab ",
    " ab",
    "z" * 20,
    "ABC",
    "%",
    "_",
]


def value(choice: random.Random, column: Column) -> Value:
    """A random value of a column; NULL, where it is allowed, in NULL_SHARE of all cases."""
    if column.nullable and choice.random() < NULL_SHARE:
        return None
    return present(choice, column.type)


def present(choice: random.Random, column_type: Type) -> Value:
    """A random value that is not NULL."""
    if column_type.kind in INTEGER_KINDS:
        return _integer(choice, column_type)
    return _MAKERS[column_type.kind](choice, column_type)


def _integer(choice: random.Random, column_type: Type) -> int:
    low, high = integer_bounds(column_type.kind)
    draw = choice.random()
    if draw < 0.65:
        return choice.randint(-5, 5)
    if draw < 0.8:
        return choice.choice([low, low + 1, high - 1, high, 100, -100])
    return choice.randint(low, high)


def _real(choice: random.Random, _: Type) -> float:
    drawn = choice.randint(-20, 20) / 4 if choice.random() < 0.8 else choice.choice(_FLOAT_EDGES)
    return as_real(drawn)


def as_real(drawn: float) -> float:
    """The nearest single-precision number, written with the fewest digits that read back as it."""
    single = struct.unpack("<f", struct.pack("<f", drawn))[0]
    for digits in range(6, 10):
        text = f"{single:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", single):
            return float(text)
    return float(single)


def _double(choice: random.Random, _: Type) -> float:
    return choice.randint(-20, 20) / 4 if choice.random() < 0.75 else choice.choice(_DOUBLE_EDGES)


def _numeric(choice: random.Random, column_type: Type) -> Decimal:
    limits = bounds(column_type)
    assert limits is not None
    draw = choice.random()
    if draw < 0.65:
        return Decimal(choice.randint(-300, 300)).scaleb(-column_type.scale)
    if draw < 0.8:
        return choice.choice([*limits, Decimal(0).scaleb(-column_type.scale)])
    unscaled = choice.randint(0, 10**column_type.precision - 1)
    return Decimal((choice.randint(0, 1), tuple(map(int, str(unscaled))), -column_type.scale))


def _date(choice: random.Random, _: Type) -> str:
    draw = choice.random()
    if draw < 0.15:
        return choice.choice(_DATE_EDGES)
    first, days = (datetime.date(2013, 1, 1), 10) if draw < 0.8 else (datetime.date(1900, 1, 1), 80_000)
    return (first + datetime.timedelta(days=choice.randint(0, days))).isoformat()


def _timestamp(choice: random.Random, column_type: Type) -> str:
    if choice.random() < 0.15:
        return choice.choice(_TIMESTAMP_EDGES)
    return f"{_date(choice, column_type)} {_time_within_day(choice)}"


def _time(choice: random.Random, _: Type) -> str:
    return choice.choice(_TIME_EDGES) if choice.random() < 0.15 else _time_within_day(choice)


def _time_within_day(choice: random.Random) -> str:
    time = f"{choice.randint(0, 23):02}:{choice.choice([0, 30]):02}:{choice.choice([0, 59]):02}"
    return time + choice.choice(["", "", "", ".5", ".000001", ".123456"])


def _uuid(choice: random.Random, _: Type) -> str:
    if choice.random() < 0.2:
        return choice.choice(_UUID_EDGES)
    low = choice.randint(0, 5) if choice.random() < 0.8 else choice.getrandbits(64)
    return str(uuid.UUID(int=choice.choice([0, 1, 1 << 62, 1 << 63]) << 64 | low))


def _char(choice: random.Random, column_type: Type) -> str:
    words = [word for word in _SHORT_WORDS if len(word) <= column_type.length]
    return choice.choice(words).rstrip(" ")


def _varchar(choice: random.Random, column_type: Type) -> str:
    if column_type.length > 1000 and choice.random() < 0.05:
        return choice.choice(["x" * column_type.length, "ab" + "y" * (column_type.length // 2)])
    return choice.choice([word for word in _WORDS if len(word.encode()) <= column_type.length])


_MAKERS: dict[Kind, Callable[[random.Random, Type], Value]] = {
    Kind.BOOL: lambda choice, _: choice.random() < 0.5,
    Kind.REAL: _real,
    Kind.DOUBLE: _double,
    Kind.NUMERIC: _numeric,
    Kind.DATE: _date,
    Kind.TIMESTAMP: _timestamp,
    Kind.TIMESTAMPTZ: _timestamp,
    Kind.TIME: _time,
    Kind.UUID: _uuid,
    Kind.CHAR: _char,
    Kind.VARCHAR: _varchar,
}
