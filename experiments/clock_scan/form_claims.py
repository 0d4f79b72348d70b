"""Judges the queries that a user fears, and makes the table of all that was measured of them. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from typing import Any

from experiments.harness.claims import Claim, Points, figure
from experiments.harness.record import Run

# In a batch of 64 a query costs at most a fifth of what DuckDB takes for one alone.
IN_A_BATCH = ("list-100", "list-500", "floats-10", "ranges-10", "sums")
GROUPS = ("groups", "groups-where")
# A whole cycle of 512 on 1 GB: so much, and what its rows cost to be written.
PROJECTED_MS = 2_000
PROJECTED_STRETCH_MS = 500
MS_PER_ROW = 0.0003
ROWS_OF_A_GIGABYTE = 3_145_728

FORMS = {
    "list-10": "IN of 10",
    "list-100": "IN of 100",
    "list-500": "IN of 500",
    "floats-10": "IN of 10 floats, counted",
    "codes-100": "IN of 100 of 5,000 codes, counted",
    "ranges-10": "ranges of 10 % in three columns",
    "or": "a = x OR b = y",
    "or-and": "(a = v AND b = w) OR (c = x AND d = y)",
    "pairs-1000": "(a, b) IN of 1,000 pairs",
    "sums": "sum, count WHERE days, 30 %",
    "recent-1": "sum, count of the newest rows, up to 1 %",
    "flags": "sum, count WHERE two of four values each",
    "whole": "all columns of 32 rows",
    "random-rows": "random conditions, few rows",
    "random-counts": "random conditions, counted",
    "nested-60": "60 comparisons nested at random, counted",
    "nested-1000": "1,000 comparisons nested at random, counted",
    "narrow": "one of many values, all columns",
    "groups": "GROUP BY, 200,000 groups",
    "groups-where": "GROUP BY WHERE days, 30 %, 200,000 groups",
}
TABLES = {"ticket": "", "narrow": " of 5", "wide": " of 200"}
BOUNDS = {
    "random-counts": "rows that a wide disjunction lets through are tested one by one",
    "random-rows": "the few conditions that no key and no bitmap narrows",
    "pairs-1000": "cache misses of candidates",
    "groups": "cache misses of the table of groups",
    "groups-where": "cache misses of the table of groups",
}


def of_form(points: Points, form: str, queries: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Points of one cell of forms, on whichever table."""
    return [
        (point, result)
        for point, result in points.points("forms")
        if point["form"] == form and point["queries"] == queries
    ]


def times_duck(points: Points, form: str, queries: int, target: float) -> Claim:
    """How many times longer DuckDB takes for a query alone than the engine for one of so many."""
    ratios = tuple(
        theirs / (ours / queries)
        for _, result in of_form(points, form, queries)
        for ours, theirs in zip(result["engine_ms"], result["duck_ms"], strict=True)
    )
    name = f"{FORMS[form]}, {'alone' if queries == 1 else f'{queries} at once'}: times DuckDB alone"
    return Claim(name, target, True, ratios, BOUNDS.get(form, "cache misses of candidates"))


def milliseconds_a_query(points: Points, form: str, target: float) -> Claim:
    """512 at once, on a million rows."""
    times = tuple(time / 512 for _, result in of_form(points, form, 512) for time in result["engine_ms"])
    return Claim(f"{FORMS[form]}, 512 at once: ms a query", target, False, times, BOUNDS.get(form, "candidates"))


def projected_ms(point: dict[str, Any], result: dict[str, Any], gigabyte: float) -> list[float]:
    """Each run's milliseconds for a gigabyte of rows, as if a cycle grew in proportion to the rows."""
    factor = gigabyte / (point["rows"] * result["row_size"])
    return [time * factor for time in result["engine_ms"]]


def projection(name: str, times: list[float], rows_out: list[float], bound: str) -> list[Claim]:
    """Compares the time that a cycle of 512 takes on a gigabyte with the time that it may take."""
    claims = []
    for most, is_stretch in ((PROJECTED_MS, False), (PROJECTED_STRETCH_MS, True)):
        ratios = tuple(time / (most + MS_PER_ROW * rows) for time, rows in zip(times, rows_out, strict=True))
        text = f"{name}, 512 at once on 1 GB: time / ({most / 1000:g} s + 0.3 µs a row)"
        claims.append(Claim(text, 1, False, ratios, bound, is_stretch=is_stretch))
    return claims


def projections(points: Points) -> list[Claim]:
    """Every form that was asked 512 at once, whatever its table."""
    size = next(iter(points.of("size")), {"row_size": 0})
    gigabyte = ROWS_OF_A_GIGABYTE * size["row_size"]
    claims = []
    for point, result in points.points("forms"):
        if point["queries"] == 512:
            factor = gigabyte / (point["rows"] * result["row_size"])
            name = FORMS[point["form"]] + TABLES[point["table"]]
            times = projected_ms(point, result, gigabyte)
            rows_out = [rows * factor for rows in result["rows"]]
            claims += projection(name, times, rows_out, BOUNDS.get(point["form"], "candidates and rows put out"))
    for result in points.of("skewed", queries=512):
        rows = [float(result["rows"])] * len(result["engine_ms"])
        claims += projection("booking on skewed values", result["engine_ms"], rows, "writing the rows that go out")
    return claims


def form_claims(points: Points) -> list[Claim]:
    """All that is claimed of forms."""
    return [
        *(times_duck(points, form, 64, 5) for form in IN_A_BATCH),
        milliseconds_a_query(points, "or", 0.5),
        milliseconds_a_query(points, "pairs-1000", 2),
        *(times_duck(points, form, 1, 1) for form in GROUPS),
        *(times_duck(points, form, 8, 2) for form in GROUPS),
        times_duck(points, "sums", 200, 10),
        *projections(points),
    ]


def form_table(runs: Iterable[Run]) -> list[str]:
    """Every cell of forms as a line: medians."""
    points = Points(runs)
    size = next(iter(points.of("size")), None)
    lines = [
        "| form | columns | at once | ms a query | DuckDB alone, ms | times | n | rows out | on 1 GB, ms |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for point, result in points.points("forms"):
        ours = statistics.median(result["engine_ms"]) / point["queries"]
        theirs = statistics.median(result["duck_ms"])
        gigabyte = ROWS_OF_A_GIGABYTE * size["row_size"] if size else 0
        whole = figure(statistics.median(projected_ms(point, result, gigabyte))) if size else "-"
        columns = {"ticket": 47, "narrow": 5, "wide": 200}[point["table"]]
        lines.append(
            f"| {FORMS[point['form']]} | {columns} | {point['queries']} | {figure(ours)} | {figure(theirs)} |"
            f" {figure(theirs / ours)} | {len(result['engine_ms'])} | {statistics.median(result['rows']):,.0f} |"
            f" {whole} |"
        )
    return lines if len(lines) > 2 else []
