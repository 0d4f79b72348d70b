"""Random conditions of many comparisons over the columns of the compiler's test table, nested any way."""

from __future__ import annotations

import random

from expressions import COLUMNS, CONSTANTS

OPERATORS = ["=", "=", "=", "<>", "<", "<=", ">", ">="]
# A statement may have 40; NOT takes levels, too.
DEPTH_MAX = 15
# Types that are the same to a comparison as another one is have its constants.
KINDS = [kind for kind, columns in COLUMNS.items() if columns]


def thicket(choice: random.Random, comparisons: int, depth: int = 0) -> str:
    """A condition of exactly so many comparisons: members of lists and ends of ranges are one each."""
    if comparisons == 1 or (comparisons <= 8 and choice.random() < 0.3):
        return _leaf(choice, comparisons)
    wide = choice.random() < 0.3 or depth >= DEPTH_MAX - 1
    count = min(comparisons, choice.randint(2, 40 if wide else 3))
    if depth == DEPTH_MAX:
        return f" {choice.choice(['AND', 'OR'])} ".join(f"({_leaf(choice, 1)})" for _ in range(comparisons))
    parts = []
    for left in range(count, 0, -1):
        own = comparisons if left == 1 else choice.randint(1, comparisons - left + 1)
        comparisons -= own
        parts.append(f"({thicket(choice, own, depth + 1)})")
    joined = f" {choice.choice(['AND', 'OR'])} ".join(parts)
    return f"NOT ({joined})" if choice.random() < 0.15 else joined


def _leaf(choice: random.Random, comparisons: int) -> str:
    kind = choice.choice(KINDS)
    column = choice.choice(COLUMNS[kind])
    constants = [choice.choice(CONSTANTS[kind]) for _ in range(comparisons)]
    negated = choice.choice(["", "NOT "])
    if comparisons == 1:
        if choice.random() < 0.1:
            return f"{column} IS {negated}NULL"
        return f"{column} {choice.choice(OPERATORS)} {constants[0]}"
    if comparisons == 2 and choice.random() < 0.5:
        return f"{column} {negated}BETWEEN {constants[0]} AND {constants[1]}"
    return f"{column} {negated}IN ({', '.join(constants)})"
