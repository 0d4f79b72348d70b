"""Random spellings of dates, timestamps and times: as people write them, as programs print them, and broken ones."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable

from constants import words

_MONTHS = words(
    "January February March April May June July August September October November December "
    "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
_WEEKDAYS = words(
    "Sunday Monday Tuesday Wednesday Thursday Friday Saturday Sun Mon Tue Tues Wed Weds Thu Thur Thurs Fri Sat"
)
_ZONES = words(
    "Z UTC GMT zulu PST PDT EST EDT MSK MET CEST +02 -08 +0530 -03:30 +1:2:3 + -7 +15:59:59 +16 -16:00 +5:60 EST5EDT "
    "Cuba utc+3 foo+3 foo/bar foo America/New_York Europe/Zurich Etc/GMT+5 GB-Eire PST8PDT dst a5b +12:34:56.7"
)
_LABELS = words("y m d h mm s j jd julian dow doy isodow isoyear t at on")
_WORDS = words(
    "now today tomorrow yesterday epoch infinity -infinity allballs AM PM am pm AD BC ad bc noon midnight never "
    "invalid current +infinity inf"
)
_SEPARATORS = ["", " ", " ", " ", "  ", ",", ", ", "-", "/", ".", ":", "T", "t", "\t", "_", "@", "+", " (", ")"]
_ALPHABET = "0123456789 -/.,:+TZJjamp@#e\x01\u00e9"


def spelling(choice: random.Random) -> str:
    """One text: well-formed in about half of all cases."""
    draw = choice.random()
    if draw < 0.45:
        return _written(choice)
    if draw < 0.7:
        return _broken(choice, _written(choice))
    return "".join(_token(choice) + choice.choice(_SEPARATORS) for _ in range(choice.randint(1, 6)))


def time_spelling(choice: random.Random) -> str:
    """One text that is to be a time of day."""
    draw = choice.random()
    if draw < 0.5:
        return _written_time(choice)
    if draw < 0.75:
        return _broken(choice, _written_time(choice))
    return "".join(_token(choice) + choice.choice(_SEPARATORS) for _ in range(choice.randint(1, 4)))


def _written_time(choice: random.Random) -> str:
    moment = _moment(choice)
    text = _time(choice, moment)
    if choice.random() < 0.2:
        date = _date(choice, moment)
        text = choice.choice([f"{date} {text}", f"{text} {date}", f"t{text}", f"T {text}"])
    if choice.random() < 0.3:
        text += choice.choice(["", " ", " "]) + choice.choice(_ZONES)
    return text


def _moment(choice: random.Random) -> datetime.datetime:
    if choice.random() < 0.2:
        edges = ["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "2000-02-29T12:00:00", "1970-01-01T00:00:00"]
        return datetime.datetime.fromisoformat(choice.choice(edges))
    start = datetime.datetime(1, 1, 1) if choice.random() < 0.3 else datetime.datetime(1960, 1, 1)
    span = 9000 * 365 if start.year == 1 else 36500
    return start + datetime.timedelta(days=choice.randrange(span), microseconds=choice.randrange(86_400_000_000))


def _case(choice: random.Random, text: str) -> str:
    return choice.choice([text, text, text.upper(), text.lower()])


def _date(choice: random.Random, moment: datetime.datetime) -> str:
    year, month, day = moment.year, moment.month, moment.day
    name = _case(choice, choice.choice([moment.strftime("%B"), moment.strftime("%b")]))
    joint = choice.choice(["-", "/", ".", " ", ", "])
    julian = moment.toordinal() + 1_721_425
    forms = [
        f"{year:04}-{month:02}-{day:02}",
        f"{year:04}-{month}-{day}",
        f"{year}{joint}{month}{joint}{day}",
        f"{month}{joint}{day}{joint}{year:04}",
        f"{month:02}{joint}{day:02}{joint}{year % 100:02}",
        f"{day}{joint}{month}{joint}{year:04}",
        f"{year:04}{month:02}{day:02}",
        f"{year % 100:02}{month:02}{day:02}",
        f"{name} {day}, {year:04}",
        f"{day} {name} {year:04}",
        f"{day}{joint}{name}{joint}{year:04}",
        f"{name}{joint}{day}{joint}{year % 100:02}",
        f"{year:04}{joint}{name}{joint}{day}",
        f"{year:04}.{moment.timetuple().tm_yday:03}",
        f"{year:04}{moment.timetuple().tm_yday:03}",
        f"{year:04}-{moment.timetuple().tm_yday:03}",
        f"J{julian}",
        f"JD {julian}",
        f"julian {julian}.{choice.choice(['5', '25', '123456', ''])}",
        f"y{year:04}m{month:02}d{day:02}",
        choice.choice(["today", "tomorrow", "yesterday", "epoch", "infinity", "-infinity", "now"]),
    ]
    text = choice.choice(forms)
    if choice.random() < 0.15:
        text = f"{_case(choice, choice.choice(_WEEKDAYS))}{choice.choice([' ', ', '])}{text}"
    return text


def _time(choice: random.Random, moment: datetime.datetime) -> str:
    hour, minute, second = moment.hour, moment.minute, moment.second
    fraction = choice.choice(["", "", ".", f".{moment.microsecond:06}", ".5", ".1234567", ".9999999", ".0000005"])
    forms = [
        f"{hour:02}:{minute:02}:{second:02}{fraction}",
        f"{hour}:{minute}:{second}{fraction}",
        f"{hour:02}:{minute:02}",
        f"{minute}:{second}{fraction}",
        f"{hour:02}{minute:02}{second:02}{fraction}",
        f"{hour:02}{minute:02}",
        f"{hour % 13}:{minute:02} {choice.choice(['AM', 'PM', 'am', 'pm'])}",
        f"{hour % 13}:{minute:02}:{second:02}{choice.choice(['AM', 'PM', ' p.m.'])}",
        choice.choice(["24:00:00", "23:59:60", "24:00", "24:00:01", "00:60:00", "12:", "12::30", "allballs", "25:00"]),
    ]
    return choice.choice(forms)


def _written(choice: random.Random) -> str:
    moment = _moment(choice)
    date, time = _date(choice, moment), _time(choice, moment)
    draw = choice.random()
    if draw < 0.3:
        text = date
    elif draw < 0.9:
        text = date + choice.choice([" ", " ", " ", "T", "t", "  ", ", ", " T", " at "]) + time
    else:
        text = time + choice.choice([" ", ", ", " on "]) + date
    if choice.random() < 0.3:
        text += choice.choice(["", " ", " "]) + choice.choice(_ZONES)
    if choice.random() < 0.08:
        text += choice.choice([" BC", " AD", "BC", " bc"])
    if choice.random() < 0.05:
        text = f" {text} "
    return text


def _broken(choice: random.Random, text: str) -> str:
    for _ in range(choice.randint(1, 3)):
        at = choice.randint(0, len(text))
        to = min(len(text), at + choice.randint(0, 2))
        draw = choice.random()
        if draw < 0.35:
            text = text[:at] + text[to:]
        elif draw < 0.75:
            text = text[:at] + choice.choice(_ALPHABET) + text[to:]
        elif draw < 0.9:
            text = text[:at] + text[at:to] * 2 + text[to:]
        else:
            text = text[at:] + " " + text[:at]
    return text


def _number(choice: random.Random) -> str:
    size = choice.choice([1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 6, 7, 8, 9, 12, 14, 20])
    return "".join(choice.choice("0011234569") for _ in range(size))


_TOKENS: list[Callable[[random.Random], str]] = [
    _number,
    _number,
    _number,
    lambda choice: f"{_number(choice)}.{choice.choice(['', _number(choice)])}",
    lambda choice: _case(choice, choice.choice(_MONTHS)),
    lambda choice: choice.choice(_WEEKDAYS),
    lambda choice: choice.choice(_ZONES),
    lambda choice: choice.choice(_LABELS),
    lambda choice: choice.choice(_WORDS),
    lambda choice: _date(choice, _moment(choice)),
    lambda choice: _time(choice, _moment(choice)),
]


def _token(choice: random.Random) -> str:
    return choice.choice(_TOKENS)(choice)
