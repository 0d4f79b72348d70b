"""Random SELECTs whose answer hangs on which rows come first: WITH TIES, DISTINCT ON, DISTINCT of groups.

What is shown is what rows are ordered by, so that equal rows are the same whichever of them is taken.
"""

from __future__ import annotations

import random

# Equal values of these look alike.
KEYS = [
    "b",
    "s",
    "i",
    "v",
    "day",
    "l",
    "(i % 2)",
    "upper(v)",
    "(l + 1)",
    "(s IS NULL)",
    "(at - TIMESTAMP '2013-01-31')",
]


def _item(choice: random.Random, key: str) -> str:
    return key + choice.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])


def _bounds(choice: random.Random) -> str:
    offset = choice.choice(["", "", "OFFSET 1 ", f"OFFSET {choice.randint(2, 50)} ", "OFFSET NULL "])
    limit = choice.choice(["ROW", "0 ROWS", f"{choice.randint(2, 40)} ROWS", "(1 + 2) ROWS", "(NULL::int) ROWS"])
    return f" {offset}FETCH FIRST {limit} {choice.choice(['WITH TIES', 'WITH TIES', 'ONLY'])}"


def _shown(keys: list[str]) -> str:
    return ", ".join(f"{key} AS k{number}" for number, key in enumerate(keys))


def ranked(choice: random.Random) -> str:
    """One SELECT. DISTINCT ON may not go together with its ORDER BY: then both sides say so."""
    keys = choice.sample(KEYS, choice.randint(1, 3))
    where = choice.choice(["", " WHERE i > 1", " WHERE l % 2 = 1"])
    ordered = " ORDER BY " + ", ".join(_item(choice, key) for key in keys)
    bounds = _bounds(choice) if choice.random() < 0.6 else ""
    form = choice.randint(0, 3)
    if form == 0:
        return f"SELECT {_shown(keys)} FROM t{where}{ordered}{_bounds(choice)}"
    if form == 1:
        on = choice.sample(keys, choice.randint(1, len(keys)))
        return f"SELECT DISTINCT ON ({', '.join(on)}) {_shown(keys)} FROM t{where}{ordered}{bounds}"
    sets = choice.choice([", ".join(keys), f"ROLLUP ({', '.join(keys)})", f"CUBE ({', '.join(keys)})"])
    shown = choice.sample(keys, choice.randint(1, len(keys)))
    if form == 2:
        return f"SELECT DISTINCT {_shown(shown)}, count(*) AS n FROM t{where} GROUP BY {sets}"
    every = "".join(f", {number + 1}" for number in range(1, len(keys) + 1))
    return (
        f"SELECT count(*) AS n, {_shown(keys)} FROM t{where} GROUP BY {', '.join(keys)} "
        f"ORDER BY n{choice.choice(['', ' DESC'])}{every}{bounds}"
    )
