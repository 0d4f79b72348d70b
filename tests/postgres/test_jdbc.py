"""PostgreSQL's JDBC driver, alone and through HikariCP: client-java/postgres-clients, given servers."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from plain_postgres import KINDS, plain_postgres
from postgres_clients import JDBC, run_jdbc_tests, url_of

REPORTS = JDBC / "target" / "surefire-reports"
TESTS_MIN = 20


def test_its_tests_pass(dsn: str) -> None:
    for stale in REPORTS.glob("TEST-*.xml"):
        stale.unlink()
    with plain_postgres(KINDS, "kinds") as judge:
        ran = run_jdbc_tests(url_of(dsn), url_of(judge))
    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    suites = [ElementTree.parse(report).getroot() for report in REPORTS.glob("TEST-*.xml")]
    assert sum(int(suite.get("tests", "0")) for suite in suites) >= TESTS_MIN
    assert sum(int(suite.get("skipped", "0")) for suite in suites) == 0
