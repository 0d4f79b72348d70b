"""The claims of the way in and out: what each must reach, and what the measured points say. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from experiments.harness.claims import Claim, Points
from experiments.harness.record import Run

BUSY = 0.9  # of a core: a thread of the generator that took so much was the limit
CPU = (
    ("all processes", "all_us", 46),
    ("aggregator", "aggregator_us", 8),
    ("node outside the sweep", "node_us", 6),
    ("client", "client_us", 8),
    ("sweep", "sweep_us", 8),
    ("kernel and the rest", "rest_us", 16),
)
UPDATES_REACHED = 0.95  # of those that were wanted


def by_run(points: Points, part: str, key: str = "answered_per_second") -> dict[int, float]:
    """One figure of each run of a part."""
    return {point["run"]: float(result[key]) for point, result in points.points(part)}


def ratios(above: dict[int, float], below: dict[int, float]) -> tuple[float, ...]:
    """Run by run, where both were measured."""
    return tuple(above[run] / below[run] for run in sorted(above) if run in below)


def booking(points: Points) -> list[Claim]:
    """The mix that nearly all traffic is, against PostgreSQL with the matching index."""
    peak = by_run(points, "booking")
    note = "; ".join([*limits(points, "booking"), *concurrency(points, ("booking", "pgbench", "jdbc"))])
    bound = "CPU of all processes on the same cores"
    against = ratios(peak, by_run(points, "pgbench"))
    name = "booking, peak: times PostgreSQL under pgbench"
    return [
        Claim(name, 1.2, True, against, bound, note=note),
        Claim(name, 1.5, True, against, bound, is_stretch=True, note=note),
        Claim(
            "booking, peak: times PostgreSQL through pgjdbc and HikariCP", 2.5, True,
            ratios(peak, by_run(points, "jdbc")), bound, note=note,
        ),
    ]  # fmt: skip


def beside_updates(points: Points) -> Claim:
    """Judges the same beside updates by booking reference."""
    against = ratios(by_run(points, "updates"), by_run(points, "pgbench_updates"))
    notes = []
    for part, who in (("updates", "the cluster"), ("pgbench_updates", "PostgreSQL")):
        for result in points.of(part):
            wanted, reached = result["updates_wanted"], result["updates_per_second"]
            short = reached < UPDATES_REACHED * wanted
            notes.append(f"{who} confirmed {reached:,.0f} of {wanted:,} updates/s{' (short)' if short else ''}")
    if any(note.startswith("the cluster") and note.endswith("(short)") for note in notes):
        against = ()  # It was not beside what it was to be beside.
    name = "booking beside updates by booking reference: times PostgreSQL"
    return Claim(
        name, 3, True, against, "CPU of all processes, the writer among them, on the same cores", note="; ".join(notes)
    )


def cpu(points: Points) -> list[Claim]:
    """CPU of a booking query at the peak, as the kernel accounts it."""
    return [
        Claim(f"CPU of a booking query, {who}, µs", target, False, tuple(by_run(points, "booking", key).values()), "")
        for who, key, target in CPU
    ]


def any_query(points: Points) -> list[Claim]:
    """Every statement new, against the better of DuckDB and PostgreSQL."""
    duck, postgres = by_run(points, "any_duck"), by_run(points, "any_postgres")
    better = {run: max(duck[run], postgres[run]) for run in duck if run in postgres}
    peak = by_run(points, "any")
    note = "; ".join(limits(points, "any"))
    against, shared = ratios(peak, better), ratios(peak, by_run(points, "any_alone"))
    name = "any-query, every statement new: times the better of DuckDB and PostgreSQL, no index"
    sharing = "sharing factor: any-query, 512 in flight / one at a time"
    return [
        Claim(name, 40, True, against, "compiling statements never seen", note=note),
        Claim(name, 80, True, against, "compiling statements never seen", is_stretch=True, note=note),
        Claim(sharing, 50, True, shared, "compiling statements never seen"),
        Claim(sharing, 100, True, shared, "compiling statements never seen", is_stretch=True),
    ]


def alone(points: Points) -> list[Claim]:
    """One in flight; the way through an aggregator; rows."""
    beyond = tuple(result["p50_ms"] - result["cycle_ms"] / 2 for _, result in points.points("one_in_flight"))
    routed = tuple(by_run(points, "routed", "aggregator_us").values())
    route = "aggregator CPU of a routed pre-encoded query, void nodes, µs"
    passed = tuple(by_run(points, "rows_passed", "rows_per_aggregator_second").values())
    decoded = tuple(by_run(points, "rows_decoded", "rows_per_cpu_second").values())
    return [
        Claim("one query in flight, Java to Java: p50 beyond half a cycle, ms", 0.3, False, beyond, "wake-ups"),
        Claim(
            "a statement never seen, aggregator, parse to sent, µs", 40, False,
            tuple(by_run(points, "never_seen", "us").values()), "compiling; the grammar is a fifth of it",
        ),
        Claim(route, 2.4, False, routed, "Protocol Buffers", note=invalid(points)),
        Claim(route, 1.19, False, routed, "Protocol Buffers", is_stretch=True),
        Claim("rows passed on without ORDER BY, a second of a core", 2e6, True, passed, "copies"),
        Claim("rows decoded by the Java client, a second of a core", 1e6, True, decoded, "objects"),
    ]  # fmt: skip


def answers(points: Points) -> Claim:
    """Judges whether all who are compared answer the same."""
    wrong = tuple(float(result["wrong"]) for result in points.of("answers"))
    name = "answers: statements with another number of rows than DuckDB or PostgreSQL"
    return Claim(name, 0, False, wrong, "", is_about_answers=True)


def limits(points: Points, part: str) -> list[str]:
    """Runs in which the load generator was the limit."""
    busy = [result["busiest_client_thread"] for result in points.of(part)]
    found = sum(share > BUSY for share in busy)
    return [f"the load generator was the limit in {found} of {len(busy)} runs"] if found else []


def concurrency(points: Points, parts: Iterable[str]) -> list[str]:
    """Returns the number in flight that was best in the first run."""
    return [f"{part} with {result['concurrency']}" for part in parts for result in points.of(part)[:1]]


def invalid(points: Points) -> str:
    """Runs of the driver that do not count."""
    count = len(points.of("routed_invalid"))
    return f"{count} runs invalid: the driver alone was not twice as fast" if count else ""


def judge(runs: Iterable[Run]) -> list[Claim]:
    """All claims, in the order of the table; what was not measured is not met."""
    points = Points(runs)
    return [*booking(points), beside_updates(points), *cpu(points), *any_query(points), *alone(points), answers(points)]


def published(runs: Iterable[Run]) -> list[str]:
    """Figures without a target."""
    points = Points(runs)
    told: tuple[tuple[str, str, str, str], ...] = (
        ("booking queries a second", "booking", "answered_per_second", ""),
        ("PostgreSQL under pgbench", "pgbench", "answered_per_second", ""),
        ("PostgreSQL through pgjdbc", "jdbc", "answered_per_second", ""),
        ("booking beside updates", "updates", "answered_per_second", ""),
        ("PostgreSQL beside updates", "pgbench_updates", "answered_per_second", ""),
        ("any-query, a second", "any", "answered_per_second", ""),
        ("DuckDB, any-query", "any_duck", "answered_per_second", ""),
        ("PostgreSQL without its indexes, any-query", "any_postgres", "answered_per_second", ""),
        ("PostgreSQL with the indexes of booking, any-query", "any_postgres_indexed", "answered_per_second", ""),
        ("one in flight, p50", "one_in_flight", "p50_ms", "ms"),
        ("its cycle", "one_in_flight", "cycle_ms", "ms"),
        ("a statement never seen, whole aggregator with its kernel", "never_seen", "whole_us", "µs"),
        ("routed driver, CPU of a query", "routed", "driver_us", "µs"),
        ("routed queries a second", "routed", "answered_per_second", ""),
        ("rows merged in order, a second of a core", "rows_merged", "rows_per_aggregator_second", ""),
    )
    lines = []
    for name, part, key, unit in told:
        values = sorted(by_run(points, part, key).values())
        if values:
            middle = values[len(values) // 2]
            lines.append(f"{name}: {amount(middle)}{' ' + unit if unit else ''}")
    return lines


def amount(value: Any) -> str:
    """Whole where it is large."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
