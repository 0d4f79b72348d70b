"""The claims of durable writes: what each must reach, and what the measured points say. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from experiments.harness.claims import Claim, Points
from experiments.harness.record import Run

ALONE_TARGET = 100_000.0
DISK_SHARE = 0.8  # of what the disk by itself allows
READ_TARGET_MB = 500.0
UPDATES_REACHED = 0.95  # of those that were wanted
BUSY = 0.9  # of a core: a thread of the generator that took so much was the limit


def by_run(points: Points, part: str, key: str) -> dict[int, float]:
    """One figure of each run of a part."""
    return {point["run"]: float(result[key]) for point, result in points.points(part)}


def values(points: Points, part: str, key: str) -> tuple[float, ...]:
    """Returns the same values without the runs."""
    return tuple(by_run(points, part, key).values())


def ratios(above: dict[int, float], below: dict[int, float]) -> tuple[float, ...]:
    """Run by run, where both were measured."""
    return tuple(above[run] / below[run] for run in sorted(above) if run in below)


def alone(points: Points) -> list[Claim]:
    """The node alone, and what the disk allows it."""
    name = "node alone, pre-encoded updates of one row, sync: a second"
    measured, allows = (
        values(points, "alone", "confirmed_per_second"),
        values(points, "alone", "disk_allows_per_second"),
    )
    target, note = ALONE_TARGET, ""
    if allows:
        disk = statistics.median(allows)
        target = min(ALONE_TARGET, float(f"{DISK_SHARE * disk:.3g}"))
        binds = "the disk binds" if target < ALONE_TARGET else "the disk does not bind"
        note = f"appends and fdatasyncs of as many at a time would allow {disk:,.0f} a second: {binds}"
    return [
        Claim(
            name,
            target,
            True,
            measured,
            "the node's CPU, and 1,024 updates in flight over a cycle and a sync",
            note=note,
        ),
        Claim(
            name,
            300_000,
            True,
            measured,
            "the node's CPU, and 1,024 updates in flight over a cycle and a sync",
            is_stretch=True,
        ),
    ]


def submitted(points: Points) -> list[Claim]:
    """From submission to confirmation."""
    name = "updates of one row from submission to confirmation, sync: a second"
    measured = values(points, "submitted", "per_second")
    busy = sum(share > BUSY for share in values(points, "submitted", "busiest_client_thread"))
    note = f"the load generator was the limit in {busy} of {len(measured)} runs" if busy else ""
    bound = "CPU of generator, aggregator, writer and node on the same cores"
    return [
        Claim(name, 30_000, True, measured, bound, note=note),
        Claim(name, 60_000, True, measured, bound, is_stretch=True),
        Claim(
            "an update at low load, p50 over two fdatasyncs in sequence, ms", 2, False,
            values(points, "low_load", "over_ms"), "wake-ups and half a cycle",
        ),
    ]  # fmt: skip


def loads(points: Points) -> Claim:
    """Judges what logging leaves of a load."""
    rate = "rows_per_second"
    measured = ratios(by_run(points, "load_sync", rate), by_run(points, "load_off", rate))
    return Claim("load of tickets, sync: times off", 0.8, True, measured, "journal and log on one disk")


def beside_log(points: Points) -> Claim:
    """Judges what logging leaves of queries. A run in which updates did not reach their rate does not count."""
    notes, short = [], set()
    for who in ("off", "sync"):
        for point, result in points.points(f"beside_{who}"):
            wanted, reached = result["updates_wanted"], result["updates_per_second"]
            if reached < UPDATES_REACHED * wanted:
                short.add(point["run"])
                notes.append(f"run {point['run']}, {who}: {reached:,.0f} of {wanted:,} updates a second were confirmed")
    rate = "answered_per_second"
    logged = {run: figure for run, figure in by_run(points, "beside_sync", rate).items() if run not in short}
    measured = ratios(logged, by_run(points, "beside_off", rate))
    name = "queries beside 10,000 updates a second, sync: times off"
    return Claim(name, 0.95, True, measured, "CPU of all processes on the same cores", note="; ".join(notes))


def during_checkpoints(points: Points) -> list[Claim]:
    """Judges what checkpoints leave of queries, memory and confirmations."""
    rate = "answered_per_second"
    queries = ratios(by_run(points, "with_checkpoints", rate), by_run(points, "without_checkpoints", rate))
    memory = "memory_bytes"
    above = ratios(by_run(points, "with_checkpoints", memory), by_run(points, "without_checkpoints", memory))
    cycle = "cycle_p99_ms"
    cycles = ratios(by_run(points, "with_checkpoints", cycle), by_run(points, "without_checkpoints", cycle))
    shares = values(points, "with_checkpoints", "checkpoint_share")
    note = f"a checkpoint was under way for {statistics.median(shares):.0%} of the time" if shares else ""
    gaps = ratios(by_run(points, "gaps", "gap_ms"), by_run(points, "gaps", "allowed_ms"))
    return [
        Claim(
            "queries during checkpoints: times without", 0.85, True, queries, "CPU of packing on the same cores",
            note=note,
        ),
        Claim(
            "cycles during checkpoints, p99: times without", 1.5, False, cycles,
            "copying a chunk takes part of a cycle, and packing the same cores",
        ),
        Claim(
            "memory of the node during checkpoints, above without", 0.05, False, tuple(ratio - 1 for ratio in above), ""
        ),
        Claim(
            "pause between confirmations during checkpoints, p99.9: of 2 cycles and 2 longest fdatasyncs", 1, False,
            gaps, "the disk's own pauses", note=gap_note(points),
        ),
    ]  # fmt: skip


def gap_note(points: Points) -> str:
    """The figures behind the ratio."""
    return "; ".join(
        f"{result['gap_ms']:.1f} ms of {result['allowed_ms']:.1f} ({result['updates_per_second']:,.0f} updates/s)"
        for result in points.of("gaps")
    )


def recovery(points: Points) -> list[Claim]:
    """Judges what a restart takes."""
    read = by_run(points, "recover", "mb_per_second")
    disk = by_run(points, "recover", "disk_mb_per_second")
    wanted = {run: min(rate / 2, READ_TARGET_MB) for run, rate in disk.items()}
    name = "checkpoint read at recovery: times half the disk's sequential rate or 500 MB/s"
    note = "; ".join(f"{read[run]:.0f} MB/s, the disk {disk[run]:.0f}" for run in sorted(read))
    return [
        Claim(name, 1, True, ratios(read, wanted), "unpacking on one core", note=note),
        Claim("replay, updates a second", 500_000, True, values(points, "replay", "updates_per_second"), "the sweep"),
    ]


def judge(runs: Iterable[Run]) -> list[Claim]:
    """All claims, in the order of the table; what was not measured is not met."""
    points = Points(runs)
    return [
        *alone(points), *submitted(points), loads(points), beside_log(points), *during_checkpoints(points),
        *recovery(points),
    ]  # fmt: skip


def published(runs: Iterable[Run]) -> list[str]:
    """Figures without a target."""
    points = Points(runs)
    told: tuple[tuple[str, str, str], ...] = (
        ("load of tickets, off, rows a second", "load_off", "rows_per_second"),
        ("load of tickets, sync, rows a second", "load_sync", "rows_per_second"),
        ("update at low load, p50, ms", "low_load", "p50_ms"),
        ("fdatasync of 4 KiB, median, ms", "low_load", "sync_ms"),
        ("booking queries a second beside updates, off", "beside_off", "answered_per_second"),
        ("updates a second beside them, off", "beside_off", "updates_per_second"),
        ("booking queries a second beside updates, sync", "beside_sync", "answered_per_second"),
        ("updates a second beside them, sync", "beside_sync", "updates_per_second"),
        ("booking queries a second without checkpoints", "without_checkpoints", "answered_per_second"),
        ("booking queries a second during checkpoints", "with_checkpoints", "answered_per_second"),
        ("their p99 without checkpoints, ms", "without_checkpoints", "p99_ms"),
        ("their p99 during checkpoints, ms", "with_checkpoints", "p99_ms"),
        ("cycle p99 without checkpoints, ms", "without_checkpoints", "cycle_p99_ms"),
        ("cycle p99 during checkpoints, ms", "with_checkpoints", "cycle_p99_ms"),
        ("rows of a checkpoint read a second at recovery", "recover", "rows_per_second"),
    )
    lines = []
    for name, part, key in told:
        measured = values(points, part, key)
        if measured:
            lines.append(f"{name}: {amount(statistics.median(measured))}")
    return lines


def amount(value: Any) -> str:
    """Whole where it is large."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
