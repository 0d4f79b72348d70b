"""Writes docs/sql.md from the constructs that tests/oracle asks, or with --check says whether it is up to date."""

from __future__ import annotations

import subprocess
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

from constructs import CONSTRUCTS, ROWS, Construct  # noqa: E402 - it lies beside the tests

TWIN = ROOT / "build" / "release" / "bin" / "statement_twin"
PAGE = ROOT / "docs" / "sql.md"

HEAD = """# What SQL is answered

Construct by construct, as the compiler says it: made by `tools/sql_page.py` from `tests/oracle/constructs.py`. What is
answered comes out as PostgreSQL 15 has it; what is refused ends with 0A000 and a text that names it.
`tests/oracle/test_constructs.py` asks both: the test of a line is `test_construct[…]` with the name in its last column.
Functions and operators, with what differs, are in [functions.md](functions.md). Random statements over all of them are
compared by `test_statements_against_postgres.py`, positions of errors by `test_positions_against_postgres.py`.

"""


def answers(statements: list[str]) -> list[str]:
    """What the compiler says to each, on the rows."""
    asked = "\n".join([*ROWS, *statements]) + "\n"
    done = subprocess.run([TWIN], input=asked, text=True, capture_output=True, timeout=60, check=True)
    return done.stdout.removesuffix("\n").split("\n")[len(ROWS) :]


def line_of(construct: Construct, said: list[str]) -> str:
    refusals = [answer for answer in said if answer.startswith("error ")]
    status = "answered"
    if refusals:
        text = refusals[0].partition("\x05")[0].split(" ", 2)[2]
        status = f"refused: {text}"
    example = construct.statements[0].replace("|", "&#124;")
    return f"| {construct.name} | `{example}` | {status} | `{construct.id}` |"


def page() -> str:
    said = iter(answers([statement for construct in CONSTRUCTS for statement in construct.statements]))
    parts = [HEAD.rstrip("\n")]
    for area, constructs in groupby(CONSTRUCTS, key=lambda construct: construct.area):
        lines = [line_of(construct, [next(said) for _ in construct.statements]) for construct in constructs]
        parts.append(
            f"\n## {area}\n| construct | for example | | test |\n| --- | --- | --- | --- |\n" + "\n".join(lines)
        )
    return "\n".join(parts) + "\n"


def main() -> int:
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
        return 0
    if PAGE.read_text() == page():
        return 0
    print("docs/sql.md is not what the compiler says: run tools/sql_page.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
