"""Measures what a user fears: forms of queries that the mixes do not show, alone and many at once, in turn with DuckDB
alone.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from experiments.clock_scan.bench import Bench
from experiments.clock_scan.duck import Duck
from experiments.clock_scan.parts import compare_strategies, dump
from experiments.harness.context import Context
from experiments.harness.record import ROOT


def forms(context: Context, bench: Bench) -> None:
    """Every cell of the plan, table by table."""
    plan = context.plan.section("forms")
    for table, rows in plan["tables"].items():
        context.check_time()
        words: dict[str, str | int] = {"table": table, "rows": rows}
        with tempfile.TemporaryDirectory(prefix="clock_scan-", dir=ROOT / "build") as folder:
            duck = Duck(*dump(bench, Path(folder), **words))
        try:
            size = bench.ask_one("size", **words)
            for form, query_counts in plan[table].items():
                for queries in query_counts:
                    form_cell(context, bench, duck, form, queries, words, size)
        finally:
            duck.close()


def form_cell(
    context: Context,
    bench: Bench,
    duck: Duck,
    form: str,
    queries: int,
    words: dict[str, str | int],
    size: dict[str, Any],
) -> None:
    """Cycles of so many queries, each in turn with a few queries of the same form that DuckDB is asked alone. A cell
    that takes long has fewer runs, not fewer than the plan's least."""
    plan = context.plan.section("forms")
    result: dict[str, Any] = {"engine_ms": [], "rows": [], "duck_ms": [], "checked": 0, "wrong": 0}
    # A list that is as short in DuckDB as the cycle is: alone, both are asked one query.
    dose = plan["duck_dose"] if queries > 1 else 1
    while len(result["engine_ms"]) < plan["runs"]:
        is_first = not result["engine_ms"]
        spent_ms = sum(result["engine_ms"]) + sum(result["duck_ms"])
        if spent_ms > plan["budget_ms"] and len(result["engine_ms"]) >= plan["least_runs"]:
            break
        context.check_time()
        answer = bench.ask_one(
            "form",
            form=form,
            queries=queries,
            runs=1,
            warm=1 if is_first else 0,
            checked_max=plan["checked_max"] if is_first else 1,
            seed=context.fresh_seed(),
            **words,
        )
        asked = bench.ask("form_queries", form=form, queries=dose, seed=context.fresh_seed(), **words)
        bench.ask("evict")
        result["engine_ms"] += answer["engine_ms"]
        result["rows"].append(answer["rows"])
        result["duck_ms"].append(duck.statements(asked) / dose)
        result["checked"] += answer["checked"]
        result["wrong"] += answer["wrong"]
    result |= {"row_size": size["row_size"]}
    point = {"part": "forms", "form": form, "queries": queries, "table": words["table"], "rows": words["rows"]}
    context.add(point, result)


def planner_on_forms(context: Context, bench: Bench) -> None:
    """The planner's choice against each single strategy, at full size, on forms that nothing was tuned on."""
    plan = context.plan.section("planner_on_forms")
    for form, query_counts in plan["forms"].items():
        load = {"part": "planner_on_forms", "mix": form, "updates": 0}
        compare_strategies(context, bench, load, query_counts, bench.rows, plan["runs"])
