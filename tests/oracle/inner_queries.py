"""Random SELECTs from a query in FROM or in WITH."""

from __future__ import annotations

import random

from expressions import Expressions


def _inner(choice: random.Random, expressions: Expressions) -> str:
    first, second = (expressions.key(expressions.any_kind(), choice.randint(0, 2)) for _ in range(2))
    literal = choice.choice([first, "5", "'x'", "NULL", "1.5", "true"])
    where = f" WHERE ({expressions.of('boolean', 1)}) IS TRUE" if choice.random() < 0.3 else ""
    return f"SELECT {literal} AS a, {second} AS b, i AS c, s FROM t{choice.choice(['', ' AS u'])}{where}"


def _of_rows(choice: random.Random) -> str:
    """What is asked of q, which has a, b, c and s."""
    where = choice.choice(
        ["", " WHERE a IS NOT NULL", " WHERE q.c > 1 AND s < 5", " WHERE c IN (1, 2, 3)", " WHERE b = b"]
    )
    return choice.choice(
        [
            f"SELECT a, b FROM {{q}}{where}",
            f"SELECT q.*, c + 1 AS d FROM {{q}}{where}",
            f"SELECT * FROM {{q}}{where}",
            f"SELECT c AS s, s AS c FROM {{q}}{where}",
            f"SELECT count(*) AS e, count(a) AS f, max(q.c) AS g, count(DISTINCT s) AS h FROM {{q}}{where}",
            f"SELECT b AS g, count(a) FROM {{q}}{where} GROUP BY b",
            f"SELECT c % 2 AS i, count(*) FROM {{q}}{where} GROUP BY i",
            f"SELECT a, count(*) AS n FROM {{q}}{where} GROUP BY a HAVING count(*) > 1",
            f"SELECT DISTINCT a FROM {{q}}{where}",
            f"SELECT CASE WHEN c > 2 THEN s END AS e, coalesce(s, c) AS f, a FROM {{q}}{where} ORDER BY e, c",
            f"SELECT c, grouping(c), count(*) FROM {{q}}{where} GROUP BY ROLLUP (c, s)",
            f"SELECT string_agg(c::text, ',' ORDER BY s DESC, c) FROM {{q}}{where}",
            "SELECT nothing FROM {q}",
            "SELECT i FROM {q}",
            "SELECT u.a FROM {q}",
        ]
    )


def _of_groups(choice: random.Random) -> str:
    """What is asked of q, which has k and n and is grouped itself."""
    return choice.choice(
        [
            "SELECT * FROM {q}",
            "SELECT k FROM {q} WHERE n > 1",
            "SELECT n + 1 AS m, k FROM {q} WHERE k IS NOT NULL AND n < 5 ORDER BY n",
            "SELECT 1 AS one FROM {q} WHERE true",
        ]
    )


def inner_query(choice: random.Random, expressions: Expressions) -> str:
    """One SELECT over another one."""
    if choice.random() < 0.2:
        inner = choice.choice(
            [
                "SELECT s AS k, count(*) AS n FROM t GROUP BY s",
                "SELECT i % 2 AS k, sum(i) AS n FROM t GROUP BY 1 HAVING count(*) > 1",
                "SELECT max(day) AS k, count(DISTINCT s) AS n FROM t",
                "SELECT s AS z, count(*) AS n, i % 2 AS k FROM t GROUP BY ROLLUP (z, 3)",
            ]
        )
        outer = _of_groups(choice)
    else:
        inner, outer = _inner(choice, expressions), _of_rows(choice)
    form = choice.randrange(5)
    if form == 0:
        return f"WITH q AS ({inner}) {outer.format(q='q')}"
    if form == 1:
        return outer.format(q=f"(SELECT * FROM ({inner}) AS r) AS q")
    if form == 2:
        return f"WITH t AS ({inner}) {outer.format(q='t AS q')}"
    if form == 3 and " AS a" in inner:
        renamed = inner.replace(" AS a,", " AS y,").replace(" AS b,", " AS z,")
        return outer.format(q=f"({renamed}) AS q (a, b)")
    return outer.format(q=f"({inner}) q")
