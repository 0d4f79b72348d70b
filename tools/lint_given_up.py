"""Names that were given up do not come back: refuses those of tools/given_up_names.txt in sources and in files' names.

tools/lint_given_up.py [FOLDER]    a tree other than this one, for tools/lint_test.sh
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ROOT / "tools" / "given_up_names.txt"
SOURCES = ("*.cpp", "*.hpp", "*.h", "*.proto", "*.java", "*.py", "*.sh", "*.cmake", "CMakeLists.txt")
WORD = re.compile(r"\w+")


def given_up() -> dict[str, str]:
    """Each name that was given up, and the one that stands in its place."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def sources(tree: Path) -> list[Path]:
    """The sources of a tree; a copy of one, which git does not know, has no others."""
    if tree != ROOT:
        return sorted(path for pattern in SOURCES for path in tree.rglob(pattern))
    command = ["git", "ls-files", "--", *SOURCES, *(f"*/{name}" for name in SOURCES)]
    listed = subprocess.run(command, cwd=tree, check=True, capture_output=True, text=True)
    return [tree / name for name in listed.stdout.splitlines() if (tree / name).is_file()]


def findings(tree: Path) -> Iterator[str]:
    names = given_up()
    for path in sources(tree):
        place = path.relative_to(tree).as_posix()
        if path.stem in names:
            yield f"{place}: the file is to be named {names[path.stem]}"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from (
                f"{place}:{number}: {word} is now {names[word]}" for word in WORD.findall(line) if word in names
            )


def main() -> int:
    found = list(findings(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT))
    for each in found:
        print(f"lint: {each}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
