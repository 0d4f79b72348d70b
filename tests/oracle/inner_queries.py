"""Random SELECTs from a query in FROM or in WITH."""

from __future__ import annotations

import random
from dataclasses import dataclass

from asked import WHERE, Asked, same, sometimes, under
from expressions import Expressions

_OUTER = "\x02"  # Stands for the condition of the outer query.


@dataclass(frozen=True, slots=True)
class _Inner:
    """A query, and what the outer one may ask of it: conjuncts as they stand there and as they would stand here."""

    text: str
    outer: list[tuple[str, str]]


def _inner(choice: random.Random, expressions: Expressions) -> _Inner:
    first, second = (expressions.key(expressions.any_kind(), choice.randint(0, 2)) for _ in range(2))
    literal = choice.choice([first, "5", "'x'", "NULL", "1.5", "true"])
    outer = choice.choice(
        [
            [],
            [("a IS NOT NULL", f"({literal}) IS NOT NULL")],
            [("q.c > 1", "i > 1"), ("s < 5", "s < 5")],
            [("c IN (1, 2, 3)", "i IN (1, 2, 3)")],
            [("b = b", f"({second}) = ({second})")],
        ]
    )
    source = choice.choice(["", " AS u"])
    return _Inner(f"SELECT {literal} AS a, {second} AS b, i AS c, s FROM t{source}{WHERE}", outer)


def _of_rows(choice: random.Random) -> str:
    """Returns a query over q, which has a, b, c and s."""
    return choice.choice(
        [
            f"SELECT a, b FROM {{q}}{_OUTER}",
            f"SELECT q.*, c + 1 AS d FROM {{q}}{_OUTER}",
            f"SELECT * FROM {{q}}{_OUTER}",
            f"SELECT c AS s, s AS c FROM {{q}}{_OUTER}",
            f"SELECT count(*) AS e, count(a) AS f, max(q.c) AS g, count(DISTINCT s) AS h FROM {{q}}{_OUTER}",
            f"SELECT b AS g, count(a) FROM {{q}}{_OUTER} GROUP BY b",
            f"SELECT c % 2 AS i, count(*) FROM {{q}}{_OUTER} GROUP BY i",
            f"SELECT a, count(*) AS n FROM {{q}}{_OUTER} GROUP BY a HAVING count(*) > 1",
            f"SELECT DISTINCT a FROM {{q}}{_OUTER}",
            f"SELECT CASE WHEN c > 2 THEN s END AS e, coalesce(s, c) AS f, a FROM {{q}}{_OUTER} ORDER BY e, c",
            f"SELECT c, grouping(c), count(*) FROM {{q}}{_OUTER} GROUP BY ROLLUP (c, s)",
            f"SELECT string_agg(c::text, ',' ORDER BY s DESC, c) FROM {{q}}{_OUTER}",
            "SELECT nothing FROM {q}",
            "SELECT i FROM {q}",
            "SELECT u.a FROM {q}",
        ]
    )


def _of_groups(choice: random.Random) -> str:
    """Returns a query over q, which has k and n and is grouped itself."""
    return choice.choice(
        [
            "SELECT * FROM {q}",
            "SELECT k FROM {q} WHERE n > 1",
            "SELECT n + 1 AS m, k FROM {q} WHERE k IS NOT NULL AND n < 5 ORDER BY n",
            "SELECT 1 AS one FROM {q} WHERE true",
        ]
    )


def inner_query(choice: random.Random, expressions: Expressions) -> Asked:
    """One SELECT over another one. The judge is asked all conditions within, where they have one order."""
    if choice.random() < 0.2:
        return same(_around(choice, _groups(choice), _of_groups(choice)))
    inner = _inner(choice, expressions)
    pattern = _around(choice, inner.text, _of_rows(choice))
    within = sometimes(choice, expressions, 0.3, depth_max=1)
    outer = inner.outer if _OUTER in pattern else []
    asked = f" WHERE {' AND '.join(text for text, _ in outer)}" if outer else ""
    here = under(pattern.replace(_OUTER, asked), within).here
    return Asked(here, pattern.replace(_OUTER, ""), (*within, *(text for _, text in outer)))


def _groups(choice: random.Random) -> str:
    return choice.choice(
        [
            "SELECT s AS k, count(*) AS n FROM t GROUP BY s",
            "SELECT i % 2 AS k, sum(i) AS n FROM t GROUP BY 1 HAVING count(*) > 1",
            "SELECT max(day) AS k, count(DISTINCT s) AS n FROM t",
            "SELECT s AS z, count(*) AS n, i % 2 AS k FROM t GROUP BY ROLLUP (z, 3)",
        ]
    )


def _around(choice: random.Random, inner: str, outer: str) -> str:
    """The outer query over the inner one, however that may be written."""
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
