"""Random spellings of intervals: PostgreSQL's own, SQL's, those of ISO 8601, and broken ones."""

from __future__ import annotations

import random

from constants import words

_UNITS = words(
    "year years y yr yrs month months mon mons week weeks w day days d hour hours h hr hrs minute minutes m min mins "
    "second seconds s sec secs millisecond milliseconds ms msec msecs msecond microsecond microseconds us usec usecs "
    "decade decades dec decs century centuries c cent millennium millennia mil mils"
)
_ODD_UNITS = words("quarter timezone fortnight microsecondxyz DAYS Mon at on ago now epoch")
_FIELDS = words("YEAR MONTH DAY HOUR MINUTE SECOND")
_MODIFIERS = [
    *_FIELDS,
    "YEAR TO MONTH",
    "DAY TO HOUR",
    "DAY TO MINUTE",
    "DAY TO SECOND",
    "HOUR TO MINUTE",
    "HOUR TO SECOND",
    "MINUTE TO SECOND",
    "SECOND(0)",
    "SECOND(3)",
    "DAY TO SECOND(2)",
    "HOUR TO SECOND(6)",
]
_ALPHABET = "0123456789 -+.:,PTYMDHSWpt@#ago\x01é"


def _number(choice: random.Random) -> str:
    whole = choice.choice(["0", "1", "2", "3", "12", "29", "59", "60", "100", "007", "2147483647", "2147483648"])
    if choice.random() < 0.02:
        whole = choice.choice(["9223372036854775807", "9223372036854775808", "178956970", "178956971", "99999999999"])
    fraction = choice.choice(["", "", "", ".5", ".25", ".1234567", ".0000005", ".9999999", ".", ".75"])
    return choice.choice(["", "", "", "-", "-", "+", "- "]) + whole + fraction


def _part(choice: random.Random) -> str:
    unit = choice.choice(_UNITS if choice.random() < 0.95 else _ODD_UNITS)
    return _number(choice) + choice.choice([" ", " ", "", "  "]) + choice.choice([unit, unit, unit.upper()])


def _time(choice: random.Random) -> str:
    hours = choice.choice(["0", "1", "04", "23", "100", "2562047788", "9999999999"])
    minutes = choice.choice(["00", "5", "59", "59", "60"])
    seconds = choice.choice(["", "", ":00", ":06", ":59", ":60", ":61"])
    fraction = choice.choice(["", "", ".5", ".1234567", ".9999996", "."]) if seconds or choice.random() < 0.2 else ""
    return choice.choice(["", "", "-", "+"]) + f"{hours}:{minutes}{seconds}{fraction}"


def _years(choice: random.Random) -> str:
    return f"{choice.choice(['', '-', '+'])}{choice.choice(['0', '1', '99', '178956971'])}-{choice.randint(0, 12)}"


def _traditional(choice: random.Random) -> str:
    parts = [_part(choice) for _ in range(choice.randint(0, 4))]
    if choice.random() < 0.4:
        parts.append(_time(choice))
    if choice.random() < 0.2:
        parts.insert(0, _years(choice))
    if choice.random() < 0.2:
        parts.insert(choice.randint(0, len(parts)), _number(choice))
    if choice.random() < 0.05:
        choice.shuffle(parts)
    ago = choice.choice([" ago", "ago", " AGO"]) if choice.random() < 0.15 else ""
    return choice.choice(["", "", "@ ", " "]) + choice.choice([" ", " ", ", ", "  "]).join(parts) + ago


def _iso(choice: random.Random) -> str:
    if choice.random() < 0.3:
        date = choice.choice(["0001-02-03", "1-2-3", "-1-2", "0012", "00010203", "1", "", "0001-13-40", "2-3.5"])
        time = choice.choice(["", "T04:05:06", "T4:5", "T040506", "T040506.7", "T4.5", "T-1:2:3.75", "T", "T4:5:6:7"])
        return f"P{date}{time}"

    def some(units: str) -> str:
        return "".join(f"{_number(choice).strip()}{unit}" for unit in units if choice.random() < 0.4)

    time = choice.choice(["T", ""]) + some("HMS")
    return choice.choice("PPPPPp") + some("YMWD") + time


def interval_spelling(choice: random.Random) -> str:
    """One text: well-formed in about half of all cases."""
    text = _traditional(choice) if choice.random() < 0.7 else _iso(choice)
    for _ in range(choice.choice([0, 0, 0, 0, 1, 2])):
        at = choice.randint(0, len(text))
        text = text[:at] + choice.choice(["", choice.choice(_ALPHABET)]) + text[at + choice.randint(0, 1) :]
    return text


def interval_constant(choice: random.Random, literal: str) -> str:
    """The quoted literal as an interval, now and then with fields or digits of seconds."""
    draw = choice.random()
    if draw < 0.5:
        return f"INTERVAL {literal}"
    if draw < 0.6:
        return f"INTERVAL({choice.randint(0, 6)}) {literal}"
    return f"INTERVAL {literal} {choice.choice(_MODIFIERS)}"
