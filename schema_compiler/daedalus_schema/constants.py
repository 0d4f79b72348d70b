"""DEFAULT constants: read as PostgreSQL reads them, range-checked against the column's type, packed (docs/wire.md).

A number is assigned as PostgreSQL assigns it: to an integer or a numeric column it rounds half away from zero. A string
is read by the type's input function. Everything else is a Problem.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal

from daedalus_schema.declaration import Constant, NotConstant
from daedalus_schema.resolve import Problem, resolve
from daedalus_schema.types import FLOATING_KINDS, INTEGER_KINDS, STRING_KINDS, TIMESTAMP_KINDS, Kind, Type

_INTEGER_SIZES = {Kind.SMALLINT: 2, Kind.INT: 4, Kind.BIGINT: 8}
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
_DATE = re.compile(r"([0-9]{4,7})-([0-9]{1,2})-([0-9]{1,2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2})(?:[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?)?"
    r"(Z|[+-][0-9]{2}(?::?[0-9]{2})?)?"
)
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?")
_UUID = re.compile(r"[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}")
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_DATE_YEAR_MAX = 5874897
_TIMESTAMP_YEAR_MAX = 294276
_ZONE_HOURS_MAX = 15
_TIME_MAX = 86_400_000_000  # 24:00:00 is a time.
# Wide enough for every constant that is not far out of range anyway.
_EXACT = Context(prec=100_000, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_UP)

Packed = bytes | None


def pack_default(column_type: Type, default: Constant | NotConstant) -> Packed | Problem:
    """The packed value of a DEFAULT, None for NULL, or the rule it breaks. Pure."""
    if isinstance(default, NotConstant):
        return Problem("default-constant", f"DEFAULT takes a constant, not {default.what}; write the value itself")
    wrong_cast = _check_cast(column_type, default)
    if wrong_cast:
        return wrong_cast
    if default.kind == "null":
        return None
    if column_type.kind is Kind.BOOL:
        return _bool(column_type, default)
    if column_type.kind in INTEGER_KINDS:
        return _integer(column_type, default)
    if column_type.kind in FLOATING_KINDS:
        return _floating(column_type, default)
    if column_type.kind is Kind.NUMERIC:
        return _numeric(column_type, default)
    if default.kind != "string":
        return _wrong_type(column_type, default)
    if column_type.kind is Kind.DATE:
        return _date(column_type, default)
    if column_type.kind in TIMESTAMP_KINDS:
        return _timestamp(column_type, default)
    if column_type.kind is Kind.TIME:
        return _time(column_type, default)
    if column_type.kind is Kind.UUID:
        return _uuid(column_type, default)
    return _string(column_type, default)


def _check_cast(column_type: Type, default: Constant) -> Problem | None:
    """A cast may name the column's own type, with the column's own length and precision or with none."""
    if default.cast is None:
        return None
    spelled = {"bpchar": Kind.CHAR, "varchar": Kind.VARCHAR, "numeric": Kind.NUMERIC}
    if not default.cast.modifiers and not default.cast.is_array and spelled.get(default.cast.name) is column_type.kind:
        return None
    # The grammar turns TRUE into a bool constant, so a cast of a string to bool is the column's own type, too.
    if resolve(default.cast) == column_type:
        return None
    return Problem("default-cast", f"DEFAULT is cast to another type; write it as {column_type}")


def _wrong_type(column_type: Type, default: Constant) -> Problem:
    written = {"number": "a number", "bool": "a boolean", "string": "a string"}[default.kind]
    wanted = "TRUE or FALSE" if column_type.kind is Kind.BOOL else "a quoted value"
    if column_type.kind in INTEGER_KINDS | FLOATING_KINDS | {Kind.NUMERIC}:
        wanted = "a number"
    return Problem("default-type", f"DEFAULT of a column of type {column_type} is {written}; write {wanted}")


def _malformed(column_type: Type, text: str) -> Problem:
    return Problem("default-value", f"invalid input for type {column_type}: {text!r}")


def _out_of_range(column_type: Type, text: str) -> Problem:
    return Problem("default-range", f"DEFAULT {text} is out of range for type {column_type}")


def _bool(column_type: Type, default: Constant) -> Packed | Problem:
    if default.kind == "number":
        return _wrong_type(column_type, default)
    text = default.text.strip().lower()
    # PostgreSQL takes every unambiguous beginning of a word.
    values = {value for word, value in _BOOLEANS.items() if text and word.startswith(text)}
    return bytes([values.pop()]) if len(values) == 1 else _malformed(column_type, default.text)


def _decimal(column_type: Type, default: Constant) -> Decimal | Problem:
    if default.kind == "bool":
        return _wrong_type(column_type, default)
    text = default.text.strip(" \t\n\r\v\f")
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    if text.lower().lstrip("+-") in {"nan", "infinity", "inf"}:
        return _out_of_range(column_type, default.text)
    return _malformed(column_type, default.text)


def _rounded(value: Decimal, scale: int) -> int | None:
    """value · 10^scale, rounded half away from zero; None when it is absurdly large."""
    if value and value.adjusted() > 400:
        return None
    return int(_EXACT.to_integral_value(_EXACT.scaleb(value, scale)))


def _integer(column_type: Type, default: Constant) -> Packed | Problem:
    size = _INTEGER_SIZES[column_type.kind]
    if default.kind == "string" and not re.fullmatch(r"\s*[+-]?[0-9]+\s*", default.text, re.ASCII):
        return _malformed(column_type, default.text)
    value = _decimal(column_type, default)
    if isinstance(value, Problem):
        return value
    integer = _rounded(value, 0)
    if integer is None or not -(1 << (8 * size - 1)) <= integer < 1 << (8 * size - 1):
        return _out_of_range(column_type, default.text)
    return integer.to_bytes(size, "little", signed=True)


def _numeric(column_type: Type, default: Constant) -> Packed | Problem:
    value = _decimal(column_type, default)
    if isinstance(value, Problem):
        return value
    unscaled = _rounded(value, column_type.scale)
    if unscaled is None or abs(unscaled) >= 10**column_type.precision:
        return _out_of_range(column_type, default.text)
    return unscaled.to_bytes(column_type.plane_width, "little", signed=True)


def _floating(column_type: Type, default: Constant) -> Packed | Problem:
    is_real = column_type.kind is Kind.REAL
    if default.kind == "bool":
        return _wrong_type(column_type, default)
    text = default.text.strip(" \t\n\r\v\f")
    if default.kind == "string" and text.lower().lstrip("+-") in {"nan", "infinity", "inf"}:
        if text.lower().endswith("nan"):
            return b"\x00\x00\xc0\x7f" if is_real else b"\x00\x00\x00\x00\x00\x00\xf8\x7f"
        return struct.pack("<f" if is_real else "<d", float(text))
    exact = _decimal(column_type, default)
    if isinstance(exact, Problem):
        return exact
    value = _strtof(text) if is_real else float(text)
    if math.isinf(value) or (value == 0.0 and exact != 0):
        return _out_of_range(column_type, default.text)
    return struct.pack("<f" if is_real else "<d", value)


def _strtof(text: str) -> float:
    """Rounds once from decimal to single precision; by way of a double it would be twice."""
    strtof = ctypes.CDLL(None).strtof
    strtof.restype = ctypes.c_float
    strtof.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    return float(strtof(text.encode(), None))


def _days(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01 in the proleptic Gregorian calendar; None when there is no such day."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    lengths = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= lengths[month - 1]:
        return None
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + sum(lengths[: month - 1]) + day - 719163


def _date(column_type: Type, default: Constant) -> Packed | Problem:
    match = _DATE.fullmatch(default.text.strip())
    if not match:
        return _malformed(column_type, default.text)
    year, month, day = (int(part) for part in match.groups())
    days = _days(year, month, day)
    if days is None or year > _DATE_YEAR_MAX:
        return _out_of_range(column_type, default.text)
    return days.to_bytes(4, "little", signed=True)


def _timestamp(column_type: Type, default: Constant) -> Packed | Problem:
    match = _TIMESTAMP.fullmatch(default.text.strip())
    if not match:
        return _malformed(column_type, default.text)
    year, month, day = (int(part) for part in match.group(1).split("-"))
    days = _days(year, month, day)
    hour, minute, second = (int(match.group(index) or 0) for index in (2, 3, 4))
    microsecond = int((match.group(5) or "").ljust(6, "0"))
    if days is None or year > _TIMESTAMP_YEAR_MAX or hour > 23 or minute > 59 or second > 59:
        return _out_of_range(column_type, default.text)
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    if column_type.kind is Kind.TIMESTAMPTZ:
        offset = _offset(match.group(6) or "Z")
        if offset is None:
            return _out_of_range(column_type, default.text)
        seconds -= offset
    return (seconds * 1_000_000 + microsecond).to_bytes(8, "little", signed=True)


def _offset(text: str) -> int | None:
    """Seconds east of UTC; None when that is no offset. A timestamp without time zone ignores it."""
    if text == "Z":
        return 0
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > _ZONE_HOURS_MAX or minutes > 59:
        return None
    return (hours * 3600 + minutes * 60) * (-1 if text[0] == "-" else 1)


def _time(column_type: Type, default: Constant) -> Packed | Problem:
    match = _TIME.fullmatch(default.text.strip())
    if not match:
        return _malformed(column_type, default.text)
    hour, minute, second = (int(match.group(index) or 0) for index in (1, 2, 3))
    microsecond = int((match.group(4) or "").ljust(6, "0"))
    micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + microsecond
    if minute > 59 or second > 59 or micros > _TIME_MAX:
        return _out_of_range(column_type, default.text)
    return micros.to_bytes(8, "little", signed=True)


def _uuid(column_type: Type, default: Constant) -> Packed | Problem:
    text = default.text
    digits = text[1:-1] if text.startswith("{") and text.endswith("}") else text
    if not _UUID.fullmatch(digits):
        return _malformed(column_type, text)
    number = int(digits.replace("-", ""), 16) - (1 << 127)
    return number.to_bytes(16, "little", signed=True)


def _string(column_type: Type, default: Constant) -> Packed | Problem:
    assert column_type.kind in STRING_KINDS
    value = default.text.encode()
    if column_type.kind is Kind.CHAR:
        value = value.rstrip(b" ")
    elif len(value) > column_type.length:
        # PostgreSQL drops blanks beyond the declared length, and nothing else.
        value = value[: column_type.length] + value[column_type.length :].rstrip(b" ")
    if len(value) > column_type.length:
        message = f"DEFAULT takes {len(value)} bytes, more than type {column_type} holds"
        return Problem("default-range", message)
    return len(value).to_bytes(2, "little") + value
