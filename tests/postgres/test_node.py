"""node-postgres, as Debian has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from local_cluster import ROOT

LIBRARY = ROOT / "build" / "node-postgres" / "usr" / "share" / "nodejs"  # Debian's package node-pg, unpacked.
CLIENT = Path(__file__).parent / "node" / "client.js"
SECONDS_MAX = 60


@pytest.mark.skipif(
    shutil.which("node") is None or not (LIBRARY / "pg").exists(), reason="not run: no node, or node-pg is not unpacked"
)
def test_it_reads_writes_and_fails_as_its_users_expect(table: str) -> None:
    parts = dict(part.split("=") for part in table.split())
    url = f"postgres://{parts['user']}@{parts['host']}:{parts['port']}/{parts['dbname']}"
    finished = subprocess.run(
        ["node", CLIENT, url], capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
        env={**os.environ, "NODE_PATH": str(LIBRARY)},
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    seen = json.loads(finished.stdout)
    assert seen["row"] == {
        "id": 1, "yes": True, "big": "9007199254740993", "price": "12.500", "name": "it's", "day": "2013-02-03",
    }  # fmt: skip
    assert seen["fields"] == [["id", 23], ["yes", 16], ["big", 20], ["price", 1700], ["name", 1043], ["day", 1043]]
    assert seen["named"] == [1, 0, 1]
    assert seen["listed"] == "1"
    assert seen["array"] == [[1, "it's"]]
    assert seen["failure"] == {"code": "42703", "position": "8"}
    assert seen["updated"] == ["UPDATE", 1]
    assert seen["sums"] == [at + 2 for at in range(40)]
