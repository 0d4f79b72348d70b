"""This build alone: queries asked twice, the window, a reader that sleeps."""

from __future__ import annotations

import contextlib
import time
from typing import Any

import psycopg
from local_cluster import LocalCluster

from experiments.end_to_end.measure import peak
from experiments.harness.context import Context
from experiments.moments.world import (
    ACCOUNTS,
    HOLD,
    LackingError,
    asked_twice,
    held,
    running,
    window_bytes,
    with_tickets,
)
from experiments.writes.world import accounts_csv, load, submit

MIB = 1 << 20
# Two columns of one row.
UPDATE = "UPDATE accounts SET balance = balance + 1, owner = 'somebody else' WHERE id = $1"
COUNT = "SELECT count(*) FROM accounts"
OUT_OF_REACH = "72000"


def twice(context: Context) -> None:
    """Queries of four segments of two nodes, beside updates that two aggregators carry."""
    part = context.plan.section("asked_twice")
    with with_tickets(part, context.plan.section("data")) as cluster:
        for rate in part["update_rates"]:
            context.check_time()
            before = asked_twice(cluster)
            result = peak(cluster, context.plan.section("data"), part, part, seed=rate, update_rate=rate)
            again, queries = (late - early for late, early in zip(asked_twice(cluster), before, strict=True))
            context.add({"part": "twice", "rate": rate}, {**result, "again": again, "queries": queries})


def kept(context: Context) -> None:
    """Measures what a window takes: a block holds its moment until the updates have all come."""
    part = context.plan.section("kept")
    with running(ACCOUNTS, {"storage_nodes": 1, "segments": 1, **part}) as cluster:
        load(cluster, accounts_csv(cluster.directory, part["rows"]))
        with held(cluster, COUNT):
            words = {**part, "in_flight": 1_000, "warm_up_seconds": 0}
            outcome = submit(cluster, words, seed=1, rate=part["update_rate"], sql=UPDATE)
            size = window_bytes(cluster)
        context.add({"part": "kept"}, {"mib": size / MIB, "updates": outcome["answered"]})


def asleep(context: Context) -> None:
    """A reader has read the first rows of all tickets, and sleeps for the whole of the measured time."""
    part, data = context.plan.section("asleep"), context.plan.section("data")
    with with_tickets(context.plan.section("cluster"), data) as cluster:
        for run in range(part["runs"]):
            context.check_time()
            context.add({"part": "awake", "run": run}, beside(cluster, data, part, seed=2 * run + 1))
            with contextlib.closing(cluster.connect()) as reader:
                reader.execute(HOLD)
                try:
                    reader.execute("DECLARE everything CURSOR FOR SELECT * FROM tickets")
                    reader.execute("FETCH 10 FROM everything").fetchall()
                except psycopg.Error as error:
                    raise LackingError(f"a cursor over all tickets: {error.sqlstate} {error}") from error
                result = beside(cluster, data, part, seed=2 * run + 2)
                result |= {"window_mib": window_bytes(cluster) / MIB, "lost": int(is_lost(reader))}
            context.add({"part": "asleep", "run": run}, result)


def beside(cluster: LocalCluster, data: dict[str, Any], part: dict[str, Any], seed: int) -> dict[str, Any]:
    """Queries beside updates for the time that the reader sleeps."""
    window = {"warm_up_seconds": 1, "seconds": part["seconds"]}
    return peak(cluster, data, part, window, seed=seed, update_rate=part["update_rate"])


def is_lost(reader: psycopg.Connection[tuple[Any, ...]]) -> bool:
    """Returns whether the reader, awake again, is told that its moment is in no window any more."""
    begin = time.monotonic()
    try:
        while reader.execute("FETCH 10000 FROM everything").fetchall() and time.monotonic() - begin < 1:
            pass
    except psycopg.Error as error:
        if error.sqlstate == OUT_OF_REACH:
            return True
        raise
    return False
