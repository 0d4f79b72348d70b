"""Positions in a DDL file and what is said about them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One broken rule at one place; `offset` counts bytes of the source from 0."""

    offset: int
    rule: str
    message: str


class Source:
    """The text of one file, which knows lines and columns. Refuses to know what the text means."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.bytes = text.encode()

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a byte offset; the column counts characters."""
        before = self.bytes[: max(offset, 0)].decode(errors="replace")
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    def byte_offset(self, character: int) -> int:
        """Byte offset of a character position from 0."""
        return len(self.text[: max(character, 0)].encode())

    def identifier_size(self, offset: int) -> int:
        """Bytes of the identifier that starts at `offset`, as written, quotes not counted."""
        rest = self.bytes[offset:]
        if rest[:2].lower() == b"u&":
            rest = rest[2:]
        if rest[:1] == b'"':
            size, at = 0, 1
            while at < len(rest):
                if rest[at : at + 2] == b'""':
                    at += 1
                elif rest[at : at + 1] == b'"':
                    break
                size, at = size + 1, at + 1
            return size
        size = 0
        while size < len(rest) and (rest[size] >= 0x80 or chr(rest[size]).isalnum() or chr(rest[size]) in "_$"):
            size += 1
        return size

    def render(self, diagnostic: Diagnostic) -> str:
        """`file:line:column: message [rule-name]`."""
        line, column = self.line_and_column(diagnostic.offset)
        return f"{self.path}:{line}:{column}: {diagnostic.message} [{diagnostic.rule}]"
