"""Functions are given these sizes, escapes, formats and templates, because any other text would only make them fail."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from constants import quoted, words
from regular_patterns import Patterns
from templates import date_and_template, number_template, number_text

_UNITS = ["", "kB", " MB", "gb", " TB ", "PB", "bytes", " B", "x"]
_ESCAPES = ["\\0041", "\\+000041", "\\u00e9", "\\U0001F600", "\\D83D\\DE00", "\\\\", "\\D83D", "\\00zz", "a", "\u20ac"]
_PLACES = [*words("%s %I %L %% %1$s %2$I %5s %-5L %*s %-*2$s %3$s %0$s %x a | €"), " ", "%"]
_SIMILAR = [*words('% _ ( ) | [ ] ^ $ . \\ \\" # #" a b'), "[a%]"]
_NAMES = [*words('abc Abc a"b select time 1a a1 é _a'), "", "a b"]


def _of(pieces: list[str], most: int) -> Callable[[random.Random], list[str]]:
    return lambda choice: ["".join(choice.choices(pieces, k=choice.randint(0, most)))]


def _expression(choice: random.Random) -> str:
    return Patterns(choice).drawn().pattern.replace("\n", "")


def _matched(*behind: Callable[[random.Random], str]) -> Callable[[random.Random], list[str | None]]:
    """Whatever text it is, an expression, and what may stand behind it."""
    return lambda choice: [None, _expression(choice), *(each(choice) for each in behind)]


def _flags(choice: random.Random) -> str:
    return choice.choice(["", "i", "n", "g", "x", "ic", "q", "z"])


def _instead(choice: random.Random) -> str:
    return choice.choice(["", "X", "<\\&>", "\\1", "[\\2\\1]", "\\\\", "\\"])


def _size(choice: random.Random) -> list[str]:
    number = choice.choice(words("0 1 -5 1.5 .5 1. 1e2 1e 99999999 1234567 + abc"))
    return [choice.choice(["", " "]) + number + choice.choice(_UNITS)]


def _number(choice: random.Random) -> list[str]:
    return [number_text(choice), number_template(choice)]


def _date(choice: random.Random) -> list[str]:
    return list(date_and_template(choice, has_year=True))


# The texts that such a function's first arguments are.
TEXTS_OF: dict[str, Callable[[random.Random], Sequence[str | None]]] = {
    "format": _of(_PLACES, 4),
    "pg_size_bytes": _size,
    "quote_ident": _of(_NAMES, 1),
    "regexp_like": _matched(_flags),
    "regexp_count": _matched(_flags, _flags),
    "regexp_instr": _matched(*[_flags] * 4),
    "regexp_substr": _matched(*[_flags] * 3),
    "regexp_replace": _matched(_instead, *[_flags] * 3),
    "similar_escape": lambda choice: [*_of(_SIMILAR, 6)(choice), choice.choice(["\\", "#", "", "ab"])],
    "similar_to_escape": lambda choice: [*_of(_SIMILAR, 6)(choice), choice.choice(["\\", "#", "", "ab"])],
    "substring": lambda choice: [None, _expression(choice), "#"],
    "to_date": _date,
    "to_number": _number,
    "to_timestamp": _date,
    "unistr": _of(_ESCAPES, 4),
}
TEXTS_OF |= dict.fromkeys(["~", "!~", "~*", "!~*"], _matched())
TEXTS_OF |= {
    f"{kind}{'ic' if ignores_case else ''}regex{which}": _matched()
    for kind in ("text", "bpchar")
    for ignores_case in (False, True)
    for which in ("eq", "ne")
}


def directed(choice: random.Random, name: str, kinds: list[str], arguments: list[str]) -> None:
    """Puts such texts where the function takes texts."""
    if name not in TEXTS_OF or choice.random() < 0.05:
        return
    for place, text in enumerate(TEXTS_OF[name](choice)):
        if text is not None and place < len(kinds) and kinds[place] == "text":
            arguments[place] = quoted(text)
