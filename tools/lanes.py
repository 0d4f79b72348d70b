"""Runs test suites one after the other and ends with one line: `N passed, N failed`.

A suite is a command that leaves JUnit XML files behind; every lane of the Makefile is a list of suites. A suite that
exits non-zero without a failed test in its reports (a crash, a build error) counts as one failed test of its own.
"""

from __future__ import annotations

import argparse
import glob
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"


@dataclass(frozen=True, slots=True)
class Suite:
    """One command and where its JUnit reports appear."""

    name: str
    command: str
    reports: str
    environment: dict[str, str]
    may_skip_all: bool = False  # what it needs is not on every machine; it says so itself


@dataclass(slots=True)
class Tally:
    """Tests counted so far."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add(self, other: Tally) -> None:
        """Adds another tally to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def gtest_suite(name: str, preset: str, label: str, extra: str = "") -> Suite:
    """C++ tests of one preset that carry one label."""
    reports = REPORTS / f"cpp-{preset}-{label}"
    return Suite(
        name=name,
        command=f"ctest --test-dir build/{preset} -L '^{label}$' --output-on-failure -j2 {extra}".strip(),
        reports=f"{reports}/*.xml",
        environment={"GTEST_OUTPUT": f"xml:{reports}/"},
    )


def program_suite(name: str, preset: str, label: str) -> Suite:
    """Programs of one preset that are tests as a whole: fuzzers, benchmarks in small doses."""
    report = REPORTS / f"programs-{preset}-{label}.xml"
    return Suite(
        name=name,
        command=f"ctest --test-dir build/{preset} -L '^{label}$' --output-on-failure -j2 --output-junit {report}",
        reports=str(report),
        environment={},
    )


def pytest_suite(name: str, paths: str, environment: dict[str, str] | None = None, may_skip_all: bool = False) -> Suite:
    """Python tests below some paths."""
    report = REPORTS / f"python-{name.replace(' ', '-')}.xml"
    return Suite(
        name=name,
        command=f".venv/bin/python -m pytest -q -p no:cacheprovider --junitxml={report} {paths}",
        reports=str(report),
        environment=environment or {},
        may_skip_all=may_skip_all,
    )


FAST = [
    gtest_suite("C++", "release", "fast"),
    program_suite("benchmarks, small", "release", "bench"),
    pytest_suite("schema compiler", "schema_compiler"),
    Suite(
        name="Java",
        command="cd client-java && mvn -q -B test",
        reports="client-java/*/target/surefire-reports/TEST-*.xml",
        environment={},
    ),
    pytest_suite("commands", "tests/commands"),
    pytest_suite("oracle", "tests/oracle"),
    pytest_suite("demo", "tests/demo"),
    pytest_suite("proof", "tests/proof"),
]

SLOW = [
    gtest_suite("C++ under ASan and UBSan", "asan", "fast"),
    gtest_suite("C++ under TSan", "tsan", "tsan"),
    gtest_suite("C++ slow", "release", "slow"),
    program_suite("fuzzers", "asan", "fuzz"),
    pytest_suite("process kills", "tests/kills"),
    pytest_suite("Java installed", "tests/install"),
    pytest_suite("attacks", "tests/attacks"),
    pytest_suite("deployment", "tests/deploy", may_skip_all=True),
]

LANES = {"fast": FAST, "slow": SLOW}


def count(pattern: str) -> Tally:
    """Counts the test cases of all reports that match the pattern."""
    tally = Tally()
    for report in glob.glob(str(ROOT / pattern)) if not os.path.isabs(pattern) else glob.glob(pattern):
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                tally.failed += 1
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                tally.skipped += 1
            else:
                tally.passed += 1
    return tally


def run(suite: Suite) -> Tally:
    """Runs one suite and returns its tally."""
    print(f"==> {suite.name}: {suite.command}", flush=True)
    for stale in glob.glob(str(ROOT / suite.reports)):
        os.unlink(stale)
    started = time.monotonic()
    status = subprocess.run(
        ["bash", "-c", suite.command], cwd=ROOT, env={**os.environ, **suite.environment}, check=False
    ).returncode
    tally = count(suite.reports)
    if status != 0 and tally.failed == 0:
        tally.failed = 1
    if tally.passed + tally.failed == 0 and not (suite.may_skip_all and tally.skipped):
        print(f"{suite.name}: ran no test", flush=True)
        tally.failed = 1
    print(
        f"<== {suite.name}: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped"
        f" in {time.monotonic() - started:.0f} s",
        flush=True,
    )
    return tally


def main() -> int:
    """Runs a lane; exit 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lane", choices=sorted(LANES))
    parser.add_argument("--only", help="run only suites whose name contains this")
    arguments = parser.parse_args()
    suites = [suite for suite in LANES[arguments.lane] if not arguments.only or arguments.only in suite.name]
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    total = Tally()
    lines = []
    for suite in suites:
        tally = run(suite)
        total.add(tally)
        lines.append(f"{suite.name:<28} {tally.passed:>6} passed {tally.failed:>4} failed {tally.skipped:>4} skipped")
    print("\n" + "\n".join(lines))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
