"""The constructs of SQL, out of the files that have some: what docs/sql.md lists. Whether one is answered is not said
here: the compiler says it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from slt.reading import read
from slt.records import File

FOLDER = Path(__file__).resolve().parent / "sql"
# The order of the page.
FILES = ("values", "aggregates", "groups", "order_and_limits", "statements")


@dataclass(frozen=True, slots=True)
class Construct:
    """One thing that SQL has. Each of the statements uses it; it is answered when all of them are."""

    name: str
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Area:
    """The constructs of one file, and the statements before them, which make the rows that they are asked of."""

    name: str
    file: str
    rows: tuple[str, ...]
    constructs: tuple[Construct, ...]


def areas() -> list[Area]:
    """All of them, in the order of the page; those that it does not know yet come last."""
    paths = sorted(FOLDER.glob("*.slt"), key=lambda path: (*FILES, path.stem).index(path.stem))
    return [_area_of(read(path)) for path in paths]


def _area_of(file: File) -> Area:
    assert file.area is not None, f"{file.path} names no area"
    rows: list[str] = []
    constructs: dict[str, list[str]] = {}
    for record in file.records:
        statement = record.request.sql.replace("\n", " ")
        (rows if record.construct is None else constructs.setdefault(record.construct, [])).append(statement)
    found = tuple(Construct(name, tuple(statements)) for name, statements in constructs.items())
    return Area(file.area, file.path.name, tuple(rows), found)
