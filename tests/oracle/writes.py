"""Random INSERTs, UPDATEs and DELETEs."""

from __future__ import annotations

import random

from asked import WHERE, Asked, same, sometimes, under
from expressions import COLUMNS, Expressions

# A column of the kind is given these without a cast, beside its own.
ASSIGNABLE = {
    "smallint": ["integer", "bigint", "numeric", "double precision"],
    "integer": ["smallint", "bigint", "numeric", "real"],
    "bigint": ["integer", "numeric", "double precision"],
    "real": ["integer", "double precision", "numeric"],
    "double precision": ["real", "bigint", "numeric"],
    "numeric": ["integer", "bigint", "double precision", "real"],
    "date": ["timestamp without time zone", "timestamp with time zone"],
    "timestamp without time zone": ["date", "timestamp with time zone"],
    "timestamp with time zone": ["date", "timestamp without time zone"],
    "time without time zone": ["timestamp without time zone", "timestamp with time zone", "interval"],
    "character": ["text", "character varying", "integer", "boolean"],
    "character varying": ["text", "character", "numeric", "date", "boolean"],
}

# Columns that say where a row is stored.
_PLACING = ["i", "s"]


def _source(choice: random.Random, kind: str) -> str:
    """A kind that a column takes."""
    return choice.choice(ASSIGNABLE[kind]) if kind in ASSIGNABLE and choice.random() < 0.4 else kind


def update(choice: random.Random, expressions: Expressions) -> Asked:
    """One UPDATE or DELETE of the rows that a computed condition selects."""
    where = sometimes(choice, expressions, 0.6)
    where.insert(choice.randint(0, len(where)), "i = i")  # Stands for the row that is looked at.
    if choice.random() < 0.15:
        return under(f"DELETE FROM t{WHERE}", where)
    kinds = [kind for kind, columns in COLUMNS.items() if set(columns) - set(_PLACING)]
    kind = choice.choice(kinds)
    column = choice.choice([each for each in COLUMNS[kind] if each not in _PLACING])
    value = expressions.of(_source(choice, kind), choice.randint(1, 3))
    return under(f"UPDATE t SET {column} = {value}{WHERE}", where)


def insert(choice: random.Random, expressions: Expressions) -> Asked:
    """One INSERT of a row or two of computed constants, which gives back what it has written and more."""
    constants = expressions.over({})
    kinds = choice.sample([kind for kind, columns in COLUMNS.items() if columns], choice.randint(1, 3))
    columns = [choice.choice([each for each in COLUMNS[kind] if each != "i"] or ["s"]) for kind in kinds]
    rows = [
        [str(number), *(constants.of(_source(choice, kind), choice.randint(1, 3)) for kind in kinds)]
        for number in range(choice.randint(1, 2))
    ]
    values = ", ".join(f"({', '.join(row)})" for row in rows)
    value = expressions.of(expressions.any_kind(), choice.randint(1, 3))
    outputs = choice.choice(["*", f"i, {value} AS e", f"*, {value}", f"{value} AS e, upper(v), n + 1, k"])
    return same(f"INSERT INTO t ({', '.join(['i', *columns])}) VALUES {values} RETURNING {outputs}")
