"""Tables of where time goes, kept under build/timings: seconds of steps, suites and tests, and edges of builds.

`timings.py edges PRESET` prints the slowest edges of a Ninja build tree. Needs nothing but Python, because it runs
before anything is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMINGS = ROOT / "build" / "timings"
SLOWEST = 20  # rows of a table of the slowest


@dataclass(frozen=True, slots=True)
class Edge:
    """One command of a Ninja build."""

    output: str  # the first file that the command made
    start_ms: int
    end_ms: int

    @property
    def seconds(self) -> float:
        return (self.end_ms - self.start_ms) / 1000


def edges(log: Path) -> list[Edge]:
    """Every command of a Ninja log, as it ran last, in no order. Ninja writes a line for each output of a command."""
    last: dict[str, tuple[int, int, str]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, command = line.split("\t")
        last[output] = (int(start), int(end), command)
    commands: dict[tuple[int, int, str], str] = {}
    for output, ran in last.items():
        commands.setdefault(ran, output)
    return [Edge(output, start, end) for (start, end, _), output in commands.items()]


def keep_table(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Writes build/timings/NAME.tsv and returns its columns aligned, to be printed."""
    lines = [list(head), *([str(cell) for cell in row] for row in rows)]
    _write(name, lines)
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(aligned(line, widths)) for line in lines)


def aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The cells of a line, filled up to their widths: names to the left, figures to the right."""
    return [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]


def keep_row(name: str, head: Sequence[str], row: Sequence[object]) -> None:
    """Puts a row into build/timings/NAME.tsv in place of the one that begins with the same cell."""
    path = TIMINGS / f"{name}.tsv"
    kept = path.read_text(encoding="utf-8").splitlines()[1:] if path.exists() else []
    rows = {line.split("\t")[0]: line.split("\t") for line in kept}
    rows[str(row[0])] = [str(cell) for cell in row]
    _write(name, [list(head), *rows.values()])


def _write(name: str, lines: Iterable[Sequence[str]]) -> None:
    TIMINGS.mkdir(parents=True, exist_ok=True)
    (TIMINGS / f"{name}.tsv").write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")


def table_of_edges(preset: str) -> str:
    """The slowest edges of build/PRESET; every edge stands in the file."""
    found = sorted(edges(ROOT / "build" / preset / ".ninja_log"), key=lambda edge: -edge.seconds)
    rows = [(edge.output, f"{edge.seconds:.1f}") for edge in found]
    table = keep_table(f"edges-{preset}", ("output", "seconds"), rows)
    total = sum(edge.seconds for edge in found)
    head = "\n".join(table.splitlines()[: SLOWEST + 1])
    return f"{preset}: {len(found)} edges, {total:.0f} s one after the other; the slowest:\n{head}"


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] != "edges":
        print("usage: timings.py edges PRESET", file=sys.stderr)
        return 2
    print(table_of_edges(arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
