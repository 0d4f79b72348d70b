"""Each construct of SQL that docs/sql.md calls answered comes out as PostgreSQL 15 has it; what it calls refused is
refused by name (0A000), and is no mistake to PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from constructs import CONSTRUCTS, ROWS, Construct
from facts import ROOT
from statement_twins import Twins, are_there, code, running_twins

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    with running_twins() as started:
        yield started


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.id)
def test_construct(twins: Twins, construct: Construct) -> None:
    asked = twins.answers([*ROWS, *construct.statements])[len(ROWS) :]
    for statement, (ours, postgres) in zip(construct.statements, asked, strict=True):
        assert code(postgres) is None, f"{statement!r} is a mistake: {postgres}"
        assert ours == postgres or code(ours) == "0A000", f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"


def test_the_page_says_what_is_answered() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "sql_page.py", "--check"], check=False)
    assert done.returncode == 0


def test_names_are_told_apart() -> None:
    assert len({construct.id for construct in CONSTRUCTS}) == len(CONSTRUCTS)
