"""Refuses documents with a link to a file of the tree, or to a heading, that does not exist.

    .venv/bin/python tools/lint_links.py [FOLDER]    a tree other than this one, for tools/lint_test.sh

Links within code, and to other hosts, are not looked at.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def documents(root: Path) -> list[Path]:
    """Returns the Markdown files of the tree that git knows, or all where it is no repository."""
    listed = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=root, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 and (root / ".git").exists() else []
    return [root / name for name in names if name and (root / name).exists()] or sorted(root.rglob("*.md"))


@cache
def anchors(document: Path) -> frozenset[str]:
    """Returns the names by which headings of a document are linked to."""
    headings = HEADING.findall(document.read_text(encoding="utf-8"))
    return frozenset(re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings)


def faults(root: Path) -> Iterator[str]:
    for document in documents(root):
        for link in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
            name, _, anchor = link.partition("#")
            target = (document.parent / name).resolve() if name else document
            if "://" in link or link.startswith("mailto:"):
                continue
            if not target.exists():
                yield f"{document.relative_to(root)}: there is no {name}"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{document.relative_to(root)}: {name or 'it'} has no heading for #{anchor}"


def main() -> int:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    found = list(faults(root))
    for fault in found:
        print(f"lint: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
