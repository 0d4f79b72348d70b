"""Which files one SELECT and one INSERT pass through, in the order in which their functions are entered first.

    tools/walk.py [--write]    prints them, or puts them into docs/walk.md

Builds tests/cluster/walk.cpp and looks on through gdb (Debian: gdb): a whole cluster in one thread, with the product's
cores, engine, compiler and channels. Says how many files there are and how often the way returns to one that it has
left already. A function is noted once, when it is entered first, as a reader would read it; so loops and returns
from calls count for nothing. What is inlined into other files is not seen.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
PROGRAM = BUILD / "bin" / "cluster_walk"
# Around the cluster, and what everybody uses.
LEFT_OUT = ("base/", "tests/", "rpc/simulation/", "rpc/proto/", "aggregator/sql/proto/")


def source_of_symbols() -> dict[str, str]:
    """The source that defines each function of our libraries, by its name for the linker."""
    tracked = subprocess.run(["git", "ls-files", "*.cpp"], cwd=ROOT, check=True, capture_output=True, text=True)
    sources = tracked.stdout.splitlines()
    found: dict[str, set[str]] = {}
    for library in sorted(BUILD.rglob("libdaedalus_*.a")):
        folder = library.parent.relative_to(BUILD).as_posix() + "/"
        listed = subprocess.run(["nm", "-A", "--defined-only", library], check=True, capture_output=True, text=True)
        for line in listed.stdout.splitlines():
            place, kind, symbol = line.rsplit(" ", 2)
            name = "/" + place.split(":")[-2].removesuffix(".o")
            if kind in "tT":
                own = [source for source in sources if source.startswith(folder) and source.endswith(name)]
                found.setdefault(symbol, set()).update(own)
    return {symbol: own.pop() for symbol, own in found.items() if len(own) == 1}


def functions() -> dict[str, str]:
    """The file of each function of the program that is worth noting, by its address in the program."""
    sources = {symbol: source for symbol, source in source_of_symbols().items() if not source.startswith(LEFT_OUT)}
    listed = subprocess.run(["nm", "--defined-only", PROGRAM], check=True, capture_output=True, text=True)
    rows = (line.split(" ") for line in listed.stdout.splitlines())
    return {address: sources[symbol] for address, _, symbol in rows if symbol in sources}


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

    class Entry(gdb.Breakpoint):  # type: ignore[misc]
        file = ""

        def stop(self) -> bool:
            order.append(self.file)
            self.enabled = False
            return False

    gdb.execute("set breakpoint always-inserted on")
    gdb.execute("set breakpoint pending on")
    gdb.Breakpoint("walk_begins")
    gdb.Breakpoint("walk_ends")
    gdb.execute("run")
    begins = int(gdb.parse_and_eval("(long) &walk_begins"))
    known = json.loads(Path(os.environ["WALK_FUNCTIONS"]).read_text())
    listed = subprocess.run(["nm", "--defined-only", PROGRAM], check=True, capture_output=True, text=True)
    base = begins - next(
        int(line.split()[0], 16) for line in listed.stdout.splitlines() if line.endswith(" walk_begins")
    )
    for address, file in known.items():
        Entry(f"*{base + int(address, 16)}", internal=True).file = file
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
    subprocess.run(["ninja", "-C", BUILD, "cluster_walk"], check=True, stdout=subprocess.DEVNULL)
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
