"""Statements with a mistake that PostgreSQL finds before it evaluates anything, at a random place of a random
expression."""

from __future__ import annotations

import random

from expressions import Expressions

# Each is wrong by itself wherever it stands.
MISTAKES = [
    "nothing",
    "t.nothing",
    "u.i",
    "nothing(i)",
    "upper(i)",
    "upper(v, v)",
    "length()",
    "abs(b)",
    "(i + b)",
    "(v + 1)",
    "(day * 2)",
    "(- v)",
    "(b = 1)",
    "(day > 5)",
    "(i = v)",
    "(NOT i)",
    "(b AND v)",
    "(1 OR b)",
    "(i IS TRUE)",
    "(v IS NOT UNKNOWN)",
    "(i IN (1, b))",
    "(i NOT IN (v))",
    "(day BETWEEN 1 AND 2)",
    "(v LIKE 5)",
    "(i IS DISTINCT FROM day)",
    "nullif(i, v)",
    "coalesce(i, v)",
    "coalesce(day, 5)",
    "greatest(b, day)",
    "least(1, at)",
    "CASE WHEN i THEN 1 END",
    "CASE i WHEN v THEN 1 END",
    "CASE WHEN b THEN 1 ELSE v END",
    "CASE WHEN b THEN day ELSE n END",
    "'x'::int",
    "'2013-02-30'::date",
    "'maybe'::boolean",
    "'1 fortnight'::interval",
    "CAST('1e400' AS double precision)",
    "(i = 'x')",
    "(day < 'never')",
    "(n + 'y')",
    "(i IN (1, 'z'))",
    "b::date",
    "((i, v) = (1, 2))",
    "((i, v) = (1, 'x', 3))",
    "(i = ANY ('{1,x}'))",
    "(i = ANY ('{1,2'))",
    "(i = ANY (ARRAY[1, b]))",
    "(i = ANY (ARRAY[v]))",
    "(i = ANY (ARRAY[]))",
    "(i <> ALL (l))",
    "CAST(day AS integer)",
    "i::nosuchtype",
    "n::numeric(3000)",
    "sum(sum(i))",
    "max(b)",
    "stddev(at - at)",
    "bool_and(INTERVAL '1 day')",
    "make_interval(nothing => 1)",
    "make_interval(days => 1, days => 2)",
    "make_interval(days => 1, 2)",
    "'1 year 2 years'::interval",
    "(at - at)::int",
    "sum(v)",
    "('a' + 'b')",
    "(b || b)",
    "round('x', 1)",
    "date_trunc(1, at)",
    "int4pl(i, b)",
    "int24pl(i, s)",
    "int4('x')",
    "int4(day)",
    "date('never')",
    "uuid(1)",
    "float8lt(d, 'y')",
    "textcat(v, 1)",
    "overlaps(at, at, at)",
    "((at, at) OVERLAPS (day, b))",
    "((at, 'x') OVERLAPS (at, at))",
    "to_number(v)",
    "to_date(1, v)",
    "to_char(n, n)",
    "format(1)",
    "hashtext(1)",
    "in_range(i, i, v, true, true)",
]


class Mistaken(Expressions):
    """Expressions with one of the mistakes as a leaf."""

    def with_mistake(self) -> str:
        """A boolean: a mistake beside what is right, on either side."""
        mistake = self._choice.choice(MISTAKES)
        right = self.of("boolean", self._choice.randint(0, 2))
        return self._choice.choice(
            [
                f"(({mistake}) IS NULL) AND ({right})",
                f"({right}) OR ({mistake}) IS NOT NULL",
                f"CASE WHEN {right} THEN ({mistake}) IS NULL END",
                f"coalesce({right}, ({mistake}) IS NULL)",
                f"(({mistake}) IS NULL) = ({right})",
            ]
        )


def mistaken(choice: random.Random, expressions: Mistaken) -> str:
    """One SELECT with the mistake in one of its clauses."""
    wrong = expressions.with_mistake()
    return choice.choice(
        [
            f"SELECT i, {wrong} AS é FROM t",
            f"SELECT 'é', {wrong} FROM t",
            f"SELECT i FROM t WHERE {wrong}",
            f"SELECT i FROM t WHERE i > 0 AND ({wrong})",
            f"SELECT count(*) FROM t GROUP BY {wrong}",
            f"SELECT count(*) FROM t HAVING ({wrong})",
            f"SELECT i FROM t ORDER BY {wrong}",
        ]
    )
