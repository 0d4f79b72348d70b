"""pgbench with prepared statements in pipelines: the same scripts against whoever speaks PostgreSQL's protocol."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.end_to_end.measure import VoidPointError
from experiments.end_to_end.postgres import progress
from experiments.harness.cpu import NOTHING, Usage, usage
from experiments.harness.postgres import BIN

Processes = Callable[[], dict[str, int]]


@dataclass(frozen=True, slots=True)
class Server:
    """Who is asked: what a client has to be told to find it, and whose CPU time counts, by name."""

    where: Sequence[str]
    processes: Processes


def pipeline_script(statements: Sequence[str]) -> str:
    """A pgbench script that sends all of them before it reads an answer."""
    return "\n".join(["\\startpipeline", *(f"{statement};" for statement in statements), "\\endpipeline", ""])


def write_pipelines(statements: Sequence[str], each: int, folder: Path) -> list[Path]:
    """Scripts of `each` statements."""
    paths = []
    for first in range(0, len(statements) - each + 1, each):
        path = folder / f"pipeline-{first // each}.sql"
        path.write_text(pipeline_script(statements[first : first + each]))
        paths.append(path)
    return paths


def spent(before: dict[str, Usage], after: dict[str, Usage]) -> dict[str, float]:
    """CPU seconds of each kind of process between two looks; a kind is a name up to its hyphen."""
    found: dict[str, float] = {}
    for name, now in after.items():
        kind = name.partition("-")[0]
        found[kind] = found.get(kind, 0.0) + (now - before.get(name, NOTHING)).total
    return found


def accounts(processes: Processes) -> dict[str, Usage]:
    """CPU time so far of each process that lives."""
    found = {}
    for name, process in processes().items():
        try:
            found[name] = usage(process)
        except FileNotFoundError:
            continue  # It has ended meanwhile.
    return found


def pipelined(
    server: Server, scripts: Sequence[Path], each: int, connections: int, window: dict[str, Any]
) -> dict[str, Any]:
    """Queries a second, and CPU microseconds of a query by kind of process. Error: VoidPointError."""
    warm_up, seconds = window["warm_up_seconds"], window["seconds"]
    command = [str(BIN / "pgbench"), "-n", "-M", "prepared", "-c", str(connections), "-j", str(min(connections, 2))]
    command += ["-T", str(warm_up + seconds + 1), "-P", "1", *(f"--file={script}" for script in scripts), *server.where]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(warm_up)
        before = accounts(server.processes)
        started = time.perf_counter()
        time.sleep(seconds)
        after = accounts(server.processes)
        took = time.perf_counter() - started
        _, said = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    rates = progress(said)[warm_up : warm_up + seconds]
    if process.returncode != 0 or not rates:
        raise VoidPointError(f"pgbench: {said.strip()[-500:]}")
    rate = sum(rates) / len(rates) * each
    cpu = {f"{kind}_us": used * 1e6 / (rate * took) for kind, used in spent(before, after).items()}
    return {"answered_per_second": rate, "connections": connections, **cpu}
