"""Key look-ups of somebody else, beside an attack: one every ten milliseconds, in a process of their own.

Open loop: each has an intended time, and its latency counts from then, whatever the ones before it did. What an attack
must not do is make one of them fail or late.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from attacks.client import Client, ConnectionLostError
from attacks.tables import WIDE, Table, orders

INTERVAL_SECONDS = 0.01
LOOK_UP_SECONDS = 5.0  # then it has failed
FAILURES_KEPT = 5


@dataclass(slots=True)
class Report:
    """The report says what became of all look-ups of one run."""

    count: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    max_ms: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.count} look-ups, {self.failed} failed, p50 {self.p50_ms:.1f} ms, p99 {self.p99_ms:.1f} ms, "
            f"slowest {self.max_ms:.1f} ms" + "".join(f"\n    failed: {words}" for words in self.failures)
        )


class _Run:
    """The look-ups of one connection after another."""

    def __init__(self, port: int, table: Table) -> None:
        self._port = port
        self._table = table
        self._client: Client | None = None
        self._intended: dict[int, tuple[float, int]] = {}  # by number: when, and of which row
        self._seconds: list[float] = []
        self._report = Report()
        self._next_row = 0

    def run(self) -> Report:
        """Until standard input ends."""
        due = time.monotonic()
        while not select.select([sys.stdin], [], [], 0)[0]:
            now = time.monotonic()
            while due <= now:
                self._send(due)
                due += INTERVAL_SECONDS
            self._read(max(due - time.monotonic(), 0.0005))
        end = time.monotonic() + LOOK_UP_SECONDS
        while self._intended and time.monotonic() < end:
            self._read(0.05)
        for _ in range(len(self._intended)):
            self._fail("it was never answered")
        return self._summary()

    def _send(self, due: float) -> None:
        self._next_row = (self._next_row + 7919) % self._table.rows
        try:
            if self._client is None:
                self._client = Client(self._port)
            number = self._client.ask_all([self._table.look_up(self._next_row + 1)], LOOK_UP_SECONDS)[0]
        except (ConnectionLostError, OSError) as error:
            self._fail(f"it could not be sent: {error}")
            self._lose(str(error))
            return
        self._intended[number] = (due, self._next_row + 1)

    def _read(self, seconds: float) -> None:
        if self._client is None:
            return
        try:
            self._client.read_some(seconds)
        except TimeoutError:
            return
        except ConnectionLostError as error:
            self._lose(str(error))
            return
        now = time.monotonic()
        for number in [number for number in self._intended if self._client.answers[number].is_ended]:
            answer = self._client.answers.pop(number)
            due, row_id = self._intended.pop(number)
            if answer.refusal is not None:
                self._fail(f"{answer.refusal.sqlstate} {answer.refusal.words}")
            elif answer.rows.values() != [self._table.found(row_id)]:
                self._fail(f"row {row_id} was answered {answer.rows.values()}")
            else:
                self._seconds.append(now - due)

    def _lose(self, reason: str) -> None:
        for _ in range(len(self._intended)):
            self._fail(f"its connection went: {reason}")
        self._intended.clear()
        if self._client is not None:
            self._client.close()
        self._client = None

    def _fail(self, words: str) -> None:
        self._report.failed += 1
        if len(self._report.failures) < FAILURES_KEPT and words not in self._report.failures:
            self._report.failures.append(words)

    def _summary(self) -> Report:
        ordered = sorted(self._seconds)
        self._report.count = len(ordered) + self._report.failed
        if ordered:
            self._report.p50_ms = 1000 * ordered[len(ordered) // 2]
            self._report.p99_ms = 1000 * ordered[len(ordered) * 99 // 100]
            self._report.max_ms = 1000 * ordered[-1]
        return self._report


class LookUps:
    """Runs the look-ups from the side of a test: as long as the context, then `report` is there."""

    def __init__(self, port: int, table: Table) -> None:
        self._arguments = [str(port), table.name, str(table.rows)]
        self.report = Report()

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "attacks.look_ups", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "looking up\n"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            out, _ = self._process.communicate("", timeout=3 * LOOK_UP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        self.report = Report(**json.loads(out))


def main() -> None:
    """Looks up until standard input ends, then prints the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("table", choices=["orders", "pages"])
    parser.add_argument("rows", type=int, help="how many of its rows there are")
    arguments = parser.parse_args()
    run = _Run(arguments.port, WIDE if arguments.table == WIDE.name else orders(arguments.rows))
    print("looking up", flush=True)
    report = run.run()
    print(json.dumps({name: getattr(report, name) for name in Report.__dataclass_fields__}))


if __name__ == "__main__":
    main()
