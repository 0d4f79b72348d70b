"""Holds CMake's own link graph to tools/link_graph.toml, which says which part of the product may link to which.

The storage node and the aggregator know the messages between them and never each other; a room of the engine knows
those below it; the product knows no test. A target's headers are reachable only by linking to it, so this holds for
includes, too.

    .venv/bin/python tools/lint_link_graph.py                        configures build/lint/links and asks CMake
    .venv/bin/python tools/lint_link_graph.py --graph DOT --folders TSV    what CMake has said, for tools/lint_test.sh
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "tools" / "link_graph.toml"
TREE = ROOT / "build" / "lint" / "links"
GRAPH, FOLDERS = TREE / "targets.dot", TREE / "folders.tsv"
EDGE = re.compile(r"// (\S+) -> (\S+)$", re.MULTILINE)
EVERYBODYS = {"daedalus_flags", "daedalus_precompiled_standard"}
SHARED = "shared"
SIDES = {"aggregator", "storage_node"}  # Folders whose targets know one side; all others know what is shared.
KNOWS_ALL = "tests"


@dataclass(frozen=True, slots=True)
class Room:
    """Targets of the product, and what they may link to."""

    name: str
    side: str
    targets: frozenset[str]
    uses: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()


class Rules:
    """The rooms of tools/link_graph.toml, and which of them a target is of."""

    def __init__(self, path: Path) -> None:
        rooms = tomllib.loads(path.read_text(encoding="utf-8"))["room"]
        self.rooms = [
            Room(room["name"], room["side"], *(frozenset(room.get(key, ())) for key in ("targets", "uses", "outside")))
            for room in rooms
        ]
        self.room_of = {target: room for room in self.rooms for target in room.targets}

    def stale(self, targets: set[str]) -> Iterator[str]:
        """Names of targets and rooms that are not there."""
        names = {room.name for room in self.rooms}
        for room in self.rooms:
            yield from (f"room {room.name}: there is no target {name}" for name in sorted(room.targets - targets))
            yield from (f"room {room.name}: there is no room {name}" for name in sorted(room.uses - names))

    def fault(self, user: str, used: str, folders: dict[str, str]) -> str | None:
        """Why a target may not link to another one; None where it may."""
        if used in EVERYBODYS:
            return None
        mine, other = self.room_of.get(user), self.room_of.get(used)
        if mine is None:
            return self._fault_of_test(user, other, folders)
        if other is not None:
            allowed = other is mine or other.name in mine.uses
            return None if allowed else f"room {mine.name} may not use room {other.name}"
        if Path(used).name in mine.outside:
            return None
        if used in folders:
            return f"room {mine.name} is part of the product, and {used} is in none of its rooms or lists"
        return f"room {mine.name} may not use {used} from outside"

    def _fault_of_test(self, user: str, other: Room | None, folders: dict[str, str]) -> str | None:
        top = folders.get(user, "").split("/", 1)[0]
        if other is None or top == KNOWS_ALL or other.side == SHARED or other.side == top:
            return None
        return f"a target of {top}/ may not use room {other.name}, which is of {other.side}"


def configure() -> None:
    """Has CMake write its graph and the folders of its targets."""
    query = TREE / ".cmake" / "api" / "v1" / "query" / "codemodel-v2"
    query.parent.mkdir(parents=True, exist_ok=True)
    query.touch()
    command = ["cmake", "--preset", "release", "-B", str(TREE), f"--graphviz={GRAPH}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"lint: the tree could not be configured ({' '.join(command)}):\n{done.stdout}{done.stderr}")
    reply = query.parent.parent / "reply"
    index = json.loads(max(reply.glob("index-*.json")).read_text())
    model = json.loads((reply / index["reply"]["codemodel-v2"]["jsonFile"]).read_text())["configurations"][0]
    folders = [directory["source"] for directory in model["directories"]]
    rows = [f"{target['name']}\t{folders[target['directoryIndex']]}\n" for target in model["targets"]]
    FOLDERS.write_text("".join(sorted(rows)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", type=Path, help="CMake's graph of this tree, instead of configuring it")
    parser.add_argument("--folders", type=Path, default=FOLDERS, help="a target and its folder a line")
    arguments = parser.parse_args()
    if arguments.graph is None:
        configure()
    edges = EDGE.findall((arguments.graph or GRAPH).read_text(encoding="utf-8"))
    folders = dict(line.split("\t") for line in arguments.folders.read_text(encoding="utf-8").splitlines())
    rules = Rules(RULES)
    ours = [(user, used) for user, used in edges if user in folders or user in rules.room_of]
    faults = [*rules.stale({name for edge in edges for name in edge} | set(folders))]
    for user, used in ours:
        if fault := rules.fault(user, used, folders):
            faults.append(f"{user} links to {used}: {fault}")
    for each in faults:
        print(f"lint: {each}", file=sys.stderr)
    if faults:
        print(
            "lint: move what is shared to a room below both, or change tools/link_graph.toml with the reason",
            file=sys.stderr,
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
