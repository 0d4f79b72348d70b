"""Reports beside updates (AnKerDB's figures 7 and 8), and beside a bulk delete (TellStore's 5.7 to 5.10)."""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local_cluster import LocalCluster

from experiments import PROGRAMS
from experiments.harness.context import Context
from experiments.moments.world import ACCOUNTS, Reports, programs_before, running
from experiments.writes.world import accounts_csv, load, submit

DELETE = "DELETE FROM accounts WHERE id % 3 = 1"
LATE_SECONDS = 0.2  # Reports of so many last seconds of a load do not count: no new updates come by then.


def of_builds(context: Context) -> Iterator[tuple[str, LocalCluster]]:
    """A cluster full of accounts of this build, then of the one before. Error: LackingError where there is none."""
    part = context.plan.section("reports")
    for build in ("now", "before"):
        programs: Path = PROGRAMS if build == "now" else programs_before()
        with running(ACCOUNTS, {"storage_nodes": 1, "segments": 1, "segment_mib": part["segment_mib"]}, programs) as to:
            load(to, accounts_csv(to.directory, part["rows"]))
            yield build, to


def beside_updates(context: Context) -> None:
    """Reports alone, updates alone, reports beside updates at a rate, and beside as many as go."""
    part = context.plan.section("reports")
    for build, cluster in of_builds(context):
        context.check_time()
        with Reports(cluster, part["sessions"]) as reports:
            wait(part["seconds"])
            alone = last(reports, part["seconds"])
        most_alone = updates_per_second(cluster, part, seed=1)
        with Reports(cluster, part["sessions"]) as reports:
            paced = updates_per_second(cluster, part, seed=2, rate=part["update_rate"])
            beside = last(reports, part["seconds"])
            most = updates_per_second(cluster, part, seed=3)
        result = {
            "report_ms": statistics.median(alone), "report_beside_ms": statistics.median(beside),
            "beside_per_second": paced, "updates_per_second": most_alone, "updates_beside_per_second": most,
        }  # fmt: skip
        context.add({"part": "beside_updates", "build": build}, result)


def last(reports: Reports, seconds: float) -> list[float]:
    """Milliseconds of the reports that ended in the last seconds."""
    end = time.monotonic()
    return reports.between(end - seconds, end - LATE_SECONDS)


def wait(seconds: float) -> None:
    """Nothing happens but reports."""
    threading.Event().wait(seconds)


def updates_per_second(cluster: LocalCluster, part: dict[str, Any], seed: int, rate: int = 0) -> float:
    """Updates of one row that were confirmed, a second."""
    words = {**part, "warm_up_seconds": 1}
    return float(submit(cluster, words, seed=seed, rate=rate)["answered_per_second"])


def beside_delete(context: Context) -> None:
    """Reports second by second, while a third of all rows are deleted by one update."""
    part = context.plan.section("reports")
    for build, cluster in of_builds(context):
        context.check_time()
        with contextlib.closing(cluster.connect()) as connection, Reports(cluster, part["sessions"]) as reports:
            wait(1)
            begin = time.monotonic()
            wait(part["delete_after_seconds"])
            deleting = time.monotonic()
            rows = connection.execute(DELETE).rowcount
            took = time.monotonic() - deleting
            wait(part["delete_seconds"] - (time.monotonic() - begin))
            seconds = [
                len(reports.between(begin + second, begin + second + 1)) for second in range(part["delete_seconds"])
            ]
            slowest = max(reports.between(begin, begin + part["delete_seconds"]))
        result = {
            "variation": statistics.pstdev(seconds) / statistics.mean(seconds), "rows": rows, "delete_ms": 1e3 * took,
            "slowest_ms": slowest, "reports": seconds,
        }  # fmt: skip
        context.add({"part": "beside_delete", "build": build}, result)
