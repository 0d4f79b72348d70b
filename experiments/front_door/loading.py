"""Tickets into an empty cluster: by `daedalus load`, and by COPY at its PostgreSQL port."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments.end_to_end.measure import VoidPointError
from experiments.end_to_end.world import options
from experiments.front_door.world import POSTGRES_PORT, World
from experiments.harness.context import Context
from experiments.harness.postgres import BIN
from experiments.harness.record import ROOT
from experiments.harness.tickets import make_tickets

BATCHES = "-c daedalus.copy=batches"  # One update for all of them would be too large.


def by_load(cluster: LocalCluster, csv: Path) -> None:
    """Error: VoidPointError."""
    loaded = cluster.run_daedalus("load", csv)
    if loaded.code != 0:
        raise VoidPointError(f"load: {loaded.said}")


def by_copy(cluster: LocalCluster, csv: Path) -> None:
    """Error: VoidPointError."""
    where = ["-h", "127.0.0.1", "-p", str(cluster.port + POSTGRES_PORT), "-U", "peer", "tickets"]
    copy = f"\\copy tickets FROM '{csv}' WITH (FORMAT csv, HEADER true)"
    finished = subprocess.run(
        [BIN / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", copy, *where],
        capture_output=True, text=True, env={"PGOPTIONS": BATCHES}, check=False,
    )  # fmt: skip
    if finished.returncode != 0:
        raise VoidPointError(f"psql: {finished.stderr.strip()}")


def rows_per_second(context: Context, put: Callable[[LocalCluster, Path], None]) -> float:
    """Measures the rows of the plan's tickets a second, into a cluster with nothing in it. Error: VoidPointError."""
    part: dict[str, Any] = context.plan.section("copy")
    csv = make_tickets(part)
    ddl = (ROOT / "schemas" / "tickets.sql").read_text()
    with tempfile.TemporaryDirectory(prefix="daedalus-copy-") as folder:
        up = options({**context.plan.section("cluster"), "segment_mib": part["segment_mib"]})
        with local_cluster(Path(folder), ddl, IN_MEMORY, *up) as cluster:
            started = time.perf_counter()
            put(cluster, csv)
            took = time.perf_counter() - started
            count = cluster.value("SELECT count(*) FROM tickets")
    if count != part["tickets"]:
        raise VoidPointError(f"{count} tickets came in of {part['tickets']}")
    return float(count / took)


def copy(context: Context, _world: World, run: int) -> None:
    """Both, one after the other."""
    rates = {"load": rows_per_second(context, by_load), "copy": rows_per_second(context, by_copy)}
    context.add({"part": "copy", "run": run}, rates)
