"""Runs test suites, most of them one after the other, and ends with one line: `N passed, N failed`.

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
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
SEED = "20130615"  # A lane judges a commit: the same draws each time. New ones are drawn by `make soak`.
# AddressSanitizer looks at each access, which makes a test some ten times as long; draws that look for wrong answers
# are taken without it.
ASAN_DOSES = {
    "DAEDALUS_BOUND_SETS": "3",
    "DAEDALUS_ENGINE_OPERATIONS": "6000",
    "DAEDALUS_EXPRESSIONS": "200",
    "DAEDALUS_RESTORE_ROUNDS": "12",
    "DAEDALUS_SIMULATOR_SEEDS": "30",
    "DAEDALUS_SLICE_ROUNDS": "6",
}


@dataclass(frozen=True, slots=True)
class Suite:
    """One command and where its JUnit reports appear."""

    name: str
    command: str
    reports: str
    environment: dict[str, str]
    may_skip_all: bool = False  # what it needs is not on every machine; it says so itself
    goes_beside: bool = False  # runs while those after it do: it leaves them a core and their ports
    wants_quiet: bool = False  # clocks watch its processes: nothing goes beside it


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


def gtest_suite(name: str, preset: str, label: str, doses: dict[str, str] | None = None) -> Suite:
    """C++ tests of one preset that carry one label; `doses`: variables that say how much they draw."""
    reports = REPORTS / f"cpp-{preset}-{label}"
    return Suite(
        name=name,
        command=f"ctest --test-dir build/{preset} -L '^{label}$' --output-on-failure -j2",
        reports=f"{reports}/*.xml",
        environment={"GTEST_OUTPUT": f"xml:{reports}/", **(doses or {})},
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


def pytest_suite(
    name: str,
    paths: str,
    may_skip_all: bool = False,
    goes_beside: bool = False,
    wants_quiet: bool = False,
    environment: dict[str, str] | None = None,
) -> Suite:
    """Python tests below some paths."""
    report = REPORTS / f"python-{name.replace(' ', '-')}.xml"
    return Suite(
        name=name,
        command=f".venv/bin/python -m pytest -q -p no:cacheprovider --junitxml={report} {paths}",
        reports=str(report),
        environment=environment or {},
        may_skip_all=may_skip_all,
        goes_beside=goes_beside,
        wants_quiet=wants_quiet,
    )


FAST = [
    gtest_suite("C++", "release", "fast"),
    program_suite("benchmarks, small", "release", "bench"),
    pytest_suite("schema compiler", "schema_compiler", goes_beside=True),
    Suite(
        name="Java",
        command="cd client-java && mvn -q -B test",
        reports="client-java/*/target/surefire-reports/TEST-*.xml",
        environment={},
    ),
    pytest_suite("commands", "tests/commands"),
    pytest_suite("clients of PostgreSQL", "tests/postgres"),
    pytest_suite("oracle", "tests/oracle"),
    pytest_suite("demo", "tests/demo"),
    pytest_suite("proof", "tests/proof"),
]

SLOW = [
    gtest_suite("C++ under ASan and UBSan", "asan", "fast", ASAN_DOSES),
    gtest_suite("C++ under TSan", "tsan", "tsan"),
    pytest_suite("deployment", "tests/deploy", may_skip_all=True, goes_beside=True),
    gtest_suite("C++ slow", "release", "slow"),
    program_suite("fuzzers", "asan", "fuzz"),
    pytest_suite(
        "many expressions",
        "-k test_random_expressions tests/oracle",
        environment={"DAEDALUS_ORACLE_QUERIES": "10000"},
    ),
    pytest_suite("Java installed", "tests/install"),
    pytest_suite("process kills", "tests/kills", wants_quiet=True),
    pytest_suite("attacks", "tests/attacks", wants_quiet=True),
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


@dataclass(slots=True)
class Run:
    """A suite that has been started."""

    suite: Suite
    process: subprocess.Popen[bytes]
    started: float
    output: IO[bytes] | None  # where it goes while another suite has the terminal


def start(suite: Suite) -> Run:
    """Starts a suite; what goes beside another one keeps its output until its end."""
    for stale in glob.glob(str(ROOT / suite.reports)):
        os.unlink(stale)
    print(f"==> {suite.name}: {suite.command}{' (beside the next ones)' if suite.goes_beside else ''}", flush=True)
    output = tempfile.TemporaryFile() if suite.goes_beside else None  # noqa: SIM115 - open until finish()
    process = subprocess.Popen(
        ["bash", "-c", suite.command],
        cwd=ROOT,
        env={"DAEDALUS_SEED": SEED, **os.environ, **suite.environment},
        stdout=output,
        stderr=subprocess.STDOUT if output else None,
    )
    return Run(suite, process, time.monotonic(), output)


def finish(run: Run) -> Tally:
    """Waits for a suite's end, shows what it kept, and returns its tally."""
    status = run.process.wait()
    seconds = time.monotonic() - run.started
    if run.output is not None:
        run.output.seek(0)
        print(run.output.read().decode(errors="replace"), end="")
    tally = count(run.suite.reports)
    if status != 0 and tally.failed == 0:
        tally.failed = 1
    if tally.passed + tally.failed == 0 and not (run.suite.may_skip_all and tally.skipped):
        print(f"{run.suite.name}: ran no test", flush=True)
        tally.failed = 1
    print(
        f"<== {run.suite.name}: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped"
        f" in {seconds:.0f} s",
        flush=True,
    )
    return tally


def run_all(suites: list[Suite]) -> Iterator[tuple[Suite, Tally]]:
    """Runs suites in their order, those that go beside others with the ones after them, up to one that wants quiet."""
    beside: list[Run] = []
    for suite in suites:
        if suite.wants_quiet:
            yield from finish_all(beside)
        run = start(suite)
        if suite.goes_beside:
            beside.append(run)
        else:
            yield suite, finish(run)
    yield from finish_all(beside)


def finish_all(beside: list[Run]) -> Iterator[tuple[Suite, Tally]]:
    """Waits for the end of what runs beside others."""
    while beside:
        run = beside.pop(0)
        yield run.suite, finish(run)


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
    for suite, tally in run_all(suites):
        total.add(tally)
        lines.append(f"{suite.name:<28} {tally.passed:>6} passed {tally.failed:>4} failed {tally.skipped:>4} skipped")
    print("\n" + "\n".join(lines))
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
