"""The claims of a proof, and the measured points that they are judged by. Pure: points in, verdicts out."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.harness.record import Run


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the table."""

    name: str
    target: float
    at_least: bool  # otherwise at most
    ratios: tuple[float, ...]  # of single runs; empty: not measured
    bound: str  # what we expect to bound it; not measured
    is_stretch: bool = False
    is_about_answers: bool = False  # of whatever size the tables are
    note: str = ""
    noise: tuple[float, ...] = ()  # how far pairs of equal things lay apart in the same run
    noise_max: float = 0.0  # a median of them beyond it says nothing of the claim

    @property
    def measured(self) -> float | None:
        """The median of the ratios."""
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def is_met(self) -> bool:
        """Returns whether the median reaches the target, and is no chance."""
        measured = self.measured
        if measured is None or self.is_too_noisy:
            return False
        return measured >= self.target if self.at_least else measured <= self.target

    @property
    def is_too_noisy(self) -> bool:
        """Returns whether equal things differed by more than the claim's margin."""
        return bool(self.noise) and statistics.median(self.noise) > self.noise_max

    @property
    def verdict(self) -> str:
        """met, NOT MET, or too noisy, which is not met either."""
        if self.is_too_noisy:
            return "too noisy"
        return "met" if self.is_met else "NOT MET"

    @property
    def quartile(self) -> float | None:
        """The quartile on the wrong side of the median: a quarter of the runs were no better."""
        if len(self.ratios) < 2:
            return self.measured
        lower, _, upper = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return lower if self.at_least else upper

    def line(self) -> str:
        """claim | target | measured | spread | verdict."""
        sign = "≥" if self.at_least else "≤"
        name = f"{self.name} (stretch)" if self.is_stretch else self.name
        measured = "not measured" if self.measured is None else figure(self.measured)
        spread = spread_text(self.ratios, self.quartile)
        return f"{name} | {sign} {self.target:g} | {measured} | {spread} | {self.verdict}"

    def as_json(self) -> dict[str, Any]:
        """Returns the claim for machines."""
        return {
            "claim": self.name,
            "target": self.target,
            "comparison": "at_least" if self.at_least else "at_most",
            "measured": self.measured,
            "spread": [min(self.ratios), max(self.ratios)] if self.ratios else None,
            "quartile": self.quartile,
            "runs": len(self.ratios),
            "met": self.is_met,
            "too_noisy": self.is_too_noisy,
            "stretch": self.is_stretch,
            "expected_bound": self.bound,
            "note": self.note,
        }


def spread_text(ratios: Sequence[float], quartile: float | None, runs: int | None = None) -> str:
    """Least to most of some runs, the quartile on the wrong side if it is known, and how many runs there were: all,
    unless said."""
    if not ratios:
        return "-"
    between = f"{figure(min(ratios))} to {figure(max(ratios))}"
    of_runs = len(ratios) if runs is None else runs
    return between if quartile is None else f"{between}, quartile {figure(quartile)}, n {of_runs}"


def figure(value: float) -> str:
    """Three digits that count."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


class Points:
    """The results of one run of the proof, failed points left out."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = [run for run in runs if run.result is not None]

    def of(self, part: str, **point: Any) -> list[dict[str, Any]]:
        """All results of a part whose point has these values."""
        return [
            run.result
            for run in self._runs
            if run.result is not None
            and run.point["part"] == part
            and all(run.point.get(key) == value for key, value in point.items())
        ]

    def points(self, part: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Returns what was varied and what came out."""
        return [(run.point, run.result) for run in self._runs if run.result is not None and run.point["part"] == part]

    def checks(self) -> list[tuple[int, int]]:
        """Returns for every cell the answers compared with the plain model, and those that were wrong."""
        results = [run.result for run in self._runs if run.result is not None]
        return [(result["checked"], result["wrong"]) for result in results if "checked" in result]

    def ratios(self, part: str, above: str, below: str, **point: Any) -> tuple[float, ...]:
        """Run by run, one list of milliseconds over another."""
        return tuple(
            over / under
            for result in self.of(part, **point)
            for over, under in zip(result[above], result[below], strict=True)
        )
