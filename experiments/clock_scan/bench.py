"""Talks to engine_mix_bench --serve: one line asks, lines of JSON answer. What it can be asked: bench/commands.hpp."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from experiments import PROGRAMS

PROGRAM = PROGRAMS / "engine_mix_bench"


class BenchError(Exception):
    """The program ended where an answer was due."""


class Bench:
    """One process with tables of `rows` rows. Usable as a context; ends with it."""

    def __init__(self, rows: int, program: Path = PROGRAM) -> None:
        self.rows = rows
        self._process = subprocess.Popen(
            [program, "--serve", f"--rows={rows}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            # A benchmark that was interrupted is in the middle of a cycle and does not read.
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, name: str, **words: str | int) -> list[dict[str, Any]]:
        """All lines of an answer. Error: BenchError when the program ends instead."""
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        answers: list[dict[str, Any]] = []
        try:
            stdin.write(" ".join([name, *(f"{key}={value}" for key, value in words.items())]) + "\n")
            stdin.flush()
            for line in stdout:
                answer = json.loads(line)
                if answer.get("done") == name:
                    return answers
                answers.append(answer)
        except BrokenPipeError:
            pass
        said = stderr.read().strip().splitlines()
        raise BenchError(f"{name}: the benchmark ended with {self._process.wait()}: {said[-1] if said else 'no word'}")

    def ask_one(self, name: str, **words: str | int) -> dict[str, Any]:
        """The only line of an answer."""
        (answer,) = self.ask(name, **words)
        return answer
