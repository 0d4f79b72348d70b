"""CPU time that processes have used, as the kernel accounts it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_AFTER_NAME = 2  # fields of /proc/PID/stat before the state: process and name
_USER = 13 - _AFTER_NAME
_SYSTEM = 14 - _AFTER_NAME


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time, seconds; in steps of a hundredth."""

    user: float
    system: float

    @property
    def total(self) -> float:
        """Both."""
        return self.user + self.system

    def __sub__(self, earlier: Usage) -> Usage:
        return Usage(self.user - earlier.user, self.system - earlier.system)

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.user + other.user, self.system + other.system)


NOTHING = Usage(0.0, 0.0)


def stat_usage(stat: str) -> Usage:
    """utime and stime of one line of /proc/…/stat, whose name may hold blanks and brackets."""
    fields = stat.rpartition(")")[2].split()
    return Usage(int(fields[_USER]) / TICKS_PER_SECOND, int(fields[_SYSTEM]) / TICKS_PER_SECOND)


def usage(process: int) -> Usage:
    """Returns the usage of all threads of the process, those that have ended, too. Error: FileNotFoundError."""
    return stat_usage(Path(f"/proc/{process}/stat").read_text())


def thread_usages(process: int) -> dict[int, Usage]:
    """Returns the usage of each thread that lives, by its id; the first one has the process's. Error:
    FileNotFoundError.
    """
    found = {}
    for thread in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It may end meanwhile.
            found[int(thread.name)] = stat_usage((thread / "stat").read_text())
    return found
