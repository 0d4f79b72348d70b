"""Runs long steps at once and shows how far each is: `steps.py WHAT NAME=COMMAND…`, such as `steps.py build C++=…`.

A command says how far it is by lines `[DONE/ALL] what it does now`; all that it writes goes to build/logs/NAME.log. On
a terminal one line moves; elsewhere each step gets a line for every tenth. When a step fails the others are stopped
(what they have built stays, and the next run goes on from there), and the last lines of its log are shown. Exit code:
1 when a step failed. How many seconds each step took is said in the end and kept in build/timings/steps.tsv. Needs
nothing but Python, so that it can show how the rest is installed.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from timings import keep_row

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
TAIL_LINES = 60
POSITION = re.compile(r"^\[(\d+)/(\d+)\] *(.*)$")
REFRESH_SECONDS = 0.2


@dataclass(slots=True)
class Step:
    """One command and how far it is."""

    name: str
    command: str
    percent: int = 0
    now: str = ""
    code: int | None = None
    seconds: float = 0
    process: subprocess.Popen[str] | None = None
    is_stopped: bool = False
    tail: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    def take(self, line: str) -> None:
        """Takes one line that the command wrote."""
        position = POSITION.match(line)
        if position:
            done, every, self.now = int(position[1]), int(position[2]), position[3].strip()
            # The end is the command's own, however it counts.
            self.percent = max(self.percent, min(99, 100 * done // max(1, every)))
        self.tail = [*self.tail[1 - TAIL_LINES :], line]

    def end(self, code: int) -> None:
        """Takes the command's exit code."""
        self.code = code
        self.now = ""
        if code == 0:
            self.percent = 100

    def stop(self) -> None:
        """Ends the command, and what it has started, if it runs."""
        if self.process is not None and self.code is None:
            self.is_stopped = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGTERM)

    @property
    def has_failed(self) -> bool:
        return self.code is not None and self.code != 0 and not self.is_stopped

    def state(self) -> str:
        """How far it is, in a few words."""
        return f"{self.name} FAILED" if self.has_failed else f"{self.name} {self.percent} %"


class Display:
    """Shows steps to a person at a terminal, or to whoever reads a log."""

    def __init__(self, what: str, out: TextIO, columns: int | None) -> None:
        """`what` all of them are for; `columns` of the terminal, None: `out` is none."""
        self._what = what
        self._out = out
        self._columns = columns
        self._shown: dict[str, str] = {}

    def show(self, steps: list[Step]) -> None:
        """Shows what has changed."""
        if self._columns is None:
            for step in steps:
                self._show_tenth(step)
            return
        doing = [step.now for step in steps if step.now]
        line = f"{self._what}: " + ", ".join(step.state() for step in steps) + ("  " + doing[0] if doing else "")
        self._out.write("\r\033[K" + line[: self._columns - 1])
        self._out.flush()

    def _show_tenth(self, step: Step) -> None:
        tenth = "FAILED" if step.has_failed else f"{step.percent // 10 * 10} %"
        if self._shown.get(step.name) == tenth:
            return
        self._shown[step.name] = tenth
        self._out.write(f"{self._what}: {step.name} {tenth}{'  ' + step.now if step.now else ''}\n")
        self._out.flush()

    def close(self, steps: list[Step]) -> None:
        """Leaves the last state behind."""
        self.show(steps)
        if self._columns is not None:
            self._out.write("\n")


def run(step: Step) -> None:
    """Runs one step to its end."""
    begun = time.monotonic()
    with step.log.open("w", encoding="utf-8") as log:
        process = step.process = subprocess.Popen(
            ["bash", "-c", step.command],
            cwd=ROOT,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            log.flush()
            step.take(line.rstrip("\n"))
        code = process.wait()
    step.seconds = time.monotonic() - begun
    step.end(code)


def stop_all(steps: list[Step]) -> None:
    for step in steps:
        step.stop()


def run_all(what: str, steps: list[Step], display: Display) -> int:
    """Runs all steps at once; returns the exit code."""
    threads = [threading.Thread(target=run, args=(step,), daemon=True) for step in steps]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads):
            display.show(steps)
            if any(step.has_failed for step in steps):
                stop_all(steps)
            time.sleep(REFRESH_SECONDS)
    except KeyboardInterrupt:
        stop_all(steps)
        raise
    display.close(steps)
    print(f"{what}: " + ", ".join(f"{step.name} {step.seconds:.0f} s" for step in steps), flush=True)
    for step in steps:
        if step.seconds >= 1:
            keep_row("steps", ("step", "seconds"), (f"{what}: {step.name}", f"{step.seconds:.0f}"))
    for step in steps:
        if step.has_failed:
            print(f"{what}: {step.name}: `{step.command}` ended with exit code {step.code}:", file=sys.stderr)
            print("\n".join(step.tail), file=sys.stderr)
            print(f"{what}: all that it said: {step.log}", file=sys.stderr)
    return 1 if any(step.code != 0 for step in steps) else 0


def main(arguments: list[str]) -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    what, *commands = arguments
    steps = [Step(name, command) for name, _, command in (each.partition("=") for each in commands)]
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    try:
        return run_all(what, steps, Display(what, sys.stdout, columns))
    except KeyboardInterrupt:
        print(f"\n{what}: interrupted; what has been done stays", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
