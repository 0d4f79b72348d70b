"""Random SELECTs of rows, of groups, and of which rows come first."""

from __future__ import annotations

import random

from asked import WHERE, Asked, ordered, sometimes, under
from expressions import Expressions

_TIMESTAMPS = ["timestamp without time zone", "timestamp with time zone"]
_ORDERS = ["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]

_FRACTIONS = ["0", "0.25", "0.5", "0.9", "1", "0.333"]

# Equal values of these kinds look alike.
_KEYS = ["boolean", "integer", "date", "text", "character varying", "interval"]

# A condition on groups is made of these, by kind.
AGGREGATES = {
    "boolean": ["bool_or(b)", "every(i > 0)"],
    "smallint": ["max(s)", "bit_and(s)"],
    "integer": ["min(i)", "max(x)"],
    "bigint": ["count(*)", "sum(s)", "count(DISTINCT s)"],
    "real": ["min(r)"],
    "double precision": ["max(d)"],
    "numeric": ["sum(n)", "avg(i)", "max(h)"],
    "date": ["max(day)"],
    "timestamp without time zone": ["min(at)"],
    "timestamp with time zone": ["max(moment)"],
    "time without time zone": ["max(clock)"],
    "interval": ["max(at - TIMESTAMP '2013-01-31')"],
    "text": ["max(v::text)", "string_agg(v, ',' ORDER BY v)"],
}


def aggregate(choice: random.Random, expressions: Expressions, value: str) -> str:
    """One aggregate of an expression, or a count of `value`."""
    summable = choice.choice(["smallint", "integer", "bigint", "numeric"])
    spread = choice.choice(["stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"])
    bits = choice.choice(["smallint", "integer", "bigint"])
    return choice.choice(
        [
            f"sum({expressions.of(summable, 2)})",
            f"{choice.choice(['sum', 'avg', 'min', 'max'])}({expressions.of('interval', 2)})",
            f"avg({expressions.of(summable, 2)})",
            f"count({value})",
            f"count(*) FILTER (WHERE {expressions.of('boolean', 2)})",
            f"max({expressions.of(choice.choice(['integer', 'numeric', 'text', 'date', 'real']), 2)})",
            f"{choice.choice(['min', 'max', 'sum', 'avg'])}({expressions.of('time without time zone', 2)})",
            f"min({expressions.of(choice.choice(['bigint', 'double precision', *_TIMESTAMPS]), 2)})",
            f"{choice.choice(['bool_and', 'bool_or', 'every'])}({expressions.of('boolean', 2)})",
            f"{choice.choice(['bit_and', 'bit_or', 'bit_xor'])}({expressions.of(bits, 2)})",
            f"{spread}({expressions.of(summable, 2)})",
            f"{spread}({expressions.of(summable, 1)}) FILTER (WHERE {expressions.of('boolean', 2)})",
            f"percentile_cont({choice.choice(_FRACTIONS)}) WITHIN GROUP (ORDER BY {expressions.of(summable, 1)})",
            f"percentile_disc({choice.choice(_FRACTIONS)}) WITHIN GROUP (ORDER BY {expressions.of(bits, 2)} DESC)",
            f"mode() WITHIN GROUP (ORDER BY {expressions.of(choice.choice(['date', 'integer', 'text']), 1)})",
            f"round({spread}({expressions.of(choice.choice(['real', 'double precision']), 1)})::numeric, 3)",
        ]
    )


def having(choice: random.Random, expressions: Expressions) -> str:
    """A condition on groups: how many rows they have, or anything computed of their aggregates."""
    if choice.random() < 0.5:
        return f" HAVING count(*) > {choice.randint(0, 2)}"
    return f" HAVING ({expressions.over(AGGREGATES).of('boolean', choice.randint(1, 2))}) IS TRUE"


def key(choice: random.Random, expressions: Expressions, depth: int = 1) -> str:
    """Returns a key to group rows by; never a number by itself, which would be a place in the list."""
    return f"({expressions.key(choice.choice(_KEYS), depth)})"


def _bounds(choice: random.Random) -> str:
    offset = f" OFFSET {choice.randint(1, 2)}" if choice.random() < 0.3 else ""
    return f" LIMIT {choice.randint(0, 4)}{offset}"


def _first(choice: random.Random, expressions: Expressions) -> Asked:
    """The first rows, by a key and then by the number of the row."""
    by, condition = key(choice, expressions), sometimes(choice, expressions, 0.4)
    value = expressions.key(expressions.any_kind(), choice.randint(1, 3))
    order = f"ORDER BY {by}{choice.choice(_ORDERS)}, i"
    if choice.random() < 0.5:
        return ordered(f"SELECT i, {value} AS e FROM t{WHERE} {order}", condition, [value, by], _bounds(choice))
    bounds = _bounds(choice) if choice.random() < 0.4 else ""
    pattern = f"SELECT DISTINCT ON ({by}) {by} AS e, i, {value} AS f FROM t{WHERE} {order}"
    return ordered(pattern, condition, [value, by], bounds)


def _groups(choice: random.Random, expressions: Expressions) -> Asked:
    value = expressions.key(expressions.any_kind(), choice.randint(1, 3))
    made, condition = aggregate(choice, expressions, value), sometimes(choice, expressions, 0.4)
    if choice.random() < 0.5:
        return under(f"SELECT {made} AS e, count(*) AS f FROM t{WHERE}", condition)
    by = key(choice, expressions)
    behind = having(choice, expressions) if choice.random() < 0.4 else ""
    return under(f"SELECT {by} AS e, {made} AS f FROM t{WHERE} GROUP BY {by}{behind}", condition)


def select(choice: random.Random, expressions: Expressions) -> Asked:
    """One SELECT: outputs, a condition, groups with aggregates and HAVING, or the first rows of an order."""
    shape = choice.randrange(9)
    if shape == 8:
        return _first(choice, expressions)
    if shape in (6, 7):
        return _groups(choice, expressions)
    value, condition = (
        expressions.key(expressions.any_kind(), choice.randint(1, 3)),
        sometimes(choice, expressions, 0.4),
    )
    if shape == 5:
        span, day = expressions.of("interval", 3), expressions.of("date", 2)
        return under(f"SELECT i, ({span})::text AS e, ({day})::text AS f FROM t", condition)
    if shape == 4:
        return under(f"SELECT DISTINCT {value} AS e FROM t{WHERE}", condition)
    if shape == 3:
        constants = expressions.over({})
        return under(f"SELECT {constants.key(constants.any_kind(), choice.randint(1, 3))} AS e", condition)
    return under(f"SELECT i, {value} AS e, {expressions.of(expressions.any_kind(), 2)} AS f FROM t{WHERE}", condition)
