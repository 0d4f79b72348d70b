"""The proof of durable writes: measures every claim in one run, with what the disk gives by itself, and judges.

`make proof P=writes`; `experiments/proof/writes --quick` shows in a few minutes that it still works. Exit 1 when a
claim that is not a stretch is not met.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from experiments.harness import proof
from experiments.harness.context import Context
from experiments.harness.plan import read_plan, resolved
from experiments.harness.readme import put_table
from experiments.writes.claims import judge, published
from experiments.writes.parts import EVERY_RUN

FOLDER = Path(__file__).parent


def measure(context: Context, wanted: list[str] | None) -> None:
    """All parts, or those that are named."""
    chosen = [part for part in EVERY_RUN if wanted is None or part.__name__ in wanted]
    for run in range(context.plan.section("window")["runs"]):
        for part in chosen:
            proof.attempt(context, part.__name__, partial(part, context, run))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = proof.parser(__doc__, FOLDER.name, "few rows, one run: minutes instead of half an hour")
    parser.add_argument("--runs", type=int, help="interleaved runs, instead of the plan's")
    parser.add_argument("--publish", action="store_true", help="put the table into the experiment's README.md")
    return parser.parse_args()


def main() -> int:
    """Measures, judges, prints."""
    proof.end_as_on_ctrl_c()
    asked = arguments()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    plan.section("window")["runs"] = asked.runs or plan.section("window")["runs"]
    context = proof.begin(plan, asked.output)
    measure(context, asked.parts)
    claims, figures = judge(context.runs), published(context.runs)
    notes = [f"{claim.name}: {claim.note}" for claim in claims if claim.note and not claim.is_stretch]
    lines = [*proof.table(claims), "", *(f"- {line}" for line in (*figures, *notes))]
    proof.write_verdict(context, claims, asked.output, published=figures)
    proof.write_table(context, asked.output, f"{plan.section('data')['tickets']:,} tickets.", lines)
    if asked.publish:
        put_table(FOLDER / "README.md", FOLDER.name, (asked.output / "proof.md").read_text())
    return proof.report(context, claims, figures, is_quick=asked.quick)


if __name__ == "__main__":
    sys.exit(main())
