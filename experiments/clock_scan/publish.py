"""Puts one run of the proof where readers look: the table into the README, points and pictures beside this file."""

from __future__ import annotations

import shutil
from pathlib import Path

BEGIN = "<!-- clock_scan: begin -->\n"
END = "<!-- clock_scan: end -->\n"


def with_table(readme: str, table: str) -> str:
    """The README with another table between its marks. Error: ValueError when a mark is missing."""
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README lacks {BEGIN.strip()} or {END.strip()}")
    return head + begin + table + end + tail


def publish(output: Path, folder: Path, readme: Path) -> None:
    """Copies what a run left in `output`."""
    readme.write_text(with_table(readme.read_text(), (output / "proof.md").read_text()))
    for path in [*output.glob("*.png"), output / "runs.jsonl", output / "proof.json"]:
        shutil.copy(path, folder / path.name)
