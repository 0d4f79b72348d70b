"""Measures on clusters of their own: the way through an aggregator in front of void nodes, and rows."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments import PROGRAMS
from experiments.cost_sheet.classify import Classifier
from experiments.cost_sheet.perf import Recording, check_perf, read_samples
from experiments.cost_sheet.sheet import make_sheet
from experiments.end_to_end.measure import VoidPointError
from experiments.end_to_end.world import options, void_cluster
from experiments.harness.context import Context
from experiments.harness.cpu import usage
from experiments.harness.peak import LOAD_GENERATOR, Peak
from experiments.harness.record import ROOT
from experiments.harness.tickets import load_tickets

FOLDER = Path(__file__).parent
DRIVER = PROGRAMS / "routed_driver"
TICKETS = ROOT / "schemas" / "tickets.sql"
# These parts of the aggregator lie before a statement is parsed, or behind its message to the node; and the kernel.
NOT_PARSE_TO_SENT = ("frame and channel", "merge and gather", "kernel: ")


def drive(cluster: LocalCluster, *words: str) -> dict[str, Any]:
    """One run of routed_driver. Error: VoidPointError."""
    finished = subprocess.run(
        [DRIVER, "--aggregator", cluster.address, "--process", str(cluster.processes["aggregator-0"]), *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if finished.returncode != 0:
        raise VoidPointError(finished.stderr.strip())
    outcome: dict[str, Any] = json.loads(finished.stdout)
    if outcome["errors"]:
        raise VoidPointError(f"{outcome['errors']} queries ended in an error")
    return outcome


def routed(context: Context) -> None:
    """Pre-encoded queries on one key each, in front of void nodes, partitioned by hash."""
    part = context.plan.section("void")
    words = [f"--{name.replace('_', '-')}={part[name]}" for name in ("seconds", "connections", "batch", "in_flight")]
    up = [f"--storage-nodes={part['nodes']}", "--segments=1", "--segment-mib=1", "--partition-by=hash(id)"]
    with void_cluster((FOLDER / "void_table.sql").read_text(), *up) as cluster:
        for run in range(context.plan.section("window")["runs"]):
            context.check_time()
            result = drive(cluster, *words)
            point = {"part": "routed", "run": run}
            if 2 * result["driver_us"] > result["aggregator_us"]:
                said = f"the driver took {result['driver_us']} µs, the aggregator {result['aggregator_us']}"
                context.add({**point, "part": "routed_invalid"}, result)
                context.add(point, None, f"the driver alone is not twice as fast: {said}")
                continue
            context.add(point, result)


def never_seen(context: Context) -> None:
    """Measures the aggregator's own code for a statement that it has not seen, from its text to its message."""
    check_perf()
    part, data = context.plan.section("never_seen"), context.plan.section("data")
    classifier = Classifier()
    with void_cluster(TICKETS.read_text(), "--storage-nodes=1", "--segments=1", "--segment-mib=1") as cluster:
        aggregator = cluster.processes["aggregator-0"]
        for run in range(context.plan.section("window")["runs"]):
            context.check_time()
            with (
                tempfile.TemporaryDirectory(prefix="daedalus-never-seen-") as folder,
                Peak(
                    cluster.address, data, context.plan.section("any"), part["warm_up_seconds"], 2 + part["seconds"],
                    seed=run + 401,
                ) as asked,
            ):  # fmt: skip
                with Recording(part["frequency_hz"], Path(folder)) as recording:
                    asked.skip_seconds(1)
                    begin, before = time.monotonic_ns(), usage(aggregator).total
                    asked.skip_seconds(part["seconds"])
                    end, after = time.monotonic_ns(), usage(aggregator).total
                    recording.end()
                samples = [sample for sample in read_samples(recording.path) if begin <= sample.at_ns < end]
                outcome = asked.outcome()
            if outcome["errors"]:
                raise VoidPointError(f"{outcome['errors']} errors, the last: {outcome.get('last_failure')}")
            answered = sum(second["answered"] for second in outcome["per_second"][1 : 1 + part["seconds"]])
            sheet = make_sheet(
                samples, classifier, {aggregator: "aggregator-0"}, {aggregator: after - before}, answered
            )
            own = sum(
                sheet.us("aggregator", name) for name in classifier.parts if not name.startswith(NOT_PARSE_TO_SENT)
            )
            result = {"us": own, "whole_us": sheet.accounted_us, "difference": sheet.difference, "answered": answered}
            context.add({"part": "never_seen", "run": run}, result)


def rows(context: Context) -> None:
    """Rows that the aggregator passes on, and merges in order; and those that the Java client decodes."""
    part = context.plan.section("rows")
    up = options({"storage_nodes": part["storage_nodes"], "segments": 1, "segment_mib": part["segment_mib"]})
    condition = part["condition"]
    columns = ", ".join(column_names(TICKETS.read_text())[:27])
    with (
        tempfile.TemporaryDirectory(prefix="daedalus-rows-") as base,
        local_cluster(Path(base), TICKETS.read_text(), IN_MEMORY, *up) as cluster,
    ):
        load_tickets(cluster, context.plan.section("data"))
        words = ["--connections=1", "--batch=1", "--in-flight=2", f"--seconds={part['seconds']}"]
        whole = f"SELECT * FROM tickets WHERE {condition}"
        for run in range(context.plan.section("window")["runs"]):
            context.check_time()
            context.add({"part": "rows_passed", "run": run}, drive(cluster, *words, f"--sql={whole}"))
            merged = f"{whole} ORDER BY product_id, rloc"
            context.add({"part": "rows_merged", "run": run}, drive(cluster, *words, f"--sql={merged}"))
            asked = f"SELECT {columns} FROM tickets WHERE {condition}"
            context.add({"part": "rows_decoded", "run": run}, decode(cluster, asked, part))


def decode(cluster: LocalCluster, sql: str, part: dict[str, Any]) -> dict[str, Any]:
    """Measures the Java client for rows whose every value is read. Error: VoidPointError."""
    finished = subprocess.run(
        [
            *(LOAD_GENERATOR, "rows", f"--cluster={cluster.address}", f"--sql={sql}", f"--seconds={part['seconds']}"),
            f"--warm-up-seconds={part['warm_up_seconds']}",
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if finished.returncode != 0:
        raise VoidPointError(finished.stderr.strip()[-500:])
    outcome: dict[str, Any] = json.loads(finished.stdout)
    return outcome


def column_names(ddl: str) -> list[str]:
    """Returns the names of the columns of a CREATE TABLE of schemas/."""
    lines = [line.strip() for line in ddl.splitlines() if line.startswith("    ")]
    return [line.split()[0] for line in lines if line and not line.startswith(("--", "PRIMARY"))]


ALONE = (routed, never_seen, rows)
