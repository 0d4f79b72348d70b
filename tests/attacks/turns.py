"""Who kept a network thread away from its sockets, as the processes' own watch tells it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

LONG_TURN = re.compile(r"long turn: (.*) kept the network waiting for ([0-9.]+) ms")
ADDRESS = re.compile(r"[0-9.]+:[0-9]+")
# Time that a hypervisor takes away counts as the thread's own, and hits anybody now and then: a handler is slow when it
# is slow again and again.
CHANCE = 2


@dataclass(slots=True)
class Turns:
    """The long turns that processes of one cluster have logged since begin()."""

    directory: Path
    _read: dict[Path, int] = field(default_factory=dict)

    def begin(self) -> None:
        """Passes over what was logged up to now, which belongs to somebody else."""
        self._read = {log: log.stat().st_size for log in self.directory.rglob("*.log")}

    def by_handler(self) -> dict[str, list[float]]:
        """CPU time of each long turn in ms, longest first, by process and handler."""
        turns: dict[str, list[float]] = {}
        for log in sorted(self.directory.rglob("*.log")):
            with log.open(errors="replace") as lines:
                lines.seek(self._read.get(log, 0))
                for found in map(LONG_TURN.search, lines):
                    if found:
                        turns.setdefault(f"{log.stem}: {ADDRESS.sub('a peer', found[1])}", []).append(float(found[2]))
        return {who: sorted(ms, reverse=True) for who, ms in sorted(turns.items())}


def slow(turns: dict[str, list[float]], ms_max: float) -> list[str]:
    """The handlers whose turns are longer than that again and again."""
    return [
        f"{who} kept the network waiting {len(ms)} times, up to {ms[0]:.1f} ms, {ms_max:.0f} are its due"
        for who, ms in turns.items()
        if len(ms) > CHANCE and ms[CHANCE] > ms_max
    ]
