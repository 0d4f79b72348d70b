"""The engine by itself, in this build and the one before, in turn: cycles of queries, of updates, and of both."""

from __future__ import annotations

import statistics
from typing import Any

from experiments.clock_scan.bench import Bench
from experiments.harness.context import Context
from experiments.moments.world import LackingError, programs_before

PROGRAM = "engine_mix_bench"
MS_PER_SECOND = 1_000
# In turn: the build before, this one, and the one before again.
TURNS = ("before_ms", "ms", "again_ms")


def cycles(bench: Bench, load: dict[str, Any], seed: int) -> tuple[float, bool]:
    """One measured cycle behind some that warm up, its milliseconds; and whether its queries had a moment of their own.

    The word `moments` has queries ask at the prefix before the cycle's updates. A program that does not know it leaves
    it alone, and its answer does not repeat it.
    """
    (answer,) = bench.ask("sizes", **load, rows=bench.rows, runs=1, moments=1, seed=seed)
    (took,) = answer["engine_ms"]
    return float(took), bool(answer.get("moments"))


def compare(context: Context, turns: dict[str, Bench], of: str, **load: Any) -> dict[str, Any]:
    """One load under all builds, as often as the plan has pairs; `of` says what is looked at, queries or updates."""
    result: dict[str, Any] = {name: [] for name in turns}
    result["at_moments"] = 1
    for _ in range(context.plan.section("window")["runs"]):
        context.check_time()
        seed = context.fresh_seed()
        for name, bench in turns.items():
            took, at_moments = cycles(bench, load, seed)
            result[name].append(took)
            if name == "ms" and not at_moments:
                result["at_moments"] = 0
    context.add({"part": "engine", "of": of, **load}, result)
    return result


def engine(context: Context) -> None:
    """All loads, in two processes that keep their tables."""
    plan = context.plan.section("engine")
    with Bench(plan["rows"], programs_before() / PROGRAM) as before, Bench(plan["rows"]) as now:
        turns = dict(zip(TURNS, (before, now, before), strict=True))
        for mix in plan["mixes"]:
            quiet = compare(context, turns, "queries", mix=mix, queries=plan["queries"], updates=0)
            cycle_ms = statistics.median(quiet["before_ms"])
            beside = max(1, round(plan["updates_per_second"] * cycle_ms / MS_PER_SECOND))
            compare(context, turns, "queries", mix=mix, queries=plan["queries"], updates=beside)
        for queries in (0, plan["queries"]):
            compare(context, turns, "updates", mix="booking", queries=queries, updates=plan["many_updates"])


def share(context: Context) -> None:
    """Few updates beside many booking queries, and the same queries without them: this build alone."""
    plan = context.plan.section("engine")
    with Bench(plan["rows"]) as bench:
        result = bench.ask_one(
            "cell", mix="booking", queries=plan["many_queries"], updates=plan["few_updates"], without_updates=1,
            runs=context.plan.section("window")["runs"], moments=1, seed=context.fresh_seed(),
        )  # fmt: skip
    context.add({"part": "share"}, {**result, "at_moments": int(bool(result.get("moments")))})
    if not result.get("moments"):
        raise LackingError("the benchmark's queries are at their cycle's prefix, not at a moment before its updates")
