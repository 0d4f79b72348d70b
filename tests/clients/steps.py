"""Runs a client's program against a server and says of each of its steps how two servers' answers compare."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sent import REFUSALS

from clients.pins import PROGRAMS, Client

PROGRAM_SECONDS_MAX = 120
# A step of every program that has one: `daedalus.block_writes = immediate` says that what was written stays.
ROLLS_BACK = "rolls back"
# The code of an error of which a client shows the message alone.
NO_CODE = "no code"


@dataclass(frozen=True, slots=True)
class Step:
    """A program's step came to this: an answer, or an error's code and message."""

    name: str
    answer: Any = None
    code: str = ""
    message: str = ""

    @property
    def said(self) -> str:
        """The code and the message in one line."""
        message = self.message.split("ERROR:")[-1].strip()
        return message if self.code == NO_CODE else f"{self.code} {message}".strip()

    @property
    def is_refusal(self) -> bool:
        """Says whether it was refused by name."""
        return self.code in REFUSALS or (self.code == NO_CODE and self.message.endswith("not supported"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a step's outcome compares with PostgreSQL's."""

    word: str  # works, refused, stays or DIFFERENT
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.word}: {self.detail}" if self.detail else self.word


def command_of(client: Client) -> list[str | Path]:
    """How its program is started."""
    match client.program.suffix:
        case ".py":
            own = client.folder / "venv" / "bin" / "python"
            return [own if own.exists() else "/usr/bin/python3", client.program]
        case ".js":
            return ["node", client.program]
        case ".java":
            return ["java", "-cp", f"{client.folder}/classes:{client.folder}/jars/*", client.program.stem]
        case ".go":
            return [client.folder / "program"]
        case ".rs":
            return [client.folder / "target" / "debug" / "program"]
        case ".rb":
            return ["ruby", client.program]
        case ".php":
            return ["php", client.program]
        case ".pl":
            return ["perl", client.program]
    raise ValueError(f"no way to start {client.program}")


def environment_of(client: Client, dsn: str) -> dict[str, str]:
    """Returns what a program is told: where the server is, in PostgreSQL's own variables, and where its files are."""
    place = dict(part.split("=") for part in dsn.split())
    return {
        "PGHOST": place["host"],
        "PGPORT": place["port"],
        "PGUSER": place["user"],
        "PGDATABASE": place["dbname"],
        "NODE_PATH": str(client.folder / "node_modules"),
        "PYTHONPATH": str(PROGRAMS / "python"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # dbt names tables in the order of a set.
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "CLIENT_FOLDER": str(client.folder),
        "CLIENT_WORDS": client.words,
    }


def run_program(client: Client, dsn: str) -> list[Step]:
    """The steps that the client's program took. A program that ends early has a last step that says so."""
    process = subprocess.Popen(
        command_of(client), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        cwd=client.folder, env={**os.environ, **environment_of(client, dsn)},
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=PROGRAM_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += f"\nit was still running after {PROGRAM_SECONDS_MAX} s"
    steps = [_read(line) for line in out.splitlines() if line.startswith("{")]
    if process.returncode != 0:
        last = (err.strip().splitlines() or ["it said nothing"])[-1]
        steps.append(Step("goes on to its end", code=f"exit {process.returncode}", message=last))
    return steps


def _read(line: str) -> Step:
    found = json.loads(line)
    return Step(found["step"], found.get("answer"), str(found.get("code", "")), found.get("message", ""))


def compare(expected: Sequence[Step], found: Sequence[Step], *, stays: bool = False) -> dict[str, Verdict]:
    """A verdict on each step of either. `stays`: what is rolled back is known to stay."""
    theirs, ours = ({step.name: step for step in steps} for steps in (expected, found))
    return {name: _verdict(theirs.get(name), ours.get(name), stays=stays) for name in {**theirs, **ours}}


def _verdict(expected: Step | None, found: Step | None, *, stays: bool) -> Verdict:
    if expected is None or found is None:
        only = found or expected
        assert only is not None
        return Verdict("DIFFERENT", f"only {'here' if found else 'PostgreSQL'}: {only.said or only.answer}")
    if found.code and found.code != expected.code:
        return Verdict("refused" if found.is_refusal and not expected.code else "DIFFERENT", found.said)
    if (found.answer, found.code) == (expected.answer, expected.code):
        return Verdict("works")
    if stays and found.name.startswith(ROLLS_BACK):
        return Verdict("stays")
    return Verdict("DIFFERENT", f"{found.answer} instead of {expected.said or expected.answer}")
