"""The proof of SQL over one table: measures every claim in one run, beside DuckDB and PostgreSQL, and judges.

`make proof P=sql`; `experiments/proof/sql --quick` shows in a minute that it still works. Exit 1 when a claim that is
not a stretch is not met.
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
from experiments.sql.builds import builds
from experiments.sql.claims import judge, published
from experiments.sql.parts import EVERY_PART, Part, statements
from experiments.sql.world import Duck, lineitem_csv, running_cycles

FOLDER = Path(__file__).parent


def measure(context: Context, wanted: list[str] | None) -> None:
    """All parts, or those that are named."""
    if wanted is None or "statements" in wanted:
        proof.attempt(context, "statements", partial(statements, context))
    chosen = [part for part in EVERY_PART if wanted is None or part.__name__ in wanted]
    if chosen:
        proof.attempt(context, "lineitem", partial(over_lineitem, context, chosen))


def over_lineitem(context: Context, chosen: list[Part]) -> None:
    """Parts that want rows."""
    rows = context.plan.section("data")["rows"]
    csv = lineitem_csv(rows)
    duck = Duck(csv)
    try:
        with running_cycles(csv, rows) as cycles:
            for part in chosen:
                proof.attempt(context, part.__name__, partial(part, context, cycles, duck))
    finally:
        duck.close()


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = proof.parser(__doc__, FOLDER.name, "few rows, few statements: a minute instead of ten")
    parser.add_argument("--publish", action="store_true", help="put the table into the experiment's README.md")
    parser.add_argument(
        "--old", type=Path, help="engine_mix_bench of an older build, for the key points of both in turn"
    )
    return parser.parse_args()


def main() -> int:
    """Measures, judges, prints."""
    asked = arguments()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    context = proof.begin(plan, asked.output)
    measure(context, asked.parts)
    if asked.old is not None:
        proof.attempt(context, "builds", partial(builds, context, asked.old))
    claims, figures = judge(context.runs), published(context.runs)
    proof.write_verdict(context, claims, asked.output, published=figures)
    lines = [*proof.table(claims, has_bounds=True), "", *(f"- {line}" for line in figures)]
    proof.write_table(context, asked.output, f"{plan.section('data')['rows']:,} rows of lineitem.", lines)
    if asked.publish:
        put_table(FOLDER / "README.md", FOLDER.name, (asked.output / "proof.md").read_text())
    return proof.report(context, claims, figures, is_quick=asked.quick)


if __name__ == "__main__":
    sys.exit(main())
