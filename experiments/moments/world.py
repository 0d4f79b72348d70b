"""Clusters of this build and of the one before, what their processes say of themselves, and sessions of PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg
from local_cluster import IN_MEMORY, Connection, LocalCluster, local_cluster

from experiments import PROGRAMS
from experiments.end_to_end.world import options
from experiments.harness.record import ROOT
from experiments.harness.tickets import load_tickets

BEFORE = "DAEDALUS_BIN_BEFORE"
TICKETS = ROOT / "schemas" / "tickets.sql"
ACCOUNTS = ROOT / "experiments" / "writes" / "accounts.sql"
# An aggregator, and a segment, say this of themselves once they have what is measured.
ASKED_TWICE = "queries_asked_twice"
WINDOW_BYTES = "window_bytes"
HOLD = "BEGIN ISOLATION LEVEL REPEATABLE READ"
REPORT = "SELECT count(*), sum(balance), max(balance) FROM accounts WHERE id % 7 < 5"


class LackingError(Exception):
    """Something that is to be measured is not there yet, or not here: the claim is not met, and its note says why."""


def programs_before() -> Path:
    """Returns the programs of the build before. Error: LackingError where nobody has named them."""
    folder = os.environ.get(BEFORE)
    if not folder:
        raise LackingError(f"{BEFORE} does not name the programs of the build before")
    return Path(folder)


@contextlib.contextmanager
def started_from(programs: Path) -> Iterator[None]:
    """Has bin/daedalus start the programs in this folder."""
    own = os.environ["DAEDALUS_BIN"]
    os.environ["DAEDALUS_BIN"] = str(programs)
    try:
        yield
    finally:
        os.environ["DAEDALUS_BIN"] = own


@contextlib.contextmanager
def running(ddl: Path, section: dict[str, Any], programs: Path = PROGRAMS) -> Iterator[LocalCluster]:
    """A cluster of some programs, with the options of `daedalus up` that the plan's section has."""
    known = ("storage_nodes", "segments", "aggregators", "segment_mib")
    words = options({key: section[key] for key in known if key in section})
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-moments-")))
        with started_from(programs):
            cluster = stack.enter_context(local_cluster(folder, ddl.read_text(), IN_MEMORY, *words))
        yield cluster


@contextlib.contextmanager
def with_tickets(section: dict[str, Any], data: dict[str, Any], programs: Path = PROGRAMS) -> Iterator[LocalCluster]:
    """Starts the same with tickets in it."""
    with running(TICKETS, section, programs) as cluster:
        load_tickets(cluster, data)
        yield cluster


def status(cluster: LocalCluster) -> dict[str, Any]:
    """Returns what all processes say of themselves. Error: RuntimeError with what the command said."""
    answer = cluster.run_daedalus("status", "--format", "json")
    if answer.code != 0:
        raise RuntimeError(f"status: {answer.said}")
    said: dict[str, Any] = answer.json()["status"]
    return said


def asked_twice(cluster: LocalCluster) -> tuple[int, int]:
    """Returns how many queries the aggregator has asked twice, and how many it had. Error: LackingError."""
    aggregator = status(cluster)["aggregator"]
    if ASKED_TWICE not in aggregator:
        raise LackingError(f"an aggregator's status has no {ASKED_TWICE}")
    return int(aggregator[ASKED_TWICE]), int(aggregator["queries_total"])


def window_bytes(cluster: LocalCluster) -> int:
    """Returns the largest of the nodes' windows, each the sum of its segments'. Error: LackingError."""
    nodes = status(cluster)["nodes"]
    if not all(WINDOW_BYTES in segment for node in nodes for segment in node["segments"]):
        raise LackingError(f"a segment's status has no {WINDOW_BYTES}")
    return max(sum(int(segment[WINDOW_BYTES]) for segment in node["segments"]) for node in nodes)


@contextlib.contextmanager
def held(cluster: LocalCluster, query: str) -> Iterator[Connection]:
    """A block that has asked this, and holds the moment of its answer."""
    with contextlib.closing(cluster.connect()) as connection:
        connection.execute(HOLD)
        connection.execute(query.encode()).fetchall()
        yield connection


@dataclass(slots=True)
class Reports:
    """Sessions that ask the same report over and over, for the time of the context."""

    cluster: LocalCluster
    sessions: int
    ended: list[tuple[float, float]] = field(default_factory=list)  # when, and how long it took, in seconds
    errors: list[str] = field(default_factory=list)
    _is_over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._threads = [threading.Thread(target=self._ask) for _ in range(self.sessions)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        try:
            with contextlib.closing(self.cluster.connect()) as connection:
                while not self._is_over.is_set():
                    begin = time.monotonic()
                    connection.execute(REPORT).fetchall()
                    end = time.monotonic()
                    self.ended.append((end, end - begin))
        except psycopg.Error as error:
            self.errors.append(f"{error.sqlstate} {error}")

    def between(self, begin: float, end: float) -> list[float]:
        """How long those took, in milliseconds, that ended then. Error: RuntimeError where one failed."""
        if self.errors:
            raise RuntimeError(f"a report: {self.errors[0]}")
        return [took * 1e3 for when, took in self.ended if begin <= when < end]
