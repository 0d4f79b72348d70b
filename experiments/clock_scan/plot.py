"""Draws the cycle time over rows and over the share factor, with what the source's model says beside it."""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

from experiments.harness.record import Run, read_runs

ROW_BYTES = 304
# Its constants are those of a core of 2008: compare the shapes.
SOURCE = "source, equation 2.1"


def source_cycle_ms(megabytes: float, operations: float) -> float:
    """Equation 2.1: T = S · c0 · (log2(F + c1) · c2 + c3), for F < 4,096."""
    c0, c1, c2, c3 = 0.4, 128, 0.66, -4.07
    return megabytes * c0 * (math.log2(operations + c1) * c2 + c3)


def medians(runs: list[Run], part: str, key: str, **point: Any) -> list[tuple[float, float]]:
    """Median cycles of a part's points, those with these values, over another of the things varied."""
    found = [
        (float(run.point[key]), statistics.median(run.result["engine_ms"]))
        for run in runs
        if run.result and run.point["part"] == part and point.items() <= run.point.items()
    ]
    return sorted(found)


def draw_line(axes: Axes, points: list[tuple[float, float]], label: str) -> None:
    """One measured curve."""
    if points:
        axes.plot([x for x, _ in points], [y for _, y in points], marker="o", markersize=3, label=label)


def draw_rows(axes: Axes, runs: list[Run]) -> None:
    """Figure 2.9: cycle over the segment's megabytes, at several share factors."""
    sizes = [run for run in runs if run.point["part"] == "sizes" and run.result]
    if not sizes:
        return
    loads = list(dict.fromkeys((run.point["mix"], run.point["queries"]) for run in sizes))
    for mix, queries in loads:
        points = medians(runs, "sizes", "rows", mix=mix, queries=queries)
        draw_line(axes, [(rows * ROW_BYTES / 1e6, cycle) for rows, cycle in points], f"{mix}, {queries}")
    megabytes = sorted({run.point["rows"] * ROW_BYTES / 1e6 for run in sizes})
    for operations in (64, 512, 4_095):
        label = f"{SOURCE}, {operations}"
        axes.plot(
            megabytes, [source_cycle_ms(size, operations) for size in megabytes], "k:", linewidth=0.9, label=label
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="rows [MB]",
        ylabel="cycle [ms]",
        title="over rows (source: figure 2.9, linear)",
    )
    axes.legend(fontsize=6)


def draw_operations(axes: Axes, runs: list[Run], updates: int) -> None:
    """Figure 2.10: cycle over the operations that ride it."""
    grid = [run for run in runs if run.point["part"] == "grid" and run.result and run.point["updates"] == updates]
    if not grid:
        return
    for mix in dict.fromkeys(run.point["mix"] for run in grid):
        points = medians(runs, "grid", "queries", mix=mix, updates=updates)
        draw_line(axes, points, mix)
    operations = [2**power for power in range(13)]
    rows = max(run.point["rows"] for run in grid)
    model = [source_cycle_ms(rows * ROW_BYTES / 1e6, count) for count in operations]
    axes.plot(operations, model, "k:", linewidth=0.9, label=f"{SOURCE}, without updates")
    title = f"{rows:,} rows, {updates:,} updates beside (source: figure 2.10, logarithmic to 1,024, then linear)"
    axes.set(xscale="log", yscale="log", xlabel="queries in a cycle", ylabel="cycle [ms]")
    axes.set_title(title, fontsize=8)
    axes.legend(fontsize=6)


def draw_both(axes: Axes, runs: list[Run]) -> None:
    """Figures 2.11 and 2.12: rows and operations together, how much faster than the model we are."""
    sizes = [run for run in runs if run.point["part"] == "sizes" and run.result and run.point["mix"] == "booking"]
    if not sizes:
        return
    rows = sorted({run.point["rows"] for run in sizes})
    queries = sorted({run.point["queries"] for run in sizes})
    cycles = {
        (run.point["rows"], run.point["queries"]): statistics.median(run.result["engine_ms"])
        for run in sizes
        if run.result
    }
    for row_count in rows:
        megabytes = row_count * ROW_BYTES / 1e6
        shares = [count for count in queries if count < 4_096 and (row_count, count) in cycles]
        ratios = [source_cycle_ms(megabytes, count) / cycles[row_count, count] for count in shares]
        axes.plot(shares, ratios, marker="o", markersize=3, label=f"{megabytes:.0f} MB")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="booking queries in a cycle",
        ylabel="times faster than the source's model",
        title="over both (source: figures 2.11 and 2.12)",
    )
    axes.legend(fontsize=6)


def draw(runs: list[Run], folder: Path) -> list[Path]:
    """Writes the pictures of one run of the proof; their paths."""
    paths = []
    drawings: dict[str, tuple[Callable[[Axes], None], ...]] = {
        "cycle_over_rows": (lambda axes: draw_rows(axes, runs), lambda axes: draw_both(axes, runs)),
        "cycle_over_queries": (
            lambda axes: draw_operations(axes, runs, 0),
            lambda axes: draw_operations(axes, runs, 2_300),
        ),
    }
    for name, drawers in drawings.items():
        figure, axes = pyplot.subplots(1, 2, figsize=(13, 5))
        for drawer, place in zip(drawers, axes, strict=True):
            drawer(place)
        first = runs[0]
        figure.suptitle(
            f"Cycle of one segment on one core · {first.host['cpu']} · commit {first.commit}"
            f" · configuration {first.config_hash}",
            fontsize=9,
        )
        figure.tight_layout()
        paths.append(folder / f"{name}.png")
        figure.savefig(paths[-1], dpi=110)
        pyplot.close(figure)
    return paths


if __name__ == "__main__":
    draw(read_runs(Path(sys.argv[1])), Path(sys.argv[2]))
