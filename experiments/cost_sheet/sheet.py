"""The cost sheet: CPU time by process and part, for one query, beside what the kernel accounts. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.cost_sheet.classify import Classifier
from experiments.cost_sheet.perf import Sample

PROCESSES = ("client", "aggregator", "node", "writer")
LEAST_SHOWN_US = 0.05


def process_name(full: str) -> str:
    """Returns the sheet's name for a process of a cluster: node-0 and node-1 are one column."""
    return full.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Sheet:
    """CPU time of one measured window."""

    answered: int  # queries
    sampled_ns: Mapping[str, Mapping[str, int]]  # process, part
    accounted_ns: Mapping[str, int]  # process: utime + stime

    @property
    def sampled_us(self) -> float:
        """Returns the sampled time of one query, all parts of all processes."""
        return sum(sum(parts.values()) for parts in self.sampled_ns.values()) / self.answered / 1e3

    @property
    def accounted_us(self) -> float:
        """Returns the time that the kernel accounts for one query, all processes."""
        return sum(self.accounted_ns.values()) / self.answered / 1e3

    @property
    def difference(self) -> float:
        """How far samples are from what the kernel accounts, as a share of that."""
        return abs(self.sampled_us - self.accounted_us) / self.accounted_us

    def us(self, process: str, part: str) -> float:
        """Returns the time of one query."""
        return self.sampled_ns.get(process, {}).get(part, 0) / self.answered / 1e3

    def as_json(self) -> dict[str, Any]:
        """For the record."""
        return {
            "answered": self.answered,
            "sampled_us": round(self.sampled_us, 2),
            "accounted_us": round(self.accounted_us, 2),
            "difference": round(self.difference, 4),
            "accounted_us_by_process": {
                process: round(ns / self.answered / 1e3, 2) for process, ns in self.accounted_ns.items()
            },
            "parts_us": {
                process: {part: round(ns / self.answered / 1e3, 2) for part, ns in parts.items()}
                for process, parts in self.sampled_ns.items()
            },
        }

    def table(self, parts: Iterable[str]) -> str:
        """Markdown: parts in this order, a column for each process."""
        lines = [
            f"| µs of CPU a query | {' | '.join(PROCESSES)} | sum |",
            f"| --- |{' ---: |' * (len(PROCESSES) + 1)}",
        ]
        for part in parts:
            each = [self.us(process, part) for process in PROCESSES]
            if sum(each) >= LEAST_SHOWN_US:
                lines.append(f"| {part} | {' | '.join(figure(us) for us in each)} | {sum(each):.1f} |")
        sums = [sum(self.sampled_ns.get(process, {}).values()) / self.answered / 1e3 for process in PROCESSES]
        lines.append(f"| **sampled** | {' | '.join(figure(us) for us in sums)} | **{self.sampled_us:.1f}** |")
        kernel = [self.accounted_ns.get(process, 0) / self.answered / 1e3 for process in PROCESSES]
        lines.append(f"| **utime + stime** | {' | '.join(figure(us) for us in kernel)} | **{self.accounted_us:.1f}** |")
        return "\n".join(lines)


def figure(us: float) -> str:
    """One digit behind the point; nothing for nothing."""
    return f"{us:.1f}" if us >= LEAST_SHOWN_US else ""


def make_sheet(
    samples: Iterable[Sample],
    classifier: Classifier,
    names: Mapping[int, str],
    accounted_s: Mapping[int, float],
    answered: int,
) -> Sheet:
    """Sorts samples into parts; `names` says which process of the cluster has which id. Others' samples are left out.

    Error: ValueError where nothing was answered.
    """
    if answered <= 0:
        raise ValueError("no query was answered in the measured window")
    sampled: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for sample in samples:
        if sample.process in names:
            process = process_name(names[sample.process])
            sampled[process][classifier.part_of(process, sample.thread, sample.stack)] += sample.ns
    accounted: dict[str, int] = defaultdict(int)
    for pid, seconds in accounted_s.items():
        accounted[process_name(names[pid])] += round(seconds * 1e9)
    return Sheet(answered, sampled, accounted)


def largest_unnamed(
    samples: Iterable[Sample], classifier: Classifier, names: Mapping[int, str], part: str, count: int
) -> list[tuple[int, str]]:
    """Innermost frames of a part with their samples, most of all first: where a rule is missing."""
    found: dict[str, int] = defaultdict(int)
    for sample in samples:
        process = process_name(names.get(sample.process, ""))
        if process and classifier.part_of(process, sample.thread, sample.stack) == part:
            inner = " < ".join(frame.text[:80] for frame in sample.stack[:4])
            found[f"{process} [{sample.thread}] {inner}"] += 1
    return sorted(((samples_of, text) for text, samples_of in found.items()), reverse=True)[:count]
