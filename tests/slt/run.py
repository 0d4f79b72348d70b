"""Runs files of cases by hand, or with --write writes the answers that are missing or wrong.

.venv/bin/python tests/slt/run.py [--write] [FILE…]    without files: all
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("", "oracle", "support", "../schema_compiler"):
    sys.path.insert(0, str(TESTS / folder))

from slt.reading import FormatError, read  # noqa: E402 - it lies in a folder that was just named
from slt.records import File  # noqa: E402
from slt.running import complaints, rewritten  # noqa: E402
from slt.servers import Servers  # noqa: E402


def check(file: File, servers: Servers) -> int:
    """Says what is wrong with a file; how much that is."""
    found = [
        f"{complaint}\n  ({protocol} protocol)"
        for protocol in file.protocols
        for complaint in complaints(file, protocol, servers.sides(file.table))
    ]
    print("\n".join([*found, f"{file.path}: {len(file.records)} records, {len(found)} wrong"]))
    return len(found)


def write(file: File, servers: Servers) -> int:
    """Writes a file's answers anew where they are missing or wrong."""
    text = rewritten(file, servers.sides(file.table))
    if text != file.path.read_text(encoding="utf-8"):
        file.path.write_text(text, encoding="utf-8")
        print(f"{file.path}: written")
    return check(read(file.path), servers)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write the answers that are missing or wrong")
    arguments = parser.parse_args()
    try:
        files = [read(path) for path in arguments.files or sorted((TESTS / "slt").rglob("*.slt"))]
    except FormatError as error:
        print(error, file=sys.stderr)
        return 2
    with contextlib.ExitStack() as stack:
        servers = Servers(stack)
        wrong = sum((write if arguments.write else check)(file, servers) for file in files)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
