"""The claims of answers at one moment: what each must reach, and what the measured points say. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from experiments.harness.claims import Claim, Points
from experiments.harness.record import Run

PREFIX = "the benchmark's queries are at their cycle's prefix, not at a moment before its updates"
SHORT = 0.95  # of the updates that were wanted


def why(points: Points, *parts: str) -> str:
    """Says what is lacking for these parts, where they were tried."""
    return "; ".join(dict.fromkeys(result["why"] for part in parts for result in points.of("lacking", of=part)))


def is_in_time(reached: float, wanted: float) -> bool:
    """Returns whether what ran beside updates had them: the rest of them was confirmed too late."""
    return reached >= SHORT * wanted


def quotients(above: Iterable[float], below: Iterable[float]) -> tuple[float, ...]:
    """Pair by pair."""
    return tuple(over / under for over, under in zip(above, below, strict=True))


def apart(pairs: Iterable[float], equal: float = 1.0) -> tuple[float, ...]:
    """How far equal things lay apart in each pair."""
    return tuple(abs(pair - equal) for pair in pairs)


def engine_claim(points: Points, name: str, target: float, load: dict[str, Any], *, with_updates: bool) -> Claim:
    """One load in this build over the one before; beside updates it counts only where queries had a moment."""
    ratios: tuple[float, ...] = ()
    noise: tuple[float, ...] = ()
    note = why(points, "engine")
    for point, result in points.points("engine"):
        if all(point[key] == value for key, value in load.items()) and bool(point["updates"]) == with_updates:
            noise = apart(quotients(result["again_ms"], result["before_ms"]))
            ratios = quotients(result["ms"], result["before_ms"])
            note = f"{point['updates']:,} updates a cycle" if with_updates else ""
            if with_updates and load["queries"] and not result["at_moments"]:
                ratios, noise, note = (), (), PREFIX
    return Claim(name, target, False, ratios, "", noise=noise, noise_max=target - 1, note=note)


def engine(points: Points, plan: dict[str, Any]) -> list[Claim]:
    """Judges the engine by itself."""
    queries, many = plan["queries"], plan["many_updates"]
    claims = []
    for with_updates, beside, target in ((False, "nothing changing", 1.03), (True, "10,000 updates/s", 1.10)):
        for mix in plan["mixes"]:
            name = f"{mix}, {queries:,} queries, {beside}: times the build before"
            found = {"mix": mix, "queries": queries, "of": "queries"}
            claims.append(engine_claim(points, name, target, found, with_updates=with_updates))
    for asked, beside, target in ((0, "alone", 1.15), (queries, f"beside {queries:,} booking queries", 1.5)):
        name = f"{many:,} updates a sweep over {plan['rows']:,} rows, {beside}: times the build before"
        found = {"mix": "booking", "queries": asked, "of": "updates"}
        claims.append(engine_claim(points, name, target, found, with_updates=True))
    kept = [result for result in points.of("share") if result["at_moments"]]
    shares = tuple(share for each in kept for share in quotients(each["without_updates_ms"], each["engine_ms"]))
    name = f"{plan['few_updates']:,} updates beside {plan['many_queries']:,} booking queries: share of the throughput"
    claims.append(Claim(name, 0.5, True, shares, "updates meet each chunk", note=why(points, "share")))
    return claims


def in_turn(points: Points, part: str, key: str) -> dict[str, tuple[float, ...]]:
    """One figure of all complete runs by build."""
    builds = ("before", "now", "again")
    found = {build: {point["run"]: float(result[key]) for point, result in points.points(part)
                     if point["build"] == build} for build in builds}  # fmt: skip
    runs = sorted(set.intersection(*(set(of) for of in found.values())))
    return {build: tuple(found[build][run] for run in runs) for build in builds}


def ends(points: Points) -> list[Claim]:
    """Judges both ends: queries at their peak, and confirmations."""
    peak = in_turn(points, "booking", "answered_per_second")
    p50 = in_turn(points, "confirmation", "p50_ms")
    later, itself = (
        tuple(mine - theirs for mine, theirs in zip(p50[build], p50["before"], strict=True))
        for build in ("now", "again")
    )
    return [
        Claim(
            "end to end, booking, peak: times the build before", 0.97, True, quotients(peak["now"], peak["before"]),
            "", noise=apart(quotients(peak["again"], peak["before"])), noise_max=0.03, note=why(points, "booking"),
        ),
        Claim(
            "confirmation of an update, p50: ms beyond the build before", 0.2, False, later, "one more turn",
            noise=apart(itself, 0.0), noise_max=0.2, note=why(points, "confirmation"),
        ),
    ]  # fmt: skip


def bulk(points: Points) -> list[Claim]:
    """Judges what a large update does to queries beside it."""
    claims = []
    for name in ("UPDATE", "DELETE"):
        found, what = points.of("bulk", of=name), f"{name} of a third of all tickets beside booking queries"
        note = "; ".join(f"{result['changed']:,} rows in {result['took_ms']:.0f} ms" for result in found)
        failed = "; ".join(result["last_failure"] for result in found if result["errors"])
        lacking = why(points, "bulk")
        refused = tuple(float(result["errors"]) for result in found)
        cycles = tuple(result["p99_ms"] / result["cycle_ms"] for result in found)
        claims += [
            Claim(f"{what}: queries that fail", 0, False, refused, "", note=failed or lacking),
            Claim(
                f"{what}: p99 in the worst second, in cycles", 3, False, cycles, "", note=note or lacking,
            ),
        ]  # fmt: skip
    return claims


def marks(points: Points, plan: dict[str, Any]) -> list[Claim]:
    """Judges how often a query is asked again."""
    claims = []
    for rate in plan["update_rates"]:
        shares, notes = [], [why(points, "twice")]
        for result in points.of("twice", rate=rate):
            reached = result["updates_per_second"]
            notes.append(f"{reached:,.0f} updates/s were confirmed")
            if is_in_time(reached, rate):
                shares.append(result["again"] / max(result["queries"], 1))
        name = f"queries asked twice for a mark at {rate:,} updates/s: of all"
        claims.append(Claim(name, 0.05, False, tuple(shares), "", note="; ".join(filter(None, notes))))
    return claims


def window(points: Points, kept: dict[str, Any], asleep: dict[str, Any]) -> list[Claim]:
    """Judges the memory of windows, and what a reader that sleeps does to others."""
    wanted, found = kept["update_rate"] * kept["seconds"], points.of("kept")
    sizes = tuple(result["mib"] for result in found if is_in_time(result["updates"], wanted))
    came = "; ".join(f"{result['updates']:,} updates came, which took {result['mib']:.2f} MiB" for result in found)
    awake, asleep_runs = (
        {point["run"]: result for point, result in points.points(part)} for part in ("awake", "asleep")
    )
    sleeping = {
        run: result for run, result in asleep_runs.items()
        if all(is_in_time(of["updates_per_second"], asleep["update_rate"]) for of in (result, awake[run]))
    }  # fmt: skip
    p99 = tuple(sleeping[run]["p99_ms"] / awake[run]["p99_ms"] for run in sorted(sleeping))
    most = tuple(result["window_mib"] for result in sleeping.values())
    note = why(points, "asleep") or "; ".join(
        f"{result['updates_per_second']:,.0f} updates/s, {result['p99_ms'] / awake[run]['p99_ms']:.2f} times the p99, "
        f"{result['window_mib']:.1f} MiB, its own answer {'ended' if result['lost'] else 'went on'}"
        for run, result in asleep_runs.items()
    )
    return [
        Claim(
            f"window, {kept['update_rate']:,} updates/s of 2 columns, {kept['seconds']} s: MiB a node", 32, False,
            sizes, "", note=came or why(points, "kept"),
        ),
        Claim(
            f"a reader asleep for {asleep['seconds']} s beside {asleep['update_rate']:,} updates/s: others' p99, times "
            "without", 1.1, False, p99, "", note=note,
        ),
        Claim("the same: MiB of windows", asleep["window_mib"], False, most, "the setting", note=note),
    ]  # fmt: skip


def large(points: Points) -> list[Claim]:
    """Judges the whole table as one answer, beside PostgreSQL's, and that it is the same."""
    claims, wrong = [], []
    names = (("select", "SELECT * of all tickets through psql to a file", 1.0), ("copy", "COPY TO of the same", 1.5))
    for kind, name, target in names:
        found = points.of("whole", kind=kind)
        ratios = tuple(result["s"] / result["postgres_s"] for result in found)
        wrong += [float(result["wrong"]) for result in found]
        bound = "text of each value"
        claims.append(
            Claim(f"{name}: times PostgreSQL 15", target, False, ratios, bound, note=why(points, f"whole_{kind}"))
        )
    if wrong:
        claims.append(
            Claim("whole tables that are not PostgreSQL's", 0, False, (sum(wrong),), "", is_about_answers=True)
        )
    return claims


def steady(points: Points) -> Claim:
    """Judges reports beside a bulk delete."""
    variations = tuple(result["variation"] for result in points.of("beside_delete", build="now"))
    name = "reports beside a DELETE of a third: coefficient of variation of their number a second"
    note = "" if variations else why(points, "beside_delete")
    return Claim(name, 0.1, False, variations, "the update's own cycle", note=note)


def judge(runs: Iterable[Run], plan: dict[str, dict[str, Any]]) -> list[Claim]:
    """All claims, in the order of the table; what was not measured is not met."""
    points = Points(runs)
    return [
        *engine(points, plan["engine"]), *bulk(points), *marks(points, plan["asked_twice"]),
        *window(points, plan["kept"], plan["asleep"]), *ends(points), *large(points), steady(points),
    ]  # fmt: skip


def published(runs: Iterable[Run]) -> list[str]:
    """Figures without a target."""
    points, lines = Points(runs), []
    for build in ("now", "before"):
        who = "this build" if build == "now" else "the build before"
        for result in points.of("beside_updates", build=build):
            times = result["report_beside_ms"] / result["report_ms"]
            share = result["updates_beside_per_second"] / result["updates_per_second"]
            lines += [
                f"{who}: a report takes {result['report_ms']:.1f} ms alone, {times:.2f} times as long beside "
                f"{result['beside_per_second']:,.0f} updates/s",
                f"{who}: {result['updates_per_second']:,.0f} updates/s alone, {share:.2f} of them beside reports",
            ]
        for result in points.of("beside_delete", build=build):
            lines.append(
                f"{who}: reports a second beside the DELETE: {', '.join(map(str, result['reports']))}; the slowest "
                f"took {result['slowest_ms']:.0f} ms, the DELETE {result['delete_ms']:.0f} ms"
            )
    return lines
