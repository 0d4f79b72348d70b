"""Tables between marks in a README, which a run of a proof replaces."""

from __future__ import annotations

from pathlib import Path


def marks(name: str) -> tuple[str, str]:
    """The lines around the table of this name."""
    return f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"


def with_table(readme: str, name: str, table: str) -> str:
    """The README with another table between the marks of this name. Error: ValueError when a mark is missing."""
    first, last = marks(name)
    head, begin, rest = readme.partition(first)
    _, end, tail = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"the README lacks {first.strip()} or {last.strip()}")
    return head + begin + table + end + tail


def put_table(readme: Path, name: str, table: str) -> None:
    """Does the same to a file. Error: ValueError."""
    readme.write_text(with_table(readme.read_text(), name, table))
