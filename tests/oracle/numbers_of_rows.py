"""Random statements that want no rows of a query, but their number: EXISTS, and count(*) over a query in FROM."""

from __future__ import annotations

import random

from asked import WHERE, Asked, sometimes, under
from expressions import Expressions
from queries import having, key


def _query(choice: random.Random, expressions: Expressions) -> str:
    """A query with a place for its condition, whose rows are not those of the table."""
    by, other = key(choice, expressions), key(choice, expressions)
    return choice.choice(
        [
            f"SELECT DISTINCT {by} AS a FROM t{WHERE}",
            f"SELECT DISTINCT {by} AS a, {other} AS b FROM t{WHERE} ORDER BY 2, 1",
            f"SELECT {by} AS a, max(i) FROM t{WHERE} GROUP BY {by}{having(choice, expressions)}",
            f"SELECT 1 FROM t{WHERE} GROUP BY ROLLUP ({by}, s)",
            f"SELECT count(*) FROM t{WHERE}",
            f"SELECT i, v FROM t{WHERE} ORDER BY i",
        ]
    )


def number_of_rows(choice: random.Random, expressions: Expressions) -> Asked:
    """One SELECT that asks whether a query has rows, or how many."""
    query, within = _query(choice, expressions), sometimes(choice, expressions, 0.6)
    bounds = choice.choice(["", " LIMIT 2", " OFFSET 1", " LIMIT 3 OFFSET 2", " LIMIT 0"])
    pattern = choice.choice(
        [
            "SELECT EXISTS ({q}) AS x, 'beside' AS y",
            "SELECT CASE WHEN NOT EXISTS ({q}) THEN 'none' ELSE 'some' END AS x",
            "SELECT 1 AS x WHERE EXISTS ({q})",
            "SELECT count(*) AS x, count(*) % 2 AS y FROM ({q}) AS q",
            "WITH q AS ({q}) SELECT count(*) AS x FROM q",
        ]
    )
    asked = under(pattern.format(q=query + bounds), within)
    # A mistake behind the rows that decide is met by one side only: then all rows are looked at.
    return Asked(asked.here, asked.pattern, asked.conjuncts, under(query, within))
