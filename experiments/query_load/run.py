"""Offers more and more queries to one segment and records how long answers take. Plan: plan.toml; picture: plot.py."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments.harness.pinning import pin_all
from experiments.harness.plan import Plan, read_plan
from experiments.harness.record import ROOT, Records, Run, commit
from experiments.query_load.plot import draw

FOLDER = Path(__file__).parent
OUTPUT = ROOT / "build" / "experiments" / "query_load"
WORKLOAD = ROOT / "bin" / "daedalus-workload"
LOAD_GENERATOR = ROOT / "bin" / "daedalus-load-generator"


def points(plan: Plan) -> Iterator[dict[str, Any]]:
    """Yields what is varied: the offered rate; then one rate for longer."""
    load = plan.section("load")
    for rate in load["rates"]:
        yield {"kind": "sweep", "rate": rate, "seconds": load["seconds"]}
    yield {"kind": "steady", **plan.section("steady")}


def make_tickets(plan: Plan) -> Path:
    """The plan's tickets as CSV; made once."""
    data = plan.section("data")
    path = ROOT / "build" / "demo" / f"tickets-{data['tickets']}-{data['seed']}.csv"
    if not path.exists():
        subprocess.run([ROOT / "tools" / "make_tickets.sh", str(data["tickets"]), str(data["seed"])], check=True)
    return path


def generator_arguments(plan: Plan, point: dict[str, Any], cluster: LocalCluster) -> list[str]:
    """One point's command line, after the name of the program."""
    load, data = plan.section("load"), plan.section("data")
    return [
        "queries",
        f"--cluster={cluster.address}",
        f"--mix={load['mix']}",
        f"--rate={point['rate']}",
        f"--seconds={point['seconds']}",
        f"--warm-up-seconds={load['warm_up_seconds']}",
        f"--drain-seconds={load['drain_seconds']}",
        f"--in-flight-max={load['in_flight_max']}",
        f"--seed={load['seed']}",
        f"--tickets={data['tickets']}",
        f"--tickets-seed={data['seed']}",
    ]


def measure(plan: Plan, point: dict[str, Any], cluster: LocalCluster, records: Records) -> Run:
    """Runs one point and records it, whatever comes of it."""
    cores = set(plan.section("pinning")["load_generator"])
    finished = subprocess.run(
        [LOAD_GENERATOR, *generator_arguments(plan, point, cluster)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    if finished.returncode != 0:
        return records.append(point, None, finished.stderr.strip() or f"exit code {finished.returncode}")
    return records.append(point, json.loads(finished.stdout))


def show(run: Run) -> None:
    """One line a point."""
    if run.result is None:
        print(f"{run.point['rate']:>8}/s  failed: {run.failure}", flush=True)
        return
    latency = run.result["latency_ms"]
    print(
        f"{run.point['rate']:>8}/s  answered {run.result['answered_per_second']:>7.0f}/s  "
        f"p50 {latency['50']:>8.2f} ms  p90 {latency['90']:>8.2f} ms  p99 {latency['99']:>8.2f} ms  "
        f"refused {run.result['refused']}  expired {run.result['expired']}  failed {run.result['failed']}  "
        f"not sent {run.result['not_sent']}  unanswered {run.result['unanswered']}",
        flush=True,
    )
    for limit in run.result["generator_limits"]:
        print(f"{'':>10}  {limit}", flush=True)


def main() -> None:
    """Measures every point of the plan on a cluster of its own and draws the picture."""
    plan = read_plan(FOLDER)
    tickets = make_tickets(plan)
    print(f"query_load: configuration {plan.config_hash}, commit {commit()}", flush=True)
    options = [f"--{key.replace('_', '-')}={value}" for key, value in plan.section("cluster").items()]
    records = Records(OUTPUT / "runs.jsonl", plan.name, plan.config_hash)
    with tempfile.TemporaryDirectory(prefix="daedalus-experiment-") as base:
        ddl = (ROOT / "schemas" / "tickets.sql").read_text()
        with local_cluster(Path(base), ddl, IN_MEMORY, *options) as cluster:
            pin_all(cluster.processes, plan.section("pinning"))
            loaded = cluster.run_daedalus("load", tickets)
            if loaded.code != 0:
                raise SystemExit(f"query_load: {loaded.said}")
            print(loaded.out.strip(), flush=True)
            runs = []
            for point in points(plan):
                runs.append(measure(plan, point, cluster, records))
                show(runs[-1])
    picture = OUTPUT / "query_load.png"
    draw(runs, picture)
    print(f"query_load: {picture.relative_to(ROOT)}, raw points in {(OUTPUT / 'runs.jsonl').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
