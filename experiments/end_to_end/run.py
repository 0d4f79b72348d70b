"""The proof of the way in and out: measures every claim and its peers in one run, and judges.

`make proof P=end_to_end`; `experiments/proof/end_to_end --quick` shows in a few minutes that it still works. Exit 1
when a claim that is not a stretch is not met.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

from experiments.end_to_end.alone import ALONE
from experiments.end_to_end.claims import judge, published
from experiments.end_to_end.parts import EVERY_RUN
from experiments.end_to_end.postgres import description
from experiments.end_to_end.world import tickets_world
from experiments.harness import proof
from experiments.harness.context import Context
from experiments.harness.plan import read_plan, resolved
from experiments.harness.record import ROOT

FOLDER = Path(__file__).parent


def measure(context: Context, wanted: list[str] | None) -> None:
    """All parts, or those that are named."""
    chosen = [part for part in EVERY_RUN if wanted is None or part.__name__ in wanted]
    if chosen:

        def every_run() -> None:
            with tickets_world(context.plan) as world:
                for run in range(context.plan.section("window")["runs"]):
                    for part in chosen:
                        proof.attempt(context, part.__name__, partial(part, context, world, run))

        proof.attempt(context, "tickets", every_run)
    for alone in ALONE:
        if wanted is None or alone.__name__ in wanted:
            proof.attempt(context, alone.__name__, partial(alone, context))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = proof.parser(__doc__, FOLDER.name, "few tickets, one run: minutes instead of half an hour")
    parser.add_argument("--runs", type=int, help="interleaved runs, instead of the plan's")
    parser.add_argument("--tickets", type=int, help="tickets, instead of the plan's")
    return parser.parse_args()


def main() -> int:
    """Measures, judges, prints."""
    asked = arguments()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    plan.section("window")["runs"] = asked.runs or plan.section("window")["runs"]
    plan.section("data")["tickets"] = asked.tickets or plan.section("data")["tickets"]
    subprocess.run([ROOT / "tools" / "install_packages.sh", "profile", "peers"], check=True)
    context = proof.begin(plan, asked.output)
    context.say(description())
    measure(context, asked.parts)
    claims = judge(context.runs)
    figures = published(context.runs)
    notes = [f"{claim.name}: {claim.note}" for claim in claims if claim.note and not claim.is_stretch]
    lines = [*proof.table(claims), "", *(f"- {line}" for line in (*figures, *notes))]
    tickets = plan.section("data")["tickets"]
    proof.write_verdict(context, claims, asked.output, peers=description(), published=figures)
    proof.write_table(context, asked.output, f"{tickets:,} tickets. {description()}.", lines)
    return proof.report(context, claims, figures, is_quick=asked.quick)


if __name__ == "__main__":
    sys.exit(main())
