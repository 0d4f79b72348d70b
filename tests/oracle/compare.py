"""Says whether an answer is the expected one, and if not, where it differs first."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from daedalus_schema.types import INTEGER_KINDS, Kind
from facts import Value, is_floating, postgres_type
from mirror import Answer, Expected
from statements import Output, Select

_ORDER_OF_NOTHING = (0, "")


def read(output: Output, answered: Any) -> Value:
    """A value as the command line printed it; ValueError when it is no value of the output's type."""
    if answered is None:
        return None
    kind = output.kind
    if kind is Kind.BOOL:
        if answered in (True, "t", "true"):
            return True
        if answered in (False, "f", "false"):
            return False
        raise ValueError(f"{answered!r} is no boolean")
    if kind in INTEGER_KINDS:
        return int(answered)
    if is_floating(kind):
        value = float(answered)
        return float(struct.unpack("<f", struct.pack("<f", value))[0]) if kind is Kind.REAL else value
    if kind is Kind.NUMERIC:
        value_read = Decimal(str(answered))
        if output.scale is not None and output.measure.name != "EXACT_AVERAGE":
            scale = -int(value_read.as_tuple().exponent)
            if scale != output.scale:
                raise ValueError(f"{answered!r} has {scale} digits after the point, not {output.scale}")
        return value_read
    if kind is Kind.CHAR:
        text = str(answered)
        if output.length and len(text.encode()) != output.length:
            raise ValueError(f"{answered!r} is not padded to {output.length} bytes")
        return text.rstrip(" ")
    return _text(kind, str(answered))


def _text(kind: Kind, text: str) -> str:
    if kind is Kind.TIMESTAMPTZ:
        if not text.endswith("+00"):
            raise ValueError(f"{text!r} is not in UTC")
        return text.removesuffix("+00")
    return text.replace("T", " ") if kind is Kind.TIMESTAMP else text


def _key(value: Value) -> object:
    """A value that equals and hashes as itself, NaN and digits after the point included."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, Decimal):
        return str(value)
    return value


def _is_near(expected: Expected, answered: Value) -> bool:
    value = expected.value
    if not isinstance(value, float) or not isinstance(answered, float):
        return _key(value) == _key(answered)
    if not (math.isfinite(value) and math.isfinite(answered)):
        return _key(value) == _key(answered)
    return abs(value - answered) <= expected.tolerance


def differences(select: Select, answer: Answer, columns: list[dict[str, str]], rows: list[list[Any]]) -> str | None:
    """Returns what is wrong with the answered `rows`; None when nothing is."""
    wrong = _wrong_columns(select, columns)
    if wrong:
        return wrong
    try:
        read_rows = [[read(output, value) for output, value in zip(select.outputs, row, strict=True)] for row in rows]
    except ValueError as error:
        return f"malformed value: {error}"
    kept = answer.rows[select.offset :]
    kept = kept if select.limit is None else kept[: select.limit]
    count = len(kept)
    if len(read_rows) != count:
        return f"{len(read_rows)} rows instead of {count}"
    if select.limit is not None or select.offset:
        return _compare_in_order(kept, read_rows) if select.is_total else _compare_limited(answer, read_rows)
    if select.order_key_count:
        return _compare_runs(answer, read_rows)
    return _compare_sets(answer.rows, read_rows)


def _wrong_columns(select: Select, columns: list[dict[str, str]]) -> str | None:
    wanted = [(output.name, postgres_type(output.kind)) for output in select.outputs]
    got = [(column["name"], _type_name(column["type"])) for column in columns]
    return None if wanted == got else f"columns {got} instead of {wanted}"


def _type_name(spelling: str) -> str:
    """A type without length and precision; PostgreSQL's min(varchar) is text, its min(char(n)) bpchar."""
    name = spelling.split("(")[0]
    return {"text": "character varying", "bpchar": "character"}.get(name, name)


def _compare_limited(answer: Answer, rows: list[list[Value]]) -> str | None:
    # Which rows a limit keeps is open; that they are rows of the answer is not.
    if any(expected.tolerance for row in answer.rows for expected in row):
        return None
    available = Counter(_row_key([expected.value for expected in row]) for row in answer.rows)
    surplus = Counter(map(_row_key, rows)) - available
    return f"rows that do not belong to the answer: {list(surplus)[:3]}" if surplus else None


def _row_key(row: Sequence[Value]) -> tuple[object, ...]:
    return tuple(map(_key, row))


def _compare_in_order(expected: list[list[Expected]], rows: list[list[Value]]) -> str | None:
    for number, (wanted, got) in enumerate(zip(expected, rows, strict=True)):
        if not all(_is_near(value, answered) for value, answered in zip(wanted, got, strict=True)):
            return f"row {number} is {got} instead of {[value.value for value in wanted]}"
    return None


def _compare_runs(answer: Answer, rows: list[list[Value]]) -> str | None:
    """Rows with equal order keys may come in any order among themselves."""
    first = 0
    for last in range(1, len(rows) + 1):
        if last == len(rows) or answer.keys[last] != answer.keys[first]:
            wrong = _compare_sets(answer.rows[first:last], rows[first:last])
            if wrong:
                return f"rows {first} to {last - 1}: {wrong}"
            first = last
    return None


def _compare_sets(expected: list[list[Expected]], rows: list[list[Value]]) -> str | None:
    if any(value.tolerance for row in expected for value in row):
        # Groups are told apart by their exact values, which every such query has among its outputs.
        exact = [all(not row[i].tolerance for row in expected) for i in range(len(expected[0]))]
        ordered = sorted(expected, key=lambda row: _sort_key([value.value for value in row], exact))
        return _compare_in_order(ordered, sorted(rows, key=lambda row: _sort_key(row, exact)))
    wanted = Counter(_row_key([value.value for value in row]) for row in expected)
    got = Counter(map(_row_key, rows))
    if wanted == got:
        return None
    return f"missing {list((wanted - got).elements())[:3]}, unexpected {list((got - wanted).elements())[:3]}"


def _sort_key(row: Sequence[Value], exact: list[bool]) -> list[tuple[int, str]]:
    pairs = zip(row, exact, strict=True)
    return [_ORDER_OF_NOTHING if value is None else (1, repr(_key(value))) for value, is_exact in pairs if is_exact]
