"""A plan: everything that decides what an experiment measures, from one TOML file."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Plan:
    """The sections of a plan file, and a hash that joins measured points across files."""

    name: str
    sections: dict[str, dict[str, Any]]

    @property
    def config_hash(self) -> str:
        """Returns a hash that is the same for the same values, however the file is laid out."""
        canonical = json.dumps({"name": self.name, **self.sections}, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    def section(self, name: str) -> dict[str, Any]:
        """One section. Error: ValueError that names it."""
        if name not in self.sections:
            raise ValueError(f"the plan of {self.name} has no section [{name}]")
        return self.sections[name]


def resolved(plan: Plan, *, is_quick: bool) -> Plan:
    """The plan with the values of each section's `quick` in place of its own, or without them."""
    sections = {}
    for name, values in plan.sections.items():
        quick = values.get("quick", {}) if is_quick else {}
        sections[name] = {**{key: value for key, value in values.items() if key != "quick"}, **quick}
    return Plan(plan.name, sections)


def read_plan(folder: Path) -> Plan:
    """Reads FOLDER/plan.toml. Errors: FileNotFoundError, tomllib.TOMLDecodeError."""
    with (folder / "plan.toml").open("rb") as file:
        return Plan(folder.name, tomllib.load(file))
