"""The claims of the proof: what each must reach, and what the measured points say. Pure: points in, verdicts out."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable

from experiments.clock_scan.ablation import ablation_claims
from experiments.clock_scan.form_claims import form_claims
from experiments.harness.claims import Claim, Points, figure
from experiments.harness.record import Run

ANY = ("any-0", "any-0.5", "any-1", "any-2")
HARD = ("hard-0", "hard-1", "hard-2")


def booking(points: Points) -> list[Claim]:
    """The mix that nearly all traffic is."""
    claims = []
    for queries in (1, 16, 64):
        ratios = points.ratios("keys", "engine_ms", "keys_ms", mix="booking", queries=queries)
        claims.append(
            Claim(
                f"booking, {queries} queries: cycle / reading the key columns", 1.3, False, ratios, "memory bandwidth"
            )
        )
    for name, key, target, stretch in (("classic", "classic_ms", 36, 45), ("classic+", "classic_plus_ms", 18, None)):
        ratios = points.ratios("classic", key, "engine_ms", mix="booking", queries=512)
        name = f"booking, 512 queries: times {name}"
        claims.append(Claim(name, target, True, ratios, "cache misses of candidates"))
        if stretch is not None:
            claims.append(Claim(name, stretch, True, ratios, "the same", is_stretch=True))
    skewed = points.ratios("skewed", "classic_plus_ms", "engine_ms", queries=512)
    claims.append(
        Claim("booking on skewed values, 512 queries: times classic+", 2, True, skewed, "writing the rows that go out")
    )
    claims.append(one_at_a_time(points, "booking", 1_000))
    for queries, target in ((512, 30), (4_096, 10)):
        claims.append(batch(points, queries, target))
    claims += against_index(points)
    ratios = points.ratios("keys", "engine_ms", "keys_ms", mix="booking", queries=1_024)
    bound = "cache misses of candidates, 0.5 % of queries without a key"
    name = "booking, 1,024 queries: cycle / reading the key columns"
    return [*claims, Claim(name, 6, False, ratios, bound), Claim(name, 4, False, ratios, bound, is_stretch=True)]


def one_at_a_time(points: Points, mix: str, target: float) -> Claim:
    """Queries a second against DuckDB's."""
    ratios = tuple(
        (512 / result["engine_ms"][0]) / (result["rival_queries"] / result["rival_ms"])
        for result in points.of("duck", mix=mix, queries=512)
    )
    return Claim(
        f"{mix}, 512 queries: times DuckDB one at a time", target, True, ratios, "DuckDB reads columns for each query"
    )


def batch(points: Points, queries: int, target: float) -> Claim:
    """Queries a second against a join of DuckDB, asked in whichever way is fastest."""
    ratios = tuple(
        (queries / result["engine_ms"][0])
        / (result["batch_queries"] / min(result[way] for way in ("plain", "late", "late_arrays")))
        for result in points.of("duck_batch", queries=queries)
    )
    return Claim(
        f"booking, {queries:,} queries: times DuckDB's batch",
        target,
        True,
        ratios,
        "DuckDB's cost of a join hardly grows with the queries",
        note="one fixed query shape: only queries with flight and day",
    )


def against_index(points: Points) -> list[Claim]:
    """Queries a second against a hash index that only has to answer queries with the key."""
    claims = []
    for queries, target, stretch in ((1_024, 0.25, 0.5), (16_384, 0.45, 0.9)):
        ratios = tuple(
            (queries / engine) / (served / index)
            for result in points.of("index", queries=queries)
            for engine, served, index in zip(
                result["engine_ms"], result["index_queries"], result["index_ms"], strict=True
            )
        )
        name = f"booking, {queries:,} queries: share of a hash index's throughput"
        bound = "candidates, and the queries that have no key: the index is not asked those"
        claims.append(Claim(name, target, True, ratios, bound))
        claims.append(Claim(name, stretch, True, ratios, bound, is_stretch=True))
    return claims


def any_and_hard(points: Points) -> list[Claim]:
    """Queries on any attributes."""
    claims = []
    for mix in ANY:
        ratios = points.ratios("classic", "classic_ms", "engine_ms", mix=mix, queries=512)
        name = f"{mix}, 512 queries: times classic"
        claims.append(Claim(name, 20, True, ratios, "shared bitmaps: one pass over most columns' sketches"))
        stretch = 40 if mix == "any-2" else 26
        claims.append(Claim(name, stretch, True, ratios, "the same", is_stretch=True))
        claims.append(one_at_a_time(points, mix, 130))
    for mix in HARD:
        ratios = points.ratios("classic", "classic_ms", "engine_ms", mix=mix, queries=512)
        claims.append(Claim(f"{mix}, 512 queries: times classic", 45, True, ratios, "shared bitmaps, then candidates"))
        claims.append(one_at_a_time(points, mix, 200))
    for queries in (4_096, 16_384):
        for mix in HARD:
            claims.append(holds_throughput(points, mix, queries))
    return claims


def holds_throughput(points: Points, mix: str, queries: int) -> Claim:
    """Queries a second with many queries against those with 512, of the same turn."""
    few = [result["engine_ms"][0] for result in points.of("many", mix=mix, queries=512)]
    many = [result["engine_ms"][0] for result in points.of("many", mix=mix, queries=queries)]
    ratios = tuple((queries / more) / (512 / less) for less, more in zip(few, many, strict=False))
    return Claim(
        f"{mix}, {queries:,} queries: queries/s against 512",
        1,
        True,
        ratios,
        "bitmaps and candidates of so many queries leave the caches",
        is_stretch=queries > 4_096,
    )


def cycles(points: Points) -> list[Claim]:
    """Updates beside queries, growth with rows, cores, and how steady cycles are."""
    beside = points.ratios("updates", "without_updates_ms", "engine_ms", queries=1_024, updates=2_300)
    name = "2,300 updates beside 1,024 booking queries: share of the throughput without"
    claims = [
        Claim(name, 0.6, True, beside, "cache misses of the rows that updates look at"),
        Claim(name, 0.8, True, beside, "the same", is_stretch=True),
    ]
    alone = tuple(time for result in points.of("updates_alone", updates=50_000) for time in result["engine_ms"])
    name = "50,000 updates a sweep over 3,145,728 rows: ms"
    bound = "compiling and indexing updates, then cache misses of their rows"
    claims += [Claim(name, 32, False, alone, bound), Claim(name, 25, False, alone, "the same", is_stretch=True)]
    measured = points.points("sizes")
    most = max((point["rows"] for point, _ in measured), default=0)
    loads = list(dict.fromkeys((point["mix"], point["queries"]) for point, _ in measured))
    for mix, queries in loads or [("booking", 512)]:
        small = points.of("sizes", mix=mix, queries=queries, rows=most // 2)
        large = points.of("sizes", mix=mix, queries=queries, rows=most)
        ratios = tuple(
            two / one
            for less, more in zip(small, large, strict=False)
            for one, two in zip(less["engine_ms"], more["engine_ms"], strict=True)
        )
        claims.append(Claim(f"twice the rows, {mix}, {queries:,} queries: cycle", 2.1, False, ratios, "linear in rows"))
    two = tuple(2 * ratio for ratio in points.ratios("segments", "alone_ms", "together_ms"))
    claims.append(Claim("two segments on two cores: times one", 1.9, True, two, "memory bandwidth of both cores"))
    steady = tuple(
        result["cycle_ms_99"] / (1.3 * result["cycle_ms_50"] + result["read_ms_99"] - result["read_ms_50"])
        for result in points.of("steady")
        if result["cycles"] >= 10_000
    )
    name = "p99 cycle of 10,000 / (1.3 times the median + p99 excess of a pure read)"
    return [*claims, Claim(name, 1, False, steady, "disturbances by other users of the machine")]


def sums(points: Points) -> list[Claim]:
    """One whole-column aggregate alone."""
    claims = []
    for column, kind in (("id", "bigint"), ("count_4", "int with NULLs")):
        read = points.ratios("sum", "engine_ms", "read_ms", column=column)
        theirs = points.ratios("sum", "engine_ms", "duck_ms", column=column)
        name = f"sum of a column, {kind}: time"
        claims.append(Claim(f"{name} / reading the column", 1.5, False, read, "memory bandwidth"))
        claims.append(Claim(f"{name} / DuckDB's", 1, False, theirs, "memory bandwidth"))
    return claims


def planner(points: Points, part: str, name: str) -> Claim:
    """The worst cell of a part. A cell counts by its medians, so that one slow run makes no worst cell."""
    worst: dict[str, float] = {}
    for point, result in points.points(part):
        chosen = result["by_cost"]
        against = [
            statistics.median(chosen) / statistics.median(times)
            if len(times) < len(chosen)  # Hopeless: asked once.
            else statistics.median(one / other for one, other in zip(chosen, times, strict=True))
            for strategy, times in result.items()
            if strategy != "by_cost"
        ]
        cell = f"{point['mix']}, {point['queries']} queries, {point['updates']} updates, {point['rows']} rows"
        if against:  # Nothing is compared where all others are hopeless.
            worst[cell] = max(against)
    note = "worst cells: " + "; ".join(
        f"{cell}: {figure(ratio)}" for cell, ratio in sorted(worst.items(), key=lambda item: -item[1])[:5]
    )
    return Claim(name, 1.3, False, (max(worst.values()),) if worst else (), "estimates", note=note)


def whole(points: Points) -> list[Claim]:
    """Returns the claims about the proof as a whole."""
    checks = points.checks()
    wrong = (float(sum(wrong for _, wrong in checks)),) if sum(checked for checked, _ in checks) else ()
    memory = tuple(result["memory_per_row"] / result["row_size"] for result in points.of("size"))
    return [
        planner(points, "planner", "planner: choice / best single strategy, worst cell"),
        planner(points, "planner_on_forms", "planner on unseen forms, 1 GB: choice / best single strategy, worst cell"),
        Claim(
            "answers whose content is not the plain model's",
            0,
            False,
            wrong,
            "nothing but the engine's correctness",
            is_about_answers=True,
            note=f"{sum(checked for checked, _ in checks)} answers compared, in every cell of the grid",
        ),
        Claim("memory of a row / raw row", 1.6, False, memory, "planes, sketches and bitmaps"),
    ]


RIVALS = {
    "duckdb_sorted": "DuckDB sorted by the key",
    "clickhouse": "ClickHouse sorted by the key",
    "postgres": "PostgreSQL with an index on the key",
}


def floors(points: Points) -> list[str]:
    """Cycles beside reading what the sweep reads: the floor of any that has to look at every row."""
    lines = []
    for part, point, result in (
        *(("keys", *measured) for measured in points.points("keys")),
        *(("classic", *measured) for measured in points.points("classic")),
    ):
        ratios = points.ratios(part, "engine_ms", "floor_ms", mix=point["mix"], queries=point["queries"])
        if ratios and result["floor_ms"]:
            between = f"{figure(min(ratios))} to {figure(max(ratios))}, n {len(ratios)}"
            lines.append(
                f"{point['mix']}, {point['queries']:,} queries: cycle / reading what the sweep reads:"
                f" {figure(statistics.median(ratios))} ({between})"
            )
    return lines


def published(runs: Iterable[Run]) -> list[str]:
    """Returns what has no target: cycles beside their floor, and 512 queries at once against rivals one at a time, on
    one thread each.
    """
    points = Points(runs)
    lines = floors(points)
    for rival, name in RIVALS.items():
        for mix in ("booking", *ANY, *HARD):
            ratios = [
                (point["queries"] / result["engine_ms"][0]) / (result["rival_queries"] / result["rival_ms"])
                for point, result in points.points("rivals")
                if point["rival"] == rival and point["mix"] == mix
            ]
            if ratios:
                least, most = figure(min(ratios)), figure(max(ratios))
                median = figure(statistics.median(ratios))
                lines.append(f"{mix}: times {name}, one at a time: {median} ({least} to {most}, n {len(ratios)})")
    return lines


SECTIONS: tuple[Callable[[Points], list[Claim]], ...] = (
    booking,
    any_and_hard,
    form_claims,
    cycles,
    sums,
    whole,
    ablation_claims,
)


def judge(runs: Iterable[Run]) -> list[Claim]:
    """All claims, in the order of the table."""
    points = Points(runs)
    return [claim for section in SECTIONS for claim in section(points)]
