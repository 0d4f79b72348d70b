"""Writes docs/sql.md from the constructs that tests/slt/sql asks, or with --check says whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from slt.constructs import Area, Construct, areas  # noqa: E402 - they lie beside the tests
from statement_twin import ask  # noqa: E402 - after the path is set

PAGE = ROOT / "docs" / "sql.md"

HEAD = """# What SQL is answered

Daedalus answers the constructs below as PostgreSQL 15 does, or refuses them with 0A000 and a text that names the
construct. `tools/sql_page.py` makes this page from the files of `tests/slt/sql`, which have the statements and their
answers. `test_slt_files.py` asks a cluster and PostgreSQL, `test_constructs.py` the compiler. Functions and operators,
with what differs, are in [functions.md](functions.md). `test_statements_against_postgres.py` compares random statements
over all of them, `test_positions_against_postgres.py` the positions of errors.
"""


def answers(rows: tuple[str, ...], statements: list[str]) -> list[str]:
    """Returns what the compiler says to each, on the rows."""
    asked = "\n".join([*rows, *statements]) + "\n"
    return ask(asked).removesuffix("\n").split("\n")[len(rows) :]


def line_of(construct: Construct, said: list[str]) -> str:
    refusals = [answer for answer in said if answer.startswith("error ")]
    status = "answered"
    if refusals:
        text = refusals[0].partition("\x05")[0].split(" ", 2)[2]
        status = f"refused: {text}"
    example = construct.statements[0].replace("|", "&#124;")
    return f"| {construct.name} | `{example}` | {status} |"


def section(area: Area) -> str:
    statements = [statement for construct in area.constructs for statement in construct.statements]
    said = iter(answers(area.rows, statements))
    lines = [line_of(construct, [next(said) for _ in construct.statements]) for construct in area.constructs]
    head = [f"## {area.name}", f"[{area.file}](../tests/slt/sql/{area.file})", "", "| construct | for example | |"]
    return "\n".join([*head, "| --- | --- | --- |", *lines])


def page() -> str:
    return "\n".join([HEAD, "\n\n".join(map(section, areas()))]) + "\n"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
        return 0
    if page() == PAGE.read_text():
        return 0
    print("docs/sql.md is not what the compiler says: run tools/sql_page.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
