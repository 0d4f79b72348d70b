"""The proof of the Clock Scan engine: measures every claim and its baselines in one run, judges, draws.

`make proof P=clock_scan`; `experiments/proof/clock_scan --quick` shows in seconds that it still works. Exit 1 when a
claim that is not a stretch is not met.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

from experiments.clock_scan.bench import Bench, BenchError
from experiments.clock_scan.claims import Claim, judge
from experiments.clock_scan.context import Context, OutOfTimeError, resolved
from experiments.clock_scan.duck import WrongAnswerError
from experiments.clock_scan.parts import GROUPS
from experiments.clock_scan.plot import draw
from experiments.clock_scan.publish import publish
from experiments.harness.plan import read_plan
from experiments.harness.record import ROOT, Records, commit, host

FOLDER = Path(__file__).parent
OUTPUT = ROOT / "build" / "experiments" / "clock_scan"

# What may go wrong with one part and leaves the others as they are.
FAILURES = (BenchError, OutOfTimeError, WrongAnswerError, ArithmeticError, LookupError, ValueError, OSError)

Part = Callable[[Context, Bench], None]


def run_group(context: Context, parts: tuple[Part, ...]) -> None:
    """Runs parts on one process; whatever fails is recorded, and the parts after it get a process of their own."""
    rows = context.plan.section("table")["rows"]
    left = list(parts)
    while left:
        with Bench(rows) as bench:
            while left:
                part = left.pop(0)
                context.say(f"{part.__name__} …")
                try:
                    context.check_time()
                    part(context, bench)
                except FAILURES as error:
                    context.add({"part": part.__name__}, None, f"{type(error).__name__}: {error}")
                    break


def write_verdict(context: Context, claims: list[Claim], path: Path) -> None:
    """The whole table for machines."""
    verdict = {
        "proof": "clock_scan",
        "commit": commit(),
        "config_hash": context.plan.config_hash,
        "host": host(),
        "seed": context.seed,
        "rows": context.plan.section("table")["rows"],
        "failures": [{**run.point, "failure": run.failure} for run in context.runs if run.failure],
        "claims": [claim.as_json() for claim in claims],
    }
    path.write_text(json.dumps(verdict, indent=1) + "\n")


def write_table(context: Context, claims: list[Claim], path: Path) -> None:
    """The table as the experiment's README shows it."""
    machine = host()
    lines = [
        f"Commit {commit()}, configuration {context.plan.config_hash}, seed {context.seed}, {machine['cpu']},"
        f" {machine['cores']} cores, {context.plan.section('table')['rows']:,} rows.",
        "",
        "| claim | target | measured | spread | | expected bound |",
        "| --- | --- | --- | --- | --- | --- |",
        *(f"| {claim.line()} | {claim.bound} |" for claim in claims),
        "",
        "![cycle over rows](cycle_over_rows.png)",
        "![cycle over queries](cycle_over_queries.png)",
    ]
    path.write_text("\n".join(lines) + "\n")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small tables, few cells: seconds instead of minutes")
    parser.add_argument("--rows", type=int, help="rows of the table, instead of the plan's")
    parser.add_argument("--minutes", type=int, help="the run's end, instead of the plan's")
    parser.add_argument("--parts", help="only these parts, by comma")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of raw points, verdict and pictures")
    parser.add_argument(
        "--publish", action="store_true", help="table, points and pictures into the tree, telling lines into its README"
    )
    return parser.parse_args()


def main() -> int:
    """Measures, judges, draws."""
    asked = arguments()
    seed = int(os.environ.get("DAEDALUS_SEED") or secrets.randbelow(1 << 31))
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick, rows=asked.rows, minutes=asked.minutes)
    asked.output.mkdir(parents=True, exist_ok=True)
    points = asked.output / "runs.jsonl"
    points.unlink(missing_ok=True)  # A proof is one run: points of another do not count.
    context = Context(plan, Records(points, plan.name, plan.config_hash), seed)
    context.say(f"commit {commit()}, configuration {plan.config_hash}, DAEDALUS_SEED={seed}, points in {points}")
    wanted = asked.parts.split(",") if asked.parts else None
    for group in GROUPS:
        run_group(context, tuple(part for part in group if wanted is None or part.__name__ in wanted))
    claims = judge(context.runs)
    write_verdict(context, claims, asked.output / "proof.json")
    write_table(context, claims, asked.output / "proof.md")
    print("\nclaim | target | measured | spread | met / NOT MET")
    for claim in claims:
        print(claim.line())
    if asked.quick:
        print("quick: such small figures prove nothing; only failures and wrong answers count")
    counted = [claim for claim in claims if claim.is_about_answers or not asked.quick]
    missed = [claim for claim in counted if not claim.is_met and not claim.is_stretch]
    for claim in missed:
        print(f"NOT MET: {claim.name}: expected bound: {claim.bound}{'; ' + claim.note if claim.note else ''}")
    failures = [run for run in context.runs if run.failure]
    for run in failures:
        print(f"failed: {run.point['part']}: {run.failure}")
    for picture in draw(context.runs, asked.output):
        context.say(f"picture: {picture}")
    if asked.publish:
        publish(asked.output, FOLDER, ROOT / "README.md")
    return 1 if missed or failures else 0


if __name__ == "__main__":
    sys.exit(main())
