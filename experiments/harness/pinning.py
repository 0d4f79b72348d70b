"""Which process may run on which cores, so that a measurement does not depend on where the kernel puts things."""

from __future__ import annotations

import os
from pathlib import Path


def pin(process: int, cores: set[int]) -> None:
    """Confines all threads of a process, and those it starts later. Error: ValueError for cores this host lacks."""
    usable = os.sched_getaffinity(0)
    if not cores <= usable:
        raise ValueError(f"this process may use the cores {sorted(usable)}, the plan wants {sorted(cores)}")
    for thread in Path(f"/proc/{process}/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


def pin_all(processes: dict[str, int], plan: dict[str, list[int]]) -> None:
    """Pins processes whose names begin with a key of the plan: `node = [0]` means node-0, node-1, …"""
    for name, process in processes.items():
        for prefix, cores in plan.items():
            if name.startswith(prefix):
                pin(process, set(cores))
