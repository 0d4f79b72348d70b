"""One measured window of the load generator, with the CPU time that each process took in it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from local_cluster import LocalCluster

from experiments.end_to_end.world import World
from experiments.harness.cpu import NOTHING, Usage, thread_usages, usage
from experiments.harness.peak import Peak, errors
from experiments.harness.record import ROOT

PEER_DRIVER = ROOT / "bin" / "daedalus-peer-driver"


class VoidPointError(Exception):
    """Something went wrong while it was measured: the point does not count."""


def peak(
    cluster: LocalCluster,
    data: dict[str, Any],
    point: dict[str, Any],
    window: dict[str, Any],
    *,
    seed: int,
    update_rate: int = 0,
) -> dict[str, Any]:
    """Queries a second, latency, and CPU microseconds of a query by process. Error: VoidPointError, PeakError."""
    with Peak(
        cluster.address,
        data,
        point,
        window["warm_up_seconds"],
        2 + window["seconds"],
        seed=seed,
        update_rate=update_rate,
    ) as run:
        run.skip_seconds(1)  # Whose end is where CPU time begins to be counted.
        names = {**cluster.processes, "client": run.process}
        before = accounts(names)
        run.skip_seconds(window["seconds"])
        after = accounts(names)
        outcome = run.outcome()
    if outcome["errors"] or not outcome["answered"]:
        raise VoidPointError(f"{outcome['errors']} errors, the last: {outcome.get('last_failure')}")
    counted = outcome["per_second"][1 : 1 + window["seconds"]]
    answered = sum(second["answered"] for second in counted)
    result = {
        "answered_per_second": outcome["answered_per_second"],
        "p50_ms": outcome["latency_ms"]["50"],
        "p99_ms": outcome["latency_ms"]["99"],
        "busiest_client_thread": outcome["generator"]["busiest_thread_share"],
        **cpu_us(before, after, answered),
    }
    if update_rate:
        updates = outcome["updates"]
        if errors(updates):
            raise VoidPointError(f"{errors(updates)} updates failed, the last: {updates.get('last_failure')}")
        counted = updates["per_second"][1 : 1 + window["seconds"]]
        result["updates_per_second"] = sum(second["answered_per_second"] for second in counted) / len(counted)
    return result


def accounts(names: dict[str, int]) -> dict[str, dict[int, Usage]]:
    """CPU time so far, of each thread of each process; under 0 that of the whole process."""
    return {name: {**thread_usages(process), 0: usage(process)} for name, process in names.items()}


def cpu_us(before: dict[str, dict[int, Usage]], after: dict[str, dict[int, Usage]], answered: int) -> dict[str, float]:
    """Returns the time of one query: user time of each process, of the node its sweep apart; kernel and the rest; and
    all together.

    Error: VoidPointError where nothing was answered.
    """
    if not answered:
        raise VoidPointError("nothing was answered while CPU time was read")
    spent = {
        name: {thread: now - before[name].get(thread, NOTHING) for thread, now in threads.items()}
        for name, threads in after.items()
    }
    user: dict[str, float] = {"client": 0.0, "aggregator": 0.0, "node": 0.0, "sweep": 0.0}
    rest = 0.0
    for name, threads in spent.items():
        kind = name.partition("-")[0]
        rest += threads[0].system
        if kind not in user:
            rest += threads[0].user
            continue
        # Scan threads are all of a node's but its first, which has the smallest id.
        first = min(thread for thread in threads if thread)
        sweep = sum(used.user for thread, used in threads.items() if thread > first) if kind == "node" else 0.0
        user["sweep"] += sweep
        user[kind] += threads[0].user - sweep
    found = {f"{kind}_us": seconds * 1e6 / answered for kind, seconds in user.items()}
    found["rest_us"] = rest * 1e6 / answered
    found["all_us"] = sum(threads[0].total for threads in spent.values()) * 1e6 / answered
    return found


def peer(world: World, *, seed: int, **options: Any) -> dict[str, Any]:
    """Returns what PostgreSQL answers through pgjdbc and HikariCP. Error: VoidPointError."""
    data = world.plan.section("data")
    process = start_peer(world, seed=seed, **options)
    out, err = process.communicate(timeout=600)
    if process.returncode != 0:
        raise VoidPointError(f"the peer driver: {err.strip()[-500:]}")
    outcome: dict[str, Any] = json.loads(out)
    for kind in (outcome, outcome["updates"]):
        if kind["errors"]:
            raise VoidPointError(f"{kind['errors']} errors, the last: {kind.get('last_error')} on {data['tickets']}")
    return outcome


def start_peer(world: World, *, seed: int, **options: Any) -> subprocess.Popen[str]:
    """The driver, started; `options` are its own, with underscores."""
    data = world.plan.section("data")
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return subprocess.Popen(
        [
            *(PEER_DRIVER, f"--url={world.postgres.url}", "--user=peer", f"--seed={seed}"),
            *(f"--tickets={data['tickets']}", f"--tickets-seed={data['seed']}", *words),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
