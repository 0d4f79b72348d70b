"""One comparison's constants, written for both sides.

PostgreSQL decides by the constant's form what is compared: `real = 0.1` compares as double precision, `real = '0.1'` as
real. DuckDB decides otherwise, so its side gets explicit casts, of the column too where PostgreSQL casts it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from decimal import Decimal

from daedalus_schema.types import FLOATING_KINDS, INTEGER_KINDS, Kind, Type
from facts import Value, duck_type, integer_bounds


@dataclass(frozen=True, slots=True)
class Literals:
    """Constants that a column is compared with; `duck_column` is what DuckDB compares them with."""

    postgres: list[str]
    duck: list[str]
    duck_column: str


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def number(value: int | Decimal) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return ("-" if value < 0 else "") + "Infinity" if math.isinf(value) else repr(value)


def stored_duck(column_type: Type, value: Value) -> str:
    """A value in a DuckDB statement, in the column's own type."""
    if value is None:
        return f"CAST(NULL AS {duck_type(column_type)})"
    return f"CAST({quoted(plain_text(value))} AS {duck_type(column_type)})"


def plain_text(value: Value) -> str:
    """The text that the column's input function reads back as `value`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, int | Decimal):
        return number(value)
    return str(value)


def stored_postgres(choice: random.Random, column_type: Type, value: Value) -> str:
    """A value in an INSERT or UPDATE, in one of the forms that an application may choose."""
    if value is None:
        return "NULL"
    kind = column_type.kind
    if kind is Kind.BOOL:
        return choice.choice([plain_text(value).upper(), quoted("t" if value else "f"), quoted(plain_text(value))])
    if isinstance(value, float) and not math.isfinite(value):
        return quoted(plain_text(value))
    if isinstance(value, int | float | Decimal):
        return quoted(plain_text(value)) if choice.random() < 0.2 else plain_text(value)
    if kind in {Kind.DATE, Kind.TIME}:
        return choice.choice(["", "", f"{kind.name} "]) + quoted(str(value))
    if kind is Kind.TIMESTAMP:
        text = str(value)
        return choice.choice(["", "", "TIMESTAMP "]) + quoted(choice.choice([text, text, text.replace(" ", "T")]))
    if kind is Kind.TIMESTAMPTZ:
        return choice.choice(["", "", "TIMESTAMPTZ "]) + quoted(str(value) + choice.choice(["", "+00", "Z", " UTC"]))
    if kind is Kind.UUID:
        return _uuid(choice, str(value))
    if kind is Kind.CHAR and choice.random() < 0.3:
        return quoted(str(value) + " " * choice.randint(0, column_type.length + 2))
    return quoted(str(value))


def _uuid(choice: random.Random, text: str) -> str:
    """As PostgreSQL prints it, or otherwise."""
    written = choice.choice([text, text, text.upper(), text.replace("-", ""), f"{{{text}}}"])
    return quoted(written) + choice.choice(["", "", "::uuid"])


def literals(choice: random.Random, name: str, column_type: Type, values: list[Value], *, list_size: int) -> Literals:
    """The constants `values`, never NULL, as a comparison with column `name` has them.

    list_size   members of the IN list that they belong to, NULL included; 0: of none.
    """
    kind = column_type.kind
    if kind in INTEGER_KINDS or kind is Kind.NUMERIC:
        return _exact(choice, name, column_type, values)
    if kind in FLOATING_KINDS:
        return _floating(choice, name, kind, values, list_size)
    if kind in {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}:
        return _times(choice, name, kind, values)
    if kind is Kind.TIME:
        prefix = choice.choice(["", "", "TIME "])
        texts = [str(value) for value in values]
        return Literals([prefix + quoted(text) for text in texts], [quoted(text) for text in texts], name)
    if kind is Kind.UUID:
        return Literals([_uuid(choice, str(value)) for value in values], [quoted(str(value)) for value in values], name)
    if kind is Kind.BOOL:
        texts = [stored_postgres(choice, column_type, value) for value in values]
        return Literals(texts, [plain_text(value) for value in values], name)
    if kind is Kind.CHAR:
        padded = [quoted(str(value) + " " * choice.choice([0, 0, 1, 9])) for value in values]
        if list_size < 2 and choice.random() < 0.25:
            # Beside text the text's trailing blanks count; in a list of several members it becomes char(n).
            return Literals([f"{text}::text" for text in padded], padded, name)
        return Literals(padded, [quoted(str(value)) for value in values], name)
    texts = [quoted(str(value)) for value in values]
    return Literals(texts, texts, name)


def _exact(choice: random.Random, name: str, column_type: Type, values: list[Value]) -> Literals:
    numbers = [value for value in values if isinstance(value, int | Decimal)]
    wide = column_type.precision > 28
    scale = column_type.scale if wide else 10
    is_integer = column_type.kind in INTEGER_KINDS
    draw = choice.random()
    if draw < 0.15 and not wide:
        # Finer than the column can be; PostgreSQL compares as numeric.
        step = Decimal(choice.choice([-1, 1, 5, 9])).scaleb(-column_type.scale - 1)
        numbers = [Decimal(value) + step for value in numbers]
    elif draw < 0.25 and is_integer:
        low, high = integer_bounds(column_type.kind)
        numbers = [choice.choice([value, high + 1, low - 1, high * 5, 10**21, -(10**21)]) for value in numbers]
    texts = [number(value) for value in numbers]
    fits = is_integer and all(isinstance(value, int) and abs(value) < 2**15 for value in numbers)
    if (fits or not is_integer) and choice.random() < 0.15 and draw >= 0.25:
        texts = [quoted(text) for text in texts]
    duck = [f"CAST('{number(value)}' AS DECIMAL(38,{scale}))" for value in numbers]
    return Literals(texts, duck, f"CAST({name} AS DECIMAL(38,{scale}))")


def _floating(choice: random.Random, name: str, kind: Kind, values: list[Value], list_size: int) -> Literals:
    texts = [float_text(float(value)) for value in values if isinstance(value, int | float | Decimal)]
    finite = all(text.lstrip("-") not in {"NaN", "Infinity"} for text in texts)
    as_text = not finite or choice.random() < 0.3
    # PostgreSQL makes an IN list of several numbers an array of the column's type, and a single one a plain comparison.
    as_column = kind is Kind.DOUBLE or as_text or list_size > 1
    duck_kind = "FLOAT" if kind is Kind.REAL and as_column else "DOUBLE"
    duck = [f"CAST('{text}' AS {duck_kind})" for text in texts]
    return Literals([quoted(text) for text in texts] if as_text else texts, duck, f"CAST({name} AS {duck_kind})")


def _times(choice: random.Random, name: str, kind: Kind, values: list[Value]) -> Literals:
    texts = [str(value) for value in values]
    own, other = ("DATE", "TIMESTAMP") if kind is Kind.DATE else ("TIMESTAMP", "DATE")
    if kind is Kind.TIMESTAMPTZ:
        texts = [f"{own}TZ {quoted(text + choice.choice(['', '+00', 'Z', ' GMT']))}" for text in texts]
        return Literals(texts, [f"{own} '{value}'" for value in values], name)
    if choice.random() < 0.15:
        # Across the two types PostgreSQL compares as timestamp.
        texts = [text[:10] if other == "DATE" else f"{text} 12:30:00" for text in texts]
        duck = [f"CAST({other} '{text}' AS TIMESTAMP)" for text in texts]
        return Literals([f"{other} '{text}'" for text in texts], duck, f"CAST({name} AS TIMESTAMP)")
    prefix = choice.choice(["", "", f"{own} "])
    return Literals([prefix + quoted(text) for text in texts], [f"{own} '{text}'" for text in texts], name)
