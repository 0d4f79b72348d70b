"""The proof of answers at one moment: measures every claim in one run, beside the build before and PostgreSQL 15.

`make proof P=moments`; `experiments/proof/moments --quick` shows in some minutes that it still works. The programs of
the build before are those in the folder DAEDALUS_BIN_BEFORE; without it, claims that compare with them are not met.
Exit 1 when a claim is not met.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.harness import proof
from experiments.harness.context import Context
from experiments.harness.plan import read_plan, resolved
from experiments.harness.readme import put_table
from experiments.moments.claims import judge, published
from experiments.moments.clusters import asleep, kept, twice
from experiments.moments.ends import booking, confirmation
from experiments.moments.engine import engine, share
from experiments.moments.large import bulk, whole_copy, whole_select
from experiments.moments.reports import beside_delete, beside_updates
from experiments.moments.world import LackingError

FOLDER = Path(__file__).parent

# They run in the order of what they decide: what the plan's minutes do not reach is not met.
PARTS: tuple[Callable[[Context], None], ...] = (
    engine, share, booking, confirmation, twice, kept, bulk, whole_select, whole_copy, beside_updates, beside_delete,
    asleep,
)  # fmt: skip


def measured(context: Context, part: Callable[[Context], None]) -> None:
    """Runs one part. What is lacking for it is a point and no failure: its claims are not met, and say why."""
    try:
        part(context)
    except LackingError as error:
        context.add({"part": "lacking", "of": part.__name__}, {"why": str(error)})
        context.say(f"lacking: {error}")


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = proof.parser(__doc__, FOLDER.name, "few rows, one run: minutes instead of half an hour")
    parser.add_argument("--publish", action="store_true", help="put the table into the experiment's README.md")
    return parser.parse_args()


def main() -> int:
    """Measures, judges, prints."""
    proof.end_as_on_ctrl_c()
    asked = arguments()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    seed = int(os.environ.get("DAEDALUS_SEED") or secrets.randbelow(1 << 31))
    context = proof.begin(plan, asked.output, seed)
    context.say(f"DAEDALUS_SEED={seed}")
    for part in PARTS:
        if asked.parts is None or part.__name__ in asked.parts:
            proof.attempt(context, part.__name__, partial(measured, context, part))
    claims, figures = judge(context.runs, plan.sections), published(context.runs)
    notes = [f"{claim.name}: {claim.note}" for claim in claims if claim.note]
    lines = [*proof.table(claims, has_bounds=True), "", *(f"- {line}" for line in (*figures, *notes))]
    proof.write_verdict(context, claims, asked.output, seed=seed, published=figures)
    proof.write_table(context, asked.output, f"{plan.section('engine')['rows']:,} rows in the engine.", lines)
    if asked.publish:
        put_table(FOLDER / "README.md", FOLDER.name, (asked.output / "proof.md").read_text())
    return proof.report(context, claims, figures, is_quick=asked.quick)


if __name__ == "__main__":
    sys.exit(main())
