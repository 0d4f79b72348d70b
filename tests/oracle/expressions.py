"""Random expressions over the columns of the compiler's test table, drawn from its own table of functions."""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Callable

from constants import words
from statement_twins import Entry
from templates import number_template
from texts_of_functions import directed

COLUMNS = {
    "boolean": ["b"],
    "smallint": ["s"],
    "integer": ["i", "k", "x"],
    "bigint": ["l"],
    "real": ["r"],
    "double precision": ["d"],
    "numeric": ["n", "h"],
    "date": ["day"],
    "timestamp without time zone": ["at"],
    "timestamp with time zone": ["moment"],
    "character": ["c"],
    "character varying": ["v"],
    "text": [],
    "interval": [],
    "time without time zone": ["clock"],
    "uuid": ["tag"],
}

CONSTANTS = {
    "boolean": ["true", "false"],
    "smallint": ["0::smallint", "1::smallint", "(-32768)::smallint", "32767::smallint", "7::smallint"],
    "integer": ["0", "1", "2", "3", "-1", "10", "100", "233", "8364", "2147483647", "(-2147483647 - 1)"],
    "bigint": ["0::bigint", "3::bigint", "9223372036854775807", "(-9223372036854775808)::bigint", "5000000000"],
    "real": ["0::real", "1.5::real", "(-2.25)::real", "1e30::real", "1e-30::real"],
    "double precision": ["0::float8", "0.1::float8", "(-3.5)::float8", "1e200::float8", "1e-200::float8"]
    + [f"({angle})::float8" for angle in (30, 45, 60, 90, -135, 180, 270, 359.5)],
    "numeric": ["0.0", "1.5", "-2.25", "100.001", "0.000001", "12345678901234567890.5", "3::numeric"],
    "date": ["DATE '2013-01-01'", "DATE '1969-12-31'", "DATE '2000-02-29'", "DATE '1500-03-01'"],
    "timestamp without time zone": [
        "TIMESTAMP '2013-01-01 05:06:07.5'",
        "TIMESTAMP '1969-12-31 23:59:59.999999'",
        "TIMESTAMP '2024-03-31 02:30:00'",
        "TIMESTAMP '2024-10-27 02:30:00'",
    ],
    "timestamp with time zone": [
        "TIMESTAMPTZ '2013-01-01 05:06:07.5+05:30'",
        "TIMESTAMPTZ '1969-12-31 23:59:59.999999'",
        "TIMESTAMPTZ '2024-07-01 12:00 Europe/Zurich'",
        "TIMESTAMPTZ '2024-10-27 02:30 America/New_York'",
        "TIMESTAMPTZ '2024-11-03 05:59:59 UTC'",
        "TIMESTAMPTZ '2224-03-28 01:00:00Z'",
        "TIMESTAMPTZ '1850-01-01 00:00 PST'",
    ],
    "character": ["'ab'::char(5)", "''::char(5)", "'x y'::char(5)"],
    "character varying": ["'ab'::varchar", "''::varchar(3)", "'Ab cd'::varchar"],
    "interval": [
        "INTERVAL '1 day'",
        "INTERVAL '-1 mons +2 days -03:04:05.678'",
        "INTERVAL '1.5 years 0.25 days'",
        "INTERVAL '90' DAY",
        "INTERVAL '2' MONTH",
        "INTERVAL '100 hours 1 week ago'",
        "INTERVAL 'P1Y2M-3DT4H5.25S'",
        "INTERVAL '1-2' YEAR TO MONTH",
        "INTERVAL '1 2:03' DAY TO MINUTE",
        "INTERVAL(1) '04:05:06.789'",
        "INTERVAL '30 days'",
    ],
    "time without time zone": ["TIME '05:06:07.5'", "TIME '24:00:00'", "TIME '00:00'", "TIME '23:59:59.999999'"],
    "uuid": ["'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'{FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF}'::uuid"],
    "text": ["'ab'::text", "''::text", "'Straße é'::text", "'%_x'::text", "' a b '::text", "'A-b-c'::text"],
}

CASTS = {
    "boolean": ["integer"],
    "smallint": ["integer", "bigint", "numeric", "double precision"],
    "integer": ["smallint", "bigint", "boolean", "numeric", "real"],
    "bigint": ["smallint", "integer", "numeric", "double precision"],
    "real": ["integer", "double precision", "numeric"],
    "double precision": ["integer", "real", "numeric", "bigint"],
    "numeric": ["integer", "bigint", "double precision", "smallint"],
    "date": ["timestamp without time zone", "timestamp with time zone"],
    "timestamp without time zone": ["date", "timestamp with time zone"],
    "timestamp with time zone": ["date", "timestamp without time zone"],
    "time without time zone": ["timestamp without time zone", "timestamp with time zone", "interval"],
    # PostgreSQL computes others once a row, even of constants: they hang on how a session writes dates.
    "text": ["integer", "boolean", "numeric", "character", "character varying", "uuid"],
    "character varying": ["text", "bigint"],
    "character(5)": ["text"],
    "interval": ["interval", "time without time zone"],
}

# Types that keep a part of an interval.
RESTRICTED = ["interval(2)", "interval year", "interval day to minute", "interval second(0)", "interval hour"]

COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]

# As they stand in an array that is written as a text.
ELEMENTS = {
    "boolean": ["t", "false", '"on"'],
    "smallint": ["1", '"7"', "-32768"],
    "integer": ["1", "2", '" 3"', "2147483647"],
    "bigint": ["0", "9223372036854775807", "-7"],
    "real": ["1.5", "-0.5", "NaN", "3e38"],
    "double precision": ["2.5", "1e10", '"Infinity"', "-0"],
    "numeric": ["1.25", "-99.990", "0", "12345.6"],
    "date": ["2013-01-01", '"1969-12-31"', "2000-02-29"],
    "timestamp without time zone": ['"2013-01-01 05:00:00"', "1969-12-31 23:59:59.5"],
    "timestamp with time zone": ['"2013-01-01 05:00:00+02"', "1969-12-31 23:59:59.5Z"],
    "character": ["ab", '"ab "', "x", '""'],
    "character varying": ["ab", '"Ab cd"', '"a\\"b"', "z%", '""', '"null"'],
    "text": ["ab", '"x,y"', "é", "a\\,b"],
    "interval": ["1 day", '"-1 mons"', "04:05:06"],
    "time without time zone": ["05:06", '"23:59:59.5"', "24:00:00"],
    "uuid": ["00112233-4455-6677-8899-aabbccddeeff", "ffffffffffffffffffffffffffffffff"],
}

ANY = '"any"'  # One value or more of any kinds.

_PARTS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "millennium"]
_PARTS += ["milliseconds", "microseconds"]
_MORE_PARTS = [*_PARTS, "dow", "isodow", "doy", "isoyear", "epoch", "julian", "Month", "timezone"]
_MORE_PARTS += ["timezone_hour", "timezone_minute"]
ZONES = ["UTC", "Europe/Zurich", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Sao_Paulo"]
ZONES += ["Europe/London", "Asia/Gaza", "Pacific/Apia", "Africa/Casablanca", "europe/moscow", "Antarctica/Troll"]
ZONES += [
    "EST",
    "cest",
    "MSK",
    "msd",
    "irkt",
    "z",
    "UTC+3",
    "<x>-05:45",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "+02",
    "Etc/GMT+5",
]
ZONES += ["Nowhere/City", ""]
# Which argument of these is a time zone.
ZONE_PLACES = {"timezone": 0, "date_trunc": 2, "make_timestamptz": 6}
# Nothing but the sign of what they give is said: how far from zero it is hangs on PostgreSQL's machine.
ORDERS_OF_BYTES = {"bttextcmp", "bttext_pattern_cmp", "bpcharcmp", "btbpchar_pattern_cmp", "uuid_cmp"}
PATTERNS = words(
    "A.D. A.M. AD AM B.C. BC CC DAY DDD DD DY Day Dy D FF1 FF2 FF3 FF4 FF5 FF6 FX HH24 HH12 HH IDDD ID IW IYYY IYY IY "
    "I J MI MM MONTH MON MS Month Mon OF P.M. PM Q RM SSSSS SSSS SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y"
)
_LITERALS = [
    "-",
    "/",
    ":",
    " ",
    "T",
    ".",
    '"at" ',
    '\\"',
    '"a\\"b"',
    "x",
    "\u20ac",
    "'",
    '"',
    "\\",
    "fm",
    "SP",
    "tM",
    "Th",
]
NUMBERS = ["integer", "bigint", "real", "double precision", "numeric"]
FIELDS = {"date_trunc": _PARTS, "date_part": _MORE_PARTS, "extract": _MORE_PARTS}


def template(choice: random.Random) -> str:
    """Returns a template that to_char() may be given: patterns, modifiers, and characters that stand for themselves."""
    pieces = []
    for _ in range(choice.randint(0, 7)):
        pattern = choice.choice(PATTERNS)
        pieces.append(choice.choice(["", "", "", "FM", "TM", "fm", "tm"]))
        pieces.append(choice.choice([pattern, pattern, pattern.lower(), pattern.capitalize()]))
        pieces.append(choice.choice(["", "", "", "TH", "th", "SP"]))
        pieces.append(choice.choice(["", *_LITERALS]))
    return "".join(pieces)


def _by_result(functions: list[Entry]) -> dict[str, dict[str, list[Entry]]]:
    by_result: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in functions:
        by_result[entry.result][entry.name].append(entry)
    return by_result


class Expressions:
    """Expressions of a wanted type, no deeper than asked for. Half of the calls are of another list, where one is
    given."""

    def __init__(self, choice: random.Random, functions: list[Entry], others: list[Entry] | None = None) -> None:
        self._choice = choice
        self._lists = [_by_result(functions)] + ([_by_result(others)] if others is not None else [])
        self._columns = COLUMNS

    def over(self, columns: dict[str, list[str]]) -> Expressions:
        """Returns the same generator over other columns of each kind, or over none."""
        made = copy.copy(self)
        made._columns = columns
        return made

    def of(self, kind: str, depth: int) -> str:
        if depth == 0 or self._choice.random() < 0.15:
            return self._leaf(kind)
        makers: list[Callable[[str, int], str | None]] = [self._call, self._call, self._call, self._form, self._cast]
        if kind == "boolean":
            makers.append(self._test)
        made = self._choice.choice(makers)(kind, depth)
        return made if made is not None else self._leaf(kind)

    def any_kind(self) -> str:
        return self._choice.choice(list(COLUMNS))

    def key(self, kind: str, depth: int) -> str:
        """An expression whose equal values look alike: of a month and 30 days either may be shown."""
        value = self.of(kind, depth)
        return f"justify_interval({value})" if kind == "interval" else value

    def _leaf(self, kind: str) -> str:
        roll = self._choice.random()
        if roll < 0.08:
            return f"NULL::{kind}"
        if roll < 0.7 and self._columns.get(kind):
            return self._choice.choice(self._columns[kind])
        return self._choice.choice(CONSTANTS[kind])

    def _call(self, kind: str, depth: int) -> str | None:
        by_name = self._choice.choice(self._lists)[kind]
        if not by_name:
            return None
        overloads = by_name[self._choice.choice(sorted(by_name))]
        return self.call_of(self._choice.choice(overloads), depth)

    def call_of(self, entry: Entry, depth: int) -> str:
        """A call of just this overload, of its own kinds."""
        name = entry.name
        kinds = [kind for kind in entry.arguments if kind != ANY]
        if len(kinds) < len(entry.arguments):
            kinds += [self.any_kind() for _ in range(self._choice.randint(1, 3))]
        arguments = [self.of(each, depth - 1) for each in kinds]
        if name in FIELDS and self._choice.random() < 0.95:
            arguments[0] = f"'{self._choice.choice(FIELDS[name])}'"
        if name == "to_char" and self._choice.random() < 0.95:
            is_number = kinds[0] in NUMBERS
            text = number_template(self._choice) if is_number else template(self._choice)
            arguments[1] = "'" + text.replace("'", "''") + "'"
        directed(self._choice, name, kinds, arguments)
        place = ZONE_PLACES.get(name, len(kinds))
        if place < len(kinds) and kinds[place] == "text" and self._choice.random() < 0.97:
            arguments[place] = f"'{self._choice.choice(ZONES)}'"
        if name == "timezone" and self._choice.random() < 0.5:
            return f"(({arguments[1]}) AT TIME ZONE ({arguments[0]}))"
        if not entry.is_operator:
            call = f"{entry.spelling or name}({', '.join(arguments)})"
            return f"sign({call})::integer" if name in ORDERS_OF_BYTES else call
        if len(arguments) == 1:
            return f"({name} ({arguments[0]}))"
        return f"(({arguments[0]}) {name} ({arguments[1]}))"

    def _cast(self, kind: str, depth: int) -> str | None:
        sources = CASTS.get(kind, [])
        if not sources:
            return None
        if kind == "interval" and self._choice.random() < 0.7:
            return f"({self.of('interval', depth - 1)})::{self._choice.choice(RESTRICTED)}"
        return f"({self.of(self._choice.choice(sources), depth - 1)})::{kind}"

    def _form(self, kind: str, depth: int) -> str:
        first, second = self.of(kind, depth - 1), self.of(kind, depth - 1)
        condition = self.of("boolean", depth - 1)
        form = self._choice.randrange(6)
        if form == 0:
            return f"CASE WHEN {condition} THEN {first} ELSE {second} END"
        if form == 1:
            return f"CASE WHEN {condition} THEN {first} END"
        if form == 2:
            return f"coalesce({first}, {second})"
        if form == 3:
            return f"nullif({first}, {second})"
        if form == 4:
            return f"greatest({first}, {second})"
        return f"least({first}, {second})"

    def _array(self, kind: str) -> str:
        """An array as a text, with and without its type."""
        elements = [self._choice.choice([*ELEMENTS[kind], "NULL"]) for _ in range(self._choice.randint(0, 4))]
        text = "'{" + ", ".join(elements) + "}'"
        return self._choice.choice([text, f"{text}::{kind}[]", "NULL"])

    def _ordered_rows(self, left: tuple[str, str], right: tuple[str, str]) -> str:
        """Not of constants that decide: what those come to PostgreSQL's planner does not know."""
        if not self._columns:
            return f"(({left[0]}) IS DISTINCT FROM ({right[0]}))"
        same = self._columns["integer"][0]
        sign = self._choice.choice(COMPARISONS[2:])
        return f"(({same}, {', '.join(left)}) {sign} ({same}, {', '.join(right)}))"

    def _test(self, _kind: str, depth: int) -> str:
        kind = self.any_kind()
        first, second, third = (self.of(kind, depth - 1) for _ in range(3))
        one, other = self.of("boolean", depth - 1), self.of("boolean", depth - 1)
        return self._choice.choice(
            [
                f"(({one}) AND ({other}))",
                f"(({one}) OR ({other}))",
                f"(NOT ({one}))",
                f"(({first}) IS NULL)",
                f"(({first}) IS NOT NULL)",
                f"(({one}) IS TRUE)",
                f"(({one}) IS NOT FALSE)",
                f"(({one}) IS UNKNOWN)",
                f"(({first}) IS DISTINCT FROM ({second}))",
                f"(({first}) IS NOT DISTINCT FROM ({second}))",
                f"(({first}) IN ({second}, {third}))",
                f"(({first}) NOT IN ({second}, {third}))",
                f"(({first}) BETWEEN ({second}) AND ({third}))",
                f"(({first}) NOT BETWEEN SYMMETRIC ({second}) AND ({third}))",
                f"(({first}) = ANY (ARRAY[{second}, {third}]))",
                f"(({first}) <> ALL (ARRAY[{second}, {third}, {first}]))",
                f"(({first}) {self._choice.choice(COMPARISONS)} ANY (ARRAY[{second}, {third}]))",
                f"(({first}) = ANY ({self._array(kind)}))",
                f"(({first}) <> ALL ({self._array(kind)}))",
                f"(({first}, {one}) {self._choice.choice(['=', '<>'])} ({second}, {other}))",
                self._ordered_rows((first, one), (second, other)),
                f"(({first}, {one}) IN (({second}, {other}), ({third}, {one})))",
                f"(({first}, {one}) IS DISTINCT FROM ({second}, {other}))",
                # PostgreSQL's planner does not compute it for a row of constants alone.
                f"(({first}, {one}, {self._choice.choice(self._columns['integer'])}) IS NOT NULL)"
                if self._columns
                else f"(NOT ({one}))",
            ]
        )
