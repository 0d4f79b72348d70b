"""The claims of SQL over one table: what each must reach, and what the measured points say. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from experiments.harness.claims import Claim, Points
from experiments.harness.record import Run

REFUSED_MAX = 0.05
LISTED_MAX = 0.02
DEARER_MAX = 1.03
SECONDS = 1e-3  # of a millisecond


def statements(points: Points) -> list[Claim]:
    """Judges how many statements that PostgreSQL answers are refused here."""
    found = points.of("statements")
    different = tuple(float(result["different"]) for result in found)
    refused = tuple(result["refused"] / max(result["answered"], 1) for result in found)
    listed = tuple(result["listed"] / max(result["answered"], 1) for result in found)
    asked = sum(result["asked"] for result in found)
    return [
        Claim("random statements that PostgreSQL 15 answers otherwise, outside refusals and the list of differences",
              0, False, different, "mistakes in what NULL decides", is_about_answers=True,
              note=f"of {asked:,} statements"),
        Claim("of those that it answers, refused here", REFUSED_MAX, False, refused, "", is_about_answers=True),
        Claim("the same, on the list of differences", LISTED_MAX, False, listed, "", is_about_answers=True),
    ]  # fmt: skip


def key_points(points: Points) -> list[Claim]:
    """Judges an older build and this one, where both were measured: no dearer than the old one is than itself."""
    claims = []
    for point, result in points.points("builds"):
        name = f"{point['mix']}, {point['queries']:,} queries, {point['updates']:,} updates"
        ratios, itself = (
            tuple(above / below for above, below in zip(result[over], result["old_ms"], strict=True))
            for over in ("ms", "again_ms")
        )
        spread = statistics.quantiles(itself, n=4, method="inclusive")[2] if len(itself) > 1 else 1
        target = max(DEARER_MAX, round(spread, 3))
        claims.append(Claim(f"{name}: times the old build's cycle", target, False, ratios, "",
                            note=f"the old build's own cycles, in turn: up to {max(itself):.3f}"))  # fmt: skip
    return claims


def judge(runs: Iterable[Run]) -> list[Claim]:
    """All claims, in the order of the table."""
    points = Points(runs)
    few, many = (points.ratios(f"variants_{name}", "duck_ms", "ms") for name in ("few", "many"))
    seconds = tuple(took * SECONDS for result in points.of("residuals") for took in result["ms"])
    checks = points.checks()
    wrong = (float(sum(bad for _, bad in checks)),) if checks else ()
    return [
        *statements(points),
        Claim("TPC-H Q6, scale factor 1, alone, one core: times DuckDB's time on one thread", 1, False,
              points.ratios("q6", "ms", "duck_ms"), "memory"),
        Claim("TPC-H Q1, the same", 1.5, False, points.ratios("q1", "ms", "duck_ms"), "sums by group, row by row"),
        Claim("64 variants of Q6 at once: times faster than DuckDB one at a time", 15, True, few, "planning"),
        Claim("512 variants of Q6 at once: times faster than DuckDB one at a time", 60, True, many,
              "listing the rows of each variant"),
        Claim("512 variants of Q6 at once: times faster than DuckDB one at a time", 100, True, many,
              "listing the rows of each variant", is_stretch=True),
        Claim("sum(a * b) alone: times reading both columns", 1.8, False, points.ratios("product", "ms", "read_ms"),
              "memory"),
        Claim("512 any-query statements, a tenth with a residual: of the rate without", 0.7, True,
              points.ratios("beside", "without_ms", "ms"), "rows that a residual is computed for"),
        Claim("512 statements that are residuals over one column, 1 GB, one core: seconds", 2, False, seconds,
              "each statement's comparison of each row"),
        *key_points(points),
        Claim("answers that are not DuckDB's", 0, False, wrong, "", is_about_answers=True,
              note=f"of {sum(looked for looked, _ in checks)} looked at"),
    ]  # fmt: skip


def published(runs: Iterable[Run]) -> list[str]:
    """Figures without a target."""
    points = Points(runs)
    lines = []
    for part, name in (("q6", "Q6"), ("q1", "Q1"), ("product", "sum(a * b)"), ("variants_few", "64 variants"),
                       ("variants_many", "512 variants"), ("residuals", "512 residuals"),
                       ("residuals_without_kernel", "512 residuals without a kernel")):  # fmt: skip
        for result in points.of(part):
            took = sorted(result["ms"])[len(result["ms"]) // 2]
            lines.append(f"{name}: {took:.2f} ms a cycle")
    return lines
