"""Attacks a cluster at full size and records what others notice. Plan: plan.toml; the attacks: tests/attacks."""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from attacks.client import Answer
from attacks.look_ups import LookUps
from attacks.stage import Stage, at_once, load, longest_cycle_ms, staged
from attacks.tables import orders
from local_cluster import IN_MEMORY, local_cluster

from experiments.harness.plan import Plan, read_plan
from experiments.harness.record import ROOT, Records, commit

FOLDER = Path(__file__).parent
OUTPUT = ROOT / "build" / "experiments" / "attacked"
ORDERED = "SELECT id FROM orders ORDER BY customer, id"
QUIET_MS = 50.0  # what a look-up may take beside two cycles


def any_query(plan: Plan) -> dict[str, Any]:
    """Statements at a fixed rate on all tickets."""
    part = plan.section("any_query")
    tickets, seed = str(part["tickets"]), str(part["seed"])
    subprocess.run([ROOT / "tools" / "make_tickets.sh", tickets, seed], check=True)
    options = [f"--{key.replace('_', '-')}={value}" for key, value in part["cluster"].items()]
    with tempfile.TemporaryDirectory(prefix="daedalus-attacked-") as base:
        ddl = (ROOT / "schemas" / "tickets.sql").read_text()
        with local_cluster(Path(base), ddl, IN_MEMORY, *options) as cluster:
            load(cluster, ROOT / "build" / "demo" / f"tickets-{tickets}-{seed}.csv")
            finished = subprocess.run(
                [
                    *(
                        ROOT / "bin" / "daedalus-load-generator",
                        "queries",
                        f"--cluster={cluster.address}",
                        "--mix=any:0",
                    ),
                    *(f"--tickets={tickets}", f"--tickets-seed={seed}", f"--rate={part['rate']}"),
                    *(f"--warm-up-seconds={part['warm_up_seconds']}", f"--seconds={part['seconds']}"),
                    *(f"--drain-seconds={part['drain_seconds']}", f"--in-flight-max={part['in_flight_max']}"),
                ],
                capture_output=True,
                text=True,
                timeout=900,
                check=False,
            )
            if finished.returncode != 0:
                raise SystemExit(f"attacked: {finished.stderr}")
            return {**json.loads(finished.stdout), "longest_cycle_ms": longest_cycle_ms(cluster)}


def order_by(plan: Plan) -> dict[str, Any]:
    """Orders of everything, over and over, and what look-ups take meanwhile."""
    part = plan.section("order_by")
    asked: list[Answer] = []

    def attack(stage: Stage) -> None:
        end = time.monotonic() + float(part["seconds"])

        def ask_until_the_end(_: int) -> Answer:
            with stage.client() as client:
                while True:
                    asked.append(client.ask(ORDERED))
                    asked[-1].rows.packed.clear()  # Their count is enough; thirty answers of all rows would not fit.
                    if time.monotonic() > end:
                        return asked[-1]

        at_once(int(part["clients"]), ask_until_the_end)

    with staged(orders(int(part["rows"]))) as stage:
        stage.watch.begin()
        with LookUps(stage.port, stage.table) as look_ups:
            attack(stage)
        return {
            "look_ups": asdict(look_ups.report),
            "longest_cycle_ms": longest_cycle_ms(stage.cluster),
            "orders_answered": sum(answer.is_whole for answer in asked),
            "orders_refused": sorted({str(answer.refusal) for answer in asked if answer.refusal is not None}),
            "memory_growth_mib": stage.watch.growth_mib(),
            "dead": stage.watch.dead(),
        }


def show_any_query(plan: Plan, result: dict[str, Any]) -> bool:
    """One line a figure; whether it is within its bound."""
    latency, bound = result["latency_ms"], plan.section("any_query")["slowest_ms_max"]
    slowest = float(latency["max"])
    print(
        f"any query    p50 {latency['50']:.0f} ms  p99 {latency['99']:.0f} ms  slowest {slowest:.0f} ms "
        f"(at most {bound})  longest cycle {result['longest_cycle_ms']:.0f} ms  "
        f"refused {result['refused']}  failed {result['failed']}"
    )
    return slowest <= bound and not result["refused"] and not result["failed"]


def show_order_by(plan: Plan, result: dict[str, Any]) -> bool:
    """Shows the same for look-ups beside orders."""
    look_ups, cycle = result["look_ups"], float(result["longest_cycle_ms"])
    bound = min(float(plan.section("order_by")["p99_ms_max"]), 2 * cycle + QUIET_MS)
    print(
        f"look-ups     p50 {look_ups['p50_ms']:.1f} ms  p99 {look_ups['p99_ms']:.1f} ms (at most {bound:.0f})  "
        f"slowest {look_ups['max_ms']:.1f} ms  longest cycle {cycle:.1f} ms  failed {look_ups['failed']} of "
        f"{look_ups['count']}\n"
        f"orders       answered {result['orders_answered']}  refused {result['orders_refused']}  "
        f"memory {result['memory_growth_mib']} MiB more  died {result['dead']}"
    )
    return look_ups["failed"] == 0 and look_ups["p99_ms"] <= bound and not result["dead"]


PARTS = {"any_query": (any_query, show_any_query), "order_by": (order_by, show_order_by)}


def main() -> int:
    """Measures every part of the plan, or those that are named; 1 when one is beyond its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    plan = read_plan(FOLDER)
    print(f"attacked: configuration {plan.config_hash}, commit {commit()}", flush=True)
    records = Records(OUTPUT / "runs.jsonl", plan.name, plan.config_hash)
    is_within = True
    for name in parser.parse_args().parts or PARTS:
        measure, show = PARTS[name]
        result = measure(plan)
        records.append({"part": name}, result)
        is_within &= show(plan, result)
    return 0 if is_within else 1


if __name__ == "__main__":
    raise SystemExit(main())
