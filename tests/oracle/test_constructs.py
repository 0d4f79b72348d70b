"""The constructs of SQL (tests/slt/sql), asked of the compiler with its plain evaluation, and of a cluster by its own
client. What docs/sql.md calls answered comes out as PostgreSQL 15 has it; what it calls refused is refused by name
(0A000), and is no mistake to PostgreSQL."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from facts import ROOT
from local_cluster import local_cluster
from met_mistakes import STATEMENTS as MET_MISTAKES
from slt.constructs import Area, areas
from statement_twins import COLUMNS, Twins, are_there, code, running_twins
from value_lists import STATEMENTS as VALUE_LISTS

pytestmark = pytest.mark.skipif(
    not are_there(), reason="not run: PostgreSQL 15 is not installed here, or the programs are not built"
)


@pytest.fixture(scope="module")
def twins() -> Iterator[Twins]:
    with running_twins() as started:
        yield started


def statements_of(area: Area) -> list[str]:
    return [statement for construct in area.constructs for statement in construct.statements]


@pytest.mark.parametrize("area", areas(), ids=lambda area: area.name)
def test_the_compiler_answers_as_postgresql_or_refuses_by_name(twins: Twins, area: Area) -> None:
    """Each construct of the same rows, whatever those before it have written."""
    begin = ["DELETE FROM t", *area.rows]
    statements = [each for construct in area.constructs for each in (*begin, *construct.statements)]
    answers = zip(statements, twins.answers(statements), strict=True)
    asked = [(statement, *answer) for statement, answer in answers if statement not in begin]
    assert [statement for statement, _, _ in asked] == statements_of(area)
    for statement, ours, postgres in asked:
        assert code(postgres) is None, f"{statement!r} is a mistake: {postgres}"
        assert ours == postgres or code(ours) == "0A000", f"{statement!r}\n  here: {ours}\n  PostgreSQL: {postgres}"


def test_a_cluster_and_its_client_answer_them_too(twins: Twins, tmp_path: Path) -> None:
    rows = areas()[0].rows
    statements = [*rows, *MET_MISTAKES, *VALUE_LISTS, *(each for area in areas() for each in statements_of(area))]
    file = tmp_path / "statements.sql"
    file.write_text("".join(f"{statement};\n" for statement in statements))
    table = ", ".join(f"{name} {column_type}" for name, column_type in COLUMNS.items())
    with local_cluster(tmp_path, f"CREATE TABLE t ({table});", "--partition-by", "hash(i)", "--segment-mib", "4") as t:
        replies = [json.loads(line) for line in t.run_daedalus("sql", "-f", file, "--format", "json").out.splitlines()]
    assert len(replies) == len(statements)
    for statement, reply, (ours, _) in zip(statements, replies, twins.answers(statements), strict=True):
        said = reply["error"]["sqlstate"] if "error" in reply else None
        assert said == code(ours), f"{statement!r}: {reply}"


def test_the_page_says_what_is_answered() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "sql_page.py", "--check"], check=False)
    assert done.returncode == 0
