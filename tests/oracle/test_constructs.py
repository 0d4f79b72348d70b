"""Each construct of SQL that docs/sql.md calls answered comes out as PostgreSQL 15 has it; what it calls refused is
refused by name (0A000), and is no mistake to PostgreSQL."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from constructs import CONSTRUCTS, ROWS, Construct
from facts import ROOT
from local_cluster import local_cluster
from met_mistakes import STATEMENTS as MET_MISTAKES
from statement_twins import COLUMNS, Twins, are_there, code, running_twins
from value_lists import STATEMENTS as VALUE_LISTS

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


def test_a_cluster_and_its_client_answer_them_too(twins: Twins, tmp_path: Path) -> None:
    of_constructs = [statement for construct in CONSTRUCTS for statement in construct.statements]
    statements = [*ROWS, *MET_MISTAKES, *VALUE_LISTS, *of_constructs]
    file = tmp_path / "statements.sql"
    file.write_text("".join(f"{statement};\n" for statement in statements))
    table = ", ".join(f"{name} {column_type}" for name, column_type in COLUMNS.items())
    with local_cluster(tmp_path, f"CREATE TABLE t ({table});", "--partition-by", "hash(i)", "--segment-mib", "4") as t:
        replies = [json.loads(line) for line in t.daedalus("sql", "-f", file, "--format", "json").out.splitlines()]
    assert len(replies) == len(statements)
    for statement, reply, (ours, _) in zip(statements, replies, twins.answers(statements), strict=True):
        said = reply["error"]["sqlstate"] if "error" in reply else None
        assert said == code(ours), f"{statement!r}: {reply}"


def test_the_page_says_what_is_answered() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "sql_page.py", "--check"], check=False)
    assert done.returncode == 0


def test_names_are_told_apart() -> None:
    assert len({construct.id for construct in CONSTRUCTS}) == len(CONSTRUCTS)
