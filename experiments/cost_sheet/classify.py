"""Which part of the system a stack belongs to. Pure: frames in, a part's name out; parts.toml has the rules."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

KERNEL = "[kernel.kallsyms]"
RULES = Path(__file__).parent / "parts.toml"


@dataclass(frozen=True, slots=True)
class Frame:
    """One function of a stack: its symbol, and the file it lies in."""

    symbol: str
    file: str

    @property
    def is_kernels(self) -> bool:
        """Returns whether the kernel was running."""
        return self.file == KERNEL

    @property
    def text(self) -> str:
        """Returns the text that rules are matched with: the symbol, and the file's name in brackets."""
        return f"{self.symbol} [{Path(self.file).name}]"


@dataclass(frozen=True, slots=True)
class Rule:
    """Frames that belong to a part; None: of any process, of any thread."""

    part: str
    frames: re.Pattern[str]
    process: str | None
    thread: re.Pattern[str] | None

    def concerns(self, process: str, thread: str) -> bool:
        """Returns whether it is about this thread at all."""
        return (self.process is None or self.process == process) and (
            self.thread is None or self.thread.search(thread) is not None
        )


class Classifier:
    """The rules of one file. Errors: KeyError, re.error, tomllib.TOMLDecodeError for a file that is wrong."""

    def __init__(self, rules: Path = RULES) -> None:
        with rules.open("rb") as file:
            document = tomllib.load(file)
        self._rules = [read_rule(entry) for entry in document["rule"]]
        self._kernel = [read_rule(entry) for entry in document["kernel"]]
        self._fallback = [read_rule({"frames": [""], **entry}) for entry in document["fallback"]]
        self._of_frame = lru_cache(maxsize=None)(self._part_of_frame)

    @property
    def parts(self) -> list[str]:
        """All parts, in the order of the file, each once."""
        return list(dict.fromkeys(rule.part for rule in [*self._rules, *self._kernel, *self._fallback]))

    def part_of(self, process: str, thread: str, stack: Sequence[Frame]) -> str:
        """The part that was running: `stack` begins with the innermost frame, and may be empty."""
        if stack and stack[0].is_kernels:
            frames = [frame.symbol for frame in stack if frame.is_kernels]
            for rule in self._kernel:
                if rule.concerns(process, thread) and any(rule.frames.search(frame) for frame in frames):
                    return rule.part
        for frame in stack:
            part = self._of_frame(process, thread, frame.text)
            if part is not None:
                return part
        text = "\n".join(frame.text for frame in stack)
        return next(r.part for r in self._fallback if r.concerns(process, thread) and r.frames.search(text))

    def _part_of_frame(self, process: str, thread: str, text: str) -> str | None:
        for rule in self._rules:
            if rule.concerns(process, thread) and rule.frames.search(text):
                return rule.part
        return None


def read_rule(entry: dict[str, Any]) -> Rule:
    """One table of the file. Errors: KeyError, re.error."""
    thread = entry.get("thread")
    return Rule(
        entry["part"],
        re.compile("|".join(f"(?:{frame})" for frame in entry["frames"]), re.MULTILINE),
        entry.get("process"),
        re.compile(thread) if thread is not None else None,
    )
