"""Comments say who does what: counts those that begin with a fragment whose subject is elsewhere, and bounds them.

A comment counts when its first word is one of OPENINGS: a block of `///` or `//`, a trailing `//`, `/** */`, a block of
`#`, a trailing `#`, a docstring. Lines that go on with a comment do not count. The bound is lowered with the count.

    tools/lint_comments.py                  prints the count of each folder; exit 1 beyond COUNT_MAX (--count-max N)
    tools/lint_comments.py --list PATH…     prints those in files below some paths, as path:line: text
    tools/lint_comments.py --tree FOLDER    a tree other than this one, for tools/lint_test.sh
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNT_MAX = 0
SUFFIXES = (".cpp", ".hpp", ".h", ".java", ".py")
OPENINGS = re.compile(r"(What|Of|Where|Whether|Those|The same)\b")

# A string or a character, which may have what looks like a comment; a comment to the end of its line; one that has an
# end of its own.
TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[/!<]*[ \t]*(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/', re.DOTALL
)


def of_braces(text: str) -> Iterator[tuple[int, str]]:
    """Line and first words of each comment of C++ or Java."""
    last_line = -1  # of the comment before this one, where that had its lines for itself
    for found in TOKENS.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        if found["line"] is not None:
            begin = text.rfind("\n", 0, found.start()) + 1
            is_alone = not text[begin : found.start()].strip()
            if not (is_alone and last_line == number - 1):
                yield number, found["line"]
            last_line = number if is_alone else -1
        elif found["block"] is not None:
            yield number, found["block"].lstrip("* \t\n")


def of_python(text: str) -> Iterator[tuple[int, str]]:
    """Line and first words of each comment and docstring of Python."""
    last_line = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            number, is_alone = token.start[0], token.line[: token.start[1]].strip() == ""
            if not (is_alone and last_line == number - 1):
                yield number, token.string.lstrip("# ")
            last_line = number if is_alone else -1
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.lineno, str(first.value.value)


def findings(path: Path) -> list[tuple[int, str]]:
    """Line and first line of each comment of a file that begins with a fragment."""
    text = path.read_text(encoding="utf-8")
    comments = of_python(text) if path.suffix == ".py" else of_braces(text)
    return sorted((number, said.split("\n", 1)[0]) for number, said in comments if OPENINGS.match(said))


def tracked(tree: Path, below: list[str]) -> list[str]:
    """The sources of a tree by their names; a copy of one, which git does not know, has no others."""
    if tree == ROOT:
        listed = subprocess.run(["git", "ls-files", "--", *below], cwd=tree, check=True, capture_output=True, text=True)
        names = listed.stdout.splitlines()
    else:
        names = [path.relative_to(tree).as_posix() for path in tree.rglob("*")]
    return sorted(name for name in names if name.endswith(SUFFIXES) and (tree / name).is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", nargs="+", metavar="PATH", help="print those below these paths")
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--count-max", type=int, default=COUNT_MAX)
    arguments = parser.parse_args()
    names = tracked(arguments.tree, arguments.list or [])
    counts: Counter[str] = Counter()
    for name in names:
        for number, said in findings(arguments.tree / name):
            counts[name.split("/", 1)[0]] += 1
            if arguments.list:
                print(f"{name}:{number}: {said}")
    if arguments.list:
        return 0
    total = sum(counts.values())
    print(
        "comments that begin with a fragment:",
        ", ".join(f"{folder} {n}" for folder, n in counts.most_common()),
        f"= {total}",
    )
    if total > arguments.count_max:
        print(
            f"lint: at most {arguments.count_max} may begin with What, Of, Where, Whether, Those, The same: say who"
            " does what (tools/lint_comments.py --list PATH)",
            file=sys.stderr,
        )
    return int(total > arguments.count_max)


if __name__ == "__main__":
    sys.exit(main())
