"""Random groups: sets of keys, and aggregates that want each value once, or all in an order."""

from __future__ import annotations

import random

from asked import WHERE, Asked, sometimes, under
from expressions import Expressions
from queries import having, key

SPAN = "(at - TIMESTAMP '2013-01-31')"
KEYS = ["b", "s", "i", "v", "day", "c", "n", "d", "(i % 2)", "upper(v)", "(l + 1)", "(n / 3)", "clock", "tag", SPAN]
NUMBERS = ["s", "i", "l", "n", "h", "d", "r", "(i % 3)", "(s + i)", "(n / 7)"]
TEXTS = ["v", "c", "upper(v)", "(v || '-')", "i::text"]
ORDERS = ["i", "s", "day", "n", "b", "v", "(i % 2)", "clock", "tag", SPAN]
ROW = "(i, b, s, l, r, d, n, h, day, at, c, v, clock, tag)"


def repeated_rows(choice: random.Random, count: int) -> list[str]:
    """INSERTs of rows whose values come again and again."""
    pools = [
        ["0", "1", "2", "3"],
        ["true", "false"],
        ["-1", "0", "7"],
        ["5", "-5000000000"],
        ["0.5", "-2", "0"],
        ["0.1", "3", "0"],
        ["1.50", "-2.25"],
        ["0.0001", "12"],
        ["'2013-01-01'", "'2000-02-29'"],
        ["'2013-01-01 05:00:00'", "'2013-02-03'"],
        ["'ab'", "''", "'x'"],
        ["'ab'", "'Ab'", "''", "'z,'"],
        ["'05:00'", "'24:00'", "'00:00'"],
        ["'00112233-4455-6677-8899-aabbccddeeff'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
    ]
    drawn = [
        ["NULL" if n > 0 and choice.random() < 0.2 else choice.choice(pool) for n, pool in enumerate(pools)]
        for _ in range(count)
    ]
    return [f"INSERT INTO t {ROW} VALUES ({', '.join(values)})" for values in drawn]


# Keys of grouping sets that are alike, or constants, once they are computed.
ALIKE_KEYS = [
    "SELECT 2 > 1 AS a, 1 < 2 AS b, grouping(2 > 1) AS e, grouping(1 < 2) AS f, count(*) AS c FROM t "
    "GROUP BY CUBE (2 > 1, 1 < 2)",
    "SELECT 3 AS a, length('abc') AS b, count(*) AS c FROM t GROUP BY ROLLUP (length('abc'))",
    "SELECT true AS a, count(*) AS c FROM t GROUP BY ROLLUP (2 > 1)",
    "SELECT 2 > 1 AS a, count(*) AS c FROM t GROUP BY ROLLUP (2 > 1)",
    "SELECT count(*) AS c FROM t GROUP BY ROLLUP (2 > 1) ORDER BY 2 > 1, count(*)",
    "SELECT 1 + length('abc') AS a, count(*) AS c FROM t GROUP BY ROLLUP (length('abc'))",
    "SELECT CASE WHEN false THEN day ELSE day END AS a, day, "
    "grouping(CASE WHEN false THEN day ELSE day END, day) AS e, count(*) AS c FROM t "
    "GROUP BY CUBE (day, (CASE WHEN false THEN day ELSE day END))",
    "SELECT CASE WHEN true THEN v END AS a, s AS b, v AS e, grouping(s) AS f FROM t "
    "GROUP BY GROUPING SETS (((CASE WHEN true THEN v END), s, v), ((CASE WHEN true THEN v END)), ())",
    "SELECT CASE WHEN true THEN v END AS a, v, count(*) AS c FROM t GROUP BY ROLLUP (v)",
    "SELECT upper(v) AS a, v, upper(CASE WHEN true THEN v END) AS b, count(*) AS c FROM t "
    "GROUP BY GROUPING SETS ((v), (upper(v)))",
    "SELECT grouping(CASE WHEN true THEN v END) AS a, count(*) AS c FROM t GROUP BY CASE WHEN true THEN v END",
    "SELECT count(*) AS c FROM t GROUP BY CUBE (v, (CASE WHEN true THEN v END)) "
    "HAVING grouping(CASE WHEN true THEN v END) = 1",
]


def _order(choice: random.Random, last: str) -> str:
    keys = [f"{key}{choice.choice(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}" for key in ORDERS]
    return ", ".join([*choice.sample(keys, choice.randint(0, 2)), last])


def _aggregate(choice: random.Random, expressions: Expressions, keys: list[str]) -> str:
    number, text = choice.choice(NUMBERS), choice.choice(TEXTS)
    exact = choice.choice(["s", "i", "l", "n", "h"])
    made = choice.choice(
        [
            f"count(DISTINCT {choice.choice(KEYS)})",
            f"sum(DISTINCT {exact})",
            f"{choice.choice(['sum', 'avg', 'min', 'count'])}({choice.choice(['', 'DISTINCT '])}{SPAN})",
            f"avg(DISTINCT {exact})",
            f"{choice.choice(['min', 'max'])}(DISTINCT {number})",
            f"{choice.choice(['stddev', 'var_pop'])}(DISTINCT {exact})",
            f"bool_or(DISTINCT {choice.choice(['b', 'i > 1'])})",
            f"string_agg({text}, {choice.choice([repr(','), repr(''), 'NULL'])} ORDER BY {_order(choice, text)})",
            f"string_agg({text}, v ORDER BY {_order(choice, f'{text}, v')})",
            f"string_agg(DISTINCT {text}, ';')",
            f"string_agg(DISTINCT {text}, ';' ORDER BY {text} DESC)",
            f"sum({number} ORDER BY {choice.choice(ORDERS)})" if number in ("s", "i", "l") else "count(i ORDER BY v)",
            "count(*)",
            f"sum({exact})",
        ]
    )
    if choice.random() < 0.25:
        made += f" FILTER (WHERE {expressions.of('boolean', 1)})"
    if choice.random() < 0.1:
        made = f"round(sum(DISTINCT {number})::numeric, 3)"
    if choice.random() < 0.2:
        made = f"grouping({', '.join(choice.sample(keys, choice.randint(1, len(keys))))})"
    return made


def _sets(choice: random.Random, keys: list[str]) -> str:
    joined = ", ".join(keys)
    first, rest = keys[0], ", ".join(keys[1:]) or keys[0]
    return choice.choice(
        [
            joined,
            f"ROLLUP ({joined})",
            f"CUBE ({joined})",
            f"GROUPING SETS (({joined}), ({first}), ())",
            f"GROUPING SETS ({first}, ({rest}))",
            f"GROUPING SETS (ROLLUP ({joined}), CUBE ({first}), ())",
            f"{first}, ROLLUP ({rest})",
            f"ROLLUP (({joined}))",
            f"GROUPING SETS (({first}), ({first}))",
            f"DISTINCT ROLLUP ({joined}), CUBE ({first})",
            f"(({joined}))" if len(keys) > 1 else joined,
        ]
    )


def grouped(choice: random.Random, expressions: Expressions) -> Asked:
    """One SELECT of groups."""
    keys = choice.sample(KEYS, choice.randint(1, 3))
    if choice.random() < 0.4:
        keys[choice.randrange(len(keys))] = key(choice, expressions)
    condition = sometimes(choice, expressions, 0.3, depth_max=1)
    aggregates = [_aggregate(choice, expressions, keys) for _ in range(choice.randint(1, 3))]
    behind = _having(choice, expressions) if choice.random() < 0.3 else ""
    if choice.random() < 0.2:
        plain = [aggregate for aggregate in aggregates if not aggregate.startswith("grouping")] or ["count(DISTINCT i)"]
        outputs = ", ".join(f"{made} AS a{n}" for n, made in enumerate(plain))
        return under(f"SELECT {outputs} FROM t{WHERE}{behind}", condition)
    shown = [f"{each} AS k{n}" for n, each in enumerate(keys) if choice.random() < 0.8]
    shown += [f"{made} AS a{n}" for n, made in enumerate(aggregates)]
    sets = _sets(choice, keys)
    return under(f"SELECT {', '.join(shown)} FROM t{WHERE} GROUP BY {sets}{behind}", condition)


def _having(choice: random.Random, expressions: Expressions) -> str:
    if choice.random() < 0.5:
        return f" HAVING count(DISTINCT {choice.choice(KEYS)}) > 1"
    return having(choice, expressions)
