"""Measured points, one JSON object a line; appended, never edited, failed ones kept."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Run:
    """One measured point."""

    experiment: str
    config_hash: str  # of the plan: joins points across files
    commit: str  # with "+" when the tree had changes that are not committed
    host: dict[str, Any]
    measured_at: str  # UTC
    point: dict[str, Any]  # what was varied
    result: dict[str, Any] | None  # what came out; None for a failed run
    failure: str | None = None


def commit() -> str:
    """The commit that is checked out; "unknown" outside a repository."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        return "unknown"
    changes = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()[:12] + ("+" if changes.stdout.strip() else "")


def host() -> dict[str, Any]:
    """Returns what a reader must know of the machine to judge a figure."""
    models = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages / 2**30),
        "kernel": platform.release(),
    }


class Records:
    """The file of an experiment's points."""

    def __init__(self, path: Path, experiment: str, config_hash: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._experiment = experiment
        self._config_hash = config_hash
        self._commit = commit()
        self._host = host()

    def append(self, point: dict[str, Any], result: dict[str, Any] | None, failure: str | None = None) -> Run:
        """Adds one point and returns it."""
        run = Run(
            self._experiment,
            self._config_hash,
            self._commit,
            self._host,
            datetime.now(UTC).isoformat(timespec="seconds"),
            point,
            result,
            failure,
        )
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(run)) + "\n")
        return run


def read_runs(path: Path, config_hash: str | None = None) -> list[Run]:
    """All points of a file, of one plan if asked for."""
    runs = [Run(**json.loads(line)) for line in path.read_text().splitlines()]
    return [run for run in runs if config_hash is None or run.config_hash == config_hash]
