"""The claims of clients of PostgreSQL: what each must reach, and what the measured points say. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from experiments.end_to_end.claims import amount, by_run, ratios
from experiments.harness.claims import Claim, Points
from experiments.harness.record import Run

SERVER_KINDS = ("aggregator", "node", "writer")  # of a cluster


def server_us(points: Points, part: str, kinds: Iterable[str]) -> dict[int, float]:
    """CPU of a query by run, of all processes of these kinds."""
    return {
        point["run"]: sum(float(result.get(f"{kind}_us", 0.0)) for kind in kinds)
        for point, result in points.points(part)
    }


def judge(runs: Iterable[Run]) -> list[Claim]:
    """All claims, in the order of the table; what was not measured is not met."""
    points = Points(runs)
    throughput = ratios(by_run(points, "pipelines"), by_run(points, "postgres"))
    own = server_us(points, "own", ("aggregator",))
    aggregator = ratios(server_us(points, "pipelines", ("aggregator",)), own)
    server = ratios(server_us(points, "pipelines", SERVER_KINDS), server_us(points, "postgres", ("postgres",)))
    times = "booking queries prepared and pipelined: times PostgreSQL with the matching indexes, equal pipelines"
    wrong = tuple(float(result["wrong"]) for result in points.of("answers"))
    copied = ratios(by_run(points, "copy", "copy"), by_run(points, "copy", "load"))
    idle = tuple(by_run(points, "idle", "kib_each").values())
    warm, new = (tuple(by_run(points, "catalogue", f"{which}_p99_ms").values()) for which in ("warm", "new"))
    cpu = "the same: server CPU of a query, times PostgreSQL's"
    alike = {
        of: tuple(float(result["percent"]) for result in points.of("recorded", of=of)) for of in ("catalogue", "table")
    }
    return [
        Claim(
            "statements that clients send over the catalogue, answered as PostgreSQL 15 does, %", 100, True,
            alike["catalogue"], "", is_about_answers=True,
        ),
        Claim(
            "those that they send over the table, %", 95, True, alike["table"], "what is not answered",
            is_about_answers=True,
        ),
        Claim(
            "booking queries prepared and pipelined: aggregator CPU, times Daedalus's own protocol", 1.3, False,
            aggregator, "reading messages, and rows as messages of their own",
        ),
        Claim(times, 1.2, True, throughput, "CPU of all processes on the same cores, pgbench's too"),
        Claim(times, 2, True, throughput, "CPU of all processes on the same cores, pgbench's too", is_stretch=True),
        Claim(cpu, 0.5, False, server, "rows through three processes"),
        Claim("rows by COPY in batches: times those of `load`", 0.8, True, copied, "reading CSV, and the writer"),
        Claim("a statement over the catalogue, p99, ms", 10, False, warm, "the catalogue's own PostgreSQL"),
        Claim("the same on a new backend", 100, False, new, "a process that starts, and its caches"),
        Claim("an idle connection, KiB of the aggregator", 20, False, idle, "buffers of the socket"),
        Claim("answers that are not PostgreSQL's", 0, False, wrong, "", is_about_answers=True),
    ]  # fmt: skip


def published(runs: Iterable[Run]) -> list[str]:
    """Figures without a target."""
    points = Points(runs)
    told = (
        ("queries a second, own protocol", "own", "answered_per_second", ""),
        ("queries a second, PostgreSQL's protocol", "pipelines", "answered_per_second", ""),
        ("queries a second, PostgreSQL", "postgres", "answered_per_second", ""),
        ("aggregator CPU of a query, PostgreSQL's protocol", "pipelines", "aggregator_us", "µs"),
        ("rows a second by `load`", "copy", "load", ""),
        ("CPU of a query in PostgreSQL", "postgres", "postgres_us", "µs"),
    )
    lines = []
    for name, part, key, unit in told:
        values = sorted(by_run(points, part, key).values())
        if values:
            lines.append(f"{name}: {amount(values[len(values) // 2])}{' ' + unit if unit else ''}")
    return lines
