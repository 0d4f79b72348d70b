"""Every test that ARCHITECTURE.md, docs/clients.md, docs/limits.md and docs/postgres.md name for a guard is there;
anything else is an error.

Looks at tables whose last column is headed `test` or `tests`. What stands there in backticks is a test: `Suite.test`
(C++), `ClassTest.method` (Java), `test_file::test_function` (Python) or `folder/file.slt` (below tests/slt). A row
without any is an error as well, unless it refers to docs/limits.md.

    .venv/bin/python tools/lint_names.py [FOLDER]    a tree other than this one, for tools/lint_test.sh
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = ("ARCHITECTURE.md", "docs/clients.md", "docs/limits.md", "docs/postgres.md")
LIMITS = "docs/limits.md"
CPP_FOLDERS = ("base", "rpc", "semantics", "aggregator", "storage_node", "tests")
PYTHON_FOLDERS = ("schema_compiler", "tests")
CASES = "tests/slt"

CPP_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
JAVA_TEST = re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^;{]*?\bvoid\s+(\w+)\s*\(")
IN_BACKTICKS = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of guards."""

    place: str
    guards: str  # Its last cell.


def cpp_tests(root: Path) -> Iterator[str]:
    for folder in CPP_FOLDERS:
        for path in (root / folder).rglob("*.cpp"):
            for suite, test in CPP_TEST.findall(path.read_text(encoding="utf-8")):
                yield f"{suite}.{test}"


def java_tests(root: Path) -> Iterator[str]:
    for path in root.glob("client-java/*/src/test/java/**/*Test.java"):
        for method in JAVA_TEST.findall(path.read_text(encoding="utf-8")):
            yield f"{path.stem}.{method}"


def python_tests(root: Path) -> Iterator[str]:
    for folder in PYTHON_FOLDERS:
        for path in (root / folder).rglob("test_*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    yield f"{path.stem}::{node.name}"


def files_of_cases(root: Path) -> Iterator[str]:
    for path in (root / CASES).rglob("*.slt"):
        yield path.relative_to(root / CASES).as_posix()


def rows_of_guards(root: Path, document: str) -> Iterator[Row]:
    is_of_guards = False
    before = ""
    for number, line in enumerate((root / document).read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            is_of_guards = False
        elif not before.startswith("|"):
            is_of_guards = cells[-1] in ("test", "tests")
        elif is_of_guards and not set(line) <= set("|- :"):
            yield Row(f"{document}:{number}", cells[-1])
        before = line


def faults(root: Path) -> Iterator[str]:
    known = {*cpp_tests(root), *java_tests(root), *python_tests(root), *files_of_cases(root)}
    for document in DOCUMENTS:
        rows = list(rows_of_guards(root, document))
        if not rows:
            yield f"{document}: has no table whose last column is headed `test` or `tests`"
        for row in rows:
            names = IN_BACKTICKS.findall(row.guards)
            if not names and LIMITS not in row.guards:
                yield f"{row.place}: names no test"
            yield from (f"{row.place}: there is no test {name}" for name in names if name not in known)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(faults(root))
    for fault in found:
        print(f"lint: {fault}", file=sys.stderr)
    if found:
        print(
            "lint: name the test that fails when the guard does: Suite.test, test_file::test_function, folder/file.slt",
            file=sys.stderr,
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
