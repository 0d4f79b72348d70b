"""Measures the engine's key points in an older build and in this one, in turn: what expressions have made dearer."""

from __future__ import annotations

from pathlib import Path

from experiments.clock_scan.bench import Bench
from experiments.harness.context import Context

KEY_POINTS = (
    ("booking", 64, 0),
    ("booking", 1_024, 0),
    ("booking", 1_024, 2_300),
    ("any-1", 512, 0),
    ("hard-1", 512, 0),
    ("booking", 0, 50_000),
)
"""Mix, queries, updates."""


def builds(context: Context, old: Path) -> None:
    """Each key point by the program `old`, by this build's, and by the old one again, which says how much it differs
    from itself."""
    plan = context.plan.section("builds")
    with Bench(plan["rows"], old) as older, Bench(plan["rows"]) as newer:
        for mix, queries, updates in KEY_POINTS:
            took: dict[str, list[float]] = {"old_ms": [], "ms": [], "again_ms": []}
            for _ in range(plan["turns"]):
                context.check_time()
                seed = context.fresh_seed()
                for name, bench in (("old_ms", older), ("ms", newer), ("again_ms", older)):
                    cell = bench.ask_one(
                        "cell", mix=mix, queries=queries, updates=updates, seed=seed, runs=1, checked_max=0
                    )
                    took[name] += cell["engine_ms"]
            context.add({"part": "builds", "mix": mix, "queries": queries, "updates": updates}, dict(took))
