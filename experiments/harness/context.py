"""Gives every part of a proof the plan, fresh seeds, and a place for what it measures."""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

from experiments.harness.plan import Plan
from experiments.harness.record import Records, Run


class OutOfTimeError(Exception):
    """The plan's minutes are over: what was not measured counts as not met."""


@dataclass(slots=True)
class Context:
    """Measured points go to `records` and stay in `runs` for the judge."""

    plan: Plan
    records: Records
    seed: int
    runs: list[Run] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def fresh_seed(self) -> int:
        """For queries that nothing was tuned on; follows from the run's seed."""
        return self._random.randrange(1 << 40)

    def add(self, point: dict[str, Any], result: dict[str, Any] | None, failure: str | None = None) -> None:
        """Keeps one measured point and shows it."""
        self.runs.append(self.records.append(point, result, failure))
        self.say(" ".join(f"{key}={value}" for key, value in point.items()) + ": " + (failure or brief(result or {})))

    def check_time(self) -> None:
        """Before anything that takes long. Error: OutOfTimeError."""
        limit_s = self.plan.section("limits")["minutes"] * 60
        if time.monotonic() - self.started > limit_s:
            raise OutOfTimeError(f"{limit_s} s are over")

    def say(self, text: str) -> None:
        """One line of progress."""
        print(f"[{time.monotonic() - self.started:6.0f} s] {text}", flush=True)


def brief(result: dict[str, Any]) -> str:
    """A result's medians and counts in a few words."""
    words = []
    for key, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], float):
            words.append(f"{key} {statistics.median(value):.2f}")
        elif isinstance(value, int | float):
            words.append(f"{key} {value:.6g}")
    return ", ".join(words)
