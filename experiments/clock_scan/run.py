"""The proof of the Clock Scan engine: measures every claim and its baselines in one run, judges, draws.

`make proof P=clock_scan`; `experiments/proof/clock_scan --quick` shows in seconds that it still works. Exit 1 when a
claim that is not a stretch is not met.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.clock_scan import parts
from experiments.clock_scan.ablation import ablation, ablation_table
from experiments.clock_scan.bench import Bench
from experiments.clock_scan.claims import judge, published
from experiments.clock_scan.context import resolved
from experiments.clock_scan.form_claims import form_table
from experiments.clock_scan.forms import forms, planner_on_forms
from experiments.clock_scan.plot import draw
from experiments.clock_scan.publish import publish
from experiments.harness import proof
from experiments.harness.context import Context
from experiments.harness.plan import read_plan
from experiments.harness.record import ROOT

FOLDER = Path(__file__).parent

Part = Callable[[Context, Bench], None]

# Parts that share a process, and with it its tables. One that fails is recorded; the next starts a process of its own.
GROUPS: tuple[tuple[Part, ...], ...] = (
    (parts.baselines, parts.duck, parts.rivals, parts.many_hard_queries, parts.updates_beside, parts.updates_alone),
    (parts.skewed,),
    (forms,),
    (parts.planner,),
    (parts.planner_at_full_size, planner_on_forms),
    (ablation,),
    (parts.sizes,),
    (parts.segments,),
    (parts.steady,),
    (parts.grid,),  # Takes longest and decides least.
)


def install_rivals() -> None:
    """PostgreSQL, and ClickHouse as a Python package, which is large."""
    subprocess.run([ROOT / "tools" / "install_packages.sh", "peers"], check=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "-r", str(ROOT / "requirements-peers.txt")]
    subprocess.run(pip, check=True)


def run_group(context: Context, group: tuple[Part, ...]) -> None:
    """Runs parts on one process; whatever fails is recorded, and the parts after it get a process of their own."""
    rows = context.plan.section("table")["rows"]
    left = list(group)
    while left:
        with Bench(rows) as bench:
            while left:
                part = left.pop(0)
                if not proof.attempt(context, part.__name__, partial(part, context, bench)):
                    break


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = proof.parser(__doc__, FOLDER.name, "small tables, few cells: seconds instead of minutes")
    parser.add_argument("--rows", type=int, help="rows of the table, instead of the plan's")
    parser.add_argument("--minutes", type=int, help="the run's end, instead of the plan's")
    parser.add_argument(
        "--publish",
        action="store_true",
        help="table, points and pictures into the tree, telling lines into experiments/README.md",
    )
    return parser.parse_args()


def main() -> int:
    """Measures, judges, draws."""
    asked = arguments()
    seed = int(os.environ.get("DAEDALUS_SEED") or secrets.randbelow(1 << 31))
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick, rows=asked.rows, minutes=asked.minutes)
    if not asked.quick and (asked.parts is None or "rivals" in asked.parts):
        install_rivals()
    context = proof.begin(plan, asked.output, seed)
    context.say(f"DAEDALUS_SEED={seed}")
    for group in GROUPS:
        run_group(context, tuple(part for part in group if asked.parts is None or part.__name__ in asked.parts))
    claims = judge(context.runs)
    rows = plan.section("table")["rows"]
    pictures = [f"![cycle over {what}](cycle_over_{what}.png)" for what in ("rows", "queries")]
    figures = published(context.runs)
    tables = [line for table in (form_table, ablation_table) for line in ("", *table(context.runs))]
    lines = [*proof.table(claims, has_bounds=True), "", *(f"- {line}" for line in figures), *tables, "", *pictures]
    proof.write_verdict(context, claims, asked.output, seed=seed, rows=rows)
    proof.write_table(context, asked.output, f"{rows:,} rows, seed {seed}.", lines)
    exit_code = proof.report(context, claims, figures, is_quick=asked.quick)
    for picture in draw(context.runs, asked.output):
        context.say(f"picture: {picture}")
    if asked.publish:
        publish(asked.output, FOLDER, FOLDER.parent / "README.md")
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
