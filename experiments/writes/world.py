"""Gives all parts what they need: folders on the project's own disk, rows, the load generator, and what a node says of
itself.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local_cluster import LocalCluster

from experiments import PROGRAMS
from experiments.harness.peak import LOAD_GENERATOR, errors
from experiments.harness.record import ROOT
from experiments.writes.cluster import KeptCluster

ACCOUNTS = Path(__file__).parent / "accounts.sql"
TICKETS = ROOT / "schemas" / "tickets.sql"
UPDATE = "UPDATE accounts SET balance = balance + 1 WHERE id = $1"
# A condition that every row meets and that makes an update long: the log grows fast, and checkpoints follow each other.
_LONG = ", ".join(f"'{number:0>60}'" for number in range(10))
LONG_UPDATE = f"{UPDATE} AND owner NOT IN ({_LONG})"
# Meets no row: it is only long.
_NOBODY = ", ".join(f"'!{number:0>5}'" for number in range(100))
LONG_TICKET_UPDATE = f"UPDATE tickets SET seat = NULL WHERE product_id = $1 AND rloc IN ({_NOBODY})"
_MIB = 1 << 20
_RECOVERED = re.compile(
    r"recovered: (\d+) rows from the checkpoint \(([\d.]+) MiB in ([\d.]+) s\), "
    r"(\d+) updates from the log \(([\d.]+) MiB in ([\d.]+) s\), in ([\d.]+) s"
)
_CHECKPOINT = re.compile(r"^(\S+) info checkpoint \d+: .* chunks written, .* in ([\d.]+) s$", re.MULTILINE)
_LOADED = re.compile(r"rows are in \([\d.]+ [a-z]+, (\d+) rows/s\)")
_MEMORY_PAUSE_SECONDS = 0.02
_CYCLE_BUCKETS = 161
_CYCLES_MIN = 200  # a p99 of fewer is one cycle's chance


class VoidPointError(Exception):
    """Something went wrong while it was measured: the point does not count."""


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder on the disk of the project, where /tmp may be memory."""
    base = ROOT / "build" / "experiments"
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="daedalus-writes-", dir=base, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@dataclass(frozen=True, slots=True)
class Recovery:
    """A node says this of its last start."""

    rows: int
    checkpoint_bytes: int
    checkpoint_seconds: float
    updates: int
    log_bytes: int
    log_seconds: float
    seconds: float


def recovery(log: str) -> Recovery:
    """Returns the last start in a node's log. Error: VoidPointError."""
    found = _RECOVERED.findall(log)
    if not found:
        raise VoidPointError("the node does not say what it recovered")
    rows, checkpoint, loading, updates, updates_mib, replaying, seconds = found[-1]
    return Recovery(
        rows=int(rows), checkpoint_bytes=int(float(checkpoint) * _MIB), checkpoint_seconds=float(loading),
        updates=int(updates), log_bytes=int(float(updates_mib) * _MIB), log_seconds=float(replaying),
        seconds=float(seconds),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Round:
    """A checkpoint from its begin to its end, in seconds since the epoch, within a millisecond or ten."""

    begin: float
    end: float


def checkpoints(log: str) -> list[Round]:
    """Returns the checkpoints that have ended, in their order."""
    ends = [(datetime.fromisoformat(when).timestamp(), float(took)) for when, took in _CHECKPOINT.findall(log)]
    return [Round(end - took, end) for end, took in ends]


def share_of(rounds: list[Round], begin: float, end: float) -> float:
    """Returns how much of the time between lies in one of the checkpoints, which do not overlap."""
    return sum(max(0.0, min(each.end, end) - max(each.begin, begin)) for each in rounds) / (end - begin)


def load(cluster: LocalCluster, csv: Path) -> float:
    """Rows a second of `daedalus load`, as it says itself. Error: VoidPointError."""
    loaded = cluster.run_daedalus("load", csv)
    rate = _LOADED.search(loaded.out)
    if loaded.code != 0 or rate is None:
        raise VoidPointError(f"load: {loaded.said}")
    return float(rate.group(1))


def accounts_csv(folder: Path, rows: int) -> Path:
    """Rows of accounts.sql."""
    path = folder / f"accounts-{rows}.csv"
    lines = (f"{key},0,owner of account number {key}\n" for key in range(rows))
    with path.open("w") as file:
        file.write("id,balance,owner\n")
        file.writelines(lines)
    return path


def drive_node(cluster: KeptCluster, part: dict[str, Any]) -> dict[str, Any]:
    """One run of update_driver against a node without a writer. Error: VoidPointError."""
    names = ("rows", "seconds", "warm_up_seconds", "in_flight", "batch")
    words = [f"--{name.replace('_', '-')}={part[name]}" for name in names]
    outcome = _json_of([PROGRAMS / "update_driver", f"--node={cluster.node_endpoint}", *words])
    if outcome["rows_missed"]:
        raise VoidPointError(f"{outcome['rows_missed']} updates found no row")
    return outcome


def submit(cluster: LocalCluster, part: dict[str, Any], seed: int, rate: int = 0, sql: str = UPDATE) -> dict[str, Any]:
    """Updates of one account each through the writer, at a rate or as fast as it goes. Error: VoidPointError."""
    words = [f"--{name.replace('_', '-')}={part[name]}" for name in ("in_flight", "seconds", "warm_up_seconds")]
    if rate:
        words.append(f"--rate={rate}")
    outcome = _json_of(
        [
            *(LOAD_GENERATOR, "updates", f"--cluster={cluster.address}", f"--sql={sql}"),
            *(f"--keys={part['rows']}", f"--seed={seed}", *words),
        ]
    )
    if errors(outcome) or not outcome["answered"]:
        raise VoidPointError(f"{errors(outcome)} errors, the last: {outcome.get('last_failure')}")
    if outcome["rows"] != outcome["answered"]:
        raise VoidPointError(f"{outcome['answered']} updates changed {outcome['rows']} rows")
    return outcome


@contextlib.contextmanager
def long_updates(cluster: KeptCluster, rate: int, seconds: int) -> Iterator[None]:
    """So many long updates of tickets a second that change nothing, for the time of the context, `seconds` at most."""
    process = subprocess.Popen(
        [
            *(LOAD_GENERATOR, "updates", f"--cluster={cluster.address}", f"--sql={LONG_TICKET_UPDATE}", "--keys=1000"),
            *(f"--rate={rate}", "--in-flight=200", f"--seconds={seconds}", "--warm-up-seconds=0"),
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT,
    )  # fmt: skip
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _json_of(command: list[str | Path]) -> dict[str, Any]:
    finished = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=ROOT)
    if finished.returncode != 0:
        raise VoidPointError(f"{Path(command[0]).name}: {finished.stderr.strip()[-500:]}")
    outcome: dict[str, Any] = json.loads(finished.stdout)
    return outcome


def cycle_ms(cluster: LocalCluster) -> float:
    """Returns the time of the segment's last cycle. Error: VoidPointError."""
    status = cluster.run_daedalus("status", "--format", "json")
    if status.code != 0:
        raise VoidPointError(status.said)
    nodes = status.json()["status"]["nodes"]
    return max(int(segment["cycle_ns_last"]) for node in nodes for segment in node["segments"]) / 1e6


def cycle_counts(cluster: LocalCluster) -> list[int]:
    """Cycles of all segments by how long they took: SegmentStatus.cycle_counts. Error: VoidPointError."""
    status = cluster.run_daedalus("status", "--format", "json")
    if status.code != 0:
        raise VoidPointError(status.said)
    counts = [0] * _CYCLE_BUCKETS
    for node in status.json()["status"]["nodes"]:
        for segment in node["segments"]:
            for bucket, count in enumerate(segment.get("cycle_counts", [])):
                counts[bucket] += int(count)
    return counts


def bucket_end_ns(bucket: int) -> int:
    """Returns where a bucket of cycle_counts ends, as rpc/proto says: an eighth of the way to twice as long."""
    octave, eighth = divmod(bucket, 8)
    return (8 + eighth) << (11 + octave)


def cycle_percentile_ms(before: list[int], after: list[int], share: float, least: int = _CYCLES_MIN) -> float:
    """So much of the cycles between two readings took at most so long. Error: VoidPointError where there are few."""
    between = [late - early for early, late in zip(before, after, strict=True)]
    if sum(between) < least:
        raise VoidPointError(f"only {sum(between)} cycles ended")
    wanted, seen = share * sum(between), 0
    for bucket, count in enumerate(between):
        seen += count
        if seen >= wanted:
            return bucket_end_ns(bucket) / 1e6
    raise AssertionError("all of them were seen")


def memory_bytes(process: int) -> int:
    """Resident now. Error: FileNotFoundError."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) * 1024


class MemoryWatch:
    """The most memory that a process has while it is looked at."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.most = 0

    def __enter__(self) -> Self:
        self.most = memory_bytes(self._process)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(_MEMORY_PAUSE_SECONDS):
            with contextlib.suppress(FileNotFoundError, StopIteration):  # It ends; whoever asked sees that.
                self.most = max(self.most, memory_bytes(self._process))
