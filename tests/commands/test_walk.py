"""The walk of docs/command_line.md: its commands in their order, and what the page says that they print."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from local_cluster import ROOT, free_ports, run_command

PAGE = ROOT / "docs" / "command_line.md"
BLOCK = re.compile(r"^```(sh(?: fails)?)\n(.*?)^```\n(?:```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
# Differs from run to run.
VOLATILE = (
    (re.compile(r"process \d+"), "process N"),
    (re.compile(r"127\.0\.0\.1:\d+ *"), "ADDRESS "),
)


@dataclass(frozen=True, slots=True)
class Step:
    """One block of commands."""

    commands: str
    printed: str
    fails: bool


@dataclass(slots=True)
class Walker:
    """Somebody who types the page's commands into one shell after the other, in the folder where the last one ended."""

    home: Path
    port: int

    def clusters(self) -> list[Path]:
        """Returns what `up` remembers of clusters that are not down."""
        return list((self.home / ".local" / "state" / "daedalus" / "clusters").glob("*"))

    def walk(self, commands: str) -> tuple[int, str]:
        """Runs a block as one script that ends at the first error; returns exit code and output."""
        # Only the ports are not the page's: somebody may have a cluster on those.
        script = f"""
            cd ~/first 2> /dev/null || cd
            daedalus() {{
              if [ "$1" = up ]; then set -- "$@" --port {self.port} --segment-mib 8; fi
              {ROOT / "bin" / "daedalus"} "$@"
            }}
            set -eo pipefail
        """
        environment = {"HOME": str(self.home), "XDG_STATE_HOME": "", "DAEDALUS_CLUSTER": ""}
        done = run_command("bash", "-c", script + "\n" + commands + "\n", environment=environment)
        return done.code, done.said


@pytest.fixture
def walker(tmp_path: Path) -> Iterator[Walker]:
    someone = Walker(tmp_path, free_ports())
    yield someone
    if someone.clusters():
        someone.walk("daedalus down")


def plain(line: str) -> str:
    """A line without what differs from run to run."""
    for pattern, replacement in VOLATILE:
        line = pattern.sub(replacement, line)
    return line.rstrip()


def test_the_page_says_what_its_commands_print(walker: Walker) -> None:
    steps = [Step(found[2], found[3] or "", found[1].endswith("fails")) for found in BLOCK.finditer(PAGE.read_text())]
    assert len(steps) >= 10
    for step in steps:
        code, said = walker.walk(step.commands)
        assert (code != 0) == step.fails, step.commands + said
        lines = iter(plain(line) for line in said.splitlines())
        for expected in step.printed.splitlines():
            # Durations and counts of bytes may follow on the same line.
            assert any(line.startswith(plain(expected)) for line in lines), f"{expected!r} is not in\n{said}"
    assert walker.clusters() == []


def test_every_command_of_the_page_is_run() -> None:
    page = PAGE.read_text()
    run = "".join(found[2] for found in BLOCK.finditer(page))
    for line in page.splitlines():
        if line.startswith("daedalus "):
            assert line in run, line
    assert os.access(ROOT / "make.sh", os.X_OK)
