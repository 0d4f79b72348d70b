"""Breaks the sources of an area in small ways, one at a time, and says which breakages its tests do not notice.

Works on a copy of the tracked files below build/mutants with a build of its own; the tree is not touched. A mutant is
`killed` when a test fails, crashes or does not end, `unbuildable` when the compiler refuses it, else it SURVIVED:
either it changes nothing but cost (planning, fetching ahead, early ends), or a test is missing. Exit 0 whatever is
found: what a survivor means is for a person to judge. One that was judged is `explained` (mutants_explained.txt).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
RUN_SECONDS_MAX = 90
EXPLAINED = ROOT / "tools" / "mutants_explained.txt"


@dataclass(frozen=True, slots=True)
class Area:
    """Sources, and the tests that are to notice when they are broken."""

    folders: tuple[str, ...]  # with all below them
    tests: tuple[str, ...]  # folder below the build, and program
    only: frozenset[str] = frozenset()  # names of sources, without suffix; empty: all
    left_out: frozenset[str] = frozenset()

    def sources(self) -> dict[str, list[Path]]:
        """The files of each name; exits when a name that is spelled out here is no longer any file's."""
        found: dict[str, list[Path]] = {}
        for folder in self.folders:
            for path in sorted((ROOT / folder).rglob("*.?pp")):
                found.setdefault(path.stem, []).append(path.relative_to(ROOT))
        if missing := (self.only | self.left_out) - found.keys():
            sys.exit(f"mutate: no such source in {', '.join(self.folders)}: {', '.join(sorted(missing))}")
        return {
            name: paths for name, paths in found.items() if name in (self.only or found) and name not in self.left_out
        }


AREAS = {
    "engine": Area(
        folders=("storage_node/engine/src",),
        tests=(
            "storage_node/engine/engine_parts_test",
            "storage_node/engine/engine_segment_test",
            "storage_node/engine/engine_c_interface_test",
        ),
        # The files that decide costs alone or hand over are left out; all others decide answers.
        left_out=frozenset({"branches", "cycle_memory", "key_choice", "ring", "segment", "segment_thread"}),
    ),
    "node": Area(
        folders=("storage_node/core/src", "storage_node/core/include"), tests=("storage_node/core/node_core_test",)
    ),
    "sequencer": Area(
        folders=("storage_node/core/src", "storage_node/core/include"),
        tests=("storage_node/core/node_core_test",),
        only=frozenset({"sequencer", "ledger", "epoch_store", "parked_queries"}),
    ),
    "fan_outs": Area(
        folders=("aggregator/core/src",),
        tests=("aggregator/core/aggregator_core_test",),
        only=frozenset({"query_fan_out", "update_fan_out"}),
    ),
    "gather": Area(
        folders=("rpc/merging/src", "rpc/merging/include"),
        tests=("rpc/merging/merging_test",),
        only=frozenset({"gather"}),
    ),
    "contract": Area(folders=("rpc/contract/src", "rpc/contract/include"), tests=("rpc/contract/contract_test",)),
    "normal_form": Area(
        folders=("semantics/algebra",),
        tests=("semantics/semantics_test",),
        only=frozenset({"normal_form", "normalise", "simplify", "column_domain"}),
    ),
}

# Each: what is looked for in a line of code, and what it becomes.
REPLACEMENTS: tuple[tuple[str, str], ...] = (
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" == ", " != "),
    (r" != ", " == "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ 1\b", ""),
    (r" - 1\b", ""),
    (r"(?<=[( ])!(?=[a-z])", ""),
    (r"\bstd::min\b", "std::max"),
    (r"\bstd::max\b", "std::min"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r" \|= ", " = "),
    (r" &= ", " = "),
    (r"^ +\+\+(?=[a-z])", ""),
    (r"^ +--(?=[a-z])", ""),
    (r"(?<=\()~", ""),
    # A statement that is a call, left out: a note not taken, a row not looked up again.
    (r"^ +[a-z_.>()\[\]-]+\((?!.*[{]).*\);$", ""),
)
NOT_CODE = re.compile(r"^\s*(//|#|template|using|static_assert|namespace|DAEDALUS_|HWY_)|CHECK\(|mark_branch|prefetch")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One line of one file, and what it becomes."""

    path: Path
    line: int  # from 0
    before: str
    after: str

    @property
    def change(self) -> str:
        """From what to what, wherever the line has got to."""
        return f"{self.path.name}: {self.before.strip()}  →  {self.after.strip() or '(nothing)'}"

    def __str__(self) -> str:
        """Says where it is, and what becomes of what."""
        return self.change.replace(":", f":{self.line + 1}:", 1)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Every mutant of one file."""
    for number, line in enumerate((ROOT / path).read_text().splitlines()):
        if NOT_CODE.search(line):
            continue
        code = line.split(" //")[0]
        for pattern, replacement in REPLACEMENTS:
            for found in re.finditer(pattern, code):
                after = code[: found.start()] + replacement + code[found.end() :]
                yield Mutant(path, number, line, after)


def explained() -> set[str]:
    """The mutants that are known to survive, each with its reason in the lines below it."""
    return {line for line in EXPLAINED.read_text().splitlines() if line and line[0] not in "# "}


def java_lines(change: str) -> set[str]:
    """The lines of the file that an explained mutant of PIT's is in."""
    name = change.partition(":")[0]
    return {line.strip() for path in ROOT.glob(f"client-java/*/src/main/java/**/{name}") for line in path.open()}


def is_of_java(change: str) -> bool:
    """Returns whether the mutant is one of PIT's, which are not made here, of a line that there is."""
    name, _, rest = change.partition(": ")
    return name.endswith(".java") and rest.partition("  →  ")[0] in java_lines(change)


def check() -> int:
    """Returns whether every area names only sources and tests that there are, and only mutants are explained."""
    changes = {mutant.change for area in AREAS.values() for mutant in all_mutants(area, [])}
    if gone := {change for change in explained() - changes if not is_of_java(change)}:
        sys.exit("mutate: explained, but no mutant any more:\n" + "\n".join(sorted(gone)))
    for area in AREAS.values():
        area.sources()
        for test in map(Path, area.tests):
            declared = (ROOT / test.parent / "CMakeLists.txt").read_text()
            # A test in C is declared by its file, after the name of the folder.
            if test.name not in declared and test.name.partition("_")[2] not in declared:
                sys.exit(f"mutate: no such test: {test}")
    return 0


def all_mutants(area: Area, names: list[str]) -> list[Mutant]:
    """Every mutant of the area, or of those of its files that are named, in their order."""
    sources = area.sources()
    if unknown := set(names) - sources.keys():
        sys.exit(f"mutate: no such file: {', '.join(sorted(unknown))}; there are {', '.join(sorted(sources))}")
    return [mutant for name in names or sorted(sources) for path in sources[name] for mutant in mutants_of(path)]


def prepare(area: Area, jobs: int) -> None:
    """Copies the tracked files, configures and builds what is to be broken."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, tracked.split("\0")):
        source, target = ROOT / name, WORK / "tree" / name
        if not source.is_file():
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue  # Not written again: nothing that includes it is compiled again.
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    configure = ["cmake", "-S", "tree", "-B", "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    # A mutant that only earns a warning is to be judged too: no warnings.
    configure += ["-DDAEDALUS_DCHECK=ON", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DCMAKE_CXX_FLAGS=-w"]
    configure += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    # The copy has tracked files only, and these headers are unpacked beside the build.
    configure += [f"-DPG_SERVER_INCLUDE={ROOT}/build/postgresql-headers/usr/include/postgresql/15/server"]
    with open(WORK / "prepare.log", "w") as log:
        subprocess.run(configure, cwd=WORK, check=True, stdout=log, stderr=log)
    if not build(area, jobs):
        sys.exit(f"what is not yet broken does not build: see {WORK / 'build.log'}")


def build(area: Area, jobs: int) -> bool:
    """Builds the tests; False when the compiler refuses."""
    command = ["cmake", "--build", "build", f"-j{jobs}", "--target", *(Path(test).name for test in area.tests)]
    with open(WORK / "build.log", "w") as log:
        return subprocess.run(command, cwd=WORK, stdout=log, stderr=log, check=False).returncode == 0


def passes(test: str, operations: int, seed: int) -> bool:
    """Runs one test program; one that does not end has failed."""
    environment = {
        **os.environ,
        "DAEDALUS_ENGINE_OPERATIONS": str(operations),
        "DAEDALUS_SHRINK": "0",
        "DAEDALUS_SEED": str(seed),
    }
    command = [str(WORK / "build" / test), "--gtest_fail_fast", "--gtest_brief=1"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            return process.wait(timeout=RUN_SECONDS_MAX) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return False


def judge(area: Area, mutant: Mutant, arguments: argparse.Namespace) -> str:
    """Breaks the copy, builds, runs, and mends it."""
    path = WORK / "tree" / mutant.path
    original = path.read_text()
    lines = original.split("\n")
    lines[mutant.line] = mutant.after
    path.write_text("\n".join(lines))
    try:
        if not build(area, arguments.jobs):
            return "unbuildable"
        noticed = any(not passes(test, arguments.operations, arguments.seed) for test in area.tests)
        return "killed" if noticed else "explained" if mutant.change in explained() else "SURVIVED"
    finally:
        path.write_text(original)


def main() -> int:
    """Draws mutants, judges each, prints one line each and a sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="mutants to draw")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31), help="of draw and tests")
    parser.add_argument("--operations", type=int, default=50_000, help="random operations of the model test")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--area", choices=AREAS, default="engine")
    parser.add_argument("--files", nargs="*", default=[], help="names of its sources, without suffix; else all")
    parser.add_argument("--matching", default="", help="only mutants whose line this regular expression finds")
    parser.add_argument("--list", action="store_true", help="print the drawn mutants and stop")
    parser.add_argument("--check", action="store_true", help="only look whether what areas name is there")
    arguments = parser.parse_args()
    if arguments.check:
        return check()
    print(f"mutate: --seed {arguments.seed}", flush=True)
    area = AREAS[arguments.area]
    mutants = [mutant for mutant in all_mutants(area, arguments.files) if re.search(arguments.matching, mutant.before)]
    drawn = random.Random(arguments.seed).sample(mutants, min(arguments.count, len(mutants)))
    if arguments.list:
        print("\n".join(map(str, drawn)))
        return 0
    WORK.mkdir(parents=True, exist_ok=True)
    prepare(area, arguments.jobs)
    verdicts: dict[str, int] = {}
    for mutant in drawn:
        started = time.monotonic()
        verdict = judge(area, mutant, arguments)
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        print(f"{verdict:<11} {time.monotonic() - started:4.0f} s  {mutant}", flush=True)
    print(f"{len(drawn)} of {len(mutants)} mutants: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
