"""Random constants and conditions on them, in all the forms in which SQL writes them: quoted, cast, odd and broken."""

from __future__ import annotations

import random
from collections.abc import Callable


def words(text: str) -> list[str]:
    return text.split()


_STRINGS = [
    "",
    " ",
    "  ",
    "a",
    "ab",
    "ab ",
    "ab  ",
    "ab   ",
    "abcde",
    "abcde ",
    "abcdef",
    "b",
    " ab",
    "a b",
    "AB",
    "ab\x1f",
]
_STRING_CASTS = [
    "",
    "",
    "",
    "::text",
    "::text",
    "::varchar",
    "::varchar(3)",
    "::char(5)",
    "::char(3)",
    "::bpchar",
    "::char",
    "::text::char(4)",
    "::char(4)::text",
    "::varchar(4)::text",
    "::text::varchar",
]
_OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "!="]
STORED_STRINGS = [None, "", "a", "ab", "ab ", "abc", "abcde", "b", " ab", "a b", "AB", "ab\x1f"]


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def insert(column: str, expression: str) -> str:
    """One INSERT that gives the column of the twins' table the expression's value."""
    if column == "i":
        return f"INSERT INTO t (i) VALUES ({expression})"
    return f"INSERT INTO t (i, {column}) VALUES (1, {expression})"


def string(choice: random.Random) -> str:
    """A string constant, its type said or not."""
    if choice.random() < 0.06:
        return "NULL" + choice.choice(_STRING_CASTS)
    return quoted(choice.choice(_STRINGS)) + choice.choice(_STRING_CASTS)


def string_condition(choice: random.Random) -> str:
    """A condition on the columns c char(5) and v varchar(10), or on constants alone."""
    column = choice.choice(["c", "c", "c", "v"])
    negation = choice.choice(["", "", "NOT "])
    draw = choice.random()
    if draw < 0.45:
        return f"{column} {choice.choice(_OPERATORS)} {string(choice)}"
    if draw < 0.55:
        return f"{string(choice)} {choice.choice(_OPERATORS)} {column}"
    if draw < 0.65:
        return f"{column} {negation}BETWEEN {string(choice)} AND {string(choice)}"
    if draw < 0.85:
        members = ", ".join(string(choice) for _ in range(choice.choice([1, 1, 2, 3])))
        return f"{column} {negation}IN ({members})"
    if draw < 0.93:
        return f"{column} {negation}LIKE {_pattern(choice)}"
    return f"{string(choice)} {choice.choice(_OPERATORS)} {string(choice)}"


def _pattern(choice: random.Random) -> str:
    text = choice.choice(_STRINGS)[:4]
    text += choice.choice(["%", "%", "", "%%", "\\%", "\\", "\\\\%", "_", "\\a%"])
    return quoted(text) + choice.choice(_STRING_CASTS)


_SPACES = ["", "", "", "", " ", "  ", "\t", "\x0b"]
_SIGNS = ["", "", "", "", "-", "+", "--", "+-", "- "]
_NUMBERS = words(
    "0 1 12 007 1.5 .5 5. . 1e5 1E5 1e+3 1e-3 1e 1e+ e5 1.5e2 1_000 0x10 0b1 0o7 1e400 1e-400 1e38 1e39 1e-46 "
    "32767 32768 2147483647 2147483648 9223372036854775807 9223372036854775808 99999999.994 99999999.995 "
    "99999999999999999999999999999999999.99995 0.005 0.00005 1.005 2.5 3.5 -0 1e-9999999999 1e9999999999 1.2.3 1x "
    "nan NaN inf Infinity infinit naninf nan(1) 0e99999 0.1 16777217 123456789.123456789 $1 1f 1d "
    "0x1p3 0x 0x.8 0x1.fp-2 0xfp 0x1p-1080 "
    "17976931348623157e292 2e308 3.4028235e38 3.4028236e38 4e-324 2e-324 1.4e-45 7e-46 ''"
)
_BOOLEANS = words("t f true false TRUE fAlSe tr fa y n yes no ye on off of o 1 0 2 01 10 truee yess t_ null")


def number_text(choice: random.Random) -> str:
    """Returns a text that an application may quote as a number."""
    return choice.choice(_SPACES) + choice.choice(_SIGNS) + choice.choice(_NUMBERS) + choice.choice(_SPACES)


def boolean_text(choice: random.Random) -> str:
    return choice.choice(_SPACES) + choice.choice(_BOOLEANS) + choice.choice(_SPACES)


def string_text(choice: random.Random) -> str:
    return choice.choice(_STRINGS) + choice.choice(
        ["", " ", "    ", "x", "xxxx", "xxxxxxxxx", "xxx     ", "          "]
    )


_UUIDS = words(
    "00112233-4455-6677-8899-aabbccddeeff 00112233445566778899AABBCCDDEEFF "
    "{00112233-4455-6677-8899-aabbccddeeff} 0011-2233-4455-6677-8899-aabb-ccdd-eeff "
    "00-112233-4455-6677-8899-aabbccddeeff 0011223-34455-6677-8899-aabbccddeeff "
    "{00112233-4455-6677-8899-aabbccddeeff 00112233-4455-6677-8899-aabbccddeeff} "
    "00112233--4455-6677-8899-aabbccddeeff 00112233-4455-6677-8899-aabbccddeef "
    "00112233-4455-6677-8899-aabbccddeeff0 g0112233-4455-6677-8899-aabbccddeeff "
    "00112233-4455-6677-8899-aabbccddeeff- -00112233445566778899aabbccddeeff {} "
    "{{00112233445566778899aabbccddeeff}}"
)


def uuid_text(choice: random.Random) -> str:
    text = choice.choice(["", "", "", " "]) + choice.choice(_UUIDS) + choice.choice(["", "", "", " "])
    if choice.random() < 0.3:
        at = choice.randrange(len(text))
        text = text[:at] + choice.choice("0aF-{}x ") + text[at + choice.randint(0, 1) :]
    return text


TEXTS: dict[str, Callable[[random.Random], str]] = {
    "b": boolean_text,
    "s": number_text,
    "i": number_text,
    "l": number_text,
    "r": number_text,
    "d": number_text,
    "n": number_text,
    "h": number_text,
    "c": string_text,
    "v": string_text,
    "tag": uuid_text,
}
"""By column of the twins' table: a text for its input function."""

_CASTS = words(
    "int smallint bigint real float8 numeric numeric(5,2) numeric(10,2) text varchar(3) char(3) bool date timestamp "
    "time uuid"
)


def cast_constant(choice: random.Random) -> str:
    """A constant as an expression: casts of casts, signs, sums."""
    texts = choice.choice([number_text, number_text, boolean_text, string_text])
    draw = choice.random()
    if draw < 0.3:
        bare = choice.choice([each for each in _NUMBERS if each[0].isdigit()])
        expression = choice.choice(["", "-", "+", "- "]) + bare
    else:
        expression = quoted(texts(choice).replace("\t", " ").replace("\x0b", " "))
    for _ in range(choice.choice([0, 1, 1, 2, 3])):
        expression = f"({expression})::{choice.choice(_CASTS)}"
    if choice.random() < 0.15:
        expression = f"{expression} {choice.choice('+-')} {choice.choice(['1', '1.5', '0.1::real', '2::bigint'])}"
    return expression
