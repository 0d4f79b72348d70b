"""A command on a terminal of its own, typed at and read like a user would."""

from __future__ import annotations

import enum
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
from pathlib import Path
from types import TracebackType

from local_cluster import take_interrupts

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>()][0-9A-B]?|\x1b\][^\x07]*\x07|[\x07\x0e\x0f]")
ANSWER_SECONDS_MAX = 60


class Screen(enum.Enum):
    """A look at the screen came to this."""

    SHOWN = enum.auto()
    SILENT = enum.auto()
    ENDED = enum.auto()


def _own_the_terminal() -> None:
    """For the child: the pseudo-terminal is its controlling terminal, and Ctrl-C there reaches it."""
    take_interrupts()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class TerminalSession:
    """Runs a command with a pseudo-terminal as its controlling terminal."""

    def __init__(
        self, *command: str | Path, environment: dict[str, str] | None = None, rows: int = 40, columns: int = 100
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "PAGER", "LESS")}
        self._process = subprocess.Popen(
            [str(word) for word in command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**plain, "TERM": "xterm", **(environment or {})},
            start_new_session=True,
            preexec_fn=_own_the_terminal,
        )
        os.close(slave)
        self._unread = ""
        self._bytes = b""

    def __enter__(self) -> TerminalSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        """Presses keys."""
        os.write(self._master, text.encode())

    def expect(self, pattern: str) -> str:
        """Waits until the screen has shown `pattern`; returns what came since the last time, up to its end."""
        silent_seconds = 0
        while True:
            found = re.search(pattern, self._unread, re.MULTILINE)
            if found:
                shown, self._unread = self._unread[: found.end()], self._unread[found.end() :]
                return shown
            state = self._read()
            silent_seconds += state is Screen.SILENT
            assert state is not Screen.ENDED, f"{pattern!r} was not shown before the end; what was: {self._unread!r}"
            assert silent_seconds < ANSWER_SECONDS_MAX, f"{pattern!r} was not shown; what was: {self._unread!r}"

    def ask(self, text: str, prompt: str) -> str:
        """Types a line and returns what was shown until the next prompt."""
        self.type(text + "\r")
        return self.expect(prompt)

    def exit_code(self) -> int:
        """Waits for the end."""
        silent_seconds = 0
        while (state := self._read()) is not Screen.ENDED:
            silent_seconds += state is Screen.SILENT
            assert silent_seconds < ANSWER_SECONDS_MAX, f"it did not end; what was shown: {self._unread!r}"
        return self._process.wait(ANSWER_SECONDS_MAX)

    def _read(self) -> Screen:
        """Takes what there is, waiting a second for it.

        Seconds of silence are counted one by one, and not by the clock: where this process and the command stand still
        together, as on a machine that others use, the clock goes on, and what the command has shown has not been read.
        """
        if not select.select([self._master], [], [], 1)[0]:
            return Screen.SILENT
        try:
            self._bytes += os.read(self._master, 65_536)
        except OSError:
            return Screen.ENDED
        text = self._bytes.decode(errors="ignore")
        # Bytes that may be the beginning of an escape sequence or of a character wait for the rest.
        cut = text.rfind("\x1b")
        whole = text if cut < 0 or ESCAPES.match(text, cut) else text[:cut]
        self._bytes = self._bytes[len(whole.encode()) :]
        self._unread = re.sub(r"\r+\n", "\n", self._unread + ESCAPES.sub("", whole))
        return Screen.SHOWN
