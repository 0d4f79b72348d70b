"""perf: where processes spend their CPU time, in samples with their stacks."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from experiments.cost_sheet.classify import Frame

EVENT = "cpu-clock"
SWITCH_ON_SECONDS_MAX = 30
_HEAD = re.compile(
    r"^(?P<thread>.*?)\s+(?P<process>-?\d+)/(?P<id>-?\d+)\s+(?P<second>\d+)\.(?P<ns>\d{9}):\s+(?P<period>\d+)(?:\s+\S+:)?\s*$"
)
_FRAME = re.compile(r"^\s+[0-9a-f]+ (?P<symbol>.*) \((?P<file>[^()]*(?:\([^()]*\))?)\)$")


class PerfError(Exception):
    """perf is not there, is not allowed, or did not do as it was told."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A moment in which a thread was running, for `ns` of CPU time."""

    process: int
    thread: str  # "main" for the first one of its process, otherwise its name
    at_ns: int  # of the clock that time.monotonic_ns() reads
    ns: int
    stack: tuple[Frame, ...]  # innermost first


def check_perf() -> None:
    """Error: PerfError with what to do, where perf cannot sample the whole machine with its kernel."""
    if shutil.which("perf") is None:
        raise PerfError("perf is not installed: apt-get install linux-perf")
    tried = subprocess.run(
        ["perf", "record", "-q", "-e", EVENT, "-o", "/dev/null", "-a", "--", "true"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    paranoid = Path("/proc/sys/kernel/perf_event_paranoid").read_text().strip()
    if tried.returncode != 0 or (os.geteuid() != 0 and int(paranoid) > 0):
        raise PerfError(
            f"perf may not sample here (kernel.perf_event_paranoid is {paranoid}): run as root, or sysctl"
            f" kernel.perf_event_paranoid=0 and kernel.kptr_restrict=0\n{tried.stderr.strip()}"
        )


class Recording:
    """Samples of the whole machine into a file, from when it is made until end(). Usable as a context; ends with it.

    Of all processes, because events that follow single threads are switched on and off with them: that took a tenth of
    the CPU time of threads that often wait, and was in no sample.
    """

    def __init__(self, frequency_hz: int, folder: Path) -> None:
        self.path = folder / "perf.data"
        control, acknowledged = folder / "perf.control", folder / "perf.acknowledged"
        for pipe in (control, acknowledged):
            os.mkfifo(pipe)
        self._process = subprocess.Popen(
            [
                *("perf", "record", "-D", "-1", "--control", f"fifo:{control},{acknowledged}"),
                *("-q", "-a", "-k", "CLOCK_MONOTONIC", "-e", EVENT, "-F", str(frequency_hz)),
                *("--call-graph", "fp", "-m", "2048", "-o", str(self.path)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._switch_on(control, acknowledged)

    def _switch_on(self, control: Path, acknowledged: Path) -> None:
        """On a busy machine perf takes seconds to come to it. Error: PerfError when it does not."""
        # Opened for both, so that nobody waits for the other to open.
        told, heard = os.open(control, os.O_RDWR), os.open(acknowledged, os.O_RDWR)
        try:
            os.write(told, b"enable\n")
            if not select.select([heard], [], [], SWITCH_ON_SECONDS_MAX)[0]:
                self._process.kill()
                said, _ = self._process.communicate()
                raise PerfError(f"perf record did not begin: {said.strip()}")
        finally:
            os.close(told)
            os.close(heard)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Finishes the file. Error: PerfError when perf has lost samples or failed."""
        self._process.send_signal(signal.SIGINT)
        said, _ = self._process.communicate(timeout=120)
        if not self.path.exists() or "lost" in said.lower():
            raise PerfError(f"perf record: {said.strip() or self._process.returncode}")


def read_samples(path: Path) -> Iterator[Sample]:
    """All samples of a file, of whatever process. Error: PerfError."""
    script = subprocess.Popen(
        ["perf", "script", "-i", str(path), "--no-inline", "-F", "comm,pid,tid,time,period,event,ip,sym,dso", "--ns"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
    )  # fmt: skip
    assert script.stdout is not None
    yield from parse_script(script.stdout)
    _, said = script.communicate()
    if script.returncode != 0:
        raise PerfError(f"perf script: {said.strip()}")


def parse_script(lines: Iterable[str]) -> Iterator[Sample]:
    """Samples from what `perf script` prints: a head, a line for each frame, an empty line. Error: PerfError."""
    head: re.Match[str] | None = None
    stack: list[Frame] = []
    for line in lines:
        text = line.rstrip("\n")
        if frame := _FRAME.match(text):
            stack.append(Frame(frame["symbol"], frame["file"]))
        elif text.strip():
            if head is not None:
                yield _sample(head, stack)
            head, stack = _HEAD.match(text.strip()), []
            if head is None:
                raise PerfError(f"perf script printed a line that is none of a sample: {text!r}")
    if head is not None:
        yield _sample(head, stack)


def _sample(head: re.Match[str], stack: list[Frame]) -> Sample:
    thread = "main" if head["process"] == head["id"] else head["thread"].strip()
    at_ns = int(head["second"]) * 1_000_000_000 + int(head["ns"])
    return Sample(int(head["process"]), thread, at_ns, int(head["period"]), tuple(stack))
