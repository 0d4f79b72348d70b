"""Random regular expressions, right ones and wrong ones, with texts that they are likely to match."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

_LETTERS = "aabbcABC1_ -é€😀\n"
_SPECIAL = "()[]{}|*+?.^$\\,:=!<>#&0123456789aAbBdDwWsSyYmMZxucn- \n"
_CLASSES = {"alpha": "aB", "digit": "19", "alnum": "a1", "upper": "AB", "lower": "ab", "space": " \n", "punct": "-_"}
_CLASSES |= {"blank": " ", "word": "a_1", "xdigit": "a1", "print": "a -", "graph": "a-", "cntrl": "\n", "ascii": "a1"}
_ESCAPES = {"\\d": "1", "\\w": "ab_1", "\\s": " \n", "\\D": "a é", "\\W": " -é", "\\S": "a1-"}
_CODES = {"\\x61": "a", "\\u00e9": "é", "\\U0001f600": "😀", "\\101": "A", "\\n": "\n", "\\061": "1", "\\x0000041": "A"}
_CODES |= {"\\t": "\t", "\\cJ": "\n", "\\B": "\\", "\\-": "-", "\\.": ".", "\\é": "é", "\\e": "\x1b", "\\a": "\x07"}
_CONSTRAINTS = ["^", "$", "\\A", "\\Z", "\\y", "\\Y"]
_REFUSED = ["\\m", "\\M", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "[[:<:]]", "[[:>:]]", "\\1", "\\2"]
_WORD_ENDS = {"\\ma": "a", "b\\M": "b", "\\m\\w+": "a1", "[[:<:]](?:a|b*c)": "a", "(a|1)[[:>:]]": "1", "\\M ": " "}
_WORD_ENDS |= {" \\m": " ", "\\M\\.": ".", "\\m ": " ", "a\\m": "a", "^\\m": "", "\\M$": "", "\\ya\\M": "a"}
_QUANTIFIERS = ["*", "+", "?", "{0}", "{1}", "{2}", "{0,1}", "{1,}", "{0,2}", "{1,3}", "{2,2}", "{,2}", "{3,1}"]
_OPTIONS = [
    "(?i)",
    "(?n)",
    "(?p)",
    "(?w)",
    "(?x)",
    "(?c)",
    "(?s)",
    "(?is)",
    "(?e)",
    "(?b)",
    "(?q)",
    "(?z)",
    "(?i",
    "***:",
]
_OPTIONS += ["***=", "***", "***?", "***a", "***:(?i)"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An expression, and what makes texts that it may match."""

    pattern: str
    sample: Callable[[], str]


class Patterns:
    """Advanced expressions, no deeper than asked for."""

    def __init__(self, choice: random.Random) -> None:
        self._choice = choice
        self._pick = choice.choice

    def drawn(self) -> Drawn:
        """A whole expression: a tenth of them has an option before it, a tenth a mistake in it."""
        made = self._choices(self._choice.randint(0, 3))
        pattern = made.pattern
        roll = self._choice.random()
        if roll < 0.1:
            pattern = self._pick(_OPTIONS) + pattern
        elif roll < 0.2:
            pattern = self._spoilt(pattern)
        elif roll < 0.25:
            pattern = "^" + pattern + self._pick(["$", ""])
        return Drawn(pattern, made.sample)

    def text(self, drawn: Drawn) -> str:
        """A text that such an expression may match, or nearly."""
        pieces = [drawn.sample() for _ in range(self._pick([1, 1, 1, 2, 3]))]
        text = self._pick(["", "", "\n", " ", "x"]).join(pieces)
        roll = self._choice.random()
        if roll < 0.25:
            text = self._noise() + text + self._noise()
        elif roll < 0.4 and text:
            at = self._choice.randrange(len(text))
            text = text[:at] + self._pick(["", self._pick(_LETTERS)]) + text[at + 1 :]
        elif roll < 0.5:
            text = self._noise()
        return text.replace("\x00", "")[:60]

    def _noise(self) -> str:
        return "".join(self._choice.choices(_LETTERS, k=self._choice.randint(0, 4)))

    def _spoilt(self, pattern: str) -> str:
        for _ in range(self._choice.randint(1, 2)):
            at = self._choice.randint(0, len(pattern))
            pattern = pattern[:at] + self._pick([*_SPECIAL, ""]) + pattern[at + self._choice.randint(0, 1) :]
        return pattern

    def _choices(self, depth: int) -> Drawn:
        count = self._pick([1, 1, 1, 2, 3]) if depth > 0 else 1
        parts = [self._sequence(depth) for _ in range(count)]
        if count > 1 and self._choice.random() < 0.1:
            parts[self._choice.randrange(count)] = Drawn("", lambda: "")
        return Drawn("|".join(part.pattern for part in parts), lambda: self._pick(parts).sample())

    def _sequence(self, depth: int) -> Drawn:
        parts = [self._item(depth) for _ in range(self._pick([1, 1, 2, 2, 3, 4]))]
        return Drawn("".join(part.pattern for part in parts), lambda: "".join(part.sample() for part in parts))

    def _item(self, depth: int) -> Drawn:
        roll = self._choice.random()
        if roll < 0.06:
            return Drawn(self._pick(_CONSTRAINTS), lambda: "")
        if roll < 0.065:
            return Drawn(self._pick(_REFUSED), lambda: "")
        if roll < 0.085:
            ends = self._pick(list(_WORD_ENDS))
            return Drawn(ends, lambda: _WORD_ENDS[ends])
        atom = self._atom(depth)
        return self._quantified(atom) if self._choice.random() < 0.4 else atom

    def _quantified(self, atom: Drawn) -> Drawn:
        times = self._pick([*_QUANTIFIERS[:10], *_QUANTIFIERS[:3], self._pick(_QUANTIFIERS)])
        lazy = "?" if self._choice.random() < 0.2 else ""
        return Drawn(
            atom.pattern + times + lazy, lambda: "".join(atom.sample() for _ in range(self._pick([0, 1, 1, 2])))
        )

    def _atom(self, depth: int) -> Drawn:
        roll = self._choice.random()
        if depth > 0 and roll < 0.45:
            inner = self._choices(depth - 1)
            return Drawn(self._pick(["(", "(", "(?:"]) + inner.pattern + ")", inner.sample)
        if roll < 0.55:
            return Drawn(".", lambda: self._pick(_LETTERS))
        if roll < 0.65:
            escape = self._pick(list(_ESCAPES))
            return Drawn(escape, lambda: self._pick(_ESCAPES[escape]))
        if roll < 0.7:
            code = self._pick(list(_CODES))
            return Drawn(code, lambda: _CODES[code])
        if roll < 0.8:
            return self._bracket()
        letter = self._pick(_LETTERS)
        return Drawn(letter, lambda: letter)

    def _bracket(self) -> Drawn:
        parts, samples = [], "a"
        for _ in range(self._choice.randint(1, 3)):
            part, of_part = self._bracket_part()
            parts.append(part)
            samples += of_part
        negated = self._choice.random() < 0.3
        first, last = self._pick(["", "", "", "]", "-"]), self._pick(["", "", "", "-"])
        pattern = "[" + ("^" if negated else "") + first + "".join(parts) + last + "]"
        taken = _LETTERS if negated else samples
        return Drawn(pattern, lambda: self._pick(taken))

    def _bracket_part(self) -> tuple[str, str]:
        kind = self._choice.randrange(8)
        if kind == 0:
            low, high = sorted([self._pick("abcxyz019ABé€"), self._pick("abcxyz019ABé€")])
            return f"{low}-{high}", low + high
        if kind == 1:
            name = self._pick(list(_CLASSES))
            return f"[:{name}:]", _CLASSES[name]
        if kind == 2:
            escape = self._pick(list(_ESCAPES))
            return escape, _ESCAPES[escape]
        if kind == 3:
            element = self._pick(["[.a.]", "[=b=]", "[.hyphen.]", "[.space.]", "[.a.]-c", "[.nothing.]", "[:nothing:]"])
            return element, "ab- "
        if kind == 4:
            code = self._pick(list(_CODES))
            return code, _CODES[code]
        letter = self._pick(_LETTERS.replace("-", "^"))
        return letter, letter


SIMILAR_PIECES = [
    "%",
    "_",
    "(",
    ")",
    "|",
    "[ab]",
    "[^a]",
    "*",
    "+",
    "?",
    "{2}",
    "a",
    "b",
    "é",
    ".",
    "^",
    "$",
    '#"',
    "#%",
]


def similar_pattern(choice: random.Random) -> str:
    """A pattern of SIMILAR TO, with # as its escape."""
    pieces = "".join(choice.choices(SIMILAR_PIECES, k=choice.randint(1, 6)))
    if choice.random() < 0.5:
        parts = [
            "".join(choice.choices(["%", "_", "a", "[ab]+", "(a|b)", "b*"], k=choice.randint(0, 3))) for _ in "123"
        ]
        return '#"'.join(parts)
    return pieces
