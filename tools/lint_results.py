"""Failures are looked for in one way: a Result is a condition, `if (!result)`.

Finds `result.has_value()` and `has_error()` of what its file declares as a Result. Where a bool is to be made of it, to
return or to compare, `has_value()` is right.

    tools/lint_results.py [FOLDER]    a tree other than this one, for tools/lint_test.sh
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SOURCES = ("aggregator", "base", "rpc", "semantics", "storage_node", "tests")
DECLARATION = re.compile(r"\bResult<[^;={(]*>&? +(\w+) *[=;({]")
LOOK = re.compile(r"(?<![\w.>])(\w+)\.has_(?:value|error)\(\)")
MAKES_A_BOOL = re.compile(r"_EQ\(|\breturn\b|\bbool \w+ = ")


def findings(path: Path, name: str) -> list[str]:
    """Every other spelling in one file."""
    text = path.read_text()
    results = set(DECLARATION.findall(text))
    return [
        f"{name}:{number}: if ({look[1]}), not {look[0]}"
        for number, line in enumerate(text.splitlines(), 1)
        if not MAKES_A_BOOL.search(line)
        for look in LOOK.finditer(line)
        if look[1] in results
    ]


def main() -> int:
    """Looks through all sources; 1 when there is something to change."""
    tree = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    paths = [path for folder in SOURCES for path in sorted((tree / folder).rglob("*.?pp"))]
    names = {path: path.relative_to(tree).as_posix() for path in paths}
    found = [line for path, name in names.items() for line in findings(path, name)]
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
