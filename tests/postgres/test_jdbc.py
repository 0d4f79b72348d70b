"""PostgreSQL's JDBC driver, alone and through HikariCP: client-java/postgres-clients, given servers."""

from __future__ import annotations

import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from local_cluster import ROOT
from plain_postgres import KINDS, plain_postgres

MODULE = ROOT / "client-java" / "postgres-clients"
REPORTS = MODULE / "target" / "surefire-reports"
TESTS_MIN = 20
SECONDS_MAX = 300


def url_of(dsn: str) -> str:
    """JDBC's words for how psycopg finds a server."""
    parts = dict(part.split("=") for part in dsn.split())
    return f"jdbc:postgresql://{parts['host']}:{parts['port']}/{parts['dbname']}?user={parts['user']}"


def run_jdbc_tests(daedalus: str, postgres: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The module's tests against two servers."""
    return subprocess.run(
        [
            shutil.which("mvn") or "mvn", "-q", "-B", "-pl", "postgres-clients", "surefire:test",
            f"-Ddaedalus.jdbc={daedalus}", f"-Dpostgres.jdbc={postgres}", *options,
        ],
        cwd=MODULE.parent,
        env={**os.environ, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )  # fmt: skip


def test_its_tests_pass(dsn: str) -> None:
    for stale in REPORTS.glob("TEST-*.xml"):
        stale.unlink()
    with plain_postgres(KINDS, "kinds") as judge:
        ran = run_jdbc_tests(url_of(dsn), url_of(judge))
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    suites = [ElementTree.parse(report).getroot() for report in REPORTS.glob("TEST-*.xml")]
    assert sum(int(suite.get("tests", "0")) for suite in suites) >= TESTS_MIN
    assert sum(int(suite.get("skipped", "0")) for suite in suites) == 0
