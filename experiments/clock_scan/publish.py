"""Puts one run of the proof where readers look: points, pictures and the whole table beside this file, and a few
telling lines of the table, with the names of all claims that are not met, into experiments/README.md."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from experiments.harness.claims import Claim, figure, spread_text
from experiments.harness.readme import put_table

NAME = "clock_scan"  # of its tables in READMEs

# A newcomer asks first for the cost of many queries beside what one would use instead, where it falls short, and the
# cost of updates.
TELLING = (
    "booking, 16 queries: cycle / reading the key columns",
    "booking, 512 queries: times DuckDB one at a time",
    "booking, 512 queries: times classic",
    "any-0, 512 queries: times classic",
    "hard-2, 512 queries: times classic",
    "IN of 500, 64 at once: times DuckDB alone",
    "2,300 updates beside 1,024 booking queries: share of the throughput without",
    "50,000 updates a sweep over 3,145,728 rows: ms",
)


def telling_lines(verdict: dict[str, Any]) -> str:
    """The telling claims of proof.json as a table, and below it every claim that is not met, by name."""
    claims = {claim["claim"]: claim for claim in reversed(verdict["claims"]) if not claim["stretch"]}
    told = [line_of(claims[name]) for name in TELLING if name in claims]
    missed = [name for name, claim in reversed(claims.items()) if not claim["met"]]
    stretch = [claim for claim in verdict["claims"] if claim["stretch"]]
    lines = [
        f"{verdict['rows']:,} rows, {verdict['host']['cpu']}, {verdict['host']['cores']} cores, commit"
        f" {verdict['commit']}:",
        "",
        "| claim | target | measured | spread | |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {line} |" for line in told),
        "",
        f"{len(claims) - len(missed)} of {len(claims)} claims are met"
        + (f"; NOT MET: {'; '.join(missed)}" if missed else "")
        + f". Of {len(stretch)} goals beyond them, {sum(claim['met'] for claim in stretch)} are.",
    ]
    return "\n".join(lines) + "\n"


def line_of(claim: dict[str, Any]) -> str:
    """A claim of proof.json as the whole table shows it, without its bound."""
    spread = claim["spread"]
    text = Claim(claim["claim"], claim["target"], claim["comparison"] == "at_least", (), "").line()
    name, target, _ = text.split(" | ", 2)
    measured = "not measured" if claim["measured"] is None else figure(claim["measured"])
    between = spread_text(spread or (), claim.get("quartile"), claim.get("runs"))
    return f"{name} | {target} | {measured} | {between} | {'met' if claim['met'] else 'NOT MET'}"


def publish(output: Path, folder: Path, readme: Path) -> None:
    """Copies what a run left in `output` into the experiment's folder, and tells of it in `readme`."""
    put_table(folder / "README.md", NAME, (output / "proof.md").read_text())
    for path in [*output.glob("*.png"), output / "runs.jsonl", output / "proof.json"]:
        shutil.copy(path, folder / path.name)
    verdict = json.loads((output / "proof.json").read_text())
    put_table(readme, NAME, telling_lines(verdict))
