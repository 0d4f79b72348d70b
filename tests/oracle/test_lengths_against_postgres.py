"""Choices among strings of unlike lengths, judged by PostgreSQL 15: their types, and the blanks that they keep."""

from __future__ import annotations

import os
import random

import pytest
from asked import same
from judge import Judge
from statement_twins import Twins, are_there, shared_twins
from unlike_lengths import ROWS, statement

STATEMENTS = int(os.environ.get("DAEDALUS_ORACLE_QUERIES", "2000"))

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return shared_twins()


def test_choices_among_unlike_lengths(twins: Twins, daedalus_seed: int) -> None:
    choice = random.Random(f"{daedalus_seed} lengths")
    tally = Judge(twins, ROWS).tally([same(statement(choice)) for _ in range(STATEMENTS)])
    tally.check()
    assert tally.answered > STATEMENTS / 2
