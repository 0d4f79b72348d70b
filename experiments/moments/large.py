"""All tickets: a large UPDATE and DELETE beside queries, and the whole table as one answer, beside PostgreSQL."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

from local_cluster import POSTGRES_PORT, LocalCluster

from experiments.end_to_end.postgres import Postgres
from experiments.harness.context import Context
from experiments.harness.peak import Peak
from experiments.harness.postgres import BIN
from experiments.harness.record import ROOT
from experiments.harness.tickets import make_tickets
from experiments.moments.world import LackingError, with_tickets
from experiments.writes.world import cycle_counts, cycle_percentile_ms

CYCLES_MIN = 20  # for a median
# Each concerns a third of the tickets, another one.
LARGE = {
    "UPDATE": "UPDATE tickets SET seat = NULL, status = 'TK' WHERE product_id % 3 = 0",
    "DELETE": "DELETE FROM tickets WHERE product_id % 3 = 1",
}


def bulk(context: Context) -> None:
    """Booking queries before a large update, and in the seconds in which it is under way."""
    data = context.plan.section("large")
    with with_tickets({"storage_nodes": 1, "segments": 1, **data}, data) as cluster:
        for name, statement in LARGE.items():
            context.check_time()
            context.add({"part": "bulk", "of": name}, beside_one(context, cluster, data, statement))


def beside_one(context: Context, cluster: LocalCluster, data: dict[str, Any], statement: str) -> dict[str, Any]:
    """The median cycle of the whole load, the p99 of queries in the worst second with it, and queries that failed."""
    part = context.plan.section("bulk")
    before = cycle_counts(cluster)
    with (
        contextlib.closing(cluster.connect()) as connection,
        Peak(cluster.address, data, part, part["warm_up_seconds"], part["seconds"]) as run,
    ):
        run.skip_seconds(2)
        first = time.monotonic() - 2  # When the first second that is reported began, within a few milliseconds.
        began = time.monotonic()
        changed = connection.execute(statement.encode()).rowcount
        ended = time.monotonic()
        outcome = run.outcome()
    seconds = outcome["per_second"][int(began - first) : int(ended - first) + 2]
    if ended - first > part["seconds"]:
        raise RuntimeError(f"it took longer than the queries beside it: {statement}")
    return {
        "p99_ms": max(second["latency_ms"]["99"] or 0.0 for second in seconds),
        "cycle_ms": cycle_percentile_ms(before, cycle_counts(cluster), 0.5, CYCLES_MIN),
        "changed": changed, "took_ms": 1e3 * (ended - began),
        "errors": outcome["errors"], "last_failure": str(outcome.get("last_failure", "")),
    }  # fmt: skip


def whole_select(context: Context) -> None:
    """All rows by SELECT, which psql fetches in portions."""
    whole(context, "select", "SELECT * FROM tickets")


def whole_copy(context: Context) -> None:
    """All rows by COPY."""
    whole(context, "copy", "COPY tickets TO STDOUT")


def whole(context: Context, kind: str, statement: str) -> None:
    """The whole table through psql into a file, from the cluster and from PostgreSQL, in turn."""
    data = context.plan.section("large")
    scratch = ROOT / "build" / "experiments"
    scratch.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-moments-", dir=scratch)))
        cluster = stack.enter_context(with_tickets({"storage_nodes": 1, "segments": 1, **data}, data))
        ours = ["-h", "127.0.0.1", "-p", str(cluster.port + POSTGRES_PORT), "-U", "peer", "tickets"]
        answered(ours, statement, folder / "ours")  # Before PostgreSQL is filled: it may be refused.
        postgres = stack.enter_context(Postgres(make_tickets(data)))
        for run in range(data["runs"]):
            context.check_time()
            took, answer = answered(ours, statement, folder / "ours")
            theirs, expected = answered([*postgres.where(), "postgres"], statement, folder / "theirs")
            result = {"s": took, "postgres_s": theirs, "rows": answer[0], "wrong": int(answer != expected)}
            context.add({"part": "whole", "kind": kind, "run": run}, result)


def answered(where: list[str], statement: str, path: Path) -> tuple[float, tuple[int, int]]:
    """Seconds from psql's start to its end, and what the file comes to. Error: LackingError with what psql said."""
    command = [str(BIN / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "FETCH_COUNT=10000"]
    began = time.perf_counter()
    finished = subprocess.run(
        [*command, "-o", str(path), "-c", statement, *where], capture_output=True, text=True, check=False
    )
    took = time.perf_counter() - began
    if finished.returncode != 0:
        raise LackingError(f"{statement}: {finished.stderr.strip()}")
    return took, content(path)


def content(path: Path) -> tuple[int, int]:
    """Lines, and a sum over them that no order changes."""
    with path.open("rb") as file:
        sums = [zlib.crc32(line) for line in file]
    return len(sums), sum(sums)
