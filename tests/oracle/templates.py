"""Templates of numbers and of dates, and texts to be read by them: well-formed ones and broken ones."""

from __future__ import annotations

import random
from datetime import datetime

from constants import words

_NUMBER_PIECES = ["9", "0", "9", "0", "9", ".", ",", " ", "x", '"a"', "\u20ac", '\\"']
_NUMBER_PIECES += words("D G S MI PL SG PR FM L TH th V RN rn EEEE B C SP fm mi s sg")
_NUMBERS = words(
    "1 12 123.45 -1.5 1,234 +5 5- <5> $1 0.5 .5 12. 1st 12th 1,234.50- \u20ac1 --1 1.2.3 9999999999 0001 abc"
)
_NUMBERS += ["  7", "1 2", "-", "", "+ 1"]

_DATE_PATTERNS = words(
    "A.D. AM B.C. BC CC DAY DDD DD DY Day Dy D FF1 FF3 FF6 HH24 HH12 HH IDDD ID IW IYYY IYY IY I J MI MM MONTH MON MS "
    "Month Mon P.M. PM Q RM SSSSS SSSS SS TZH TZM US WW W Y,YYY YYYY YYY YY Y FX TZ OF"
)
_DATES = [
    *words("YYYY-MM-DD YYYY/MM/DD YYYYMMDD IYYY-IW-ID J RM-YYYY HH24MISS YYYYMMDDHH24MISS SS.MS SS.US SS.FF4 SSSS"),
    *("DD Mon YYYY", "DD Month YYYY", "YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH12:MI:SS AM", "YYYY DDD", "IYYY IDDD"),
    *("YYYY WW", "YYYY-MM W", "CC YY", "YY-MM-DD", "YYYY-MM-DD HH24:MI TZH:TZM", "Day, DD Mon YYYY", "DY DD MM YYYY"),
    *("FMDD FMMM YYYY", "DDth MM YYYY", "Y,YYY-MM", 'YYYY-MM-DD"T"HH24:MI:SS', "FXYYYY-MM-DD", "Q YYYY", "YYYY AD"),
]
_BETWEEN = ["-", "/", ":", " ", "", "T", ".", "  ", '"x"', "1", ", "]
_PARTS = words("2000 1999 21 7 0 -5 2000-01-01 12 366 31 Jan JANUARY mon Monday am P.M. BC XII 2451187 1,999 +05:30")
_PARTS += words("-08 59 60 999 000123 5.5 a 20000229 24")


def number_template(choice: random.Random) -> str:
    """Mostly one that PostgreSQL takes."""
    if choice.random() < 0.3:
        return "".join(choice.choices(_NUMBER_PIECES, k=choice.randint(0, 9)))
    digits = "".join(choice.choice("9909090,G") for _ in range(choice.randint(1, 8)))
    if choice.random() < 0.6:
        digits += choice.choice(".D") + "".join(choice.choices("90", k=choice.randint(0, 5)))
    before = choice.choice(["", "", "", "S", "MI", "SG", "L", "x "])
    behind = "" if before in ("S", "MI", "SG") else choice.choice(["", "", "S", "MI", "PL", "PR", "TH", "V99", "EEEE"])
    return choice.choice(["", "", "FM"]) + before + digits + behind


def number_text(choice: random.Random) -> str:
    if choice.random() < 0.7:
        return choice.choice(_NUMBERS)
    return "".join(choice.choice("0123456789.,+-<> x") for _ in range(choice.randint(0, 8)))


def _shown(moment: datetime) -> dict[str, str]:
    """Returns what each pattern stands for, the longest first."""
    iso = moment.isocalendar()
    shown = {
        "YYYY": f"{moment.year:04}",
        "YY": f"{moment.year % 100:02}",
        "Y,YYY": "1,999",
        "AD": "AD",
        "CC": "20",
        "MM": f"{moment:%m}",
        "Month": f"{moment:%B}",
        "Mon": f"{moment:%b}",
        "RM": "XI",
        "Q": "3",
        "DDD": f"{moment:%j}",
        "DD": f"{moment:%d}",
        "Day": f"{moment:%A}",
        "DY": f"{moment:%a}",
        "W": "2",
        "WW": "30",
        "HH24": f"{moment:%H}",
        "HH12": f"{moment:%I}",
        "MI": f"{moment:%M}",
        "SS": f"{moment:%S}",
        "AM": f"{moment:%p}",
        "US": f"{moment:%f}",
        "MS": f"{moment:%f}"[:3],
        "FF4": f"{moment:%f}"[:4],
        "SSSS": str(moment.hour * 3600),
        "IYYY": str(iso.year),
        "IW": f"{iso.week:02}",
        "IDDD": "123",
        "ID": str(iso.weekday),
        "J": str(moment.toordinal() + 1721425),
        "TZH": "-08",
        "TZM": "30",
        "FX": "",
        "FM": "",
        "th": "th",
        '"': "",
    }
    return dict(sorted(shown.items(), key=lambda pair: -len(pair[0])))


def _written(template: str, moment: datetime) -> str:
    shown, made = _shown(moment), ""
    while template:
        pattern = next((each for each in shown if template.startswith(each)), template[0])
        made += shown.get(pattern, pattern)
        template = template[len(pattern) :]
    return made


def date_and_template(choice: random.Random, has_year: bool = False) -> tuple[str, str]:
    """A text and the template that it was written by, or something like it; sometimes neither fits the other. One that
    names no year is of 1 BC, which is out of range here."""
    if choice.random() < (0.02 if has_year else 0.25):
        patterns = [
            choice.choice(["", "", "FM", "TM"]) + choice.choice(_DATE_PATTERNS) for _ in range(choice.randint(1, 4))
        ]
        template = "".join(each + choice.choice(["", "", "TH"]) + choice.choice(_BETWEEN) for each in patterns)
        text = "".join(choice.choice(_PARTS) + choice.choice(_BETWEEN) for _ in patterns).replace('"', "")
        return text, template
    year = choice.choice([1, 99, 1850, 1999, 2000, 2024, 9999])
    day = datetime(year, choice.randint(1, 12), choice.randint(1, 28), choice.randint(0, 23), choice.randint(0, 59))
    template = choice.choice([each for each in _DATES if "YY" in each or not has_year])
    text = _written(template, day.replace(microsecond=choice.choice([0, 500_000, 123_456])))
    if choice.random() < 0.25:
        place = choice.randrange(len(text) + 1)
        text = text[:place] + choice.choice([" ", "", "x", "-", "9"]) + text[place + choice.randint(0, 1) :]
    return text, template.lower() if choice.random() < 0.1 else template
