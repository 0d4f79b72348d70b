"""Which files one SELECT and one INSERT pass through, in the order in which their functions are entered first.

    tools/walk.py [--write]    prints them, or puts them into docs/walk.md

Builds tests/cluster/walk.cpp and looks on through gdb (Debian: gdb): a whole cluster in one thread, with the product's
cores, engine, compiler and channels, as users run them (build/ship): which file a function is of is told by its debug
information. Says how many files there are and how often the way returns to one that it has left already. A function is
noted once, when it is entered first, as a reader would read it; so loops and returns from calls count for nothing. What
headers say is not seen.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "ship"
PROGRAM = BUILD / "bin" / "cluster_walk"
DEBUG = PROGRAM.with_suffix(".debug")
# Around the cluster, and what everybody uses.
LEFT_OUT = ("base/", "tests/", "rpc/simulation/", "rpc/proto/", "aggregator/sql/proto/")


def rows_of_lines() -> Iterator[tuple[int, str]]:
    """The address of each statement of the program, and its file: a path from where the compiler ran, or a full one."""
    listed = subprocess.Popen(["readelf", "-wL", DEBUG], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL)
    assert listed.stdout is not None
    path = ""
    for line in listed.stdout:
        if line.endswith(":\n"):
            path = line[:-2]
        elif (words := line.split()) and words[-1] == "x":
            yield int(words[2], 16), path


@functools.cache
def source_at(path: str) -> str:
    """The name of a file in the tree, by a path as the compiler notes it."""
    return os.path.relpath(BUILD / path, ROOT)


def statements() -> tuple[list[int], list[str]]:
    """The addresses, in their order, at which statements of our sources begin, and the source of each."""
    tracked = subprocess.run(["git", "ls-files", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    sources = set(tracked.stdout.splitlines())
    found: dict[int, str] = {}
    for address, path in rows_of_lines():
        if (source := source_at(path)) in sources:
            found[address] = source
    addresses = sorted(found)
    return addresses, [found[address] for address in addresses]


def functions() -> list[tuple[int, str, str]]:
    """Entries of functions worth noting: address in the program, source, and a name that all entries of one share.

    Sources are compiled several at once (docs/building.md), so that the compiler takes functions of one into another.
    Compiled apart they would be called there: the first statement of another source within a function is an entry, too.
    """
    addresses, sources = statements()
    listed = subprocess.run(["nm", "-S", "--defined-only", DEBUG], check=True, capture_output=True, text=True)
    entries = []
    for row in (line.split(" ") for line in listed.stdout.splitlines()):
        if len(row) != 4 or row[2] not in "tT":
            continue
        begin = int(row[0], 16)
        first, last = (bisect.bisect_left(addresses, at) for at in (begin, begin + int(row[1], 16)))
        if first == last:
            continue
        own = before = sources[first]
        entries.append((begin, own, f"{row[3]} {own}"))
        for address, source in zip(addresses[first:last], sources[first:last], strict=True):
            if source not in (before, own):
                entries.append((address, source, f"{row[3]} {source}"))
            before = source
    return [entry for entry in entries if not entry[1].startswith(LEFT_OUT)]


def entered(statement: str, folder: Path) -> list[str]:
    """The file of each function, in the order of first entry."""
    (folder / "functions.json").write_text(json.dumps(functions()))
    out = folder / f"walk-{statement}.json"
    command = ["gdb", "-batch", "-nx", "-q", "-x", __file__, "--args", str(PROGRAM), statement]
    environment = {**os.environ, "WALK_FUNCTIONS": str(folder / "functions.json"), "WALK_OUT": str(out)}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return list(json.loads(out.read_text()))


def trace() -> None:
    """Inside gdb: a breakpoint at every function, each of which notes its file once."""
    import gdb  # type: ignore[import-untyped]

    order: list[str] = []

    entries: dict[str, list[Entry]] = {}

    class Entry(gdb.Breakpoint):  # type: ignore[misc]
        file = ""
        name = ""

        def stop(self) -> bool:
            order.append(self.file)
            for same in entries[self.name]:
                same.enabled = False
            return False

    gdb.execute("set breakpoint always-inserted on")
    gdb.execute("set breakpoint pending on")
    gdb.Breakpoint("walk_begins")
    gdb.Breakpoint("walk_ends")
    gdb.execute("run")
    begins = int(gdb.parse_and_eval("(long) &walk_begins"))
    known = json.loads(Path(os.environ["WALK_FUNCTIONS"]).read_text())
    listed = subprocess.run(["nm", "--defined-only", DEBUG], check=True, capture_output=True, text=True)
    base = begins - next(
        int(line.split()[0], 16) for line in listed.stdout.splitlines() if line.endswith(" walk_begins")
    )
    for address, file, name in known:
        entry = Entry(f"*{base + address}", internal=True)
        entry.file, entry.name = file, name
        entries.setdefault(name, []).append(entry)
    gdb.execute("continue")
    Path(os.environ["WALK_OUT"]).write_text(json.dumps(order))


def listed(files: list[str]) -> str:
    """Each file once, in its order; those of one folder that follow each other under its name."""
    groups = itertools.groupby(dict.fromkeys(files), key=lambda file: file.rpartition("/")[0])
    names = ((folder.replace("/src", "").replace("storage_node/engine", "engine"), group) for folder, group in groups)
    return " → ".join(f"`{folder}` " + ", ".join(Path(file).stem for file in group) for folder, group in names)


def report(statement: str, files: list[str]) -> str:
    """A paragraph: there, as far as the engine, and back. Functions in a row of one file are one step."""
    steps = [file for file, _ in itertools.groupby(files)]
    turn = max(place for place, file in enumerate(steps) if file.startswith("storage_node/engine/")) + 1
    count = len(set(steps))
    head = f"**{statement}: {count} files, {len(steps) - count} returns to a file already left.**"
    text = f"{head} There: {listed(steps[:turn])}. Back: {listed(steps[turn:])}."
    return textwrap.fill(text, 140, break_long_words=False, break_on_hyphens=False)


def write(walks: str) -> None:
    """Puts the walks into docs/walk.md."""
    page = ROOT / "docs" / "walk.md"
    before, _, rest = page.read_text().partition("<!-- walk: begin -->\n")
    page.write_text(
        f"{before}<!-- walk: begin -->\n{walks}\n<!-- walk: end -->{rest.partition('<!-- walk: end -->')[2]}"
    )


def main() -> int:
    """Builds, runs each statement, prints or writes."""
    subprocess.run([ROOT / "tools" / "build_preset.sh", "ship", "cluster_walk"], check=True, stdout=subprocess.DEVNULL)
    walks = "\n\n".join(report(statement, entered(statement, BUILD)) for statement in ("SELECT", "INSERT"))
    if sys.argv[1:] == ["--write"]:
        write(walks)
    else:
        print(walks)
    return 0


if __name__ == "__main__":
    try:
        import gdb  # noqa: F401
    except ImportError:
        sys.exit(main())
    trace()
