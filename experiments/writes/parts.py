"""The parts of the proof: each starts what it measures on, in every run anew."""

from __future__ import annotations

import signal
import statistics
import time
from typing import Any

from experiments.harness.context import Context
from experiments.harness.peak import Peak, errors
from experiments.harness.tickets import make_tickets
from experiments.writes.cluster import KeptCluster, kept_cluster, kept_node, node_values
from experiments.writes.disk import SyncWatch, forget, read_rate, synced_pieces
from experiments.writes.world import (
    ACCOUNTS,
    LONG_UPDATE,
    TICKETS,
    MemoryWatch,
    VoidPointError,
    accounts_csv,
    checkpoints,
    cycle_counts,
    cycle_ms,
    cycle_percentile_ms,
    drive_node,
    load,
    long_updates,
    recovery,
    scratch,
    share_of,
    submit,
)

_NO_CHECKPOINT = {"checkpoint_log_mib": 1 << 20}
_CHECKPOINT_SECONDS_MAX = 60
_SHARE_MIN = 0.25  # less shows nothing of checkpoints
_SECONDS_MAX = 300
_CYCLES_LOOKED_AT = 3
_IN_FLIGHT_MAX = 1_000  # half a second of them


def loads(context: Context, run: int) -> None:
    """Tickets by `daedalus load`, into a node that logs and one that does not."""
    csv = make_tickets(context.plan.section("data"))
    for durability in ("off", "sync"):
        with (
            scratch() as folder,
            kept_cluster(folder, TICKETS.read_text(), node_values(context.plan, durability)) as to,
        ):
            context.add({"part": f"load_{durability}", "run": run}, {"rows_per_second": load(to.client, csv)})


def recover(context: Context, run: int) -> None:
    """Measures what a node takes to read a checkpoint of all tickets from the disk, and what the disk itself takes."""
    csv, part = make_tickets(context.plan.section("data")), context.plan.section("recover")
    values = node_values(context.plan, "sync", {"checkpoint_log_mib": part["checkpoint_log_mib"]})
    with scratch() as folder, kept_cluster(folder, TICKETS.read_text(), values) as cluster:
        load(cluster.client, csv)
        await_checkpoint_of_all(cluster, context.plan.section("gaps")["long_update_rate"])
        cluster.stop()
        files = [path for path in (folder / "node-0" / "checkpoint").iterdir() if path.is_file()]
        for path in files:
            forget(path)
        cluster.start_node()
        found = recovery(cluster.log("node-0"))
        if not found.rows:
            raise VoidPointError("the node had no checkpoint")
        disk = read_rate(folder, context.plan.section("disk")["read_mib"])
        result = {
            "mb_per_second": found.checkpoint_bytes / found.checkpoint_seconds / 1e6,
            "disk_mb_per_second": disk / 1e6,
            "rows_per_second": found.rows / found.checkpoint_seconds,
            "log_updates": found.updates,
        }
        context.add({"part": "recover", "run": run}, result)


def await_checkpoint_after(cluster: KeptCluster, then: float) -> None:
    """Until a checkpoint has ended that began later. Error: VoidPointError."""
    end = time.monotonic() + _CHECKPOINT_SECONDS_MAX
    while not any(each.begin > then for each in checkpoints(cluster.log("node-0"))):
        if time.monotonic() > end:
            raise VoidPointError("the node makes no checkpoint")
        time.sleep(0.05)


def await_checkpoint_of_all(cluster: KeptCluster, long_update_rate: int) -> None:
    """Until the node has made a checkpoint that began after all rows were in. Error: VoidPointError."""
    then = time.time()
    with long_updates(cluster, long_update_rate, _SECONDS_MAX):
        await_checkpoint_after(cluster, then)


def alone(context: Context, run: int) -> None:
    """A node alone under pre-encoded updates of one row each; then it is killed, and replays them."""
    part, disk = context.plan.section("alone"), context.plan.section("disk")
    values = node_values(context.plan, "sync", _NO_CHECKPOINT)
    with scratch() as folder, kept_node(folder, ACCOUNTS.read_text(), values) as node:
        result = drive_node(node, part)
        node.end("node-0", signal.SIGKILL)
        node.start_node()
        found = recovery(node.log("node-0"))
        if found.updates != result["all"]:
            raise VoidPointError(f"{result['all']} updates were confirmed, {found.updates} came back")
        record_bytes = max(found.log_bytes / found.updates, 1)
        pieces = synced_pieces(
            folder, int(part["in_flight"] * record_bytes), disk["sync_seconds"], disk["sync_file_mib"]
        )
        allows = part["in_flight"] / statistics.median(pieces)
        context.add({"part": "alone", "run": run}, {**result, "disk_allows_per_second": allows})
        context.add({"part": "replay", "run": run}, {"updates_per_second": found.updates / found.log_seconds})


def submitted(context: Context, run: int) -> None:
    """Updates of one row each from submission to confirmation: as many as go, and then few."""
    part = context.plan.section("submitted")
    with (
        scratch() as folder,
        kept_cluster(folder, ACCOUNTS.read_text(), node_values(context.plan, "sync")) as cluster,
    ):
        load(cluster.client, accounts_csv(folder, part["rows"]))
        outcome = submit(cluster.client, part, seed=run + 1)
        keys = {"per_second": outcome["answered_per_second"], "p99_ms": outcome["latency_ms"]["99"]}
        busy = outcome["generator"]["busiest_thread_share"]
        context.add({"part": "submitted", "run": run}, {**keys, "busiest_client_thread": busy})
        with SyncWatch(folder) as watch:
            few = submit(cluster.client, {**part, "warm_up_seconds": 2}, seed=run + 101, rate=part["low_load_rate"])
        sync_ms = statistics.median(watch.seconds) * 1e3
        p50 = few["latency_ms"]["50"]
        context.add({"part": "low_load", "run": run}, {"p50_ms": p50, "sync_ms": sync_ms, "over_ms": p50 - 2 * sync_ms})


def asked(context: Context, cluster: KeptCluster, seed: int, rate: int) -> dict[str, Any]:
    """Queries at the peak beside updates of bookings. Error: VoidPointError."""
    part = context.plan.section("queries")
    with (
        MemoryWatch(cluster.running["node-0"].pid) as memory,
        Peak(
            cluster.address, context.plan.section("data"), part, part["warm_up_seconds"], part["seconds"],
            seed=seed, update_rate=rate,
        ) as run,
    ):  # fmt: skip
        outcome = run.outcome()
    updates = outcome["updates"]
    if outcome["errors"] or errors(updates) or not outcome["answered"]:
        failure = outcome.get("last_failure") or updates.get("last_failure")
        raise VoidPointError(f"{outcome['errors']} errors and {errors(updates)} of updates, the last: {failure}")
    return {
        "answered_per_second": outcome["answered_per_second"],
        "updates_wanted": rate,
        "updates_per_second": updates["answered_per_second"],
        "memory_bytes": memory.most,
        "p99_ms": outcome["latency_ms"]["99"],
    }


def beside_log(context: Context, run: int) -> None:
    """Queries beside updates that are logged, and beside as many that are not."""
    csv, rate = make_tickets(context.plan.section("data")), context.plan.section("queries")["update_rate"]
    for durability in ("off", "sync"):
        values = node_values(context.plan, durability, {} if durability == "off" else _NO_CHECKPOINT)
        with scratch() as folder, kept_cluster(folder, TICKETS.read_text(), values) as cluster:
            load(cluster.client, csv)
            context.add({"part": f"beside_{durability}", "run": run}, asked(context, cluster, run + 1, rate))


def beside_checkpoints(context: Context, run: int) -> None:
    """Queries beside updates, while there is no checkpoint, and while there is one after the other."""
    csv, part = make_tickets(context.plan.section("data")), context.plan.section("gaps")
    for name, more in (("without", _NO_CHECKPOINT), ("with", {"checkpoint_log_mib": part["checkpoint_log_mib"]})):
        with (
            scratch() as folder,
            kept_cluster(folder, TICKETS.read_text(), node_values(context.plan, "sync", more)) as cluster,
        ):
            load(cluster.client, csv)
            cycles = cycle_counts(cluster.client)
            with long_updates(cluster, part["long_update_rate"], _SECONDS_MAX):
                began = time.time()
                result = asked(context, cluster, run + 1, part["update_rate"])
                result["cycle_p99_ms"] = cycle_percentile_ms(cycles, cycle_counts(cluster.client), 0.99)
                ended = time.time()
                if name == "with":
                    await_checkpoint_after(cluster, ended)  # So that the one under way at the end has ended.
            share = share_of(checkpoints(cluster.log("node-0")), began, ended)
            result["checkpoint_share"] = share
            if share < _SHARE_MIN if name == "with" else share > 0:
                raise VoidPointError(f"a checkpoint was under way for {share:.0%} of the time")
            context.add({"part": f"{name}_checkpoints", "run": run}, result)


def gaps(context: Context, run: int) -> None:
    """Pauses between confirmations while there is one checkpoint after the other."""
    part = context.plan.section("gaps")
    values = node_values(context.plan, "sync", {"checkpoint_log_mib": part["checkpoint_log_mib"]})
    with scratch() as folder, kept_cluster(folder, ACCOUNTS.read_text(), values) as cluster:
        load(cluster.client, accounts_csv(folder, part["rows"]))
        began = time.time()
        with SyncWatch(folder) as watch:
            outcome = submit(
                cluster.client,
                {**part, "in_flight": _IN_FLIGHT_MAX},
                seed=run + 1,
                rate=part["update_rate"],
                sql=LONG_UPDATE,
            )
            ended = time.time()
            cycles = [cycle_ms(cluster.client) for _ in range(_CYCLES_LOOKED_AT)]
        share = share_of(checkpoints(cluster.log("node-0")), began, ended)
        if share < _SHARE_MIN:
            raise VoidPointError(f"a checkpoint was under way for {share:.0%} of the time")
        longest_ms, cycle = max(watch.seconds) * 1e3, statistics.median(cycles)
        result = {
            "gap_ms": outcome["gaps_ms"]["99.9"],
            "longest_gap_ms": outcome["gaps_ms"]["max"],
            "longest_sync_ms": longest_ms,
            "cycle_ms": cycle,
            "allowed_ms": 2 * cycle + 2 * longest_ms,
            "checkpoint_share": share,
            "updates_per_second": outcome["answered_per_second"],
        }
        context.add({"part": "gaps", "run": run}, result)


# In the order in which every run takes them.
EVERY_RUN = (loads, recover, alone, submitted, gaps, beside_checkpoints, beside_log)
