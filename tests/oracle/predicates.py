"""Random WHERE clauses, for both sides at once, no larger than the normal form's bounds allow."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from daedalus_schema.schema import Column
from daedalus_schema.types import STRING_KINDS, Kind
from facts import Value
from literals import Literals, literals, quoted

CLAUSES_MAX = 200
LEAVES_MAX = 2000
DEPTH_MAX = 4

OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

Probe = Callable[[random.Random, Column], Value]
"""Draws a constant, never NULL, to compare a column with."""


@dataclass(frozen=True, slots=True)
class Size:
    """Clauses and leaves of a conjunctive normal form."""

    clauses: int
    leaves: int

    def joined(self, other: Size) -> Size:
        """Joins both by AND."""
        return Size(self.clauses + other.clauses, self.leaves + other.leaves)

    def multiplied(self, other: Size) -> Size:
        """Joins them by OR."""
        leaves = self.leaves * other.clauses + other.leaves * self.clauses
        return Size(self.clauses * other.clauses, leaves)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition; `negated_size` is the size of its negation, which is what NOT makes of it."""

    postgres: str
    duck: str
    size: Size
    negated_size: Size


def predicate(choice: random.Random, columns: list[Column], probe: Probe) -> Predicate:
    """A random condition within the bounds."""
    while True:
        drawn = _tree(choice, columns, probe, choice.choice([0, 1, 1, 2, 2, 3, DEPTH_MAX]))
        if drawn.size.clauses <= CLAUSES_MAX and drawn.size.leaves <= LEAVES_MAX:
            return drawn


def _tree(choice: random.Random, columns: list[Column], probe: Probe, depth: int) -> Predicate:
    if depth == 0:
        return leaf(choice, columns, probe)
    draw = choice.random()
    if draw < 0.2:
        inner = _tree(choice, columns, probe, depth - 1)
        return Predicate(f"NOT ({inner.postgres})", f"NOT ({inner.duck})", inner.negated_size, inner.size)
    is_and = draw < 0.6
    parts = [_tree(choice, columns, probe, choice.randint(0, depth - 1)) for _ in range(choice.randint(2, 3))]
    size, negated = parts[0].size, parts[0].negated_size
    for part in parts[1:]:
        size = size.joined(part.size) if is_and else size.multiplied(part.size)
        negated = negated.multiplied(part.negated_size) if is_and else negated.joined(part.negated_size)
    word = " AND " if is_and else " OR "
    return Predicate(
        word.join(f"({part.postgres})" for part in parts), word.join(f"({part.duck})" for part in parts), size, negated
    )


def leaf(choice: random.Random, columns: list[Column], probe: Probe) -> Predicate:
    """One condition on one column."""
    column = choice.choice(columns)
    draw = choice.random()
    if draw < 0.12:
        word = choice.choice(["IS NULL", "IS NOT NULL"])
        return _simple(f"{column.name} {word}", f"{column.name} {word}")
    if draw < 0.16:
        return _with_null(choice, column, probe)
    if column.type.kind is Kind.BOOL and draw < 0.45:
        return _simple(column.name, column.name)
    if column.type.kind in STRING_KINDS and draw < 0.5:
        return _like(choice, column, probe)
    if draw < 0.65:
        return _in(choice, column, probe)
    if draw < 0.8:
        return _between(choice, column, probe)
    return _comparison(choice, column, probe)


def _simple(postgres: str, duck: str, leaves: int = 1) -> Predicate:
    return Predicate(postgres, duck, Size(1, leaves), Size(1, leaves))


def _drawn(choice: random.Random, column: Column, probe: Probe, count: int, list_size: int = 0) -> Literals:
    values = [probe(choice, column) for _ in range(count)]
    return literals(choice, column.name, column.type, values, list_size=list_size)


def _comparison(choice: random.Random, column: Column, probe: Probe) -> Predicate:
    constant = _drawn(choice, column, probe, 1)
    operator = choice.choice((*OPERATORS, "="))
    written = "!=" if operator == "<>" and choice.random() < 0.2 else operator
    duck = f"{constant.duck_column} {operator} {constant.duck[0]}"
    if choice.random() < 0.15:
        turned = _TURNED[operator]
        return _simple(f"{constant.postgres[0]} {turned} {column.name}", duck)
    return _simple(f"{column.name} {written} {constant.postgres[0]}", duck)


def _between(choice: random.Random, column: Column, probe: Probe) -> Predicate:
    constants = _drawn(choice, column, probe, 2)
    negation = choice.choice(["", "", "NOT "])
    postgres = f"{column.name} {negation}BETWEEN {constants.postgres[0]} AND {constants.postgres[1]}"
    duck = f"{constants.duck_column} {negation}BETWEEN {constants.duck[0]} AND {constants.duck[1]}"
    two_clauses, one_clause = Size(2, 2), Size(1, 2)
    if negation:
        return Predicate(postgres, duck, one_clause, two_clauses)
    return Predicate(postgres, duck, two_clauses, one_clause)


def _in(choice: random.Random, column: Column, probe: Probe) -> Predicate:
    count = choice.choice([1, 2, 3, 5, 12])
    constants = _drawn(choice, column, probe, count, list_size=count)
    negation = choice.choice(["", "", "NOT "])
    postgres = f"{column.name} {negation}IN ({', '.join(constants.postgres)})"
    duck = f"{constants.duck_column} {negation}IN ({', '.join(constants.duck)})"
    return _simple(postgres, duck, count)


def _with_null(choice: random.Random, column: Column, probe: Probe) -> Predicate:
    """A NULL among the constants: three-valued logic decides."""
    form = choice.randrange(4)
    constants = _drawn(choice, column, probe, 1, list_size=2 if form == 1 else 0)
    postgres, duck = constants.postgres[0], constants.duck[0]
    negation = choice.choice(["", "NOT "])
    if form == 0:
        operator = choice.choice(OPERATORS)
        return _simple(f"{column.name} {operator} NULL", f"{constants.duck_column} {operator} NULL")
    if form == 1:
        members = [f"{postgres}, NULL", f"{duck}, NULL"]
        if choice.random() < 0.5:
            members = [f"NULL, {postgres}", f"NULL, {duck}"]
        postgres_list = f"{column.name} {negation}IN ({members[0]})"
        return _simple(postgres_list, f"{constants.duck_column} {negation}IN ({members[1]})", 2)
    low_high = [("NULL", "NULL"), (postgres, duck)]
    choice.shuffle(low_high)
    written = [
        f"{name} {negation}BETWEEN {low_high[0][i]} AND {low_high[1][i]}"
        for i, name in enumerate((column.name, constants.duck_column))
    ]
    return Predicate(written[0], written[1], Size(2, 2), Size(2, 2))


def _like(choice: random.Random, column: Column, probe: Probe) -> Predicate:
    word = str(probe(choice, column))
    prefix = word[: choice.randint(0, len(word))]
    compared = column.name
    if column.type.kind is Kind.CHAR:
        # LIKE sees the padding that comparisons ignore.
        compared = f"rpad({column.name}, {column.type.length}, ' ')"
        prefix += " " * choice.choice([0, 0, 1, 2])
    escaped = "".join("\\" + character if character in "\\%_" else character for character in prefix)
    negation = choice.choice(["", "", "NOT "])
    duck = f"{negation}starts_with({compared}, {quoted(prefix)})"
    return _simple(f"{column.name} {negation}LIKE {quoted(escaped + '%')}", duck)
