"""pgbench: its three ways to ask, several clients, several statements in a pipeline."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import psycopg
import pytest
from sessions import POSTGRES_BIN

pytestmark = pytest.mark.skipif(
    not (POSTGRES_BIN / "pgbench").exists(), reason="not run: PostgreSQL 15 is not installed here"
)

CLIENTS = 8
TRANSACTIONS = 50
ROWS = 100

ASK = f"\\set wanted random(0, {ROWS - 1})\nSELECT id, name FROM kinds WHERE id = :wanted;\n"
PIPELINE = (
    f"\\set wanted random(0, {ROWS - 1})\n\\startpipeline\n"
    + 20 * ("SELECT id, name FROM kinds WHERE id = :wanted;\n")
    + "\\endpipeline\n"
)
WRITE = "\\set added random(1000, 1000000000)\nINSERT INTO kinds (id) VALUES (:added);\n"


def run(dsn: str, script: Path, mode: str) -> None:
    ran = subprocess.run(
        [
            POSTGRES_BIN / "pgbench", "-n", "-M", mode, "-c", str(CLIENTS), "-j", "2", "-t", str(TRANSACTIONS),
            "-f", script, "-d", dsn,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert f"{CLIENTS * TRANSACTIONS}/{CLIENTS * TRANSACTIONS}" in ran.stdout, ran.stdout
    assert re.search(r"number of failed transactions: 0 ", ran.stdout), ran.stdout


@pytest.mark.parametrize(
    ("mode", "script"),
    [
        ("simple", ASK), ("extended", ASK), ("prepared", ASK), ("extended", PIPELINE), ("prepared", PIPELINE),
        ("simple", WRITE), ("prepared", WRITE),
    ],
)  # fmt: skip
def test_pgbench_runs_in_every_mode(table: str, tmp_path: Path, mode: str, script: str) -> None:
    with psycopg.connect(table, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO kinds (id, name) VALUES (%s, 'x')", [(id_,) for id_ in range(ROWS)])
    path = tmp_path / "script.sql"
    path.write_text(script)
    run(table, path, mode)
    with psycopg.connect(table, autocommit=True) as connection:
        written = CLIENTS * TRANSACTIONS if script == WRITE else 0
        assert connection.execute("SELECT count(*) FROM kinds").fetchone() == (ROWS + written,)
