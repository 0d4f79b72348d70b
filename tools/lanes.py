"""Runs the test suites of a lane (suites.py) and ends with a table and one line: `N passed, N failed, N skipped`.

A suite is a command that leaves JUnit XML files behind. A suite that exits non-zero without a failed test in its
reports (a crash, a build error) counts as one failed test. Seconds per suite and per test are kept under build/timings.
The nightly lane is long, so it remembers which suites have passed for a state of the sources, and does not run those
again.
"""

from __future__ import annotations

import argparse
import glob
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO

from suites import LANES, REPORTS, ROOT, SEED, Suite
from timings import keep_table

PASSED_BEFORE = ROOT / "build" / "nightly"
REMEMBERED_LANES = {"nightly"}


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """A suite came to this."""

    name: str
    tally: Tally
    seconds: float
    idle: float  # the share of the machine's time in which no core had work

    HEAD = ("suite", "passed", "failed", "skipped", "seconds", "idle %")

    def row(self) -> list[str]:
        counts = [str(getattr(self.tally, each.name)) for each in fields(Tally)]
        return [self.name, *counts, f"{self.seconds:.0f}", f"{100 * self.idle:.0f}"]

    @staticmethod
    def of_row(cells: list[str]) -> Outcome:
        name, passed, failed, skipped, seconds, idle = cells
        return Outcome(name, Tally(int(passed), int(failed), int(skipped)), float(seconds), float(idle) / 100)


def reports_of(suite: Suite) -> list[str]:
    """The report files of a suite that exist."""
    pattern = suite.reports if os.path.isabs(suite.reports) else str(ROOT / suite.reports)
    return glob.glob(pattern) if suite.reports else []


def cases_of(suite: Suite) -> Iterator[ElementTree.Element]:
    """The test cases in a suite's reports."""
    for report in reports_of(suite):
        yield from ElementTree.parse(report).iter("testcase")


def count(suite: Suite) -> Tally:
    """Counts the test cases in a suite's reports."""
    tally = Tally()
    for case in cases_of(suite):
        if case.find("failure") is not None or case.find("error") is not None:
            tally.failed += 1
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            tally.skipped += 1
        else:
            tally.passed += 1
    return tally


def machine_times() -> tuple[int, int]:
    """Clock ticks in which cores were idle, and all ticks, since the machine started."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


class Run:
    """A suite that has been started. A thread notes when it ends, which may be long before anybody asks."""

    def __init__(self, suite: Suite, process: subprocess.Popen[bytes], output: IO[bytes] | None) -> None:
        """`output` keeps what the suite prints while another suite has the terminal."""
        self.suite, self.output = suite, output
        self.status, self.seconds, self.idle = 0, 0.0, 0.0
        self._process, self._started, self._times = process, time.monotonic(), machine_times()
        self._watch = threading.Thread(target=self._note_the_end)
        self._watch.start()

    def wait(self) -> None:
        """Returns when the suite has ended."""
        self._watch.join()

    def _note_the_end(self) -> None:
        self.status = self._process.wait()
        self.seconds = time.monotonic() - self._started
        idle, every = (now - then for now, then in zip(machine_times(), self._times, strict=True))
        self.idle = idle / max(1, every)


def start(suite: Suite) -> Run:
    """Starts a suite; one that goes beside others keeps its output until its end."""
    for stale in reports_of(suite):
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
    return Run(suite, process, output)


def finish(run: Run) -> Outcome:
    """Waits for a suite's end and shows what it kept."""
    run.wait()
    if run.output is not None:
        run.output.seek(0)
        print(run.output.read().decode(errors="replace"), end="")
    tally = count(run.suite) if run.suite.reports else Tally(passed=int(run.status == 0))
    if run.status != 0 and tally.failed == 0:
        tally.failed = 1
    if tally.passed + tally.failed == 0 and not (run.suite.may_skip_all and tally.skipped):
        print(f"{run.suite.name}: ran no test", flush=True)
        tally.failed = 1
    outcome = Outcome(run.suite.name, tally, run.seconds, run.idle)
    print(
        f"<== {run.suite.name}: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped"
        f" in {run.seconds:.0f} s, {100 * outcome.idle:.0f} % idle",
        flush=True,
    )
    return outcome


def run_all(suites: list[Suite]) -> Iterator[Outcome]:
    """Runs suites in their order, those that go beside others with the ones after them, up to one that wants quiet."""
    beside: list[Run] = []
    for suite in suites:
        if suite.wants_quiet:
            yield from finish_all(beside)
        run = start(suite)
        if suite.goes_beside:
            beside.append(run)
        else:
            yield finish(run)
    yield from finish_all(beside)


def finish_all(beside: list[Run]) -> Iterator[Outcome]:
    """Waits for the end of what runs beside others."""
    while beside:
        yield finish(beside.pop(0))


def git(*words: str) -> bytes:
    """Returns what git prints."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def state_of_sources() -> str:
    """A name for what would be tested: the commit, what differs from it, and files that git does not know yet."""
    digest = hashlib.sha256(git("rev-parse", "HEAD") + git("diff", "HEAD"))
    for name in git("ls-files", "-z", "--others", "--exclude-standard").decode().split("\0"):
        digest.update(name.encode() + ((ROOT / name).read_bytes() if name else b""))
    return digest.hexdigest()[:16]


class Remembered:
    """The suites of a lane that have passed for this state of the sources, in a file that each one is added to."""

    def __init__(self, lane: str) -> None:
        self._path = PASSED_BEFORE / f"{lane}-{state_of_sources()}.tsv"

    def outcomes(self) -> dict[str, Outcome]:
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        return {found.name: found for found in (Outcome.of_row(line.split("\t")) for line in lines)}

    def add(self, outcome: Outcome) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\t".join(outcome.row()) + "\n")

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def run_lane(lane: str, suites: list[Suite], *, anew: bool) -> list[Outcome]:
    """Runs the suites of a lane, without those that are remembered to have passed."""
    if lane not in REMEMBERED_LANES:
        return list(run_all(suites))
    remembered = Remembered(lane)
    if anew:
        remembered.forget()
    before = remembered.outcomes()
    outcomes = {name: before[name] for name in (suite.name for suite in suites) if name in before}
    for name in outcomes:
        print(f"=== {name}: has passed for these sources", flush=True)
    for outcome in run_all([suite for suite in suites if suite.name not in outcomes]):
        outcomes[outcome.name] = outcome
        if not outcome.tally.failed:
            remembered.add(outcome)
    return [outcomes[suite.name] for suite in suites]


def keep_slowest_tests(lane: str, suites: list[Suite]) -> None:
    """Keeps the seconds of every test of a lane that took a tenth of one, slowest first."""
    cases = [
        (f"{suite.name}: {case.get('classname', '')}.{case.get('name', '')}", float(case.get("time") or 0))
        for suite in suites
        for case in cases_of(suite)
    ]
    slow = sorted((case for case in cases if case[1] >= 0.1), key=lambda case: -case[1])
    keep_table(f"tests-{lane}", ("test", "seconds"), [(name, f"{seconds:.1f}") for name, seconds in slow])


def main() -> int:
    """Runs a lane; exit 1 when anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lane", choices=sorted(LANES))
    parser.add_argument("--only", help="run only suites whose name contains this")
    parser.add_argument("--anew", action="store_true", help="run suites that have passed for these sources, too")
    arguments = parser.parse_args()
    suites = [suite for suite in LANES[arguments.lane] if not arguments.only or arguments.only in suite.name]
    REPORTS.mkdir(parents=True, exist_ok=True)
    outcomes = run_lane(arguments.lane, suites, anew=arguments.anew)
    total = Tally()
    for outcome in outcomes:
        total.add(outcome.tally)
    print("\n" + keep_table(f"suites-{arguments.lane}", Outcome.HEAD, [outcome.row() for outcome in outcomes]))
    keep_slowest_tests(arguments.lane, suites)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
