"""The proof of clients of PostgreSQL: measures every claim and PostgreSQL itself in one run, and judges.

`make proof P=front_door`; `experiments/proof/front_door --quick` shows in a minute that it still works. Exit 1 when a
claim that is not a stretch is not met.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from experiments.end_to_end.postgres import description
from experiments.front_door.catalogue import catalogue
from experiments.front_door.claims import judge, published
from experiments.front_door.idle import idle
from experiments.front_door.loading import copy
from experiments.front_door.parts import EVERY_RUN
from experiments.front_door.recorded import recorded
from experiments.front_door.world import tickets_world
from experiments.harness import proof
from experiments.harness.context import Context
from experiments.harness.plan import read_plan, resolved
from experiments.harness.readme import put_table
from experiments.harness.record import ROOT

FOLDER = Path(__file__).parent


def measure(context: Context, wanted: list[str] | None) -> None:
    """All parts, or those that are named."""
    chosen = [
        part for part in (recorded, *EVERY_RUN, idle, catalogue, copy) if wanted is None or part.__name__ in wanted
    ]
    with tickets_world(context.plan) as world:
        for run in range(context.plan.section("window")["runs"]):
            for part in chosen:
                proof.attempt(context, part.__name__, partial(part, context, world, run))


def main() -> int:
    """Measures, judges, prints."""
    parser = proof.parser(__doc__, FOLDER.name, "few tickets, one run: a minute")
    parser.add_argument("--publish", action="store_true", help="put the table into the experiment's README.md")
    asked = parser.parse_args()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    subprocess.run([ROOT / "tools" / "install_packages.sh", "profile", "peers"], check=True)
    context = proof.begin(plan, asked.output)
    context.say(description())
    proof.attempt(context, "tickets", partial(measure, context, asked.parts))
    claims, figures = judge(context.runs), published(context.runs)
    tickets = plan.section("data")["tickets"]
    proof.write_verdict(context, claims, asked.output, peers=description(), published=figures)
    lines = [*proof.table(claims, has_bounds=True), "", *(f"- {line}" for line in figures)]
    proof.write_table(context, asked.output, f"{tickets:,} tickets. {description()}.", lines)
    if asked.publish:
        put_table(FOLDER / "README.md", FOLDER.name, (asked.output / "proof.md").read_text())
    return proof.report(context, claims, figures, is_quick=asked.quick)


if __name__ == "__main__":
    sys.exit(main())
