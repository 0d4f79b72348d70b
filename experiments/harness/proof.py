"""The frame of a proof: one run of all its parts into one file of points, a verdict for machines, a table for readers,
an exit code. Which parts there are and what is claimed is the proof's own business."""

from __future__ import annotations

import argparse
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from experiments.harness.claims import Claim
from experiments.harness.context import Context
from experiments.harness.plan import Plan
from experiments.harness.record import ROOT, Records, commit, host


def parser(description: str | None, name: str, quick: str) -> argparse.ArgumentParser:
    """The options that every proof has; `quick` says what --quick makes of it."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    output = ROOT / "build" / "experiments" / name
    made.add_argument("--quick", action="store_true", help=quick)
    made.add_argument("--parts", type=lambda parts: parts.split(","), help="only these parts, by comma")
    made.add_argument("--output", type=Path, default=output, help="folder of raw points, verdict and pictures")
    return made


def end_as_on_ctrl_c() -> None:
    """Has SIGTERM end the run as Ctrl-C does: what it started is ended first, and no further part begins."""
    signal.signal(signal.SIGTERM, _give_up)


def _give_up(_sign: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def begin(plan: Plan, output: Path, seed: int = 0) -> Context:
    """A run of its own in `output`: points of another do not count."""
    output.mkdir(parents=True, exist_ok=True)
    points = output / "runs.jsonl"
    points.unlink(missing_ok=True)
    context = Context(plan, Records(points, plan.name, plan.config_hash), seed)
    context.say(f"commit {commit()}, configuration {plan.config_hash}, load average {os.getloadavg()[0]:.1f}")
    context.say(f"points in {points}")
    return context


def attempt(context: Context, name: str, part: Callable[[], None]) -> bool:
    """Runs one part, false when it failed: that is recorded, voids its point, and leaves the others as they are."""
    context.say(f"{name} …")
    try:
        context.check_time()
        part()
    except (Exception, SystemExit) as error:  # Whom we compare with has errors of its own.
        context.add({"part": name}, None, f"{type(error).__name__}: {error}")
        return False
    return True


def write_verdict(context: Context, claims: list[Claim], output: Path, **more: Any) -> None:
    """OUTPUT/proof.json: the whole table for machines, and what the proof wants to say `more`."""
    verdict = {
        "proof": context.plan.name,
        "commit": commit(),
        "config_hash": context.plan.config_hash,
        "host": host(),
        "load_average": os.getloadavg()[0],
        **more,
        "failures": [{**run.point, "failure": run.failure} for run in context.runs if run.failure],
        "claims": [claim.as_json() for claim in claims],
    }
    (output / "proof.json").write_text(json.dumps(verdict, indent=1) + "\n")


def table(claims: list[Claim], *, has_bounds: bool = False) -> list[str]:
    """The claims in the lines of a table; with a column of what we expect to bound them if asked for."""
    bounds = [f" {claim.bound} |" if has_bounds else "" for claim in claims]
    return [
        "| claim | target | measured | spread | |" + (" expected bound |" if has_bounds else ""),
        "| --- | --- | --- | --- | --- |" + (" --- |" if has_bounds else ""),
        *(f"| {claim.line()} |{bound}" for claim, bound in zip(claims, bounds, strict=True)),
    ]


def write_table(context: Context, output: Path, of_what: str, lines: list[str]) -> None:
    """OUTPUT/proof.md, as the experiment's README shows it: on which machine and `of_what`, then the lines."""
    machine = host()
    head = f"Commit {commit()}, configuration {context.plan.config_hash}, {machine['cpu']}, {machine['cores']} cores,"
    (output / "proof.md").write_text("\n".join([f"{head} {of_what}", "", *lines]) + "\n")


def report(context: Context, claims: list[Claim], figures: list[str], *, is_quick: bool) -> int:
    """The table on standard output, with `figures` that have no target; the exit code. Of a quick run only failures and
    claims about answers count."""
    print("\nclaim | target | measured | spread | met / NOT MET")
    for claim in claims:
        print(claim.line())
        if claim.note and not claim.is_stretch:
            print(f"    {claim.note}")
    if figures:
        print("\npublished, without a target:")
    for figure in figures:
        print(f"    {figure}")
    if is_quick:
        print("quick: such small figures prove nothing; only failures and wrong answers count")
    counted = [claim for claim in claims if claim.is_about_answers or not is_quick]
    missed = [claim for claim in counted if not claim.is_met and not claim.is_stretch]
    for claim in missed:
        print(f"{claim.verdict}: {claim.name}" + (f": expected bound: {claim.bound}" if claim.bound else ""))
    failures = [run for run in context.runs if run.failure]
    for run in failures:
        print(f"failed: {run.point['part']}: {run.failure}")
    return 1 if missed or failures else 0
