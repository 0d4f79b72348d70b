"""Draws latency over offered load, and latency second by second, with what the source reports beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes

from experiments.harness.record import Run, read_runs

PERCENTILES = ("50", "90", "99")
REQUIREMENT_MS = 2_000

# Figure 2.3 of the thesis (hash partitioning, 15 segments of 1 GB): the text says where the curve bends, no values.
REFERENCE_BENDS = ((200, "flat up to here"), (2_000, "logarithmic up to here"), (2_500, "fails"))
# Figure 2.2: queries a second of one scan thread; the median latency at its share factor of 512 is about a second.
REFERENCE_ONE_CORE = (42.3, 1_000)


def draw_sweep(axes: Axes, runs: list[Run]) -> None:
    """Percentiles over the offered rate."""
    measured = [(run.point["rate"], run.result) for run in runs if run.result and run.point["kind"] == "sweep"]
    for percentile in PERCENTILES:
        axes.plot(
            [rate for rate, _ in measured],
            [result["latency_ms"][percentile] for _, result in measured],
            marker="o",
            label=f"p{percentile}, one core",
        )
    axes.plot(*REFERENCE_ONE_CORE, "k*", markersize=11, label="source, fig. 2.2: median of one core, share factor 512")
    for rate, text in REFERENCE_BENDS:
        axes.axvline(rate, color="grey", linewidth=0.8, linestyle=":")
        axes.text(
            rate,
            0.98,
            f"source, fig. 2.3 (15 cores): {text}",
            transform=axes.get_xaxis_transform(),
            rotation=90,
            fontsize=6,
            va="top",
            ha="right",
        )
    axes.axhline(REQUIREMENT_MS, color="red", linewidth=0.8, linestyle="--", label="requirement: 2 s")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="queries offered a second",
        ylabel="latency [ms], from the intended send time",
    )
    axes.legend(fontsize=7, loc="center left")


def draw_steady(axes: Axes, runs: list[Run]) -> None:
    """Percentiles second by second at one rate. Figure 6.5 has the same axes; the text does not state its values."""
    steady = [run for run in runs if run.result and run.point["kind"] == "steady"]
    for run in steady[-1:]:
        seconds = run.result["per_second"] if run.result else []
        for percentile in PERCENTILES:
            axes.plot([second["latency_ms"][percentile] for second in seconds], label=f"p{percentile}")
        axes.set_title(f"{run.point['rate']} queries a second", fontsize=9)
    axes.axhline(
        REQUIREMENT_MS, color="red", linewidth=0.8, linestyle="--", label="requirement: 2 s (fig. 6.5: 12 nodes)"
    )
    axes.set(yscale="log", xlabel="second", ylabel="latency [ms]")
    axes.legend(fontsize=7)


def draw(runs: list[Run], path: Path) -> None:
    """Writes one picture of all runs, which share a plan."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 5), width_ratios=(3, 2))
    draw_sweep(left, runs)
    draw_steady(right, runs)
    first = runs[0]
    figure.suptitle(
        f"Latency of booking queries · {first.host['cpu']} · commit {first.commit} · configuration {first.config_hash}",
        fontsize=9,
    )
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


if __name__ == "__main__":
    draw(read_runs(Path(sys.argv[1])), Path(sys.argv[2]))
