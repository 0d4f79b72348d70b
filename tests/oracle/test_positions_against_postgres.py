"""The SQL compiler and PostgreSQL 15 name the same character of a statement as the place of its mistake."""

from __future__ import annotations

import os
import random

import pytest
from catalogue import catalogue
from mistakes import Mistaken, mistaken
from postgres_wire import Mistake
from statement_twins import are_there, functions, running_twins

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000")) // 2

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


def is_right(ours: Mistake | None, postgres: Mistake | None) -> bool:
    """Returns whether both name the same code at the same place. By design PostgreSQL names no place for what it
    computes and here there may be one; a function that is not in the table is refused by name, whether PostgreSQL has
    it or not.
    """
    if ours is None or postgres is None:
        return ours is postgres
    is_same = ours.sqlstate == postgres.sqlstate or (ours.sqlstate == "0A000" and postgres.sqlstate == "42883")
    return is_same and postgres.position in (0, ours.position)


def is_refused_before(ours: Mistake | None, postgres: Mistake | None) -> bool:
    """Returns whether something else was refused by name before the mistake was met."""
    return ours is not None and postgres is not None and ours.sqlstate == "0A000" and ours.position != postgres.position


def test_mistakes_are_where_postgres_finds_them(daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} mistakes")
    with running_twins() as twins:
        expressions = Mistaken(choice, functions(), catalogue(twins))
        statements = [mistaken(choice, expressions) for _ in range(STATEMENTS)]
        met = twins.errors([], statements)
    wrong = [
        f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"
        for statement, (ours, postgres) in zip(statements, met, strict=True)
        if not is_right(ours, postgres) and not is_refused_before(ours, postgres)
    ]
    assert not wrong, f"{len(wrong)} of {len(statements)} differ:\n" + "\n".join(wrong[:40])
    assert sum(is_refused_before(ours, postgres) for ours, postgres in met) <= max(STATEMENTS / 50, 3)
