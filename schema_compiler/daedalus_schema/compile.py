"""One file's way from text to a checked schema, or to everything that is wrong with it."""

from __future__ import annotations

from daedalus_schema import grammar
from daedalus_schema.declaration import declare
from daedalus_schema.rules import check
from daedalus_schema.schema import Schema, make_schema
from daedalus_schema.source import Diagnostic, Source

_OTHER_TABLES = {
    "CreateTableAsStmt": "CREATE TABLE AS is not supported; declare the columns, then load the rows",
    "CreateForeignTableStmt": "foreign tables are not supported; write CREATE TABLE",
}


def compile_source(source: Source) -> Schema | list[Diagnostic]:
    """The schema in `source`, or its diagnostics in source order (never empty then). Opens no file.

    Errors: grammar.GrammarMissingError.
    """
    if "\0" in source.text:
        offset = source.byte_offset(source.text.index("\0"))
        return [Diagnostic(offset, "syntax", "the file holds a NUL character; it is no SQL text")]
    try:
        statements = grammar.parse(source.text)
    except grammar.SqlSyntaxError as error:
        return [Diagnostic(source.byte_offset(error.character), "syntax", str(error))]
    if not statements:
        return [Diagnostic(0, "one-table", "the file holds no statement; write one CREATE TABLE")]
    found = []
    for statement in statements[1:]:
        offset = _start(source, statement)
        found.append(Diagnostic(offset, "one-table", "the file holds a second statement; keep one CREATE TABLE"))
    offset = _start(source, statements[0])
    node = statements[0]["stmt"]
    if "CreateStmt" not in node:
        message = _OTHER_TABLES.get(next(iter(node)), "the statement is no CREATE TABLE; write one")
        return [Diagnostic(offset, "one-table", message), *found]
    declaration = declare(source, node["CreateStmt"], offset)
    found = sorted([*check(declaration), *found], key=lambda diagnostic: diagnostic.offset)
    return found if found else make_schema(declaration)


def _start(source: Source, statement: dict[str, object]) -> int:
    """Returns where a statement's first word stands; PostgreSQL counts blanks and comments before it to it."""
    at = int(str(statement.get("stmt_location", 0)))
    text = source.bytes
    while at < len(text):
        if text[at : at + 1].isspace():
            at += 1
        elif text[at : at + 2] == b"--":
            end = text.find(b"\n", at)
            at = len(text) if end < 0 else end
        elif text[at : at + 2] == b"/*":
            at = _after_comment(text, at)
        else:
            break
    return at


def _after_comment(text: bytes, at: int) -> int:
    """The first byte after the block comment at `at`; block comments nest."""
    depth = 0
    while at < len(text):
        if text[at : at + 2] == b"/*":
            depth, at = depth + 1, at + 2
        elif text[at : at + 2] == b"*/":
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1
    return at
