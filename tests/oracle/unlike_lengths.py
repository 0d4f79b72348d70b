"""Random expressions that choose among strings of unlike lengths: char(n), varchar(n), text, untyped constants.

What they come to shows its blanks, and its type, in what they are given to: an output, a pattern, a text, a comparison.
"""

from __future__ import annotations

import random

ROWS = [
    "INSERT INTO t (i, c, v, day, at, s, n) VALUES " + row
    for row in [
        "(1, 'ab', 'ab', '2013-01-01', '2013-01-01 05:00:00', 1, 1.25)",
        "(2, '', '', '2000-02-29', '2000-02-29', 2, 2)",
        "(3, 'abcde', 'ab  ', '2000-02-29', '2000-02-29 00:00:00', -1, 3)",
        "(4, NULL, 'abcdefghij', NULL, '2000-02-29', NULL, 4)",
        "(5, '-', NULL, '1969-12-31', NULL, 5, NULL)",
        "(6, NULL, NULL, NULL, NULL, NULL, NULL)",
        "(7, 'a b', ' -', '1969-12-31', '1969-12-31 12:00:00', 7, 7)",
    ]
]

_CHARS = ["c", "c", "c", "c::char(3)", "c::char(8)", "v::char(3)", "v::char(10)", "c::bpchar", "'ab'::char(4)"]
_CHARS += ["'-'::bpchar", "'ab  '::bpchar", "NULL::char(3)", "left(v, 2)::char(5)", "v::bpchar", "i::char(5)"]
_VARCHARS = ["v", "v", "c::varchar", "c::varchar(4)", "v::varchar(3)", "'ab  '::varchar", "NULL::varchar"]
_TEXTS = ["c::text", "v::text", "lower(v)", "upper(c)", "'ab '::text", "'-'::text", "concat(c, v)", "NULL::text"]
_UNKNOWN = ["'-'", "'ab'", "'ab '", "''", "NULL", "'abcdef '", "'a%'"]
_CONDITIONS = ["i > 3", "c = 'ab'", "v IS NULL", "s > 1", "c < v", "true"]
_PATTERNS = ["'-'", "'- %'", "'ab'", "'ab%'", "'ab   '", "'% '", "'_____'", "'__'", "''", "'%b  '", "'ab___%'"]
_COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]
_LENGTHS = ["length", "octet_length", "char_length", "bit_length"]


def value(choice: random.Random, depth: int = 2) -> str:
    """A string of any type, or a choice among several."""
    if depth > 0 and choice.random() < 0.5:
        return chosen(choice, depth - 1)
    return choice.choice(choice.choice([_CHARS, _CHARS, _VARCHARS, _TEXTS, _UNKNOWN, _UNKNOWN]))


def chosen(choice: random.Random, depth: int = 1) -> str:
    """COALESCE, CASE, GREATEST, LEAST or NULLIF."""
    values = [value(choice, depth) for _ in range(choice.choice([1, 2, 2, 2, 3]))]
    form = choice.choice(["coalesce", "greatest", "least", "nullif", "case", "case of"])
    if form == "nullif":
        return f"nullif({value(choice, depth)}, {value(choice, depth)})"
    if form == "case of":
        otherwise = f" ELSE {values[-1]}" if choice.random() < 0.7 else ""
        return f"(CASE {value(choice, 0)} WHEN {value(choice, 0)} THEN {values[0]}{otherwise} END)"
    if form == "case":
        arms = " ".join(f"WHEN {choice.choice(_CONDITIONS)} THEN {each}" for each in values)
        otherwise = f" ELSE {value(choice, depth)}" if choice.random() < 0.7 else ""
        return f"(CASE {arms}{otherwise} END)"
    return f"{form}({', '.join(values)})"


def condition(choice: random.Random) -> str:
    """Returns a condition that compares a choice with something, or matches it."""
    one = chosen(choice)
    draw = choice.random()
    if draw < 0.3:
        return f"{one} {choice.choice(['LIKE', 'LIKE', 'NOT LIKE', 'ILIKE', '~~'])} {choice.choice(_PATTERNS)}"
    if draw < 0.55:
        return f"{one} {choice.choice(_COMPARISONS)} {value(choice)}"
    if draw < 0.65:
        return f"{one} {choice.choice(['IN', 'NOT IN'])} ({value(choice, 0)}, {value(choice, 0)}, {value(choice, 1)})"
    if draw < 0.72:
        return f"{one} BETWEEN {value(choice, 1)} AND {value(choice, 0)}"
    if draw < 0.8:
        return f"{one} IS {choice.choice(['', 'NOT '])}DISTINCT FROM {value(choice)}"
    if draw < 0.87:
        return f"{one} {choice.choice(['~', '!~', '~*'])} {choice.choice(_PATTERNS)}"
    return f"{choice.choice(_LENGTHS)}({one}) > {choice.randint(0, 6)}"


def output(choice: random.Random) -> str:
    """Something that shows the blanks of a choice."""
    one = chosen(choice)
    draw = choice.random()
    if draw < 0.4:
        return one
    if draw < 0.5:
        return f"concat({one}, '|', {value(choice)})"
    if draw < 0.58:
        return f"format('%s|%L|%I', {one}, {value(choice)}, {value(choice)})"
    if draw < 0.66:
        return f"{one} || {value(choice)}"
    if draw < 0.74:
        return f"({one})::{choice.choice(['text', 'varchar', 'varchar(3)', 'char(4)', 'bpchar'])}"
    if draw < 0.82:
        return f"{choice.choice(_LENGTHS)}({one})"
    if draw < 0.9:
        return f"{choice.choice(['lower', 'reverse', 'md5', 'btrim', 'quote_literal'])}({one})"
    return _other_kinds(choice)


def _other_kinds(choice: random.Random) -> str:
    """NULLIF and its like of what is no string: which type wins."""
    pairs = [("day", "at"), ("at", "day"), ("s", "n"), ("n", "s"), ("i", "l"), ("s", "i"), ("r", "d"), ("d", "n")]
    left, right = choice.choice([*pairs, ("moment", "day"), ("k", "1.5"), ("day", "'2000-02-29'"), ("n", "1.50")])
    return f"{choice.choice(['nullif', 'nullif', 'coalesce', 'greatest'])}({left}, {right})"


def statement(choice: random.Random) -> str:
    draw = choice.random()
    if draw < 0.4:
        return f"SELECT i FROM t WHERE {condition(choice)}"
    if draw < 0.5:
        return f"SELECT i, {output(choice)} AS e FROM t WHERE {condition(choice)}"
    return f"SELECT i, {output(choice)} AS e, {output(choice)} AS f FROM t"
