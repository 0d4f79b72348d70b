"""The plan of the engine's proof in the size that was asked for."""

from __future__ import annotations

from experiments.harness import plan as harness_plan
from experiments.harness.plan import Plan


def resolved(plan: Plan, *, is_quick: bool, rows: int | None, minutes: int | None = None) -> Plan:
    """The plan with its quick values in place, or without them, and other table rows and minutes if asked for."""
    sections = harness_plan.resolved(plan, is_quick=is_quick).sections
    if rows is not None:
        sections["table"]["rows"] = rows
    if minutes is not None:
        sections["limits"]["minutes"] = minutes
    return Plan(plan.name, sections)
