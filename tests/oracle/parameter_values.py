"""Values of parameters: texts of every type, what is wrong among them, and their binary forms."""

from __future__ import annotations

import datetime
import random
import struct
import uuid
from decimal import Decimal

ARRAYS = {16: 1000, 21: 1005, 23: 1007, 20: 1016, 700: 1021, 701: 1022, 1700: 1231, 1082: 1182}
ARRAYS |= {1114: 1115, 1042: 1014, 1043: 1015, 25: 1009, 1186: 1187, 1184: 1185, 1083: 1183, 2950: 2951}
ELEMENTS = {array: element for element, array in ARRAYS.items()}

# By the number that pg_type gives the type of a column, or of what is compared with it.
TEXTS = {
    16: ["true", "f"],
    21: ["1", "-5", "32767", "0"],
    23: ["1", "2", "-7", "0", "2147483647"],
    20: ["1", "0", "-7", "9223372036854775807"],
    700: ["1.5", "0.1", "-0.5", "3e38"],
    701: ["1.5", "0.1", "2.5", "1e300"],
    1700: ["1.25", "0.1", "1", "-99.99", "1.5"],
    1082: ["2013-01-01", "1969-12-31", "2000-02-29"],
    1114: ["2013-01-01 05:00:00", "2013-01-01 00:00:00", "1969-12-31 23:59:59.5"],
    1184: ["2013-01-01 05:00:00+05:30", "2013-01-01 00:00:00+00"],
    1042: ["ab", "x", "ab  ", "A b"],
    1043: ["ab", "", "ab ", "z%"],
    25: ["ab", "ab   ", "x", "z%", "1"],
    1186: ["1 day", "02:00:00"],
    1083: ["05:06:07.5", "12:30:00"],
    2950: ["00112233-4455-6677-8899-aabbccddeeff"],
}
# Some type refuses each of these, or reads it otherwise than another type does.
STRANGE = ["1", "1.5", "x", "", "2013-01-01", "2013-01-01 05:00:00", "ab  ", "99999999999", "{1}", "t", "NaN"]

_FIXED = {21: "!h", 23: "!i", 20: "!q", 700: "!f", 701: "!d"}
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)


def text_of(choice: random.Random, oid: int) -> str | None:
    """A value of the type, rarely of another; nothing: NULL."""
    drawn = choice.random()
    if drawn < 0.05:
        return None
    if oid in ELEMENTS:
        return (
            "nonsense"
            if drawn < 0.055
            else array_text([text_of(choice, ELEMENTS[oid]) for _ in range(choice.randrange(4))])
        )
    return choice.choice(STRANGE if drawn < 0.09 else TEXTS.get(oid, STRANGE))


def array_text(elements: list[str | None]) -> str:
    """As PostgreSQL writes an array."""
    return "{" + ",".join("NULL" if each is None else f'"{each}"' for each in elements) + "}"


def binary_of(choice: random.Random, oid: int) -> bytes | None:
    """A value of the type in binary form; nothing: NULL."""
    if choice.random() < 0.06:
        return None
    if oid in ELEMENTS:
        values = [binary_of(choice, ELEMENTS[oid]) for _ in range(choice.randrange(4))]
        head = struct.pack("!iii", 1 if values else 0, int(None in values), ELEMENTS[oid])
        size = struct.pack("!ii", len(values), 1) if values else b""
        return head + size + b"".join(_sized(value) for value in values)
    return _binary(oid, choice.choice(TEXTS[oid]))


def _sized(value: bytes | None) -> bytes:
    return struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value


def _binary(oid: int, text: str) -> bytes:
    if oid in _FIXED:
        return struct.pack(_FIXED[oid], float(text) if oid in (700, 701) else int(text))
    if oid == 16:
        return b"\1" if text == "true" else b"\0"
    if oid == 1082:
        return struct.pack("!i", (datetime.date.fromisoformat(text) - _EPOCH.date()).days)
    if oid in (1114, 1184):
        moment = datetime.datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
        return struct.pack("!q", (moment - _EPOCH) // _MICROSECOND)
    if oid == 1083:
        at = datetime.time.fromisoformat(text)
        seconds = (at.hour * 60 + at.minute) * 60 + at.second
        return struct.pack("!q", seconds * 1_000_000 + at.microsecond)
    if oid == 1186:
        return struct.pack("!qii", 7_200_000_000, 0, 0) if ":" in text else struct.pack("!qii", 0, 1, 0)
    if oid == 2950:
        return uuid.UUID(text).bytes
    return _numeric(Decimal(text)) if oid == 1700 else text.encode()


def _numeric(number: Decimal) -> bytes:
    """Returns a number of at most four digits on either side of the point."""
    whole, part = divmod(int(abs(number) * 10_000), 10_000)
    digits = struct.pack("!hh", whole, part)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return struct.pack("!hhHh", 2, 0, 0x4000 if number < 0 else 0, max(-exponent, 0)) + digits
