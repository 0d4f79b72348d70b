"""Refuses documents that name a test, a folder, a function or a decision which does not exist.

In the DOCUMENTS, a table whose last column is headed `test` or `tests` names tests in backticks: `Suite.test` (C++),
`ClassTest.method` (Java), `test_file::test_function` (Python) or `folder/file.slt` (below tests/slt). A row without
any is an error as well, unless it refers to docs/limits.md. Where such a table has the columns `folder` and
`decided by`, the folder has to exist and, outside of its tests, to have each file, type or function that the row names.
docs/decisions/README.md has to list each decision once, and no two decisions may have one number.

    .venv/bin/python tools/lint_names.py [FOLDER]    a tree other than this one, for tools/lint_test.sh
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCUMENTS = (
    "ARCHITECTURE.md",
    "aggregator/README.md",
    "docs/clients.md",
    "docs/invariants.md",
    "docs/limits.md",
    "docs/postgres.md",
)
LIMITS = "docs/limits.md"
DECISIONS = "docs/decisions"
CPP_FOLDERS = ("base", "rpc", "semantics", "aggregator", "storage_node", "tests")
PYTHON_FOLDERS = ("schema_compiler", "tests")
CASES = "tests/slt"

CPP_TEST = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
JAVA_TEST = re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest)\b[^;{]*?\bvoid\s+(\w+)\s*\(")
IN_BACKTICKS = re.compile(r"`([^`]+)`")
SOURCES = frozenset({".cpp", ".hpp", ".java", ".py"})
DECISION = re.compile(r"\((\d{3}-[a-z0-9-]+\.md)\)")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of guards, with its cells by the heads of their columns."""

    place: str
    guards: str  # Its last cell.
    cells: dict[str, str]


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
    heads: list[str] = []
    before = ""
    for number, line in enumerate((root / document).read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not before.startswith("|"):
            heads = cells if cells[-1] in ("test", "tests") else []
        elif heads and not set(line) <= set("|- :"):
            yield Row(f"{document}:{number}", cells[-1], dict(zip(heads, cells, strict=False)))
        before = line


def has_name(folder: Path, name: str) -> bool:
    """Says whether a source below the folder, outside of tests, is called so or has the name in it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for path in sorted(folder.rglob("*")):
        is_test = {"tests", "test"} & set(path.relative_to(folder).parts)
        if path.suffix in SOURCES and not is_test and (path.stem == name or word.search(path.read_text("utf-8"))):
            return True
    return False


def faults_of_rule(root: Path, row: Row) -> Iterator[str]:
    """Yields what is wrong with the home of a rule: the columns `folder` and `decided by`, where a table has them."""
    if not {"folder", "decided by"} <= set(row.cells):
        return
    folders = IN_BACKTICKS.findall(row.cells["folder"])
    names = IN_BACKTICKS.findall(row.cells["decided by"])
    if len(folders) != 1 or not names:
        yield f"{row.place}: names no folder that decides the rule, or several, or nothing that decides it"
    elif not (root / folders[0]).is_dir():
        yield f"{row.place}: there is no folder {folders[0]}"
    else:
        found = (name for name in names if not has_name(root / folders[0], name))
        yield from (f"{row.place}: no source in {folders[0]} has {name}" for name in found)


def faults_of_decisions(root: Path) -> Iterator[str]:
    """Yields the decisions that the index lists never or several times, and numbers that are given twice."""
    listed = Counter(DECISION.findall((root / DECISIONS / "README.md").read_text(encoding="utf-8")))
    files = {path.name for path in (root / DECISIONS).glob("[0-9]*.md")}
    for name in sorted(files | set(listed)):
        if name not in files:
            yield f"{DECISIONS}/README.md: there is no decision {name}"
        elif listed[name] != 1:
            yield f"{DECISIONS}/README.md: lists {name} {listed[name]} times instead of once"
    for number, count in Counter(name[:3] for name in files).items():
        if count > 1:
            yield f"{DECISIONS}: {count} decisions have the number {number}"


def faults(root: Path) -> Iterator[str]:
    known = {*cpp_tests(root), *java_tests(root), *python_tests(root), *files_of_cases(root)}
    for document in DOCUMENTS:
        rows = list(rows_of_guards(root, document))
        if not rows:
            yield f"{document}: has no table whose last column is headed `test` or `tests`"
        for row in rows:
            names = IN_BACKTICKS.findall(row.guards)
            if not names and LIMITS.removeprefix("docs/") not in row.guards:
                yield f"{row.place}: names no test"
            yield from (f"{row.place}: there is no test {name}" for name in names if name not in known)
            yield from faults_of_rule(root, row)
    yield from faults_of_decisions(root)


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(faults(root))
    for fault in found:
        print(f"lint: {fault}", file=sys.stderr)
    if found:
        print(
            "lint: name the test that fails when the guard does (Suite.test, test_file::test_function, "
            "folder/file.slt), the folder and the type or function that decide a rule, and each decision once",
            file=sys.stderr,
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
