"""Each way of finding rows switched off alone: what a cycle costs then, on cells that are published."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from experiments.clock_scan.bench import Bench
from experiments.harness.claims import Claim, Points, figure
from experiments.harness.context import Context
from experiments.harness.record import Run

PATHS = {
    "keys": "an index over operations",
    "pairs": "keys of two columns",
    "sketch_keys": "keys by sketches",
    "value_keys": "keys by values",
    "alternatives": "alternatives as entries of an index",
    "masks": "masks of eight queries",
    "bitmaps": "bitmaps that queries share",
    "buckets": "bitmaps of single buckets",
    "windows": "candidates judged by their row's sketches",
    "gathering": "a query's many candidates tested together",
    "bounds": "chunks passed by where bounds rule them out",
}
WORTH = 1.1


def ablation(context: Context, bench: Bench) -> None:
    """Every cell of the plan by all ways at once, in turn with the engine as it is."""
    plan = context.plan.section("ablation")
    ways = ",".join(["by_cost", *(f"without_{path}" for path in PATHS)])
    for mix, queries, updates in plan["cells"]:
        context.check_time()
        answers = bench.ask(
            "strategies",
            rows=plan["rows"],
            mix=mix,
            queries=queries,
            updates=updates,
            runs=plan["runs"],
            seed=context.fresh_seed(),
            ways=ways,
            hopeless_ms=plan["hopeless_ms"],
        )
        times = {answer["strategy"]: answer["engine_ms"] for answer in answers}
        point = {"part": "ablation", "mix": mix, "queries": queries, "updates": updates, "rows": plan["rows"]}
        context.add(point, times)


def times_slower(points: Points, path: str) -> dict[str, tuple[float, ...]]:
    """By cell, each run without the path over the same run with it. What took far too long has one run, beside the
    median of the others."""
    slower = {}
    for point, result in points.points("ablation"):
        whole, without = result["by_cost"], result[f"without_{path}"]
        if len(without) < len(whole):
            whole = [statistics.median(whole)] * len(without)
        updates = f" and {point['updates']:,} updates" if point["updates"] else ""
        cell = f"{point['mix']}, {point['queries']:,} queries{updates}"
        slower[cell] = tuple(one / other for one, other in zip(without, whole, strict=True))
    return slower


def surely(ratios: tuple[float, ...]) -> float:
    """Returns what three of four runs reach: of so many cells the best by its median would often be so by chance."""
    return statistics.quantiles(ratios, n=4, method="inclusive")[0] if len(ratios) > 1 else ratios[0]


def ablation_claims(points: Points) -> list[Claim]:
    """Each path is worth its code somewhere."""
    claims = []
    for path, what in PATHS.items():
        slower = times_slower(points, path)
        cell = max(slower, key=lambda cell: surely(slower[cell]), default="")
        claims.append(
            Claim(
                f"without {what}: time / the engine's, in the cell it serves most",
                WORTH,
                True,
                slower.get(cell, ()),
                "what the other ways cost in its place",
                note=f"the cell: {cell}",
            )
        )
    return claims


def ablation_table(runs: Iterable[Run]) -> list[str]:
    """A line for each path: the cells that are a tenth slower without it in three of four runs, and the medians."""
    points = Points(runs)
    lines = ["| without | times slower: cells that are a tenth slower or more |", "| --- | --- |"]
    for path, what in PATHS.items():
        slower = times_slower(points, path)
        medians = {cell: statistics.median(ratios) for cell, ratios in slower.items() if surely(ratios) >= WORTH}
        worst = sorted(medians.items(), key=lambda item: -item[1])
        told = "; ".join(f"{cell}: {figure(ratio)}" for cell, ratio in worst) or "none"
        lines.append(f"| {what} | {told} |")
    return lines if points.points("ablation") else []
