"""A random statement as each side is asked it.

PostgreSQL looks at the conjuncts of a WHERE in an order that hangs on what its planner thinks they cost, and here those
that cannot fail come first. So PostgreSQL is asked CASE WHEN those THEN the others END, which has one order. What its
planner computes stays among the others: it computes them from left to right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from expressions import Expressions

WHERE = "\x01"
"""Stands in a statement for its condition."""

# Nobody can fail to compute these; every table here has their columns.
_CERTAIN = [
    "b",
    "i > 1",
    "i <> 4",
    "s < 5",
    "l IS NOT NULL",
    "v LIKE 'a%'",
    "v >= 'a'",
    "c = 'ab'",
    "k IN (7, 8)",
    "n BETWEEN -5 AND 2.5",
    "day > DATE '1999-12-31'",
    "at IS NOT NULL",
    "d < 1e100",
    "(b OR s > 0)",
]
# Holds for every row, which no planner knows.
_ALWAYS = "i IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement; how PostgreSQL is asked it, with a place for its conjuncts; with a LIMIT the same without; and where
    it has an order, each of its expressions alone."""

    here: str
    pattern: str
    conjuncts: tuple[str, ...] = ()
    unlimited: Asked | None = None
    alone: tuple[Asked, ...] = ()

    def postgres(self, is_certain: Callable[[str], bool]) -> str:
        if not self.conjuncts:
            return self.pattern.replace(WHERE, "")
        first = " AND ".join([each for each in self.conjuncts if is_certain(each)] or [_ALWAYS])
        others = [each for each in self.conjuncts if not is_certain(each)]
        return self.pattern.replace(
            WHERE, f" WHERE CASE WHEN {first} THEN {' AND '.join(others)} END" if others else f" WHERE {first}"
        )


def same(statement: str) -> Asked:
    return Asked(statement, statement)


def under(pattern: str, conjuncts: Sequence[str]) -> Asked:
    """The pattern with its condition."""
    here = pattern.replace(WHERE, f" WHERE {' AND '.join(conjuncts)}" if conjuncts else "")
    return Asked(here, pattern, tuple(conjuncts))


def ordered(pattern: str, conjuncts: Sequence[str], expressions: Sequence[str], bounds: str) -> Asked:
    """The pattern with its condition, and with what bounds its rows. `expressions`: its outputs and keys."""
    whole = under(pattern, conjuncts)
    alone = tuple(under(f"SELECT {each} AS e FROM t{WHERE}", conjuncts) for each in expressions)
    return Asked(whole.here + bounds, pattern + bounds, whole.conjuncts, whole if bounds else None, alone)


def condition(choice: random.Random, expressions: Expressions, depth_max: int = 3) -> list[str]:
    """One conjunct or more, of which some are plain."""
    conjuncts = [
        f"({expressions.of('boolean', choice.randint(1, depth_max))}) IS TRUE" for _ in range(choice.choice([1, 1, 2]))
    ]
    for each in choice.sample(_CERTAIN, choice.choice([0, 0, 1, 2])):
        conjuncts.insert(choice.randint(0, len(conjuncts)), each)
    return conjuncts


def sometimes(choice: random.Random, expressions: Expressions, share: float, depth_max: int = 3) -> list[str]:
    return condition(choice, expressions, depth_max) if choice.random() < share else []
