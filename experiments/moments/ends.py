"""End to end: queries at their peak, and how long a confirmation takes, in this build and the one before, in turn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from local_cluster import LocalCluster

from experiments import PROGRAMS
from experiments.end_to_end.measure import peak
from experiments.harness.context import Context
from experiments.moments.world import ACCOUNTS, programs_before, running, with_tickets
from experiments.writes.world import accounts_csv, load, submit

Start = Callable[[Path], contextlib.AbstractContextManager[LocalCluster]]


def in_turn(context: Context, part: str, start: Start, measure: Callable[[LocalCluster, int], dict[str, Any]]) -> None:
    """Measures both builds, each on its own cluster, and the one before twice in each run."""
    before_programs = programs_before()
    with start(before_programs) as before, start(PROGRAMS) as now:
        for run in range(context.plan.section("window")["runs"]):
            for build, cluster in (("before", before), ("now", now), ("again", before)):
                context.check_time()
                context.add({"part": part, "build": build, "run": run}, measure(cluster, run))


def booking(context: Context) -> None:
    """Booking queries a second."""
    plan = context.plan

    def measure(cluster: LocalCluster, run: int) -> dict[str, Any]:
        point, window = plan.section("booking"), plan.section("window")
        return peak(cluster, plan.section("data"), point, window, seed=run + 1)

    def start(programs: Path) -> contextlib.AbstractContextManager[LocalCluster]:
        return with_tickets(plan.section("cluster"), plan.section("data"), programs)

    in_turn(context, "booking", start, measure)


def confirmation(context: Context) -> None:
    """Updates one after the other, without a disk: what the turns between processes take."""
    part = context.plan.section("confirmation")

    @contextlib.contextmanager
    def start(programs: Path) -> Iterator[LocalCluster]:
        with running(ACCOUNTS, part, programs) as cluster:
            load(cluster, accounts_csv(cluster.directory, part["rows"]))
            yield cluster

    def measure(cluster: LocalCluster, run: int) -> dict[str, Any]:
        latency = submit(cluster, part, seed=run + 1)["latency_ms"]
        return {"p50_ms": latency["50"], "p99_ms": latency["99"]}

    in_turn(context, "confirmation", start, measure)
