"""Measures everything that has the tickets, once in every run; claims.py judges."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from experiments.end_to_end.claims import UPDATES_REACHED
from experiments.end_to_end.measure import VoidPointError, peak, peer
from experiments.end_to_end.postgres import wait_for_quiet, write_scripts
from experiments.end_to_end.world import World
from experiments.harness.context import Context
from experiments.harness.postgres import BIN

# Flight numbers and days are what the index is for: 0.2 % of the mix name a booking or a passenger alone.
INDEXED = "product_id = "
WITHOUT_INDEXES = "SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;\n"
JVM_SECONDS = 2.5  # until the peer driver has made its queries and connected


def best_of(
    world: World, who: str, run: int, counts: list[int], ask: Callable[[int], dict[str, Any]]
) -> dict[str, Any]:
    """The first run asks with each of the counts, the others with the one that was best.

    Best is who answers most; where updates are wanted beside it, of those that reached them, if any did.
    """
    found = {count: ask(count) for count in (counts if run == 0 else [world.chosen.get(who, counts[0])])}

    def worth(count: int) -> tuple[bool, float]:
        result = found[count]
        return bool(result.get("updates_reached", True)), float(result["answered_per_second"])

    best = max(found, key=worth)
    if run == 0:
        world.chosen[who] = best
    return {
        **found[best],
        "concurrency": best,
        "tried": {str(count): round(result["answered_per_second"]) for count, result in found.items()},
    }


def answers(context: Context, world: World, run: int) -> None:
    """Compares the rows of the same statements from all three, once, before anything is changed."""
    if run > 0:
        return
    part = context.plan.section("any")
    wanted = [*world.statements("booking", 20, seed=901), *world.statements(part["mix"], 12, seed=902)]
    ours = [len(world.cluster.rows(statement)) for statement in wanted]
    theirs = [world.duck.ask([statement])[1] for statement in wanted]
    postgres = [len(world.postgres.sql(statement).splitlines()) for statement in wanted]
    wrong = sum(mine != duck or mine != other for mine, duck, other in zip(ours, theirs, postgres, strict=True))
    context.add({"part": "answers"}, {"compared": len(wanted), "rows": sum(ours), "wrong": wrong})


def booking(context: Context, world: World, run: int) -> None:
    """The cluster at its peak."""
    part, data = context.plan.section("booking"), context.plan.section("data")

    def ask(in_flight: int) -> dict[str, Any]:
        point = {**part, "in_flight": in_flight}
        return peak(world.cluster, data, point, context.plan.section("window"), seed=run + 1)

    context.add({"part": "booking", "run": run}, best_of(world, "booking", run, part["in_flight"], ask))


def booking_scripts(world: World) -> list[Path]:
    """Scripts for pgbench, written once."""
    part = world.plan.section("booking")
    scripts = sorted(world.folder.glob("booking-*.sql"))
    if not scripts:
        count = part["pgbench_scripts"] * part["pgbench_statements"]
        drawn = world.statements("booking", count + count // 20 + 8, seed=77)
        kept = [statement for statement in drawn if INDEXED in statement][:count]
        scripts = write_scripts(kept, part["pgbench_statements"], world.folder)
    return scripts


def pgbench(context: Context, world: World, run: int) -> None:
    """PostgreSQL under pgbench, prepared: statements of the same mix, each with values of its own."""
    part, window = context.plan.section("booking"), context.plan.section("window")
    scripts = booking_scripts(world)

    def ask(clients: int) -> dict[str, Any]:
        result = world.postgres.pgbench(scripts, clients, part["pgbench_warm_up_seconds"], window["seconds"])
        if result["errors"]:
            raise VoidPointError(f"pgbench: {result['errors']} transactions failed")
        return result

    context.add({"part": "pgbench", "run": run}, best_of(world, "pgbench", run, part["pgbench_clients"], ask))


def jdbc(context: Context, world: World, run: int) -> None:
    """PostgreSQL through pgjdbc and HikariCP, the whole mix."""
    part, window = context.plan.section("booking"), context.plan.section("window")

    def ask(connections: int) -> dict[str, Any]:
        return peer(world, seed=run + 1, connections=connections, mix=part["mix"], **window_options(window))

    context.add({"part": "jdbc", "run": run}, best_of(world, "jdbc", run, part["jdbc_connections"], ask))


def window_options(window: dict[str, Any]) -> dict[str, int]:
    """Returns the options of the peer driver."""
    return {"seconds": window["seconds"], "warm_up_seconds": window["warm_up_seconds"]}


def updates(context: Context, world: World, run: int) -> None:
    """The cluster at its peak beside updates of bookings.

    Updates wait in the same queues as queries, and a thousand of them are under way at most: with more queries in
    flight fewer updates a second are confirmed.
    """
    part, data = context.plan.section("booking"), context.plan.section("data")
    window, wanted = context.plan.section("window"), part["update_rate"]

    def ask(in_flight: int) -> dict[str, Any]:
        point = {**part, "in_flight": in_flight}
        result = peak(world.cluster, data, point, window, seed=run + 101, update_rate=wanted)
        reached = result["updates_per_second"] >= UPDATES_REACHED * wanted
        return {**result, "updates_wanted": wanted, "updates_reached": reached}

    context.add({"part": "updates", "run": run}, best_of(world, "updates", run, part["in_flight"], ask))


def pgbench_updates(context: Context, world: World, run: int) -> None:
    """PostgreSQL under pgbench beside the same updates, which come through pgjdbc."""
    part, window = context.plan.section("booking"), context.plan.section("window")
    clients = world.chosen.get("pgbench", part["pgbench_clients"][0])
    warm_up = part["pgbench_warm_up_seconds"]
    with ThreadPoolExecutor(1) as beside:
        changed = beside.submit(
            peer, world, seed=run + 101, connections=0, update_connections=part["update_connections"],
            update_rate=part["update_rate"], seconds=window["seconds"], warm_up_seconds=warm_up,
        )  # fmt: skip
        time.sleep(JVM_SECONDS)  # So that both measure at about the same time.
        asked = world.postgres.pgbench(booking_scripts(world), clients, warm_up, window["seconds"])
        confirmed = changed.result()["updates"]
    if asked["errors"]:
        raise VoidPointError(f"pgbench: {asked['errors']} transactions failed")
    context.add(
        {"part": "pgbench_updates", "run": run},
        {**asked, "updates_per_second": confirmed["answered_per_second"], "updates_wanted": part["update_rate"]},
    )
    wait_for_quiet()


def any_query(context: Context, world: World, run: int) -> None:
    """The cluster at its peak, every statement new."""
    part, window = context.plan.section("any"), context.plan.section("window")
    result = peak(world.cluster, context.plan.section("data"), part, window, seed=run + 1)
    context.add({"part": "any", "run": run}, result)


def any_duck(context: Context, world: World, run: int) -> None:
    """DuckDB on both cores, one query at a time."""
    part = context.plan.section("any")
    statements = world.statements(part["mix"], part["peer_statements"], seed=run + 201)
    seconds, rows = world.duck.ask(statements)
    result = {"answered_per_second": len(statements) / seconds, "rows": rows, "statements": len(statements)}
    context.add({"part": "any_duck", "run": run}, result)


def any_postgres(context: Context, world: World, run: int) -> None:
    """PostgreSQL on both cores, without its indexes and with them: those of booking suit many of these statements."""
    part = context.plan.section("any")
    statements = world.statements(part["mix"], part["peer_statements"], seed=run + 201)
    for name, before in (("any_postgres", WITHOUT_INDEXES), ("any_postgres_indexed", "")):
        seconds = two_sessions(world, statements, before)
        context.add({"part": name, "run": run}, {"answered_per_second": len(statements) / seconds})


def two_sessions(world: World, statements: list[str], before: str) -> float:
    """Seconds that two sessions take, each with half of the statements. Error: VoidPointError."""
    files = []
    for session in range(2):
        files.append(world.folder / f"any-{session}.sql")
        files[-1].write_text(before + "".join(f"{statement};\n" for statement in statements[session::2]))
    where = ["-h", "127.0.0.1", "-p", str(world.postgres.port), "-U", "peer", "postgres"]
    started = time.perf_counter()
    sessions = [
        subprocess.Popen(
            [BIN / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f", file, *where]
        )
        for file in files
    ]
    codes = [session.wait() for session in sessions]
    if any(codes):
        raise VoidPointError(f"psql ended with {codes}")
    return time.perf_counter() - started


def one_in_flight(context: Context, world: World, run: int) -> None:
    """A booking query alone: what it waits for beyond half a cycle."""
    point = {**context.plan.section("booking"), "in_flight": 1}
    result = peak(world.cluster, context.plan.section("data"), point, context.plan.section("window"), seed=run + 1)
    context.add({"part": "one_in_flight", "run": run}, {**result, "cycle_ms": cycle_ms(world)})


def any_alone(context: Context, world: World, run: int) -> None:
    """One any-query after the other: what sharing is compared with."""
    point = {**context.plan.section("any"), "in_flight": 1}
    result = peak(world.cluster, context.plan.section("data"), point, context.plan.section("window"), seed=run + 301)
    context.add({"part": "any_alone", "run": run}, result)


def cycle_ms(world: World) -> float:
    """Returns the time of the slowest segment's last cycle."""
    status = world.cluster.run_daedalus("status", "--format", "json")
    if status.code != 0:
        raise VoidPointError(status.said)
    nodes = status.json()["status"]["nodes"]
    return max(int(segment["cycle_ns_last"]) for node in nodes for segment in node["segments"]) / 1e6


# In the order in which every run takes them.
EVERY_RUN = (
    answers, booking, pgbench, jdbc, updates, pgbench_updates, any_query, any_duck, any_postgres, one_in_flight,
    any_alone,
)  # fmt: skip
