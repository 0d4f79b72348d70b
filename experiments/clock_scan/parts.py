"""The parts of the proof that measure: each asks for points and keeps them; claims.py judges."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from experiments.clock_scan.bench import Bench
from experiments.clock_scan.duck import Duck, fits_batch
from experiments.clock_scan.rivals import Rival, make_rival
from experiments.harness.context import Context
from experiments.harness.record import ROOT

BOOKING_NEAR_KEYS = (1, 16, 64, 1_024)
DOSES = 5  # Pairs of each row that has a rival which is asked one query at a time.
STRATEGIES = ("by_cost", "keys", "masks", "sketches", "passes")


def counts(context: Context, section: str, wanted: tuple[int, ...]) -> list[int]:
    """Returns the wanted numbers of queries that the plan's grid reaches."""
    most = max(context.plan.section(section)["queries"])
    return [count for count in wanted if count <= most]


def cell(context: Context, bench: Bench, name: str, mix: str, queries: int, **words: str | int) -> dict[str, Any]:
    """Measures one cell under a name that the judge knows."""
    context.check_time()
    result = bench.ask_one("cell", mix=mix, queries=queries, seed=context.fresh_seed(), **words)
    updates = int(words.get("updates", 0))
    context.add({"part": name, "mix": mix, "queries": queries, "updates": updates, "rows": bench.rows}, result)
    return result


def baselines(context: Context, bench: Bench) -> None:
    """Cells in turn with what sweeps or indexes in the same process."""
    plan = context.plan.section("baselines")
    context.add({"part": "size"}, bench.ask_one("size"))
    for queries in counts(context, "grid", BOOKING_NEAR_KEYS):
        cell(context, bench, "keys", "booking", queries, runs=2 * plan["runs"], baselines="keys,floor")
    middle = counts(context, "grid", (64, 512))[-1]
    cell(context, bench, "classic", "booking", middle, runs=plan["runs"], baselines="classic,classic_plus,keys,floor")
    for queries in counts(context, "grid", (1, 64, 1_024, 16_384)):
        cell(context, bench, "index", "booking", queries, runs=plan["classic_runs"], baselines="index")
    for mix in context.plan.section("grid")["mixes"]:
        if mix != "booking":
            runs = plan["classic_runs" if mix.startswith("any") else "slow_classic_runs"]
            cell(context, bench, "classic", mix, middle, runs=runs, baselines="classic,floor")


def skewed(context: Context, bench: Bench) -> None:
    """Few values are most rows, so that many rows go out: in turn with classic+, on a table of its own."""
    runs = context.plan.section("baselines")["runs"]
    middle = counts(context, "grid", (64, 512))[-1]
    cell(context, bench, "skewed", "booking", middle, runs=runs, baselines="classic_plus", table="skewed")


def updates_beside(context: Context, bench: Bench) -> None:
    """Updates beside queries, in turn with the same queries alone. DuckDB's rows are out of date after it."""
    runs = context.plan.section("baselines")["runs"]
    queries = counts(context, "grid", (64, 1_024))[-1]
    cell(context, bench, "updates", "booking", queries, updates=2_300, runs=runs, without_updates=1)


def updates_alone(context: Context, bench: Bench) -> None:
    """A sweep that carries nothing but updates."""
    runs = context.plan.section("baselines")["runs"]
    cell(context, bench, "updates_alone", "booking", 0, updates=max(context.plan.section("grid")["updates"]), runs=runs)


def many_hard_queries(context: Context, bench: Bench) -> None:
    """Measures whether B-hard's queries a second hold with many queries: all numbers of them in turn."""
    runs = context.plan.section("baselines")["slow_classic_runs"]
    for mix in context.plan.section("grid")["mixes"]:
        if not mix.startswith("hard"):
            continue
        for _ in range(runs):
            for queries in counts(context, "grid", (512, 4_096, 16_384)) or [1, 64]:
                cell(context, bench, "many", mix, queries, runs=1, warm=1 if queries < 4_096 else 0, checked_max=16)


def duck(context: Context, bench: Bench) -> None:
    """DuckDB in turn with the engine's cycle of as many queries."""
    plan = context.plan.section("baselines")
    middle = counts(context, "grid", (64, 512))[-1]
    with tempfile.TemporaryDirectory(prefix="clock_scan-", dir=ROOT / "build") as folder:
        table = Duck(*dump(bench, Path(folder)))
    try:
        for column in ("id", "count_4"):
            sum_column(context, bench, table, column)
        for mix in context.plan.section("grid")["mixes"]:
            ask_in_doses(context, bench, table, {"part": "duck", "mix": mix}, plan["duck_queries"])
        for queries in dict.fromkeys([middle, counts(context, "grid", (64, 4_096))[-1]]):
            for _ in range(plan["duck_batches"]):
                asked = bench.ask("queries", mix="booking", queries=queries, seed=context.fresh_seed())
                batch = [query for query in asked if fits_batch(query)]
                engine = bench.ask_one("cell", queries=queries, runs=1, seed=context.fresh_seed(), checked_max=0)
                result = {"batch_queries": len(batch), **table.batch(batch), "engine_ms": engine["engine_ms"]}
                context.add({"part": "duck_batch", "mix": "booking", "queries": queries}, result)
    finally:
        table.close()


def rivals(context: Context, bench: Bench) -> None:
    """Measures what one would use instead, each in turn with the engine's cycle."""
    plan = context.plan.section("rivals")
    with tempfile.TemporaryDirectory(prefix="clock_scan-", dir=ROOT / "build") as folder:
        Path(folder).chmod(0o755)  # PostgreSQL's own user reads it.
        rows = dump(bench, Path(folder))
        for name in plan["names"]:
            rival = make_rival(name, *rows)
            try:
                for mix in context.plan.section("grid")["mixes"]:
                    ask_in_doses(context, bench, rival, {"part": "rivals", "rival": name, "mix": mix}, plan["queries"])
            finally:
                rival.close()


def dump(bench: Bench, folder: Path, **words: str | int) -> tuple[Path, dict[str, str], str]:
    """All rows as a file, its columns' types, and those that queries fetch; of the table that the words name."""
    csv = folder / "tickets.csv"
    answers = bench.ask("dump", path=str(csv), **words)
    return csv, {answer["column"]: answer["type"] for answer in answers if "column" in answer}, answers[-1]["fetched"]


def ask_in_doses(context: Context, bench: Bench, rival: Rival, point: dict[str, Any], sampled: int) -> None:
    """The sampled queries of the point's mix in doses, each with a cycle of the engine beside it."""
    middle = counts(context, "grid", (64, 512))[-1]
    doses = min(DOSES, sampled)
    for _ in range(doses):
        context.check_time()
        asked = bench.ask("queries", mix=point["mix"], queries=sampled // doses, seed=context.fresh_seed())
        engine = bench.ask_one(
            "cell", mix=point["mix"], queries=middle, runs=1, seed=context.fresh_seed(), checked_max=0
        )
        result = {"rival_ms": rival.one_at_a_time(asked), "rival_queries": len(asked), "engine_ms": engine["engine_ms"]}
        context.add({**point, "queries": middle}, result)


def sum_column(context: Context, bench: Bench, table: Duck, column: str) -> None:
    """One sum of a whole column: the engine, reading the column, DuckDB."""
    runs = context.plan.section("baselines")["sum_runs"]
    result = bench.ask_one("aggregate", column=column, runs=runs)
    times = []
    for _ in range(runs):
        bench.ask("evict")
        times.append(table.sum(column))
    context.add({"part": "sum", "column": column}, {**result, "duck_ms": times})


def grid(context: Context, bench: Bench) -> None:
    """Every cell, those without updates first."""
    plan = context.plan.section("grid")
    for updates in plan["updates"]:
        for mix in plan["mixes"]:
            expected_ms = 0.0
            for queries in plan["queries"]:
                result = cell(
                    context,
                    bench,
                    "grid",
                    mix,
                    queries,
                    updates=updates,
                    runs=plan["runs_with_updates" if updates else "runs"],
                    budget_ms=plan["budget_ms"],
                    warm=1 if expected_ms < plan["budget_ms"] else 0,
                    checked_max=plan["checked_max"],
                )
                # The next cell carries four times the queries, mostly, and takes hardly more than four times as long.
                expected_ms = 4 * min(result["engine_ms"])


def planner(context: Context, bench: Bench) -> None:
    """Measures what the planner chooses against each single strategy, on queries that nothing was tuned on."""
    plan = context.plan.section("planner")
    for mix in context.plan.section("grid")["mixes"]:
        for updates, query_counts in ((0, plan["queries"]), (plan["updates"], plan["queries_with_updates"])):
            load = {"part": "planner", "mix": mix, "updates": updates}
            compare_strategies(context, bench, load, query_counts, plan["rows"], plan["runs"])


def planner_at_full_size(context: Context, bench: Bench) -> None:
    """Three cells of the same at the size of all other parts."""
    middle = counts(context, "grid", (64, 512))[-1]
    for mix in ("booking", "any-1", "hard-1"):
        compare_strategies(context, bench, {"part": "planner", "mix": mix, "updates": 0}, [middle], bench.rows, 3)


def compare_strategies(
    context: Context, bench: Bench, load: dict[str, Any], query_counts: list[int], rows: int, runs: int
) -> None:
    """One load with several numbers of queries, each a point. A strategy that has fallen behind is left out where it
    would take long."""
    hopeless_ms = context.plan.section("planner")["hopeless_ms"]
    asked = list(STRATEGIES)
    for place, queries in enumerate(query_counts):
        context.check_time()
        answers = bench.ask(
            "strategies",
            rows=rows,
            mix=load["mix"],
            queries=queries,
            updates=load["updates"],
            runs=runs if queries < 4_096 else min(runs, 3),
            seed=context.fresh_seed(),
            ways=",".join(STRATEGIES),
            asked=",".join(asked),
            hopeless_ms=hopeless_ms,
        )
        times = {answer["strategy"]: answer["engine_ms"] for answer in answers}
        context.add({**load, "queries": queries, "rows": rows}, times)
        growth = query_counts[min(place + 1, len(query_counts) - 1)] / queries
        chosen = min(times["by_cost"])
        asked = [
            name
            for name in asked
            if name == "by_cost" or min(times[name]) < 3 * chosen or min(times[name]) * growth < hopeless_ms
        ]


def sizes(context: Context, bench: Bench) -> None:
    """Cycles over tables of several sizes whose values come from the same domains."""
    plan = context.plan.section("sizes")
    rows = ",".join(str(bench.rows // part) for part in plan["parts"])
    loads = [("booking", queries) for queries in plan["queries"]]
    loads += [(mix, counts(context, "sizes", (64, 512))[-1]) for mix in ("any-1", "hard-1")]
    for mix, queries in loads:
        answers = bench.ask("sizes", rows=rows, mix=mix, queries=queries, runs=plan["runs"], seed=context.fresh_seed())
        for answer in answers:
            context.add(
                {"part": "sizes", "mix": mix, "queries": queries, "rows": answer["rows"]},
                {"engine_ms": answer["engine_ms"]},
            )


def segments(context: Context, bench: Bench) -> None:
    """Two segments, a core each."""
    plan = context.plan.section("segments")
    result = bench.ask_one("segments", queries=plan["queries"], runs=plan["runs"], seed=context.fresh_seed())
    context.add({"part": "segments", "queries": plan["queries"]}, result)


def steady(context: Context, bench: Bench) -> None:
    """Many cycles, in some turns; only percentiles of each are kept."""
    plan = context.plan.section("steady")
    load = {key: value for key, value in plan.items() if key != "turns"}
    for _ in range(plan["turns"]):
        context.check_time()
        result = bench.ask_one("steady", **load, seed=context.fresh_seed())
        kept = {"cycles": len(result["cycle_ms"])}
        for name in ("cycle_ms", "read_ms"):
            times = sorted(result[name])
            kept |= {f"{name}_{percent}": times[len(times) * percent // 100] for percent in (50, 90, 99)}
        context.add({"part": "steady", **load}, kept)
