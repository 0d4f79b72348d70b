"""The statements that are measured. Pure: the same seed gives the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Q6 = (
    "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem WHERE l_shipdate >= date '1994-01-01'"
    " AND l_shipdate < date '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
)
Q1 = (
    "SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,"
    " sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,"
    " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge, count(*) AS count_order"
    ", avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc FROM lineitem"
    " WHERE l_shipdate <= date '1998-09-02' GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"
)
PRODUCT = "SELECT sum(l_extendedprice * l_discount) FROM lineitem"
PRODUCT_BYTES = 16  # of a row: both columns

_MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
_SUPPLIERS = 10_000  # of scale factor 1
_WITHIN_ONE_PERCENT = 100


def q6_variants(count: int, seed: int) -> list[str]:
    """Q6 with another year, discount and quantity each."""
    choice = random.Random(seed)
    return [_q6(choice) for _ in range(count)]


def _q6(choice: random.Random) -> str:
    year, month = choice.randrange(1993, 1998), choice.randrange(1, 13)
    discount, quantity = choice.randrange(2, 10), choice.randrange(20, 30)
    return (
        "SELECT sum(l_extendedprice * l_discount) AS revenue FROM lineitem"
        f" WHERE l_shipdate >= date '{year}-{month:02}-01' AND l_shipdate < date '{year + 1}-{month:02}-01'"
        f" AND l_discount BETWEEN {(discount - 1) / 100:.2f} AND {(discount + 1) / 100:.2f} AND l_quantity < {quantity}"
    )


def residuals(count: int, seed: int) -> list[str]:
    """Conditions that are one residual over one column: bits, a month, a text in large letters, in turn."""
    choice = random.Random(seed)
    kinds = (
        lambda: f"l_linenumber & {choice.choice((1, 2, 4, 6))} = {choice.choice((0, 1, 2, 4))}",
        lambda: f"date_trunc('month', l_shipdate::timestamp) = timestamp '{_month(choice)}'",
        lambda: f"upper(l_shipmode) = '{choice.choice(_MODES)}'",
    )
    return _counted_in_turn(kinds, count)


def residuals_without_kernel(count: int, seed: int) -> list[str]:
    """Conditions over one column of few values, by functions that are computed a row at a time: a quotient of numerics,
    a text turned round, a digest, in turn."""
    choice = random.Random(seed)
    kinds = (
        lambda: f"l_quantity / {choice.randrange(3, 40)} > {choice.randrange(1, 9)}",
        lambda: f"reverse(l_returnflag) || '{choice.randrange(1000)}' > 'N'",
        lambda: f"md5((l_linenumber + {choice.randrange(1000)})::text) < '{choice.randrange(1, 10)}'",
    )
    return _counted_in_turn(kinds, count)


def _counted_in_turn(kinds: Sequence[Callable[[], str]], count: int) -> list[str]:
    return [f"SELECT count(*) FROM lineitem WHERE {kinds[number % len(kinds)]()}" for number in range(count)]


def _month(choice: random.Random) -> str:
    return f"{choice.randrange(1992, 1999)}-{choice.randrange(1, 13):02}-01"


def any_queries(count: int, seed: int, share: int, *, with_residual: bool) -> list[str]:
    """Statements with a conjunct that lets one percent of the rows through and three more; of one in `share` one more
    part of the condition is computed, or not."""
    choice = random.Random(seed)
    statements = []
    for number in range(count):
        supplier = choice.randrange(1, _SUPPLIERS - _WITHIN_ONE_PERCENT)
        price = choice.randrange(1_000, 90_000)
        statement = (
            "SELECT l_orderkey, l_linenumber FROM lineitem"
            f" WHERE l_suppkey BETWEEN {supplier} AND {supplier + _WITHIN_ONE_PERCENT - 1}"
            f" AND l_quantity < {choice.randrange(5, 50)} AND l_shipmode = '{choice.choice(_MODES)}'"
            f" AND l_returnflag = '{choice.choice('ANR')}'"
        )
        if with_residual and number % share == 0:
            statement += f" AND l_extendedprice * (1 - l_discount) > {price}"
        statements.append(statement)
    return statements
